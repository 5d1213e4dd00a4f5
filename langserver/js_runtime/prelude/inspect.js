// Values as console shows them, laid out like Node's: bounded in depth, nodes and characters. No getter of a program is
// read, and nothing that a hostile object throws (a Proxy's traps do run) comes out of here.
const INSPECT_DEPTH = 2;
const INSPECT_NODES = 5000;
const INSPECT_ITEMS = 100;
const UNGROUPED_ITEMS = 6; // up to so many items an array stands on one line, if it fits
const SHOWN_BYTES = 50;
const UNREADABLE = '[unreadable]';

// `width` of a line may be Infinity: then all is on one.
function inspect(value, chars, depth = INSPECT_DEPTH, width = LINE_WIDTH) {
  return inspectValue(value, newBudget(chars, depth, width), null, 0);
}

function newBudget(chars, depth, width) {
  return { __proto__: null, nodes: INSPECT_NODES, chars, depth, width, circles: 0, lastDepth: 0, lastLevels: 0 };
}

// `parents` is a chain of the objects around this one.
function inspectValue(value, budget, parents, depth) {
  if (budget.nodes-- <= 0 || budget.chars <= 0) return '...';
  try {
    return isObject(value) ? inspectObject(value, budget, parents, depth) : inspectPrimitive(value, budget);
  } catch {
    return UNREADABLE;
  }
}

function inspectPrimitive(value, budget) {
  let text;
  if (typeof value === 'string') text = quoted(value.length > budget.chars ? slice(value, 0, budget.chars) + '...' : value);
  else if (typeof value === 'symbol') text = symbolText(value);
  else text = numberText(value);
  budget.chars -= text.length;
  return text;
}

// A number or bigint so that its type and sign show; any other primitive too, but for a symbol.
function numberText(value) {
  if (typeof value === 'bigint') return toText(value) + 'n';
  return value === 0 && 1 / value < 0 ? '-0' : toText(value);
}

// A string in the first of ' " ` that it does not hold, or in '. The escapes are JSON's, but for \x1B and quotes.
function quoted(text) {
  let mark = "'";
  if (indexOf(text, "'") >= 0) {
    if (indexOf(text, '"') < 0) mark = '"';
    else if (indexOf(text, '`') < 0 && indexOf(text, '${') < 0) mark = '`';
  }
  const json = quote(text);
  let out = '';
  let start = 1;
  for (let at = indexOf(json, '\\'); at >= 0; at = indexOf(json, '\\', at + 2)) {
    if (json[at + 1] === '"') {
      out += slice(json, start, at);
      start = at + 1;
    } else if (slice(json, at + 1, at + 4) === 'u00') {
      out += slice(json, start, at) + '\\x' + toUpperCase(slice(json, at + 4, at + 6));
      start = at + 6;
    }
  }
  out += slice(json, start, -1);
  return mark + (mark === "'" ? withEscaped(out, "'") : out) + mark;
}

function withEscaped(text, mark) {
  let out = '';
  let start = 0;
  for (let at = indexOf(text, mark); at >= 0; at = indexOf(text, mark, start + 1)) {
    out += slice(text, start, at) + '\\';
    start = at;
  }
  return out + slice(text, start);
}

// An own data property that is a string, else ''.
function dataText(object, key) {
  const property = getOwnPropertyDescriptor(object, key);
  return property && hasOwn(property, 'value') && typeof property.value === 'string' ? property.value : '';
}

function inspectObject(value, budget, parents, depth) {
  for (let up = parents; up; up = up.parents) {
    if (up.value !== value) continue;
    if (up.circle === 0) up.circle = ++budget.circles;
    return '[Circular *' + up.circle + ']';
  }
  const here = { __proto__: null, value, parents, circle: 0 };
  const text = inspectKind(value, budget, here, depth);
  return here.circle > 0 ? '<ref *' + here.circle + '> ' + text : text;
}

// What an object says of itself, as Node asks it: a method under a symbol of the program's, or of a library's.
function customText(value, budget, here, depth) {
  const show = customInspect(value);
  if (show === undefined) return undefined;
  const left = budget.depth - depth;
  const given = apply(show, value, [left, { depth: left }, inspectForPrograms]);
  if (given === value) return undefined;
  if (typeof given !== 'string') return inspectValue(given, budget, here, depth);
  const text = given.length > budget.chars ? slice(given, 0, max(budget.chars, 0)) + '...' : given;
  budget.chars -= text.length;
  return depth > 0 ? slice(indent(text, repeat('  ', depth)), 2 * depth) : text;
}

function customInspect(value) {
  for (let up = value, steps = 0; up !== null && steps < MAX_ANCESTORS; up = getPrototypeOf(up), steps++) {
    const property = getOwnPropertyDescriptor(up, CUSTOM_INSPECT);
    if (property === undefined) continue;
    return hasOwn(property, 'value') && typeof property.value === 'function' ? property.value : undefined;
  }
  return undefined;
}

function inspectKind(value, budget, here, depth) {
  const text = customText(value, budget, here, depth);
  return text === undefined ? inspectLanguageKind(value, budget, here, depth) : text;
}

function inspectLanguageKind(value, budget, here, depth) {
  if (typeof value === 'function') return inspectFunction(value, budget, here, depth);
  const kind = kindOf(value);
  if (kind === 'Date') return dateText(value);
  if (kind === 'RegExp') return regexText(value);
  if (kind === 'Error' && isError(value)) return errorText(value, budget, here, depth);
  const unbox = mapGet(UNBOXED, kind);
  if (unbox !== undefined) return '[' + kind + ': ' + inspectPrimitive(unbox(value), budget) + ']';
  if (isArray(value)) return inspectArray(value, value.length, false, budget, here, depth);
  if (kind === 'TypedArray') return inspectArray(value, typedLength(value), true, budget, here, depth);
  if (kind === 'Map') return inspectCollection(value, mapSize(value), kind, budget, here, depth);
  if (kind === 'Set') return inspectCollection(value, setSize(value), kind, budget, here, depth);
  if (kind === 'ArrayBuffer' || kind === 'DataView') return inspectBytes(value, kind, budget, here, depth);
  return inspectPlain(value, kind, budget, here, depth);
}

function kindOf(value) {
  let steps = 0;
  for (let up = getPrototypeOf(value); up !== null && steps < MAX_ANCESTORS; up = getPrototypeOf(up), steps++) {
    const kind = mapGet(ANCESTORS, up);
    if (kind !== undefined) return kind;
  }
  return 'null';
}

function dateText(value) {
  const time = dateNumber(value);
  return time === time ? dateIso(value) : 'Invalid Date';
}

function regexText(value) {
  let text = '/' + regexSource(value) + '/';
  for (let i = 0; i < REGEX_FLAGS.length; i++) {
    const isSet = REGEX_FLAGS[i][1];
    if (isSet(value)) text += REGEX_FLAGS[i][0];
  }
  return text;
}

// The name of the nearest class that has one; of iterators, as in Node, only what they are beside that.
function className(value) {
  let up = getPrototypeOf(value);
  if (up === null) return '[Object: null prototype]';
  for (let steps = 0; up !== null && steps < MAX_ANCESTORS; up = getPrototypeOf(up), steps++) {
    const known = mapGet(ANCESTORS, up);
    if (known === 'Iterator' || known === 'AsyncIterator') continue;
    if (known !== undefined) return known;
    const maker = getOwnPropertyDescriptor(up, 'constructor');
    const name = maker && hasOwn(maker, 'value') && typeof maker.value === 'function' ? dataText(maker.value, 'name') : '';
    if (name !== '') return name;
  }
  return '';
}

// What stands before the brackets: class, size (-1: it has none) and tag, or nothing when it says no more than they do.
function headOf(value, size, usual) {
  const name = className(value) || 'Object';
  let tag = '';
  let steps = 0;
  for (let up = value; up !== null && tag === '' && steps < MAX_ANCESTORS; up = getPrototypeOf(up), steps++) {
    tag = dataText(up, toStringTag);
  }
  if (name === usual && tag === '') return '';
  return name + (size < 0 ? '' : '(' + size + ')') + (tag === '' || tag === name ? '' : ' [' + tag + ']') + ' ';
}

function tooDeep(value) {
  const name = className(value) || 'Object';
  return name[0] === '[' ? name : '[' + name + ']';
}

function inspectFunction(value, budget, here, depth) {
  const source = functionText(value);
  const name = dataText(value, 'name');
  let head;
  if (slice(source, 0, 5) === 'class' && indexOf(' \t\r\n{/', slice(source, 5, 6)) >= 0) {
    const parent = getPrototypeOf(value);
    const above = typeof parent === 'function' ? dataText(parent, 'name') : '';
    head = '[class ' + (name || '(anonymous)') + (above ? ' extends ' + above : '') + ']';
  } else head = '[' + (mapGet(FUNCTIONS, getPrototypeOf(value)) ?? 'Function') + (name ? ': ' + name : ' (anonymous)') + ']';
  budget.chars -= head.length;
  const parts = list();
  if (depth <= budget.depth) addProperties(value, keysOf(value), 0, budget, here, depth, parts);
  return parts.length === 0 ? head : enclose(head + ' {', parts, '}', budget, depth);
}

function inspectArray(value, length, isTyped, budget, here, depth) {
  const open = headOf(value, length, isTyped ? '' : 'Array') + '[';
  if (length > 0 && depth > budget.depth) return tooDeep(value);
  const parts = list();
  let isNumeric = true;
  let names; // of an array that has holes, or is short enough to look whether it has more than items
  let present = 0; // items before the i-th; as many names stand before the next one's, in order
  let i = 0;
  while (i < length && parts.length < INSPECT_ITEMS && budget.nodes > 0) {
    const item = getOwnPropertyDescriptor(value, i);
    if (item !== undefined) {
      if (!hasOwn(item, 'value') || (typeof item.value !== 'number' && typeof item.value !== 'bigint')) isNumeric = false;
      parts[parts.length] = propertyValue(item, budget, here, depth);
      present++;
      i++;
      continue;
    }
    names ??= keysOf(value);
    const next = present < names.length ? toNumber(names[present]) : length;
    const end = next > i && next < length ? next : length;
    parts[parts.length] = '<' + plural(end - i, 'empty item') + '>';
    isNumeric = false;
    i = end;
  }
  const items = parts.length;
  if (i < length) parts[items] = '... ' + plural(length - i, 'more item');
  else if (!isTyped && (names !== undefined || length <= INSPECT_ITEMS)) {
    addProperties(value, names ?? keysOf(value), present, budget, here, depth, parts);
  }
  const rows = items > UNGROUPED_ITEMS && budget.width === LINE_WIDTH ? inRows(parts, items, isNumeric, 2 * depth) : parts;
  if (rows === parts) return enclose(open, parts, ']', budget, depth);
  levelsWithin(budget, depth);
  return onLines(open, rows, ']', depth);
}

function plural(count, noun) {
  return count + ' ' + noun + (count === 1 ? '' : 's');
}

function inspectCollection(value, size, kind, budget, here, depth) {
  const open = headOf(value, size, '') + '{';
  if (size > 0 && depth > budget.depth) return tooDeep(value);
  const parts = list();
  const add = (item, key) => {
    if (parts.length >= INSPECT_ITEMS || budget.nodes <= 0) return;
    const shown = inspectValue(item, budget, here, depth + 1);
    parts[parts.length] = kind === 'Map' ? inspectValue(key, budget, here, depth + 1) + ' => ' + shown : shown;
  };
  if (kind === 'Map') mapEach(value, add);
  else setEach(value, add);
  const rest = size - parts.length;
  if (rest > 0) parts[parts.length] = '... ' + plural(rest, 'more item');
  return enclose(open, parts, '}', budget, depth);
}

// What the language lets nobody look at. Whether a promise is settled is told to those who await it only, so every one
// is shown as what it most often is when an author finds it in a log: not awaited.
const HIDDEN = {
  __proto__: null,
  Promise: '<pending>',
  WeakMap: '<items unknown>',
  WeakSet: '<items unknown>',
};

function inspectPlain(value, kind, budget, here, depth) {
  const open = headOf(value, -1, 'Object') + '{';
  const names = keysOf(value);
  if (depth > budget.depth && names.length > 0) return tooDeep(value);
  const parts = list();
  if (HIDDEN[kind] !== undefined) parts[0] = HIDDEN[kind];
  addProperties(value, names, 0, budget, here, depth, parts);
  return enclose(open, parts, '}', budget, depth);
}

// A buffer with its first bytes, a view with what it is of.
function inspectBytes(value, kind, budget, here, depth) {
  if (depth > budget.depth) return tooDeep(value);
  const parts = list();
  if (kind === 'ArrayBuffer') {
    const length = bufferLength(value);
    parts[0] = '[Uint8Contents]: <' + hexOf(value, length) + '>';
    parts[1] = 'byteLength: ' + length;
  } else {
    parts[0] = 'byteLength: ' + viewLength(value);
    parts[1] = 'byteOffset: ' + viewOffset(value);
    parts[2] = 'buffer: ' + inspectValue(viewBuffer(value), budget, here, depth + 1);
  }
  addProperties(value, keysOf(value), 0, budget, here, depth, parts);
  return enclose(headOf(value, -1, '') + '{', parts, '}', budget, depth);
}

function hexOf(buffer, length) {
  const shown = min(length, SHOWN_BYTES);
  if (shown === 0) return '';
  const bytes = new NativeUint8Array(buffer, 0, shown);
  let text = '';
  for (let i = 0; i < shown; i++) text += (i > 0 ? ' ' : '') + padStart(numberInBase(bytes[i], 16), 2, '0');
  return length > shown ? text + ' ... ' + plural(length - shown, 'more byte') : text;
}

// Adds the enumerable properties to `parts`: those of `names` from the one numbered `from`, then those with a symbol.
function addProperties(value, names, from, budget, here, depth, parts) {
  let i = from;
  for (; i < names.length && budget.nodes > 0; i++) addProperty(value, names[i], budget, here, depth, parts);
  if (i < names.length) parts[parts.length] = '...';
  const symbols = symbolsOf(value);
  for (let j = 0; j < symbols.length && budget.nodes > 0; j++) addProperty(value, symbols[j], budget, here, depth, parts);
}

function addProperty(value, key, budget, here, depth, parts) {
  const property = getOwnPropertyDescriptor(value, key);
  if (!property || !property.enumerable) return;
  const name = typeof key === 'symbol' ? '[' + symbolText(key) + ']' : isIdentifier(key) ? key : quoted(key);
  budget.chars -= name.length;
  parts[parts.length] = name + ': ' + propertyValue(property, budget, here, depth);
}

function propertyValue(property, budget, here, depth) {
  if (hasOwn(property, 'value')) return inspectValue(property.value, budget, here, depth + 1);
  return property.get ? (property.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]';
}
