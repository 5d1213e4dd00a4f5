// console: what it is given becomes text here and leaves through the ring.
// Levels: log 0, info 1, warn 2, error 3, debug 4.
const GROUP_DEPTH = 20;
const DIR_DEPTH = 50;
const counts = new NativeMap();
const clocks = new NativeMap();
let groupDepth = 0;

function say(level, text) {
  if (logLeft < 0) return;
  if (groupDepth > 0) text = indent(text, repeat('  ', groupDepth));
  emit(level, text);
}

function indent(text, pad) {
  let out = pad;
  let start = 0;
  for (let end = indexOf(text, '\n'); end >= 0 && out.length <= logLeft; end = indexOf(text, '\n', start)) {
    out += slice(text, start, end + 1) + pad;
    start = end + 1;
  }
  return out + slice(text, start);
}

function shown(value, limit) {
  if (typeof value !== 'string') return inspect(value, limit);
  return value.length > limit ? slice(value, 0, limit + 1) : value;
}

// The arguments of a call as one text: a first string may hold %s %d %i %f %j %o %O %c.
function format(values, limit) {
  let text = '';
  let next = 0;
  if (values.length > 1 && typeof values[0] === 'string') {
    const pattern = shown(values[0], limit);
    next = 1;
    let start = 0;
    for (let at = indexOf(pattern, '%'); at >= 0 && at < pattern.length - 1; at = indexOf(pattern, '%', at + 2)) {
      const code = pattern[at + 1];
      if (code !== '%' && (next >= values.length || indexOf('sdifjoOc', code) < 0)) continue;
      text += slice(pattern, start, at) + (code === '%' ? '%' : directive(code, values[next++], limit));
      start = at + 2;
    }
    text += slice(pattern, start);
  } else if (values.length > 0) text = shown(values[next++], limit);
  for (; next < values.length && text.length <= limit; next++) text += ' ' + shown(values[next], limit);
  return text;
}

function directive(code, value, limit) {
  switch (code) {
    case 'c':
      return '';
    case 's':
      if (typeof value === 'string') return shown(value, limit);
      if (isObject(value)) return shown(ownText(value) ?? inspect(value, limit, 0), limit);
      return inspectPrimitive(value, newBudget(limit, 0, LINE_WIDTH));
    case 'd':
    case 'i':
    case 'f': {
      // What an object says it is as a number would be asked of the program.
      if (isObject(value) || typeof value === 'symbol') return 'NaN';
      if (typeof value === 'bigint' && code !== 'f') return numberText(value);
      return numberText(code === 'd' ? toNumber(value) : code === 'i' ? toInteger(value) : toFloat(value));
    }
    case 'j':
      return asJson(value, limit);
    default:
      return inspect(value, limit, code === 'o' ? 2 * INSPECT_DEPTH : INSPECT_DEPTH);
  }
}

// What an object says of itself by a toString of the program's; undefined when it has none, or fails. A function is its text.
function ownText(value) {
  try {
    if (typeof value === 'function') return functionText(value);
    const { toString } = value;
    if (typeof toString !== 'function' || indexOf(functionText(toString), '[native code]') >= 0) return undefined;
    const text = apply(toString, value, []);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

// What JSON.stringify says, which asks the program; when that fails, as %O.
function asJson(value, limit) {
  try {
    return shown(toText(stringifyJson(value)), limit);
  } catch {
    return inspect(value, limit);
  }
}

function printer(level) {
  return (...values) => {
    if (logLeft >= 0) say(level, format(values, logLeft));
  };
}

// The option of console.dir: null is as deep as it goes.
function depthOf(options) {
  const property = isObject(options) ? getOwnPropertyDescriptor(options, 'depth') : undefined;
  if (!property || !hasOwn(property, 'value')) return INSPECT_DEPTH;
  const depth = property.value;
  return typeof depth === 'number' ? min(depth, DIR_DEPTH) : depth === null ? DIR_DEPTH : INSPECT_DEPTH;
}

function label(value) {
  const text = value === undefined ? 'default' : typeof value === 'string' ? value : inspect(value, 100);
  return slice(text, 0, 100);
}

function warnOfLabel(what, method) {
  say(2, 'Warning: ' + what + ' for console.' + method + '()');
}

// Tells how long a clock runs, and whether there is such a clock.
function tellTime(method, value, values) {
  const name = label(value);
  const started = mapGet(clocks, name);
  if (started === undefined) {
    warnOfLabel("No such label '" + name + "'", method);
    return;
  }
  say(0, name + ': ' + (now() - started) + 'ms' + (values.length > 0 ? ' ' + format(values, logLeft) : ''));
}

function startClock(value) {
  const name = label(value);
  if (mapGet(clocks, name) === undefined) mapSet(clocks, name, now());
  else warnOfLabel("Label '" + name + "' already exists", 'time');
}

function openGroup(...values) {
  if (values.length > 0) say(0, format(values, logLeft));
  if (groupDepth < GROUP_DEPTH) groupDepth++;
}

const methods = {
  __proto__: null,
  log: printer(0), info: printer(1), warn: printer(2), error: printer(3), debug: printer(4),
  dir: (value, options) => say(0, inspect(value, logLeft, depthOf(options))),
  dirxml: printer(0),
  trace: (...values) => say(3, 'Trace: ' + format(values, logLeft)),
  table,
  assert: (condition, ...values) => {
    if (!condition) say(3, values.length > 0 ? 'Assertion failed: ' + format(values, logLeft) : 'Assertion failed');
  },
  count: (value) => {
    const name = label(value);
    const count = (mapGet(counts, name) ?? 0) + 1;
    mapSet(counts, name, count);
    say(0, name + ': ' + count);
  },
  countReset: (value) => {
    const name = label(value);
    if (mapGet(counts, name) === undefined) say(2, "Warning: Count for '" + name + "' does not exist");
    mapDelete(counts, name);
  },
  time: startClock,
  timeLog: (value, ...values) => tellTime('timeLog', value, values),
  timeEnd: (value) => {
    tellTime('timeEnd', value, []);
    mapDelete(clocks, label(value));
  },
  group: openGroup,
  groupCollapsed: openGroup,
  groupEnd: () => {
    if (groupDepth > 0) groupDepth--;
  },
};

function makeConsole() {
  const made = {};
  const names = ownKeys(methods);
  for (let i = 0; i < names.length; i++) made[names[i]] = native(names[i], 0, methods[names[i]]);
  return made;
}

// What util.inspect takes, and the function that is handed to an object's own way of showing itself.
const inspectForPrograms = native('inspect', 2, (value, options, depth) => {
  const wanted = typeof options === 'boolean' ? { depth } : options; // (value, showHidden, depth) is the older form
  return inspect(value, UTIL_CHARS, depthOf(wanted), widthOf(wanted));
});

function widthOf(options) {
  const property = isObject(options) ? getOwnPropertyDescriptor(options, 'breakLength') : undefined;
  return property !== undefined && property.value === Infinity ? Infinity : LINE_WIDTH;
}
