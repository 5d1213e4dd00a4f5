// console: what it is given becomes text here and leaves through the ring.
// Levels: log 0, info 1, warn 2, error 3, debug 4.
const GROUP_DEPTH = 20;
const DIR_DEPTH = 50;
const counts = new Map();
const clocks = new Map();
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
      return isObject(value) ? inspect(value, limit, 0) : inspectPrimitive(value, newBudget(limit, 0, LINE_WIDTH));
    case 'd':
    case 'i':
    case 'f': {
      // What an object says it is as a number would be asked of the program.
      if (isObject(value) || typeof value === 'symbol') return 'NaN';
      if (typeof value === 'bigint') return numberText(value);
      return numberText(code === 'd' ? toNumber(value) : code === 'i' ? toInteger(value) : toFloat(value));
    }
    case 'j':
      return asJson(value, limit);
    default:
      return inspect(value, limit, code === 'o' ? 2 * INSPECT_DEPTH : INSPECT_DEPTH);
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

function elapsed(name) {
  const started = mapGet(clocks, name);
  return started === undefined ? '' : name + ': ' + (now() - started) + 'ms';
}

function openGroup(...values) {
  if (values.length > 0) say(0, format(values, logLeft));
  if (groupDepth < GROUP_DEPTH) groupDepth++;
}

// Rows of objects or lists as aligned columns; anything else as by log.
function table(rows) {
  if (logLeft < 0) return;
  if (typeof rows !== 'object' || rows === null) return say(0, shown(rows, logLeft));
  const columns = list();
  const known = new NativeMap();
  const lines = list();
  const names = keysOf(rows);
  for (let i = 0; i < names.length && i < INSPECT_ITEMS; i++) {
    const row = rows[names[i]];
    const cells = new NativeMap();
    const fields = typeof row === 'object' && row !== null ? keysOf(row) : [];
    for (let j = 0; j < fields.length && j < INSPECT_ITEMS; j++) addCell(cells, columns, known, fields[j], row[fields[j]]);
    if (fields.length === 0) addCell(cells, columns, known, 'Values', row);
    lines[lines.length] = { __proto__: null, name: names[i], cells };
  }
  say(0, alignedRows(columns, lines));
}

function addCell(cells, columns, known, name, value) {
  if (!mapGet(known, name)) {
    mapSet(known, name, true);
    columns[columns.length] = name;
  }
  mapSet(cells, name, slice(inspect(value, 200), 0, 200));
}

function alignedRows(columns, lines) {
  let text = '';
  const widths = list();
  const cellOf = (line, column) => (column < 0 ? line.name : (mapGet(line.cells, columns[column]) ?? ''));
  for (let c = -1; c < columns.length; c++) {
    let width = c < 0 ? 7 : columns[c].length;
    for (let r = 0; r < lines.length; r++) if (cellOf(lines[r], c).length > width) width = cellOf(lines[r], c).length;
    widths[c + 1] = width;
  }
  for (let r = -1; r < lines.length && text.length <= logLeft; r++) {
    if (r >= 0) text += '\n';
    for (let c = -1; c < columns.length; c++) {
      const cell = r < 0 ? (c < 0 ? '(index)' : columns[c]) : cellOf(lines[r], c);
      text += (c < 0 ? '' : ' | ') + padEnd(cell, widths[c + 1]);
    }
  }
  return text;
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
  countReset: (value) => void mapDelete(counts, label(value)),
  time: (value) => void mapSet(clocks, label(value), now()),
  timeLog: (value, ...values) => say(0, elapsed(label(value)) + (values.length > 0 ? ' ' + format(values, logLeft) : '')),
  timeEnd: (value) => {
    say(0, elapsed(label(value)));
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
