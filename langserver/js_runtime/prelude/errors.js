// What a program threw, described for the host. Everything here may meet hostile getters and proxies; whatever one of
// them throws ends in one constant description.
const TEXT_UNITS = 4000;
const FRAMES = 50;
const CAUSES = 5;
const BODY_LINES = 2; // the lines that V8 puts before the text of a function made by a constructor
let linesBefore = 0;
let sourceLabel = '';
const HOPELESS = '{"type":"","message":"the program threw a value that cannot be described","frames":[]}';

// An error of ours for the program to catch, without frames of ours in its stack.
function refusal(Type, message, above) {
  const error = new Type(message);
  captureStackTrace(error, above);
  return error;
}

function describe(thrown) {
  try {
    return describeThrown(thrown, CAUSES);
  } catch {
    return HOPELESS;
  }
}

function describeThrown(thrown, causes) {
  const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
  if (!isObject || !(isError(thrown) || typeof thrown.message === 'string')) {
    const message = typeof thrown === 'string' ? thrown : inspect(thrown, 500);
    return '{"type":"","message":' + quote(cut(message)) + ',"frames":[]}';
  }
  let text = '{"type":' + quote(cut(typeName(thrown))) + ',"message":' + quote(cut(textOf(thrown.message)));
  text += ',"frames":' + framesOf(thrown);
  const cause = causes > 0 && hasOwn(thrown, 'cause') ? thrown.cause : undefined;
  if (cause !== undefined) text += ',"cause":' + describeThrown(cause, causes - 1);
  return text + '}';
}

function textOf(value) {
  return typeof value === 'string' ? value : '';
}

function cut(text) {
  return text.length > TEXT_UNITS ? slice(text, 0, TEXT_UNITS) + '...' : text;
}

// The name that the error gives itself, or its class when it kept the name of Error.
function typeName(thrown) {
  const name = textOf(thrown.name);
  if (name !== '' && name !== 'Error') return name;
  return (isError(thrown) && className(thrown)) || name;
}

// The frames of user code, as JSON: [[function, line, column], ...]; or as V8's text.
function framesOf(thrown) {
  const frames = userFrames(thrown);
  if (typeof frames === 'string') return quote(cut(frames));
  let text = '';
  for (let i = 0; i < frames.length; i++) {
    text += (i > 0 ? ',' : '') + '[' + quote(cut(frames[i].name)) + ',' + frames[i].line + ',' + frames[i].column + ']';
  }
  return '[' + text + ']';
}

// V8 formats `stack` when it is first read, so for that moment the formatter is ours. A stack that the program has read
// before is text by now, and given as that.
function userFrames(thrown) {
  let sites = null;
  let stack = '';
  const before = getOwnPropertyDescriptor(NativeError, 'prepareStackTrace');
  const ours = { __proto__: null, configurable: true, writable: true, value: (error, given) => ((sites = given), '') };
  if (defineProperty(NativeError, 'prepareStackTrace', ours)) {
    try {
      stack = thrown.stack;
    } finally {
      if (before) defineProperty(NativeError, 'prepareStackTrace', withoutPrototype(before));
      else delete NativeError.prepareStackTrace;
    }
  } else stack = thrown.stack;
  if (sites === null) return textOf(stack);
  const frames = list();
  for (let i = 0; i < sites.length && frames.length < FRAMES; i++) {
    if (siteScript(sites[i]) !== 'task.js') continue;
    const name = textOf(siteFunction(sites[i]));
    frames[frames.length] = { __proto__: null, name, line: siteLine(sites[i]) | 0, column: siteColumn(sites[i]) | 0 };
  }
  return frames;
}

function withoutPrototype(descriptor) {
  setPrototypeOf(descriptor, null);
  return descriptor;
}

// An error as console shows it: like its stack, but with frames of the program only.
function errorText(error, budget, parents, depth) {
  const name = typeName(error);
  const message = cut(textOf(error.message));
  let text = name + (message ? ': ' + message : '');
  budget.chars -= text.length;
  const cause = hasOwn(error, 'cause') && depth < INSPECT_DEPTH ? error.cause : undefined;
  if (cause !== undefined) text += ' { cause: ' + inspectValue(cause, budget, { __proto__: null, value: error, parents }, depth + 1) + ' }';
  return depth > 0 ? '[' + text + ']' : text + shownFrames(error);
}

function shownFrames(error) {
  const frames = userFrames(error);
  if (typeof frames === 'string') return '';
  let text = '';
  for (let i = 0; i < frames.length; i++) {
    const { name, line, column } = frames[i];
    const place = sourceLabel + ':' + (line - linesBefore) + ':' + column;
    text += '\n    at ' + (name && name !== 'eval' ? cut(name) + ' (' + place + ')' : place);
  }
  return text;
}
