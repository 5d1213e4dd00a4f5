// To be run, as the body of a function: what programs do with libraries.
const crypto = require('crypto'), util = require('util'), assert = require('assert'), path = require('path');
const events = require('events'), qs = require('querystring'), legacy = require('url'), { StringDecoder } = require('string_decoder');
const bytes = Buffer.from('h\u00e9llo w\u00f6rld');
bytes.toString('base64'); bytes.toString('hex'); bytes.toString('base64url'); bytes.toString('latin1'); bytes.toJSON();
Buffer.from('aGk=', 'base64').toString(); Buffer.from('6869', 'hex'); Buffer.from([1, 2]); Buffer.from(new ArrayBuffer(2));
Buffer.concat([Buffer.alloc(4), Buffer.alloc(2, 'a')]).equals(bytes); Buffer.byteLength('a'); Buffer.isBuffer(bytes); bytes.slice(1, 3); bytes.indexOf('l');
Buffer.alloc(8).writeUInt32BE(1); Buffer.alloc(8).readUInt16LE(2); bytes.compare(bytes); bytes.fill(0); bytes.write('ab'); bytes.copy(Buffer.alloc(2));
btoa(atob('aGk=')); new TextDecoder().decode(new TextEncoder().encode('\u20ac'));
const url = new URL('https://user:pw@example.org:8080/a/b.html?x=1&y=a%20b#top');
url.searchParams.append('z', 'w\u00f6'); url.pathname = '/c d'; url.hostname = 'b.example'; url.href; url.origin;
for (const [name, value] of new URLSearchParams({ a: '1', b: 'x y' })) `${name}=${value}`;
new URLSearchParams('a=1&a=2').getAll('a'); URL.canParse('x'); `${new URL('../d', url)}`;
legacy.parse('http://a.example/b?c=d', true); legacy.format({ protocol: 'http', host: 'a', pathname: '/b', query: { c: 1 } });
for (const name of ['md5', 'sha1', 'sha256', 'sha512']) crypto.createHash(name).update('x').digest('hex');
crypto.createHmac('sha256', 'key').update(Buffer.from('x')).digest('base64');
crypto.randomUUID(); crypto.randomBytes(8).toString('hex'); crypto.randomInt(10); crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('a'));
await globalThis.crypto.subtle.digest('SHA-256', new Uint8Array(3)); globalThis.crypto.getRandomValues(new Uint8Array(4)); globalThis.crypto.randomUUID();
structuredClone({ a: new Map([[1, new Date(0)]]), b: new Set([1]), c: [1n, /x/, new Error('e'), new Uint8Array(2)] });
util.format('%s %d %o', 'a', 1, {}); util.inspect({ a: 1 }); util.promisify((done) => done(null, 1))(); util.isDeepStrictEqual([1], [1]); util.types.isDate(1);
assert.deepStrictEqual({ a: [1] }, { a: [1] }); assert.equal(1, 1); assert(true); try { assert.strictEqual(1, 2) } catch {} try { Buffer.from(5) } catch {} try { new URL('x') } catch {}
path.join('a', '..', 'b.txt'); path.extname('a.b'); path.basename('/a/b.c', '.c'); path.resolve('a'); path.parse('/a/b.c');
qs.parse('a=1&b=2'); qs.stringify({ a: [1, 2] }); new StringDecoder('utf8').write(Buffer.from('a'));
const emitter = new events(); emitter.on('x', () => {}); emitter.once('x', () => {}); emitter.emit('x', 1); emitter.listenerCount('x');
new AbortController().signal.addEventListener('abort', () => {}); new EventTarget().dispatchEvent(new Event('x'));
new Headers({ a: '1' }).get('a'); performance.now();
for (const name of ['lodash', 'dayjs', 'luxon']) {
  try {
    const found = require(name);
    if (name === 'lodash') { found.groupBy([{ a: 1 }], 'a'); found.chunk([1, 2, 3], 2); found.get({ a: { b: 1 } }, 'a.b'); found.sortBy([{ a: 2 }, { a: 1 }], ['a']); found.cloneDeep({ a: [1] }); found.merge({ a: 1 }, { b: { c: 2 } }); found.uniqBy([{ id: 1 }], 'id'); found.pick({ a: 1 }, ['a']); found.camelCase('a b'); }
    else if (name === 'dayjs') found('2024-01-31').add(1, 'month').format('YYYY-MM-DD HH:mm');
    else { const time = found.DateTime.fromISO('2024-01-31T10:00:00', { zone: 'utc' }).plus({ months: 1 }); time.toISO(); time.toFormat('yyyy-LL-dd'); time.diff(found.DateTime.utc(2024, 1, 1), 'days').days; }
  } catch {}
}
