// performance: whole milliseconds since the task began, on purpose (a finer clock measures other things than programs), and
// the marks and measures of User Timing.
(host) => {
  const { missing, needType, wrongType } = host.library('faults');
  let entries = [];

  class PerformanceEntry {
    constructor(name, entryType, startTime, duration, detail) {
      Object.assign(this, { name, entryType, startTime, duration, detail });
    }

    toJSON() {
      return { ...this };
    }
  }

  const since = () => host.now() - host.startedAt();

  function timeOf(mark, otherwise) {
    if (mark === undefined) return otherwise;
    if (typeof mark === 'number') return mark;
    const found = entries.findLast((entry) => entry.entryType === 'mark' && entry.name === String(mark));
    if (found) return found.startTime;
    const { DOMException } = host.library('exception');
    throw new DOMException(`The mark "${mark}" has not been set`, 'SyntaxError');
  }

  function add(...values) {
    const entry = new PerformanceEntry(...values);
    entries.push(entry);
    return entry;
  }

  class Performance {
    now() {
      return since();
    }

    get timeOrigin() {
      return host.startedAt();
    }

    mark(name, options = {}) {
      if (arguments.length === 0) throw missing('The "name" argument must be specified');
      if (options !== null && typeof options !== 'object') throw wrongType('options', 'of type object', options);
      const { startTime = since(), detail = null } = options ?? {};
      return add(`${name}`, 'mark', startTime, 0, detail);
    }

    measure(name, startOrOptions, endMark) {
      if (arguments.length === 0) throw missing('The "name" argument must be specified');
      needType('string', 'name', name);
      const options = typeof startOrOptions === 'object' && startOrOptions !== null ? startOrOptions : { start: startOrOptions };
      const { duration, detail = null } = options;
      const end = timeOf(options.end ?? endMark, duration === undefined ? since() : timeOf(options.start, 0) + duration);
      const start = duration === undefined || options.start !== undefined ? timeOf(options.start, 0) : end - duration;
      return add(name, 'measure', start, end - start, detail);
    }

    getEntries() {
      return entries.toSorted((a, b) => a.startTime - b.startTime);
    }

    getEntriesByType(type) {
      if (arguments.length === 0) throw missing('The "type" argument must be specified');
      return this.getEntries().filter((entry) => entry.entryType === type);
    }

    getEntriesByName(name, type = undefined) {
      if (arguments.length === 0) throw missing('The "name" argument must be specified');
      return this.getEntries().filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
    }

    clearMarks(name) {
      entries = entries.filter((entry) => entry.entryType !== 'mark' || (name !== undefined && entry.name !== name));
    }

    clearMeasures(name) {
      entries = entries.filter((entry) => entry.entryType !== 'measure' || (name !== undefined && entry.name !== name));
    }

    toJSON() {
      return { timeOrigin: host.startedAt() };
    }

    get [Symbol.toStringTag]() {
      return 'Performance';
    }
  }

  return { performance: new Performance() };
}
