// How a program is started and followed, and what the host holds of the prelude.
//
// The host gives input, settings and lexicals before user code runs; then `begin` or `startBody` starts it, and `step` is
// called until it answers something final. User code is only ever started from the microtask queue: no frame of ours is
// below it, and an answer is never given by the call in which it started. (Getters by which a program names its entry apart.)
//
// A result is taken when nothing can change it any more: all timers that fire once have fired. Intervals end with it.
let inputs;
let sourceLabel = '';
let startedAt = 0;
const BODY_LINES = 2; // the lines that V8 puts before the text of a function made by a constructor
let linesBefore = 0;
let settled = ''; // 'ended': the source has run and told no value yet; 'value' and 'error': `outcome` is that
let outcome;
let atEnd; // gives the value of a source that ended without telling one
let crashed = false;
let crash;
let inBody = false;
let awaited = ''; // whose value `launch` waits for
let exportedObject; // module.exports, when it is to be the result itself
const moduleObject = { exports: {} };
const firstExports = moduleObject.exports;
const NOT_READABLE = freeze({ __proto__: null });

function fail(error) {
  if (crashed) return;
  crashed = true;
  crash = error;
}

// Runs `call` from the microtask queue; what it throws, or rejects with, ends the task.
// A rejection that nobody handles, of a promise that is not ours, goes unseen: V8 tells of it by a callback in C++ that
// the engine's library does not offer, and a Promise of our own in place of the language's would not be `await`'s.
function enqueue(call) {
  then(guarded(then(resolved, call)), undefined, fail);
}

function launch(call, who) {
  settled = '';
  awaited = who;
  const value = guarded(then(resolved, call));
  then(
    value,
    (given) => {
      if (inBody && (given === undefined || isReader(given))) {
        inBody = false;
        atEnd = given === undefined ? () => undefined : given;
        choose(false);
        return;
      }
      settled = 'value';
      outcome = given;
    },
    (error) => {
      settled = 'error';
      outcome = error;
    },
  );
}

function exportedValue() {
  const exported = moduleObject.exports;
  if (exported !== firstExports) return exported;
  return ownKeys(firstExports).length > 0 ? firstExports : undefined;
}

const READ_MAIN = 'typeof main === "function" ? main : undefined';
const READ_RESULT = 'typeof result === "undefined" ? undefined : result';
const READER = '() => ' + READ_RESULT;
const IS_BIGINT = 'I{"path":"result","what":"a BigInt","hint":"use String(value) or Number(value)"}';

// Starts what the source exports or calls main. Says whether there was any.
function launchEntry() {
  const exported = exportedValue();
  if (exported !== undefined) {
    const call = exportedFunction(exported);
    if (call === undefined) exportedObject = exported;
    launch(call ?? (() => exported), call === undefined ? 'the exported value' : 'the exported function');
    return true;
  }
  const main = evaluateGlobally(READ_MAIN);
  if (typeof main !== 'function') return false;
  launch(bind(main, undefined, inputs), 'main');
  return true;
}

// What to call of an export: itself, or its main or default; anything else is a value, which is awaited like a promise.
function exportedFunction(exported) {
  if (typeof exported === 'function') return bind(exported, undefined, inputs);
  if (!isObject(exported)) return undefined;
  const { main } = exported;
  if (typeof main === 'function') return bind(main, exported, inputs);
  const { default: other } = exported;
  return typeof other === 'function' ? bind(other, exported, inputs) : undefined;
}

// Starts the entry of a source that has run. Without one its value is read when no timer is left that may change it.
function choose(isLast) {
  try {
    if (launchEntry()) return;
    if (isLast) launch(atEnd, 'the program');
    else settled = 'ended';
  } catch (error) {
    fail(error);
  }
}

// Whether a body's value is the reader at its end. A program that returns the same text has written that reader itself.
function isReader(value) {
  return typeof value === 'function' && functionText(value) === READER;
}

// After the script ran: `this` is the value of its last expression.
function begin() {
  const last = this;
  atEnd = () => {
    const result = evaluateGlobally(READ_RESULT);
    return result === undefined ? last : result;
  };
  choose(false);
  return 'A';
}

// Final answers: R result, I not JSON, O too large, E error, N (and whose it is) a promise that nothing will ever settle.
// Else A again, W wait.
function step() {
  if (crashed) return 'E' + describe(crash);
  if (settled === 'error') return 'E' + describe(outcome);
  if (settled === '' || oneShots > 0) {
    const answer = nextTimer();
    return answer === 'N' ? answer + awaited : answer;
  }
  if (settled === 'value') return outcome === NOT_READABLE ? IS_BIGINT : finish(outcome);
  choose(true);
  return 'A';
}

const SOURCE_URL = '\n//# sourceURL=task.js';
const BODY_END = '\nif (typeof main === "function") return main(inputs);\nreturn ' + READER + ';';

// A source that no script can be, because of a top-level return or await, as the body of an async function. The
// constructor parses it alone: nothing in it can end the function. Says 'A', or 'S' and V8's complaint.
function startBody(source) {
  let body;
  try {
    body = AsyncFunction(source + SOURCE_URL);
  } catch (error) {
    return 'S' + error.message;
  }
  // The body is whole by itself, so these statements come after it, for when no return of its own was reached.
  if (indexOf(source, 'main') >= 0 || indexOf(source, 'result') >= 0) {
    try {
      body = AsyncFunction(source + BODY_END + SOURCE_URL);
    } catch {}
  }
  inBody = true;
  linesBefore = BODY_LINES;
  launch(body, 'the program');
  return 'A';
}

// Parses as run would, and runs nothing. Says 'A', or 'S' and V8's complaint. An async function knows no variable
// called await, which a script does: hence the second look.
function check(source) {
  try {
    AsyncFunction(source);
  } catch (error) {
    try {
      PlainFunction(source);
    } catch {
      return 'S' + error.message;
    }
  }
  return 'A';
}

const LEXICALS = {
  __proto__: null,
  require: () => native('require', 1, requireModule),
  module: () => moduleObject,
  exports: () => firstExports,
};

function bindLexical(name) {
  evaluateGlobally('(value) => { ' + name + ' = value; }')(LEXICALS[name]());
  return 'A';
}

// Says 'A', or 'X' and what is wrong with the text.
function parseInput(text) {
  try {
    inputs = parseJson(text);
  } catch (error) {
    return 'X' + error.message;
  }
  return 'A';
}

function setTask(text) {
  const task = parseJson(text);
  logLeft = task.log;
  outputLimit = task.output;
  sourceLabel = task.label;
  startedAt = now();
  if (task.seed !== null) seedRandom(task.seed[0], task.seed[1]);
  return 'A';
}

// For the self-test, which compares siblings.
function draw() {
  return toText(floor(random() * 2 ** 53));
}

// What a program finds beside the language lies behind the global object, not on it: declaring the same name is no clash.
const surface = {
  __proto__: lazySurface,
  get console() { return lazyConsole(); },
  set console(value) { replaceGlobal('console', value); },
  ...timerFunctions,
  queueMicrotask: native('queueMicrotask', 1, (callback) => {
    if (typeof callback !== 'function') throw refusal(NativeTypeError, 'queueMicrotask needs a function');
    enqueue(bind(callback, undefined));
  }),
  get inputs() { return inputs; },
  set inputs(value) { replaceGlobal('inputs', value); },
};
delete globalThis.console;
setPrototypeOf(globalThis, surface);

return [parseInput, setTask, takeTexts, bindLexical, startBody, check, [''], begin, step, [], NOT_READABLE, ringBuffer, draw];
