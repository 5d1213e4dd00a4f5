// Every intrinsic that the prelude uses once user code has run is taken here, before it. Functions of the prelude call
// nothing but these names and their own: no method of an object, no iteration, no regular expression, no array index
// that is not the array's own. A program may have replaced any of that.
const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;

// uncurry(f)(self, a) is f.call(self, a) without looking anything up.
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const bind = uncurry(Function.prototype.bind);

// A function that calls `callee` with exactly these arguments, whatever it is given: a promise gives one more. It is made
// of built-in functions alone, so there is no frame of ours below the callee.
function callOf(callee, receiver, given) {
  return bind(apply, undefined, callee, receiver, given);
}

const evaluateGlobally = eval; // called by another name, eval runs its text in the global scope
const AsyncFunction = (async () => {}).constructor;
const PlainFunction = Function;
const NativeError = Error;
const NativeTypeError = TypeError;
const NativeMap = Map;
const NativeMath = Math;
const NativeUint8Array = Uint8Array;
const NativeUint32Array = Uint32Array;
const theGlobal = globalThis;
const { captureStackTrace } = Error;
const { isArray } = Array;
const isError = Error.isError;
const { keys: keysOf, getOwnPropertySymbols: symbolsOf, hasOwn, freeze } = Object;
const { parse: parseJson, stringify: stringifyJson } = JSON;
const toText = String;
const { fromCharCode } = String;
const toNumber = Number;
const now = Date.now;
const { floor, max, min, random, round, sqrt } = Math;
const { parseInt: toInteger, parseFloat: toFloat } = Number;
const { toStringTag, for: symbolFor } = Symbol;

const then = uncurry(Promise.prototype.then);
const functionText = uncurry(Function.prototype.toString);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const indexOf = uncurry(String.prototype.indexOf);
const slice = uncurry(String.prototype.slice);
const toWellFormed = uncurry(String.prototype.toWellFormed);
const repeat = uncurry(String.prototype.repeat);
const toUpperCase = uncurry(String.prototype.toUpperCase);
const padStart = uncurry(String.prototype.padStart);
const padEnd = uncurry(String.prototype.padEnd);
const numberInBase = uncurry(Number.prototype.toString);
const numberValue = uncurry(Number.prototype.valueOf);
const stringValue = uncurry(String.prototype.valueOf);
const booleanValue = uncurry(Boolean.prototype.valueOf);
const symbolText = uncurry(Symbol.prototype.toString);
const getterOf = (object, key) => uncurry(getOwnPropertyDescriptor(object, key).get);
const regexSource = getterOf(RegExp.prototype, 'source');
// RegExp.prototype.flags would read each of these from the object, where a program may have put something else.
const CUSTOM_INSPECT = symbolFor('nodejs.util.inspect.custom');
const REGEX_FLAGS = [
  ['d', getterOf(RegExp.prototype, 'hasIndices')], ['g', getterOf(RegExp.prototype, 'global')],
  ['i', getterOf(RegExp.prototype, 'ignoreCase')], ['m', getterOf(RegExp.prototype, 'multiline')],
  ['s', getterOf(RegExp.prototype, 'dotAll')], ['u', getterOf(RegExp.prototype, 'unicode')],
  ['v', getterOf(RegExp.prototype, 'unicodeSets')], ['y', getterOf(RegExp.prototype, 'sticky')],
];
const dateIso = uncurry(Date.prototype.toISOString);
const dateNumber = uncurry(Date.prototype.valueOf);
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapDelete = uncurry(Map.prototype.delete);
const mapEach = uncurry(Map.prototype.forEach);
const mapSize = getterOf(Map.prototype, 'size');
const setEach = uncurry(Set.prototype.forEach);
const setSize = getterOf(Set.prototype, 'size');
const TypedArray = getPrototypeOf(Uint8Array);
const typedLength = getterOf(TypedArray.prototype, 'length');
const bufferLength = getterOf(ArrayBuffer.prototype, 'byteLength');
const viewLength = getterOf(DataView.prototype, 'byteLength');
const viewOffset = getterOf(DataView.prototype, 'byteOffset');
const viewBuffer = getterOf(DataView.prototype, 'buffer');
const { load, store, wait } = Atomics;

// Our promises answer `then` without asking a constructor that the program may have replaced.
function guarded(promise) {
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined });
  return promise;
}
const resolved = guarded(Promise.resolve());
const rejectedPromise = bind(Promise.reject, Promise);

// The methods of a call site, taken from a real one.
Error.prepareStackTrace = (_, sites) => getPrototypeOf(sites[0]);
const CallSite = new Error().stack;
delete Error.prepareStackTrace;
const siteScript = uncurry(CallSite.getScriptNameOrSourceURL);
const siteFunction = uncurry(CallSite.getFunctionName);
const siteLine = uncurry(CallSite.getLineNumber);
const siteColumn = uncurry(CallSite.getColumnNumber);
const siteText = uncurry(CallSite.toString);
const errorHeader = uncurry(Error.prototype.toString);

// An array whose index assignments meet no setter of Array.prototype.
function list() {
  const items = [];
  setPrototypeOf(items, null);
  return items;
}

// What a program may hold of ours: a bound function shows no source, and its name is that of the thing it plays.
function native(name, length, body) {
  const bound = bind(body, undefined);
  defineProperty(bound, 'name', { __proto__: null, value: name, configurable: true });
  defineProperty(bound, 'length', { __proto__: null, value: length, configurable: true });
  return bound;
}

function isObject(value) {
  return typeof value === 'object' ? value !== null : typeof value === 'function';
}

// JSON text of a string. Strings are the one case in which JSON.stringify consults nothing a program can change.
function quote(text) {
  return stringifyJson(text);
}

// What kind of built-in an object descends from, found without running code of the program (a Proxy's traps apart).
const ANCESTORS = new Map([
  [Object.prototype, 'Object'], [Array.prototype, 'Array'], [Date.prototype, 'Date'], [RegExp.prototype, 'RegExp'],
  [Map.prototype, 'Map'], [Set.prototype, 'Set'], [WeakMap.prototype, 'WeakMap'], [WeakSet.prototype, 'WeakSet'],
  [WeakRef.prototype, 'WeakRef'], [Promise.prototype, 'Promise'], [Error.prototype, 'Error'],
  [Number.prototype, 'Number'], [String.prototype, 'String'], [Boolean.prototype, 'Boolean'],
  [BigInt.prototype, 'BigInt'], [Symbol.prototype, 'Symbol'], [TypedArray.prototype, 'TypedArray'],
  [ArrayBuffer.prototype, 'ArrayBuffer'], [DataView.prototype, 'DataView'], [Iterator.prototype, 'Iterator'],
  [getPrototypeOf(getPrototypeOf((async function* () {})).prototype), 'AsyncIterator'],
]);
// How the value in an object of these kinds is read.
const UNBOXED = new Map([
  ['Number', numberValue], ['String', stringValue], ['Boolean', booleanValue],
  ['BigInt', uncurry(BigInt.prototype.valueOf)], ['Symbol', uncurry(Symbol.prototype.valueOf)],
]);
const MAX_ANCESTORS = 100; // a Proxy may name itself as its own prototype, without end
const FUNCTIONS = new Map([
  [AsyncFunction.prototype, 'AsyncFunction'], [getPrototypeOf(function* () {}), 'GeneratorFunction'],
  [getPrototypeOf(async function* () {}), 'AsyncGeneratorFunction'],
]);
const ObjectPrototype = Object.prototype;
const ArrayPrototype = Array.prototype;
