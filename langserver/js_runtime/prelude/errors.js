// What a program threw, described for the host. Everything here may meet hostile getters and proxies; whatever one of
// them throws ends in one constant description.
const TEXT_UNITS = 4000;
const SHOWN_UNITS = 500; // of a value that was thrown, and of what is on an error
const FRAMES = 50;
const CAUSES = 5;
const INPUT_KEYS = 50;
const HOPELESS = '{"type":"","message":"the program threw a value that cannot be described","frames":[]}';

// Its `message`, `stack` and `name` are asked of the program; if that fails, no getter is asked a second time.
function describe(thrown) {
  try {
    return describeThrown(thrown, CAUSES);
  } catch {
    try {
      return describeValue(thrown);
    } catch {
      return HOPELESS;
    }
  }
}

function describeThrown(thrown, causes) {
  if (!isObject(thrown)) return describeValue(thrown);
  const given = thrown.message;
  if (!isError(thrown) && typeof given !== 'string') return describeValue(thrown);
  let text = '{"type":' + quote(cut(typeName(thrown))) + ',"message":' + quote(cut(textOf(given)));
  text += ',"frames":' + framesOf(thrown) + ',"properties":' + quote(propertiesText(thrown));
  const cause = causes > 0 && hasOwn(thrown, 'cause') ? thrown.cause : undefined;
  if (cause !== undefined) text += ',"cause":' + describeThrown(cause, causes - 1);
  return text + ',"keys":' + inputKeys() + (isError(thrown) ? '}' : ',"isValue":true}');
}

// The names in the input, for a hint about one that is not there.
function inputKeys() {
  const names = isObject(inputs) && !isArray(inputs) ? keysOf(inputs) : list();
  let text = '';
  for (let i = 0; i < names.length && i < INPUT_KEYS; i++) text += (i > 0 ? ',' : '') + quote(slice(names[i], 0, 100));
  return '[' + text + ']';
}

// What is thrown without being an error: a string is its own message, anything else is shown on one line.
function describeValue(thrown) {
  const message = typeof thrown === 'string' ? cut(thrown) : oneLine(inspect(thrown, SHOWN_UNITS, INSPECT_DEPTH, Infinity));
  if (message === UNREADABLE) return HOPELESS;
  return '{"type":' + quote(isObject(thrown) ? cut(plainName(thrown)) : '') + ',"message":' + quote(message) + ',"frames":[],"isValue":true}';
}

function plainName(value) {
  return (getPrototypeOf(value) !== null && className(value)) || 'Object';
}

function oneLine(text) {
  return text.length > SHOWN_UNITS ? slice(text, 0, SHOWN_UNITS) + '...' : text;
}

// What a program put on its error beside what every error has, as `{ code: 42 }`; '' for nothing.
function propertiesText(error) {
  try {
    const budget = newBudget(SHOWN_UNITS, 1, Infinity);
    const parts = errorParts(error, false, budget, { __proto__: null, value: error, parents: null, circle: 0 }, 0);
    return parts.length > 0 ? oneLine(enclose('{', parts, '}', budget, 0)) : '';
  } catch {
    return '';
  }
}

function errorParts(error, withCause, budget, here, depth) {
  const parts = list();
  const names = keysOf(error);
  for (let i = 0; i < names.length && budget.nodes > 0; i++) {
    const name = names[i];
    if (name === 'name' || name === 'message' || name === 'stack' || name === 'cause') continue;
    addProperty(error, name, budget, here, depth, parts);
  }
  if (withCause) addHidden(error, 'cause', budget, here, depth, parts);
  const errors = getOwnPropertyDescriptor(error, 'errors'); // of an AggregateError
  if (errors && !errors.enumerable) addHidden(error, 'errors', budget, here, depth, parts);
  return parts;
}

function addHidden(error, name, budget, here, depth, parts) {
  const property = getOwnPropertyDescriptor(error, name);
  if (property) parts[parts.length] = '[' + name + ']: ' + propertyValue(property, budget, here, depth);
}

function cut(text) {
  return text.length > TEXT_UNITS ? slice(text, 0, TEXT_UNITS) + '...' : text;
}

// The name that the error gives itself, or its class when it kept the name of Error.
function typeName(thrown) {
  const name = textOf(thrown.name);
  if (name !== '' && name !== 'Error') return name;
  return isError(thrown) ? className(thrown) || name : name || plainName(thrown);
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

// V8 formats `stack` when it is first read, and keeps what came of it. For that moment the formatter is ours, and what it
// answers is what the program would have got. A stack that was read before is text by now, and given as that.
function userFrames(thrown) {
  let frames = null;
  let stack = '';
  const before = getOwnPropertyDescriptor(NativeError, 'prepareStackTrace');
  const format = (error, sites) => {
    frames ??= taskFrames(sites); // before the program's own formatter has the sites in its hands
    return stackOf(error, sites, before && hasOwn(before, 'value') ? before.value : undefined);
  };
  const ours = { __proto__: null, configurable: true, writable: true, value: format };
  if (defineProperty(NativeError, 'prepareStackTrace', ours)) {
    try {
      stack = thrown.stack;
    } finally {
      if (before) defineProperty(NativeError, 'prepareStackTrace', withoutPrototype(before));
      else delete NativeError.prepareStackTrace;
    }
  } else stack = stackOrNothing(thrown);
  return frames ?? textOf(stack);
}

// Where the program has locked its own formatter, that may throw: the error has a name and a message all the same.
function stackOrNothing(thrown) {
  try {
    return thrown.stack;
  } catch {
    return '';
  }
}

function taskFrames(sites) {
  const frames = list();
  for (let i = 0; i < sites.length && frames.length < FRAMES; i++) {
    const site = sites[i];
    const line = (siteLine(site) | 0) - linesBefore;
    if (siteScript(site) !== 'task.js' || line < 1) continue;
    frames[frames.length] = { __proto__: null, name: siteName(site), line, column: columnOf(site, line) };
  }
  return frames;
}

// The value of `stack`: the program's formatter makes it, if there is one that works, or it is V8's usual text.
function stackOf(error, sites, formatter) {
  if (typeof formatter === 'function') {
    try {
      return apply(formatter, NativeError, [error, sites]);
    } catch {
      // as if there were none
    }
  }
  return stackText(error, sites);
}

function withoutPrototype(descriptor) {
  setPrototypeOf(descriptor, null);
  return descriptor;
}

// An error as console shows it: like its stack, but with frames of the program only, and then what is on it.
function errorText(error, budget, here, depth) {
  const name = typeName(error);
  const message = cut(textOf(error.message));
  const text = name + (message ? ': ' + message : '');
  budget.chars -= text.length;
  const head = depth > 0 ? '[' + text + ']' : text + shownFrames(error);
  const parts = depth > budget.depth ? list() : errorParts(error, true, budget, here, depth);
  return parts.length === 0 ? head : enclose(head + ' {', parts, '}', budget, depth);
}

function shownFrames(error) {
  const frames = userFrames(error);
  if (typeof frames === 'string') {
    const at = indexOf(frames, '\n    at ');
    return at < 0 ? '' : cut(slice(frames, at)); // it was read before, and written then
  }
  let text = '';
  for (let i = 0; i < frames.length; i++) {
    const { name, line, column } = frames[i];
    const place = sourceLabel + ':' + line + ':' + column;
    text += '\n    at ' + (name ? cut(name) + ' (' + place + ')' : place);
  }
  return text;
}
