// How a stack reads that is a text: as V8 writes it, but with the lines and the label that the author knows, and without
// frames of ours or of a library.
let linesBefore = 0; // what V8 counts too many
let insertedLine = 0; // a line of the author's with something of ours in it, from a column on
let insertedColumn = 0;
let insertedLength = 0;
let sourceLabel = '';
let defaultName = ''; // of the function that a module exports by default without a name

function insertedInto(line, column, length) {
  insertedLine = line;
  insertedColumn = column;
  insertedLength = length;
}

// The author's column of a place in a line of the author's.
function columnOf(site, line) {
  const column = siteColumn(site) | 0;
  return line === insertedLine && column >= insertedColumn + insertedLength ? column - insertedLength : column;
}

function textOf(value) {
  return typeof value === 'string' ? value : '';
}

// V8 calls the top level of a text that was given to a constructor eval.
function siteName(site) {
  const name = textOf(siteFunction(site));
  if (name === 'eval') return '';
  return name !== '' && name === defaultName ? 'default' : name;
}

function stackText(error, sites) {
  let text = '<error>';
  try {
    text = errorHeader(error);
  } catch {
    // V8 writes the same for an error that cannot be named
  }
  for (let i = 0; i < sites.length; i++) {
    const frame = siteShown(sites[i]);
    if (frame !== '') text += '\n    at ' + frame;
  }
  return text;
}

function siteShown(site) {
  const script = siteScript(site);
  const text = siteText(site);
  if (typeof script !== 'string') return withLabel(text); // of the language, or of a text that was given to eval
  const line = (siteLine(site) | 0) - linesBefore;
  if (script !== 'task.js' || line < 1) return '';
  const place = sourceLabel + ':' + line + ':' + columnOf(site, line);
  const at = indexOf(text, '(task.js:');
  if (siteName(site) === '' || at < 0) return place;
  const name = slice(text, 0, at);
  return (name === defaultName + ' ' ? 'default ' : name) + '(' + place + ')';
}

function withLabel(text) {
  const at = indexOf(text, 'task.js');
  return at < 0 ? text : slice(text, 0, at) + sourceLabel + slice(text, at + 7);
}

// V8 asks `prepareStackTrace` of every error whose stack is read, and takes no bound function for it; a program may put
// another in its place. It is not there from the start: the engine reads the stack of each error of a source that is no
// script, and what is called for it first is compiled first. So what a script does before its main runs has V8's stacks,
// with the right lines, but with another label.
function writeStacks() {
  if (hasOwn(NativeError, 'prepareStackTrace')) return;
  const value = (error, sites) => stackText(error, sites);
  defineProperty(NativeError, 'prepareStackTrace', { __proto__: null, value, writable: true, configurable: true });
}
