'use strict'; // to be read by the parser, as the body of a function: a little of everything
const { a, b: [c = 1, ...d], ...rest } = inputs ?? {}, items = await Promise.all([1, 2n, .5].map(async (x) => await x));
let total = 0, re = /(\d+)[^a-z]+(?:x|y)/giu, text = `a ${total + 1} b`, o = { a, 'b': 1, [c]: 2, f() {}, get g() { return 1; }, ...rest };
for (const [key, value] of Object.entries(o)) { if (key === 'x' && !value) continue; else total += value ** 2; }
for (let i = 0; i < 10; i++) { switch (i) { case 1: break; default: total--; } }
outer: for (const key in o) { while (true) { do { break outer; } while (false); } }
class Base { constructor(x) { this.x = x; } }
class Point extends Base { static #n = 0; y = 1; constructor(...all) { super(...all); } async *walk() { yield* [new.target]; } static { Point.#n++; } }
function helper({ name, list = [] }, extra = (1, 2)) { try { throw new Error(name); } catch (error) { return error?.message ?? null; } finally { delete o.a; } }
const f = async function () { await (0); }, g = (x) => ({ x }), h = function* () { const got = yield 1; return typeof got; };
if (!items.length) { return [{ json: { total, when: new Date().toISOString(), ok: total >= 1 ? 'yes' : "no" } }]; }
for await (const x of f()) console.log(x, void 0, a instanceof Base, 'k' in o, o?.[a], o?.f?.());
var { z } = require('crypto'), w;
items.filter((item) => item.json.name.trim().toLowerCase() !== '').sort((p, q) => p - q || -1).reduce((sum, n) => sum + n, 0);
