// console.table: rows of objects or lists in columns, framed as Node frames them; anything else as by console.log.
const CELL_UNITS = 200;

function table(rows, wanted) {
  if (logLeft < 0) return;
  if (typeof rows !== 'object' || rows === null) return say(0, shown(rows, logLeft));
  const grid = { __proto__: null, columns: list(), known: new NativeMap(), lines: list(), head: '(index)', values: false };
  const kind = kindOf(rows);
  if (kind === 'Map' || kind === 'Set') fillFromCollection(grid, rows, kind);
  else fillFromObject(grid, rows, isArray(wanted) ? wanted : undefined);
  if (grid.values) grid.columns[grid.columns.length] = VALUES;
  say(0, framed(grid));
}

const VALUES = 'Values';

function fillFromObject(grid, rows, wanted) {
  const names = keysOf(rows);
  if (wanted !== undefined) for (let i = 0; i < wanted.length && i < INSPECT_ITEMS; i++) addColumn(grid, label(wanted[i]));
  for (let i = 0; i < names.length && i < INSPECT_ITEMS; i++) {
    const row = rows[names[i]];
    const line = addLine(grid, names[i]);
    if (!isObject(row)) {
      putValue(grid, line, row);
      continue;
    }
    const fields = keysOf(row);
    for (let j = 0; j < fields.length && j < INSPECT_ITEMS; j++) {
      if (wanted === undefined) addColumn(grid, fields[j]);
      else if (!mapGet(grid.known, fields[j])) continue;
      putCell(line, fields[j], row[fields[j]]);
    }
  }
}

function fillFromCollection(grid, rows, kind) {
  grid.head = '(iteration index)';
  if (kind === 'Map') addColumn(grid, 'Key');
  const add = (value, key) => {
    if (grid.lines.length >= INSPECT_ITEMS) return;
    const line = addLine(grid, toText(grid.lines.length));
    if (kind === 'Map') putCell(line, 'Key', key);
    putValue(grid, line, value);
  };
  if (kind === 'Map') mapEach(rows, add);
  else setEach(rows, add);
}

function addColumn(grid, name) {
  if (mapGet(grid.known, name)) return;
  mapSet(grid.known, name, true);
  grid.columns[grid.columns.length] = name;
}

function addLine(grid, name) {
  const line = { __proto__: null, name, cells: new NativeMap() };
  grid.lines[grid.lines.length] = line;
  return line;
}

function putCell(line, column, value) {
  mapSet(line.cells, column, slice(inspect(value, CELL_UNITS, 1, Infinity), 0, CELL_UNITS));
}

// What is no object has a column of its own, the last. No field can be mistaken for it.
function putValue(grid, line, value) {
  grid.values = true;
  line.value = slice(inspect(value, CELL_UNITS, 1, Infinity), 0, CELL_UNITS);
}

function cellOf(grid, line, column) {
  if (column < 0) return line.name;
  if (grid.values && column === grid.columns.length - 1) return line.value ?? '';
  return mapGet(line.cells, grid.columns[column]) ?? '';
}

function framed(grid) {
  const { columns, lines, head } = grid;
  const widths = list();
  for (let c = -1; c < columns.length; c++) {
    let width = (c < 0 ? head : columns[c]).length;
    for (let r = 0; r < lines.length; r++) width = max(width, cellOf(grid, lines[r], c).length);
    widths[c + 1] = width;
  }
  const titles = rowOf(widths, (column) => (column < 0 ? head : columns[column]));
  let text = ruler(widths, '\u250c', '\u252c', '\u2510\n') + titles + ruler(widths, '\u251c', '\u253c', '\u2524\n');
  for (let r = 0; r < lines.length && text.length <= logLeft; r++) {
    text += rowOf(widths, (column) => cellOf(grid, lines[r], column));
  }
  return text + ruler(widths, '\u2514', '\u2534', '\u2518');
}

function rowOf(widths, textOf) {
  let text = '\u2502';
  for (let i = 0; i < widths.length; i++) text += ' ' + padEnd(textOf(i - 1), widths[i]) + ' \u2502';
  return text + '\n';
}

function ruler(widths, left, between, right) {
  let text = left;
  for (let i = 0; i < widths.length; i++) text += (i > 0 ? between : '') + repeat('\u2500', widths[i] + 2);
  return text + right;
}
