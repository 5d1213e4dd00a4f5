// How a program is started and followed, and what the host holds of the prelude.
//
// The host calls functions without arguments: what it tells them is `this`, a text but for `begin` and a library.
// The host gives input, settings and lexicals before user code runs; then `begin` or `startBody` starts it, and `step` is
// called until it answers something final. User code is only ever started from the microtask queue: no frame of ours is
// below it, and an answer is never given by the call in which it started. (Getters by which a program names its entry apart.)
//
// A result is taken when nothing can change it any more: all timers that fire once have fired. Intervals end with it.
let inputs;
let startedAt = 0;
const BODY_LINES = 2; // the lines that V8 puts before the text of a function made by a constructor
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
// Of a module: how its exports are read, and whether one of them is the default.
let exportsReader = '';
let readExports;
let hasDefault = false;
let entry; // what was called for the result, and what it is called in what is told of it
let entryName = '';
const NOT_READABLE = freeze({ __proto__: null });

function fail(error) {
  if (crashed) return;
  crashed = true;
  crash = error;
}

// Runs `call` from the microtask queue; what it throws, or rejects with, ends the task.
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
      if (inBody && bodyEnded(given)) return;
      settled = 'value';
      outcome = given;
    },
    (error) => {
      settled = 'error';
      outcome = error;
    },
  );
}

// Whether a body gave no value of its own: it came to its end, or it has exports, which count before a return.
function bodyEnded(given) {
  inBody = false;
  try {
    if (last !== null) {
      atEnd = lastValue(given);
      choose(false);
      return true;
    }
    const isValue = given !== undefined && typeof given !== 'function';
    if (isValue && moduleObject.exports === firstExports && ownKeys(firstExports).length === 0) return false; // most are
    const isExports = exportsReader !== '' && isReader(given, exportsReader);
    if (isExports) readExports = given;
    else if (given !== undefined && !isReader(given, READER) && exportedValue() === undefined) return false;
    const read = given;
    atEnd = given === undefined || isExports ? () => undefined : isReader(given, READER) ? read : () => read;
    choose(false);
  } catch (error) {
    fail(error);
  }
  return true;
}

function exportedValue() {
  const exported = moduleObject.exports;
  if (exported !== firstExports) return exported;
  const names = ownKeys(firstExports); // a compiler's mark is no export
  return names.length > (hasOwn(firstExports, '__esModule') ? 1 : 0) ? firstExports : undefined;
}

const READ_MAIN = 'typeof main === "function" ? main : undefined';
evaluateGlobally(READ_MAIN); // V8 keeps what it compiled of a text when it has seen it twice
evaluateGlobally(READ_MAIN);
const READ_RESULT = 'typeof result === "undefined" ? undefined : result';
const READER = '() => ' + READ_RESULT;
const IS_BIGINT = 'I{"path":"result","what":"a BigInt","hint":"use String(value) or Number(value)"}';

// Starts what the source exports or calls main. Says whether there was any.
function launchEntry() {
  const named = readExports === undefined ? undefined : readExports();
  if (named !== undefined && hasDefault) return launchExport(named.default);
  const exported = exportedValue();
  if (exported !== undefined) return launchExport(exported);
  const main = (named !== undefined && named.main) || evaluateGlobally(READ_MAIN);
  if (typeof main === 'function') {
    launch(entryCall(main, undefined, 'main'), 'main');
    return true;
  }
  return named !== undefined && launchExport(named);
}

function launchExport(given) {
  const exported = isObject(given) && given.__esModule === true && hasOwn(given, 'default') ? given.default : given;
  const call = exportedCall(exported);
  if (call === undefined) exportedObject = exported;
  launch(call ?? (() => exported), call === undefined ? 'the exported value' : 'the exported function');
  return true;
}

// What to call of an export: itself, or its main or default; anything else is a value, which is awaited like a promise.
function exportedCall(exported) {
  if (typeof exported === 'function') return entryCall(exported, undefined, 'the exported function');
  if (!isObject(exported)) return undefined;
  const { main } = exported;
  if (typeof main === 'function') return entryCall(main, exported, 'the exported main');
  const { default: other } = exported;
  return typeof other === 'function' ? entryCall(other, exported, 'the default export') : undefined;
}

function entryCall(callee, receiver, who) {
  entry = callee;
  entryName = who;
  return callOf(callee, receiver, [inputs]);
}

// The final answer when the entry gives no result by being called, '' when it does. Asked when something went wrong.
function uncallable() {
  if (entry === undefined) return '';
  const kind = mapGet(FUNCTIONS, getPrototypeOf(entry));
  if (kind === 'GeneratorFunction' || kind === 'AsyncGeneratorFunction') return 'G' + entryName + ' is a generator function';
  return isClass(entry) ? 'G' + entryName + ' is a class' : '';
}

// A Proxy in the program's hands may throw when it is asked for its prototype.
function uncallableNow() {
  try {
    return uncallable();
  } catch {
    return '';
  }
}

// Whether the text of a function is that of a class, and not of a method called class or classify.
function isClass(value) {
  const text = slice(functionText(value), 0, 6);
  return slice(text, 0, 5) === 'class' && indexOf(' {\n\r\t/', slice(text, 5)) >= 0;
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
function isReader(value, text) {
  return typeof value === 'function' && functionText(value) === text;
}

// Reads the value of a source that has come to its end with the value of its last expression.
function lastValue(value) {
  return () => {
    const result = evaluateGlobally(READ_RESULT);
    return result === undefined ? value : result;
  };
}

// After the script ran: `this` is the value of its last expression.
function begin() {
  atEnd = lastValue(this);
  if (exportsReader !== '') readExports = evaluateGlobally(exportsReader);
  writeStacks();
  choose(false);
  return 'A';
}

// Final answers: R result, I not JSON, O too large, E error, N (and whose it is) a promise that nothing will ever settle.
// Or G, and what it is that cannot be an entry. Else A again, W wait.
function step() {
  if (crashed) return 'E' + describe(crash);
  if (settled === 'error') return uncallableNow() || 'E' + describe(outcome);
  if (settled === '' || oneShots > 0) {
    const answer = nextTimer();
    return answer === 'N' ? answer + awaited : answer;
  }
  if (settled === 'value') {
    const answer = outcome === NOT_READABLE ? IS_BIGINT : finish(outcome);
    return answer[0] === 'I' ? uncallableNow() || answer : answer;
  }
  choose(true);
  return 'A';
}

// Asked when V8 has told the host of a rejected promise that nobody handles: U, and its reason; or '', when by now there
// is a handler. The host knows the array by a promise that is rejected with it before user code, and fills it when one is
// here; nothing that a program may have replaced is asked on the way.
const reasons = list();
guarded(rejectedPromise(reasons));
function unhandled() {
  reasons[0] = reasons; // no program rejects with this
  guarded(rejectedPromise(reasons));
  const reason = reasons[0];
  return reason === reasons ? '' : 'U' + describe(reason);
}

const SOURCE_URL = '\n//# sourceURL=task.js';
const CALL_MAIN = '\nif (typeof main === "function") return main(inputs);';

// What comes after a body, for when no return of its own was reached: the body is whole by itself.
function bodyEnd(source) {
  if (exportsReader !== '') return (hasDefault ? '' : CALL_MAIN) + '\nreturn ' + exportsReader + ';';
  return indexOf(source, 'main') >= 0 || indexOf(source, 'result') >= 0 ? CALL_MAIN + '\nreturn ' + READER + ';' : '';
}

const RETURN = 'return ';
let last = null; // where a body gets a return before its last expression: {splitAt, line, column}

function setLast() {
  last = parseJson(this);
  return 'A';
}

// A source that no script can be, because of a top-level return or await, as the body of an async function. The
// constructor parses it alone: nothing in it can end the function. Says 'A', or 'S' and V8's complaint.
function startBody() {
  const source = this;
  let body;
  try {
    body = AsyncFunction(source + SOURCE_URL);
  } catch (error) {
    return 'S' + error.message;
  }
  const end = last === null ? bodyEnd(source) : '';
  try {
    if (end !== '') body = AsyncFunction(source + end + SOURCE_URL);
    else if (last !== null) {
      body = AsyncFunction(slice(source, 0, last.splitAt) + RETURN + slice(source, last.splitAt) + SOURCE_URL);
      insertedInto(last.line, last.column, RETURN.length);
    }
  } catch {
    last = null;
  }
  inBody = true;
  linesBefore += BODY_LINES;
  writeStacks();
  launch(body, 'the program');
  return 'A';
}

// Gives the names that a module imports, which the host has declared, their values; says 'A', or 'X' and which name is
// not there, as JSON. And keeps how the module's exports are read.
function setModule() {
  const { imports, names, reader, hasDefault: isDefault, defaultName: name, linesBefore: lines } = parseJson(this);
  for (let i = 0; i < imports.length; i++) requireModule(imports[i]);
  for (let i = 0; i < names.length; i++) {
    const { module, imported, local } = names[i];
    let value = requireModule(module);
    if (imported !== '*' && imported !== 'default') {
      const isThere = (isObject(value) || typeof value === 'function') && imported in value;
      if (!isThere) return 'X' + stringifyJson({ __proto__: null, number: i, there: isObject(value) ? keysOf(value) : [] });
      value = value[imported];
    }
    assign(local, value);
  }
  exportsReader = reader;
  hasDefault = isDefault;
  defaultName = name;
  linesBefore = lines;
  writeStacks();
  return 'A';
}

// Parses as run would, and runs nothing. Says 'A', or 'S' and V8's complaint. An async function knows no variable
// called await, which a script does: hence the second look.
function check() {
  try {
    AsyncFunction(this);
  } catch (error) {
    try {
      PlainFunction(this);
    } catch {
      return 'S' + error.message;
    }
  }
  return 'A';
}

// Whether a text parses, and runs nothing: as the body of an async function when it begins with 'A', else of a plain one.
// Says 'A' or 'S'.
function parses() {
  try {
    if (this[0] === 'A') AsyncFunction(slice(this, 1));
    else PlainFunction(slice(this, 1));
    return 'A';
  } catch {
    return 'S';
  }
}

// To a name that the host has declared in the scope of scripts.
function assign(name, value) {
  const setter = evaluateGlobally('(value) => { ' + name + ' = value; }');
  setter(value);
}

const LEXICALS = {
  __proto__: null,
  require: () => native('require', 1, requireModule),
  module: () => moduleObject,
  exports: () => firstExports,
};

function bindLexical() {
  const make = LEXICALS[this];
  assign(this, make());
  return 'A';
}

// Says 'A', or 'X' and what is wrong with the text.
function parseInput() {
  try {
    inputs = parseJson(this);
  } catch (error) {
    return 'X' + error.message;
  }
  startedAt = now(); // what comes next is the program
  return 'A';
}

function setTask() {
  const task = parseJson(this);
  logLeft = task.log;
  outputLimit = task.output;
  sourceLabel = task.label;
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
    if (typeof callback !== 'function') throw wrongType('queueMicrotask needs a function');
    enqueue(callOf(callback, undefined, []));
  }),
  get inputs() { return inputs; },
  set inputs(value) { replaceGlobal('inputs', value); },
};
delete globalThis.console;
setPrototypeOf(globalThis, surface);

return [
  parseInput, setTask, takeTexts, bindLexical, setModule, startBody, check, begin, step, NOT_READABLE, ringBuffer, draw, setLast, parses, unhandled, takeLibrary,
];
