// What a program threw, described for the host. Everything here may meet hostile getters and proxies; whatever one of
// them throws ends in one constant description.
const TEXT_UNITS = 4000;
const FRAMES = 50;
const CAUSES = 5;
const HOPELESS = '{"type":"","message":"the program threw a value that cannot be described","frames":[]}';

// The methods of a call site, taken from a real one.
const callSite = (() => {
  Error.prepareStackTrace = (_, sites) => sites[0];
  const site = new Error().stack;
  delete Error.prepareStackTrace;
  const prototype = getPrototypeOf(site);
  return {
    __proto__: null,
    script: uncurry(prototype.getScriptNameOrSourceURL),
    name: uncurry(prototype.getFunctionName),
    line: uncurry(prototype.getLineNumber),
    column: uncurry(prototype.getColumnNumber),
  };
})();

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

// The frames of user code, as JSON: [[function, line, column], ...]. V8 formats `stack` when it is first read, so for
// that moment the formatter is ours. A stack the program has read before is text by now, and is given as that.
function framesOf(thrown) {
  let sites = null;
  const before = getOwnPropertyDescriptor(NativeError, 'prepareStackTrace');
  const ours = { __proto__: null, configurable: true, writable: true, value: (error, given) => ((sites = given), '') };
  let stack = '';
  if (defineProperty(NativeError, 'prepareStackTrace', ours)) {
    try {
      stack = thrown.stack;
    } finally {
      if (before) defineProperty(NativeError, 'prepareStackTrace', withoutPrototype(before));
      else delete NativeError.prepareStackTrace;
    }
  } else stack = thrown.stack;
  if (sites === null) return quote(cut(textOf(stack)));
  let text = '';
  let count = 0;
  for (let i = 0; i < sites.length && count < FRAMES; i++) {
    if (callSite.script(sites[i]) !== 'task.js') continue;
    const name = textOf(callSite.name(sites[i]));
    text += (count++ ? ',' : '') + '[' + quote(cut(name)) + ',' + (callSite.line(sites[i]) | 0) + ',' + (callSite.column(sites[i]) | 0) + ']';
  }
  return '[' + text + ']';
}

function withoutPrototype(descriptor) {
  setPrototypeOf(descriptor, null);
  return descriptor;
}

// An error as console shows it: like its stack, with frames of the program only.
function errorText(error, budget, parents, depth) {
  const name = typeName(error);
  const message = cut(textOf(error.message));
  let text = name + (message ? ': ' + message : '');
  budget.chars -= text.length;
  const cause = hasOwn(error, 'cause') && depth < INSPECT_DEPTH ? error.cause : undefined;
  if (cause !== undefined) text += ' { cause: ' + inspectValue(cause, budget, { __proto__: null, value: error, parents }, depth + 1) + ' }';
  return depth > 0 ? '[' + text + ']' : text;
}
