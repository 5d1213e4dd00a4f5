// How the parts of a value stand on lines, as Node lays them out. `depth` is that of the value, two columns each.
const LINE_WIDTH = 80;
const LINE_MARGIN = 11; // what Node keeps free of a line, beside brackets and commas
const ROW_ITEMS = 12;
const LINE_LEVELS = 3; // how many levels of values a line may hold

// Parts in brackets, on one line if that fits. `open` is all that stands before them.
function enclose(open, parts, close, budget, depth) {
  if (parts.length === 0) return open + close;
  const levels = levelsWithin(budget, depth);
  let total = open.length + 2 * depth + LINE_MARGIN - 1;
  let isOneLine = levels <= LINE_LEVELS && indexOf(open, '\n') < 0;
  for (let i = 0; i < parts.length && isOneLine; i++) {
    total += parts[i].length + 2;
    isOneLine = total <= budget.width && indexOf(parts[i], '\n') < 0;
  }
  if (!isOneLine && budget.width === LINE_WIDTH) return onLines(open, parts, close, depth);
  let text = open;
  for (let i = 0; i < parts.length; i++) text += (i > 0 ? ', ' : ' ') + parts[i];
  return text + ' ' + close;
}

// How many levels the value at `depth` has, counted as Node counts them: down the last of its values that has any.
function levelsWithin(budget, depth) {
  const levels = budget.lastDepth === depth + 1 ? budget.lastLevels + 1 : 1; // the value before it was inside it, or not
  budget.lastDepth = depth;
  budget.lastLevels = levels;
  return levels;
}

function onLines(open, parts, close, depth) {
  const pad = '\n' + repeat('  ', depth);
  let text = open;
  for (let i = 0; i < parts.length; i++) text += (i > 0 ? ',' : '') + pad + '  ' + parts[i];
  return text + pad + close;
}

// The first `items` of `parts` in rows of aligned columns, of about the shape that Node gives them: the block is to be
// some two and a half times as wide as high, in characters. The same list when a row would hold one only.
function inRows(parts, items, isNumeric, indent) {
  let widest = 0;
  let total = 0;
  for (let i = 0; i < items; i++) {
    const width = parts[i].length + 2;
    if (indexOf(parts[i], '\n') >= 0) return parts;
    if (width > widest) widest = width;
    total += width;
  }
  if (widest * 3 + indent >= LINE_WIDTH || (total / widest <= 5 && widest > 8)) return parts;
  const typical = max(widest - 3 - sqrt(widest - total / items), 1);
  const columns = min(round(sqrt(2.5 * typical * items) / typical), floor((LINE_WIDTH - indent) / widest), ROW_ITEMS);
  if (columns <= 1) return parts;
  const widths = list();
  for (let c = 0; c < columns; c++) {
    widths[c] = 0;
    for (let i = c; i < items; i += columns) if (parts[i].length > widths[c]) widths[c] = parts[i].length;
  }
  const rows = list();
  for (let start = 0; start < items; start += columns) {
    const last = min(start + columns, items) - 1;
    let row = '';
    for (let i = start; i <= last; i++) {
      const width = widths[i - start];
      if (isNumeric) row += padStart(parts[i], width) + (i < last ? ', ' : '');
      else row += i < last ? padEnd(parts[i] + ', ', width + 2) : parts[i];
    }
    rows[rows.length] = row;
  }
  for (let i = items; i < parts.length; i++) rows[rows.length] = parts[i];
  return rows;
}
