// What the host asks: each of these is called on a source and answers JSON text.
const BODY = { sourceType: 'script', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };
const SCRIPT = { sourceType: 'script' };
const MODULE = { sourceType: 'module', allowReturnOutsideFunction: true };

function tell(collector, edited) {
  const { input, modules, awaits, declared, problem = null } = collector;
  const placed = placing(input);
  modules.sort((a, b) => a.at - b.at);
  const at = collector.lastExpression;
  const last = at < 0 ? null : placed({ splitAt: at, at });
  const keepsValue = last !== null || collector.throwsLast || collector.namesValue;
  const told = { problem, awaits, declared, last, keepsValue, modules: modules.map(placed), absent: collector.refusedUses.map(placed), module: null };
  if (edited) {
    const imports = edited.imports.map((each) => ({ ...placed(each), names: each.names.map(placed) }));
    const ending = edited.last && placed(edited.last);
    told.module = { ...edited, last: ending, imports, refusals: edited.refusals.sort((a, b) => a.at - b.at).map(placed) };
  }
  /(?:)/.exec(''); // RegExp.$1 and its kin still show parts of the source
  return JSON.stringify(told);
}

// Puts line and column, which count from 1, in the place of an offset.
function placing(source) {
  const starts = [0];
  for (const found of source.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(found.index + found[0].length);
  return ({ at, ...rest }) => {
    let low = 0;
    for (let high = starts.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= at) low = middle;
      else high = middle;
    }
    return { ...rest, line: low + 1, column: at - starts[low] + 1 };
  };
}

function readModule(source) {
  const collector = new Collector(MODULE, source).read();
  return tell(collector, collector.problem ? undefined : edit(collector));
}

return [
  function () { return tell(new Collector(BODY, this).read()); },
  function () { return tell(new Collector(SCRIPT, this).read()); },
  function () { return readModule(this); },
];
