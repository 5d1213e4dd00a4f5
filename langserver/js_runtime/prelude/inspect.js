// Values as console shows them: bounded in depth, nodes and characters, and never failing on a hostile object.
const INSPECT_DEPTH = 4;
const INSPECT_NODES = 5000;
const INSPECT_ITEMS = 100;
const INSPECT_WIDTH = 72;

function inspect(value, chars) {
  const budget = { __proto__: null, nodes: INSPECT_NODES, chars };
  return inspectValue(value, budget, null, 0);
}

// `parents` is a chain of the objects around this one.
function inspectValue(value, budget, parents, depth) {
  if (budget.nodes-- <= 0 || budget.chars <= 0) return '...';
  try {
    const text = typeof value === 'object' && value !== null
      ? inspectObject(value, budget, parents, depth)
      : inspectPrimitive(value, budget);
    return text;
  } catch {
    return '[unreadable]';
  }
}

function inspectPrimitive(value, budget) {
  let text;
  if (typeof value === 'string') {
    const quoted = quote(value.length > budget.chars ? slice(value, 0, budget.chars) + '...' : value);
    const plain = slice(quoted, 1, -1);
    text = indexOf(plain, "'") < 0 && indexOf(plain, '\\"') < 0 ? "'" + plain + "'" : quoted;
  } else if (typeof value === 'bigint') text = toText(value) + 'n';
  else if (typeof value === 'symbol') text = symbolText(value);
  else if (typeof value === 'function') text = '[Function: ' + (dataText(value, 'name') || 'anonymous') + ']';
  else if (value === 0 && 1 / value < 0) text = '-0';
  else text = toText(value);
  budget.chars -= text.length;
  return text;
}

// An own data property that is a string, else ''.
function dataText(object, key) {
  const property = getOwnPropertyDescriptor(object, key);
  return property && hasOwn(property, 'value') && typeof property.value === 'string' ? property.value : '';
}

function inspectObject(value, budget, parents, depth) {
  for (let up = parents; up; up = up.parents) if (up.value === value) return '[Circular]';
  const kind = kindOf(value);
  if (kind === 'Date') return dateText(value);
  if (kind === 'RegExp') return regexText(value);
  if (kind === 'Error' && isError(value)) return errorText(value, budget, parents, depth);
  if (kind === 'Number' || kind === 'String' || kind === 'Boolean') return '[' + kind + ': ' + unboxed(value, kind) + ']';
  const name = className(value);
  if (depth >= INSPECT_DEPTH) return isArray(value) ? '[Array]' : '[' + (name || 'Object') + ']';
  const chain = { __proto__: null, value, parents };
  if (isArray(value)) return inspectArray(value, value.length, '', budget, chain, depth);
  if (kind === 'TypedArray') return inspectArray(value, typedLength(value), name + '(' + typedLength(value) + ') ', budget, chain, depth);
  if (kind === 'Map' || kind === 'Set') return inspectCollection(value, kind, budget, chain, depth);
  return inspectPlain(value, name && name !== 'Object' ? name + ' ' : '', budget, chain, depth);
}

function kindOf(value) {
  for (let up = getPrototypeOf(value); up !== null; up = getPrototypeOf(up)) {
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

function unboxed(value, kind) {
  return kind === 'Number' ? toText(numberValue(value)) : kind === 'Boolean' ? toText(booleanValue(value)) : quote(stringValue(value));
}

function className(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === null) return '[Object: null prototype]';
  const maker = getOwnPropertyDescriptor(prototype, 'constructor');
  return maker && hasOwn(maker, 'value') && typeof maker.value === 'function' ? dataText(maker.value, 'name') : '';
}

function inspectArray(value, length, prefix, budget, chain, depth) {
  const parts = list();
  for (let i = 0; i < length && i < INSPECT_ITEMS && budget.nodes > 0; i++) {
    parts[parts.length] = inspectValue(value[i], budget, chain, depth + 1);
  }
  const rest = length - parts.length;
  if (rest > 0) parts[parts.length] = '... ' + rest + ' more item' + (rest > 1 ? 's' : '');
  return prefix + enclose('[', parts, ']', depth);
}

function inspectCollection(value, kind, budget, chain, depth) {
  const parts = list();
  let seen = 0;
  const add = (item, key) => {
    if (seen++ >= INSPECT_ITEMS) return;
    const shown = inspectValue(item, budget, chain, depth + 1);
    parts[parts.length] = kind === 'Map' ? inspectValue(key, budget, chain, depth + 1) + ' => ' + shown : shown;
  };
  if (kind === 'Map') mapEach(value, add);
  else setEach(value, add);
  if (seen > INSPECT_ITEMS) parts[parts.length] = '... ' + (seen - INSPECT_ITEMS) + ' more items';
  return kind + '(' + seen + ') ' + enclose('{', parts, '}', depth);
}

function inspectPlain(value, prefix, budget, chain, depth) {
  const parts = list();
  const names = keysOf(value);
  for (let i = 0; i < names.length && budget.nodes > 0; i++) {
    const property = getOwnPropertyDescriptor(value, names[i]);
    if (!property) continue;
    const shown = hasOwn(property, 'value') ? inspectValue(property.value, budget, chain, depth + 1) : property.get ? '[Getter]' : '[Setter]';
    budget.chars -= names[i].length;
    parts[parts.length] = (isIdentifier(names[i]) ? names[i] : quote(names[i])) + ': ' + shown;
  }
  if (parts.length < names.length) parts[parts.length] = '...';
  return prefix + enclose('{', parts, '}', depth);
}

function isIdentifier(name) {
  if (name.length === 0 || name.length > 100) return false;
  for (let i = 0; i < name.length; i++) {
    const unit = charCodeAt(name, i);
    const letter = (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95 || unit === 36;
    if (!letter && !(i > 0 && unit >= 48 && unit <= 57)) return false;
  }
  return true;
}

function enclose(open, parts, close, depth) {
  if (parts.length === 0) return open + close;
  let total = 0;
  for (let i = 0; i < parts.length; i++) total += parts[i].length + 2;
  const wide = total > INSPECT_WIDTH;
  const pad = wide ? '\n' + repeat('  ', depth + 1) : ' ';
  let text = open;
  for (let i = 0; i < parts.length; i++) text += (i > 0 ? ',' : '') + pad + parts[i];
  return text + (wide ? '\n' + repeat('  ', depth) : ' ') + close;
}
