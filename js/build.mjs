// Builds one text for each file in entries/: the expression `(host) => { ...; return exports }`, minified, which defines
// no global name. Beside them go a manifest (hash, size and packages of each) and the licences of those packages.
// Usage: node build.mjs [FOLDER]   (default: langserver/js_runtime/vendor)
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
// What a bundle gets instead of a file of a package: [of whom, what it asks for, the file it gets]. Each says why.
const STAND_INS = [
  ['whatwg-url', 'tr46', 'idna.js'],
  ['whatwg-url', 'webidl-conversions', 'conversions.js'],
  ['whatwg-url', './encoding', 'utf8.js'],
  ['whatwg-url', '@exodus/bytes/whatwg.js', 'percent.js'],
  ['whatwg-url', '@exodus/bytes/encoding.js', 'nothing.js'],
  ['buffer', 'base64-js', 'base64.js'],
];
const standIns = {
  name: 'stand-ins',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, importer }) => {
      const found = STAND_INS.find(([whose, what]) => what === path && packageOf(importer) === whose);
      return found && { path: join(here, 'standins', found[2]) };
    });
  },
};
const target = resolve(process.argv[2] ?? join(here, '../langserver/js_runtime/vendor'));

async function bundle(name) {
  const built = await build({
    absWorkingDir: here,
    entryPoints: [`entries/${name}.js`],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'bundle',
    target: 'es2024',
    charset: 'ascii', // a string of one byte a character in the isolate
    legalComments: 'none', // they are in LICENSES.txt
    banner: { js: '(host)=>{' },
    footer: { js: 'return bundle}' },
    // No isolate here has shared memory, which libraries ask about while they load.
    define: { 'process.cwd': 'host.cwd', SharedArrayBuffer: 'ArrayBuffer' },
    plugins: [standIns],
    metafile: true,
    write: false,
  });
  const text = built.outputFiles[0].text;
  const packages = new Set(Object.keys(built.metafile.inputs).map(packageOf).filter(Boolean));
  return { name, text, packages: [...packages].sort() };
}

function packageOf(path) {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

function describe(name) {
  const folder = join(here, 'node_modules', name);
  const { version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!license || !file) throw new Error(`${name} says no licence`);
  const source = (repository.url ?? repository).replace(/^(git\+)?(https:\/\/|git:\/\/|github:)?/, 'https://').replace(/\.git$/, '');
  return { name, version, license, source, text: readFileSync(join(folder, file), 'utf8').trim() };
}

const names = readdirSync(join(here, 'entries')).filter((entry) => entry.endsWith('.js')).map((entry) => entry.slice(0, -3)).sort();
const bundles = await Promise.all(names.map(bundle));
const packages = [...new Set(bundles.flatMap((made) => made.packages))].sort().map(describe);

mkdirSync(target, { recursive: true });
for (const { name, text } of bundles) writeFileSync(join(target, `${name}.js`), text);
const manifest = {
  bundles: Object.fromEntries(
    bundles.map(({ name, text, packages: used }) => [
      name,
      { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text), packages: used },
    ]),
  ),
  packages: Object.fromEntries(packages.map(({ name, version, license, source }) => [name, { version, license, source }])),
};
writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
const licences = packages.map(({ name, version, license, source, text }) =>
  [`${name} ${version}`, `licence: ${license}`, `source: ${source}`, '', text].join('\n'),
);
writeFileSync(join(target, 'LICENSES.txt'), `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
