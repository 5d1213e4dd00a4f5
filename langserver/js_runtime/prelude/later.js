// The parts of the prelude that a program may never need are functions that are called when one does. By then it may
// have replaced anything, so all that is said of functions after user code (capture.js) holds for every line of them.
const UTIL_CHARS = 1 << 20; // what util.format and util.inspect give at most
let showingPart;
let librariesPart;

// Values and errors as texts, and console.
function showing() {
  return (showingPart ??= makeShowing());
}

// Globals and modules beside the language.
function libraryPart() {
  return (librariesPart ??= makeLibraries());
}

function describe(thrown) {
  const { describe: tell } = showing();
  return tell(thrown);
}

function lazyConsole() {
  const { makeConsole } = showing();
  const console = makeConsole();
  settleGlobal(surface, 'console', console);
  return console;
}

function lazyGlobal(name, from) {
  const { lazyGlobal: touch } = libraryPart();
  return touch(name, from);
}

// What was touched stays. Not as a plain value: V8 lets no strict code assign to a name whose value stands behind the
// global object.
function settleGlobal(holder, name, value) {
  const get = () => value;
  const set = (other) => replaceGlobal(name, other);
  defineProperty(holder, name, { __proto__: null, get, set, configurable: true });
}

// An assignment of the program to a name of ours makes a global of its own, as with any other name.
function replaceGlobal(name, value) {
  defineProperty(theGlobal, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

function requireModule(name) {
  const { requireModule: find } = libraryPart();
  return find(name, requireModule);
}

function takeTexts() {
  const { takeTexts: take } = libraryPart();
  return take(this);
}

function takeLibrary() {
  const { takeLibrary: take } = libraryPart();
  return take(this);
}
