// Log lines leave through a ring in shared memory that only the prelude and the host hold: a line is there the moment
// it is written, also when the program never returns. Units are UTF-16 code units, so that no encoder is needed here.
//   head[0]  units written so far (wraps at 2**32)      head[1]  units the host has read
//   head[2]  bytes that the host has put into the ring, when the program waits for them (lazy.js)
//   a record: level, number of units, then the units
// Levels of console are 0 to 4. More are no lines of the program's: 5 tells the host of a refusal, 6 asks for a library.
const RING_UNITS = 1 << 17;
const PIECE_UNITS = 8192;
const LINE_COST = 24; // what a line costs of the budget beside its text
const ringBuffer = new SharedArrayBuffer(16 + 2 * RING_UNITS);
const ringHead = new Int32Array(ringBuffer, 0, 4);
const ringText = new Uint16Array(ringBuffer, 16, RING_UNITS);
const ringBytes = new Uint8Array(ringBuffer, 16);
const REFUSAL_LEVEL = 5;
const MAX_REFUSALS = 63; // one less than the events that a task may have: what ends it is told too
const refused = new Map();
let refusals = 0;
let ringWritten = 0;
let logLeft = 0;

// With no shared memory and nothing to wait on, no program gets a fine clock or a way to sleep that timers do not see.
// Shared memory and machine code of a program's own would come of WebAssembly too, which is there where V8 compiles.
delete globalThis.SharedArrayBuffer;
delete globalThis.WebAssembly;
delete Atomics.wait;
delete Atomics.waitAsync;
delete Atomics.notify;

function putRecord(level, text, from, to) {
  const size = to - from + 2;
  for (;;) {
    const read = load(ringHead, 1);
    if (RING_UNITS - ((ringWritten - read) | 0) >= size) break;
    wait(ringHead, 1, read, 1); // the host reads without a notice, so wait at most a millisecond and look again
  }
  let at = ringWritten;
  ringText[at++ & (RING_UNITS - 1)] = level;
  ringText[at++ & (RING_UNITS - 1)] = to - from;
  for (let i = from; i < to; i++) ringText[at++ & (RING_UNITS - 1)] = charCodeAt(text, i);
  ringWritten = at | 0;
  store(ringHead, 0, ringWritten); // last: what is published is there
}

// Writes the lines of `text`. The piece that goes over the budget is written too: by it the host sees that there was more.
function emit(level, text) {
  let start = 0;
  while (logLeft >= 0) {
    let end = indexOf(text, '\n', start);
    const last = end < 0;
    if (last) end = text.length;
    do {
      let stop = min(end, start + PIECE_UNITS);
      if (stop < end && (charCodeAt(text, stop - 1) & 0xfc00) === 0xd800) stop--;
      putRecord(level, text, start, stop);
      logLeft -= stop - start + LINE_COST;
      start = stop;
    } while (start < end && logLeft >= 0);
    if (last) return;
    start = end + 1;
  }
}

// An error of ours for the program to catch, without frames of ours in its stack.
function refusal(Type, message, above) {
  const error = new Type(message);
  captureStackTrace(error, above);
  return error;
}

function wrongType(message) {
  return withCode(refusal(NativeTypeError, message), 'ERR_INVALID_ARG_TYPE');
}

// An error with the property by which Node's are told apart.
function withCode(error, value) {
  defineProperty(error, 'code', { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  return error;
}

// Tells of a refusal, each once: a program may catch the error that it gets for it.
function tellRefusal(what) {
  if (refusals === MAX_REFUSALS || mapGet(refused, what)) return;
  refusals++;
  mapSet(refused, what, true);
  putRecord(REFUSAL_LEVEL, what, 0, what.length);
}
