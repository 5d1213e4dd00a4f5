// Libraries: globals and modules beside the language, as texts that are evaluated when a program first touches them.
// Before user code runs the host gives those that its source mentions, most of them compiled; any other (a name put
// together at run time) is asked for through the ring, where the host looks every few milliseconds.
//
// They are evaluated when the program may have replaced anything, so they may fail with it, but only for it: nothing
// that leads out of here passes through them. They get `host`, which holds nothing that a program might not have.
const LIBRARY_LEVEL = 6; // a record that is no line: its text is the library wanted
const PIECE_BYTES = 8192;
const LOADING = freeze({ __proto__: null });
const libraryMakers = new NativeMap();
const libraryTexts = new NativeMap();
const libraries = new NativeMap();
let comingLibrary = '';
let entropy = ''; // in hex, until the generator is made of it

// A line of JSON, {texts: [[name, length], ...], entropy}, and the texts.
function takeTexts(message) {
  let start = indexOf(message, '\n') + 1;
  const { texts, entropy: given } = parseJson(slice(message, 0, start));
  for (let i = 0; i < texts.length; i++) {
    mapSet(libraryTexts, texts[i][0], slice(message, start, start + texts[i][1]));
    start += texts[i][1];
  }
  if (given !== '') entropy = given;
  return 'A';
}

// Told twice: the name of a library, and then what its text evaluates to.
function takeLibrary(told) {
  if (typeof told === 'string') comingLibrary = told;
  else mapSet(libraryMakers, comingLibrary, told);
  return 'A';
}

function askForText(name) {
  putRecord(LIBRARY_LEVEL, name, 0, name.length);
  let size = 0;
  while ((size = load(ringHead, 2)) === 0) wait(ringHead, 2, 0, 1);
  takeTexts(textInRing(size));
  for (let i = 0; i < size && i < PIECE_BYTES; i++) ringBytes[i] = 0; // the entropy stands in front
  store(ringHead, 2, 0);
}

// All that is in the ring is ASCII here, and nothing else: the host had read what there was.
function textInRing(size) {
  let text = '';
  for (let start = 0; start < size; start += PIECE_BYTES) {
    const length = min(PIECE_BYTES, size - start);
    const piece = new NativeUint8Array(ringBuffer, 16 + start, length);
    // A program may have put another `length` on the prototype of typed arrays, which would be handed the ring.
    setPrototypeOf(piece, null);
    defineProperty(piece, 'length', { __proto__: null, value: length });
    text += apply(fromCharCode, undefined, piece);
  }
  return text;
}

function made(name, given) {
  const make = mapGet(libraryMakers, name);
  if (make !== undefined) return make(given);
  if (mapGet(libraryTexts, name) === undefined) askForText(name);
  return evaluateGlobally(mapGet(libraryTexts, name))(given);
}

// What a library exports. LOADING while it is evaluated, which only itself and what the program has put in its way see.
// One that fails, as at the end of the stack, is tried again at the next touch.
function library(name) {
  const known = mapGet(libraries, name);
  if (known !== undefined) return known;
  mapSet(libraries, name, LOADING);
  let exported;
  try {
    exported = made(name, host);
  } finally {
    mapDelete(libraries, name);
  }
  mapSet(libraries, name, exported);
  mapDelete(libraryTexts, name);
  return exported;
}

// Libraries ask `typeof URL` and the like while they load: what is not there yet is not there.
function lazyGlobal(name, from) {
  const exported = library(from);
  if (exported === LOADING) return undefined;
  const value = exported[name];
  settleGlobal(lazySurface, name, value);
  return value;
}

// Random bytes: the state of their generator is in globals/random.js and nowhere else.
let nextByte = () => {
  if (entropy === '') askForText('random');
  nextByte = made('random', { __proto__: null, NativeUint32Array, toInteger, slice, key: entropy });
  entropy = '';
  return nextByte();
};

// Stands for a function that a module lacks here on purpose.
function absent(what) {
  const refuse = () => {
    tellRefusal(what);
    throw refusal(NativeError, what + ' is not available here', refuse);
  };
  return native(slice(what, indexOf(what, '.') + 1), 0, refuse);
}

function inspectForLibraries(...given) {
  const { inspectForPrograms } = showing();
  return apply(inspectForPrograms, undefined, given);
}

function formatForPrograms(values) {
  const { format } = showing();
  return format(values, UTIL_CHARS);
}

const host = freeze({
  __proto__: null,
  CUSTOM_INSPECT,
  library,
  now,
  startedAt: () => startedAt,
  cwd: () => '/', // for path.resolve
  randomByte: () => nextByte(),
  callLater: (callback, delay) => addTimer('setTimeout', callback, delay, [], false),
  callMaybeLater: (callback, delay) => addTimer('setTimeout', callback, delay, [], false, false),
  dropTimer,
  timers: timerFunctions,
  absent,
  report: (error) => enqueue(() => { throw error; }),
  inspect: inspectForLibraries,
  format: formatForPrograms,
});
