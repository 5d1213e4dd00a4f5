// The result as JSON text, written in one pass that reads each property once: what was judged is what is sent.
const MAX_DEPTH = 200;
let outputLimit = 0;
let outputLeft = 0;

const REFUSED = {
  __proto__: null,
  Map: ['a Map', 'use Object.fromEntries(map) or [...map]'],
  Set: ['a Set', 'use [...set]'],
  WeakMap: ['a WeakMap', ''],
  WeakSet: ['a WeakSet', ''],
  WeakRef: ['a WeakRef', ''],
  Promise: ['a Promise', 'await it first'],
  RegExp: ['a RegExp', 'use its .source'],
  Error: ['an Error', 'use its .message, or throw it'], // its name and message are no keys: {} would be left of it
  TypedArray: ['a typed array', 'use Array.from(array)'],
  ArrayBuffer: ['an ArrayBuffer', 'use Array.from(new Uint8Array(buffer))'],
  DataView: ['a DataView', ''],
  Iterator: ['an iterator', 'use [...iterator]'],
  AsyncIterator: ['an async iterator', 'collect its values with for await first'],
};

// Says 'R' and the JSON, or 'I' (not JSON), 'O' (too large), 'E' (a toJSON or getter threw).
function finish(value) {
  outputLeft = outputLimit;
  try {
    return 'R' + (value === undefined ? 'null' : writeValue(value, null, 'result'));
  } catch (thrown) {
    return lastVerdict !== null && thrown === lastVerdict ? lastVerdict.answer : 'E' + describe(thrown);
  }
}

let lastVerdict = null;

// What the writer throws to end itself; told apart from what the program throws by identity.
function verdict(answer) {
  lastVerdict = { __proto__: null, answer };
  return lastVerdict;
}

function invalid(what, hint, parent, key) {
  let path = '';
  for (let at = { __proto__: null, parent, key }; at; at = at.parent) path = pathStep(at) + path;
  if (path.length > 300) path = slice(path, 0, 200) + '...' + slice(path, path.length - 80);
  return verdict('I{"path":' + quote(path) + ',"what":' + quote(what) + ',"hint":' + quote(hint) + '}');
}

function pathStep(at) {
  if (at.parent === null) return at.key;
  if (typeof at.key === 'number') return '[' + at.key + ']';
  return isIdentifier(at.key) ? '.' + at.key : '[' + quote(slice(at.key, 0, 100)) + ']';
}

function spend(units) {
  outputLeft -= units;
  if (outputLeft < 0) throw verdict('O');
}

// `parent` is the chain of objects around the value: {value, key, parent, depth}.
function writeValue(value, parent, key) {
  switch (typeof value) {
    case 'string':
      spend(value.length + 2);
      return writeText(value);
    case 'number': {
      if (value - value !== 0) throw invalid(value !== value ? 'NaN' : 'Infinity', 'JSON has no such number: use null', parent, key);
      const text = toText(value);
      spend(text.length);
      return text;
    }
    case 'boolean':
      spend(4);
      return value ? 'true' : 'false';
    case 'undefined':
      spend(4);
      return 'null';
    case 'object':
      if (value !== null) return writeObject(value, parent, key, true);
      spend(4);
      return 'null';
    case 'bigint':
      throw invalid('a BigInt', 'use String(value) or Number(value)', parent, key);
    case 'function':
      throw invalid('a function', functionHint(parent), parent, key);
    default:
      throw invalid('a Symbol', 'use its .description', parent, key);
  }
}

function functionHint(parent) {
  if (parent === null) return 'call it, or name it main';
  if (parent.value !== exportedObject) return 'call it, or leave it out';
  return 'to have it called, export it by itself (module.exports = ...) or under the name main';
}

// A lone surrogate would be an escape that not every JSON parser takes: it becomes U+FFFD, as in UTF-8.
function writeText(text) {
  return quote(toWellFormed(text));
}

function writeObject(value, parent, key, withToJson) {
  const depth = parent === null ? 1 : parent.depth + 1;
  if (depth > MAX_DEPTH) throw invalid('nested over ' + MAX_DEPTH + ' levels', '', parent, key);
  for (let up = parent; up !== null; up = up.parent) {
    if (up.value === value) throw invalid('a cycle: the object contains itself', '', parent, key);
  }
  const here = { __proto__: null, value, key, parent, depth };
  let kind = 'Object';
  let up = value;
  // Up to the first built-in prototype: a toJSON beyond it is not the value's own, but something put into all objects.
  for (let steps = 0; up !== null && up !== ObjectPrototype && up !== ArrayPrototype; up = getPrototypeOf(up), steps++) {
    if (steps > MAX_ANCESTORS) break;
    const found = mapGet(ANCESTORS, up);
    if (found !== undefined) {
      kind = found;
      break;
    }
    if (withToJson && hasOwn(up, 'toJSON')) {
      const convert = value.toJSON;
      if (typeof convert !== 'function') break;
      return writeConverted(apply(convert, value, [parent === null ? '' : toText(key)]), parent, key);
    }
  }
  if (kind === 'Object' || kind === 'Array') return isArray(value) ? writeArray(value, here) : writePlain(value, here);
  if (kind === 'Date') return writeDate(value);
  if (kind === 'Number') return writeValue(numberValue(value), parent, key);
  if (kind === 'String') return writeValue(stringValue(value), parent, key);
  if (kind === 'Boolean') return writeValue(booleanValue(value), parent, key);
  if (kind === 'BigInt' || kind === 'Symbol') throw invalid('a ' + kind, '', parent, key);
  const refused = REFUSED[kind];
  throw invalid(refused[0], refused[1], parent, key);
}

// As in JSON.stringify, what toJSON gave is not asked for a toJSON of its own.
function writeConverted(value, parent, key) {
  if (typeof value === 'object' && value !== null) return writeObject(value, parent, key, false);
  return writeValue(value, parent, key);
}

function writeDate(value) {
  const time = dateNumber(value);
  spend(26);
  return time === time ? quote(dateIso(value)) : 'null';
}

function writeArray(value, here) {
  const length = value.length;
  spend(2);
  let text = '[';
  for (let i = 0; i < length; i++) {
    if (i > 0) {
      text += ',';
      spend(1);
    }
    text += writeValue(value[i], here, i);
  }
  return text + ']';
}

function writePlain(value, here) {
  const names = keysOf(value);
  spend(2);
  let text = '{';
  let some = false;
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const item = value[name];
    if (item === undefined) continue;
    spend(name.length + 4);
    text += (some ? ',' : '') + writeText(name) + ':' + writeValue(item, here, name);
    some = true;
  }
  return text + '}';
}

function isIdentifier(name) {
  if (name.length === 0 || name.length > 100) return false;
  for (let i = 0; i < name.length; i++) {
    const unit = charCodeAt(name, i);
    const letter = (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit === 36;
    if (!letter && !(i > 0 && unit >= 48 && unit <= 57)) return false;
  }
  return true;
}
