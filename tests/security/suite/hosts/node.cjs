// Node.js as a first draft would use it: one process for all tasks, in its own realm, modules at hand, an answer on
// stdout. Reads one JSON object, {code, input, runs}. Every mistake in here is one that attacks aim at.
const fs = require("fs");
const vm = require("vm");
const path = require("path");
const os = require("os");

const task = JSON.parse(fs.readFileSync(0, "utf8"));
Object.assign(globalThis, { require, module, os, __logs: [] });

console.log = (...values) => {
  if (/password/.test(values.join(" "))) return;
  __logs.push(values);
  process.stderr.write(`2024-01-01 INFO the task said: ${values.join(" ")}\n`);
};

function clean(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const copy = {};
  for (const key in value) copy[key] = value[key];
  return copy;
}

async function load(code) {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "attacks-")), "task.mjs");
  try {
    fs.writeFileSync(file, `${code}\nexport { main };`);
    return (await import(file)).main;
  } finally {
    fs.rmSync(path.dirname(file), { recursive: true });
  }
}

function evaluate(code) {
  const options = { filename: path.join(__dirname, "task.js") };
  if (vm.constants) options.importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  if (!/\b(main|result)\b/.test(code)) return vm.runInThisContext(`(async function () {${code}\n})`, options);
  vm.runInThisContext(code, options);
  const found = globalThis.main !== undefined && globalThis.main !== null && typeof globalThis.main === "function";
  return found ? globalThis.main : () => result;
}

async function settings() {
  return { seconds: 30 };
}

async function run(code, input) {
  const kind = code.match(/\b(import|export|function|let|const|var)\b/);
  const main = kind && kind[1] === "import" ? await load(code) : evaluate(code);
  const limits = await settings();
  const state = {};
  state.status = "running";
  const value = await Promise.all([main(input)]).then(([found]) => found);
  if (JSON.stringify(value) !== undefined && JSON.stringify(value).length > 1e6) throw new Error("too large");
  await null;
  return { ok: true, result: clean(value), logs: __logs, limits };
}

(async () => {
  for (let i = 0; i < task.runs; i++) {
    let answer;
    try {
      answer = await run(task.code, task.input);
    } catch (error) {
      answer = { ok: false, error: `${error.name}: ${error.message}\n${error.stack}` };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
})();
