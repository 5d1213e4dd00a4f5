// structuredClone (HTML standard, section 2.7). What it copies is known by its inner slots, not by its prototype.
(host) => {
  const { missing, wrongType } = host.library('faults');
  const { DOMException } = host.library('exception');
  const ERRORS = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const tagOfTyped = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const viewBuffer = Object.getOwnPropertyDescriptor(DataView.prototype, 'buffer').get;
  const UNCLONEABLE = [WeakMap, WeakSet, WeakRef, Promise, FinalizationRegistry];

  function refuse(what) {
    throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
  }

  function has(check, value) {
    try {
      check.call(value);
      return true;
    } catch {
      return false;
    }
  }

  // A copy that can still be empty, and what is to be put into it.
  function begin(value, seen) {
    const parent = Object.getPrototypeOf(value);
    if (Array.isArray(value)) return [new Array(value.length), copyProperties];
    if (parent === Object.prototype || parent === null) return [{}, copyProperties];
    if (has(Map.prototype.has, value)) return [new Map(), copyMap];
    if (has(Set.prototype.has, value)) return [new Set(), copySet];
    if (has(Date.prototype.getTime, value)) return [new Date(Date.prototype.getTime.call(value))];
    if (Error.isError(value)) return [errorLike(value), copyError];
    if (ArrayBuffer.isView(value)) return [viewLike(value, seen)];
    if (has(ArrayBuffer.prototype.slice, value)) return [bufferLike(value)];
    const regex = regexLike(value);
    if (regex) return [regex];
    for (const box of [Number, String, Boolean, BigInt, Symbol]) {
      if (!has(box.prototype.valueOf, value)) continue;
      if (box === Symbol) refuse('A symbol');
      return [Object(box.prototype.valueOf.call(value))];
    }
    if (UNCLONEABLE.some((type) => value instanceof type)) refuse(`#<${value.constructor?.name}>`);
    return [{}, copyProperties];
  }

  function regexLike(value) {
    if (!(value instanceof RegExp)) return undefined;
    return new RegExp(value.source, value.flags);
  }

  function bufferLike(buffer) {
    if (buffer.detached) refuse('A detached ArrayBuffer');
    if (!buffer.resizable) return ArrayBuffer.prototype.slice.call(buffer, 0);
    const copy = new ArrayBuffer(buffer.byteLength, { maxByteLength: buffer.maxByteLength });
    new Uint8Array(copy).set(new Uint8Array(buffer));
    return copy;
  }

  // Views of one buffer stay views of one buffer. A Buffer comes out as a Uint8Array, as in Node.
  function viewLike(view, seen) {
    const name = tagOfTyped.call(view);
    const length = name === undefined ? view.byteLength : view.length;
    const buffer = name === undefined ? viewBuffer.call(view) : view.buffer;
    const Type = name === undefined ? DataView : globalThis[name];
    return new Type(clone(buffer, seen), view.byteOffset, length);
  }

  function errorLike(error) {
    const { name } = error;
    return Object.hasOwn(ERRORS, name) ? new ERRORS[name]() : new Error();
  }

  function copyError(error, copy, seen) {
    for (const key of ['message', 'stack', 'cause']) {
      const found = Object.getOwnPropertyDescriptor(error, key);
      if (!found || !('value' in found || key === 'stack')) continue;
      const value = key === 'cause' ? clone(error.cause, seen) : String(error[key]);
      Object.defineProperty(copy, key, { value, writable: true, configurable: true });
    }
  }

  function copyProperties(value, copy, seen) {
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(value, key)) continue; // a getter before it may have removed it
      const property = { value: clone(value[key], seen), writable: true, enumerable: true, configurable: true };
      Object.defineProperty(copy, key, property);
    }
  }

  function copyMap(map, copy, seen) {
    const entries = [];
    Map.prototype.forEach.call(map, (value, key) => entries.push([key, value]));
    for (const [key, value] of entries) copy.set(clone(key, seen), clone(value, seen));
  }

  function copySet(set, copy, seen) {
    const items = [];
    Set.prototype.forEach.call(set, (item) => items.push(item));
    for (const item of items) copy.add(clone(item, seen));
  }

  function clone(value, seen) {
    if (typeof value === 'symbol') refuse(String(value));
    if (typeof value === 'function') refuse(Function.prototype.toString.call(value).slice(0, 200));
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const [copy, fill] = begin(value, seen);
    seen.set(value, copy);
    fill?.(value, copy, seen);
    return copy;
  }

  function structuredClone(value, options = {}) {
    if (arguments.length === 0) throw missing('The "value" argument must be specified');
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') throw wrongType('options', 'of type object', options);
    const moved = [...(options?.transfer ?? [])];
    const seen = new Map();
    for (const buffer of moved) {
      if (!(buffer instanceof ArrayBuffer)) refuse('A value in transfer that is no ArrayBuffer');
      if (buffer.detached || moved.indexOf(buffer) !== moved.lastIndexOf(buffer)) refuse('An ArrayBuffer in transfer');
    }
    // Moved at the end, once nothing can fail any more; until then its place is held by a copy of no bytes.
    const views = moved.map((buffer) => [buffer, buffer.slice(0)]);
    for (const [buffer, copy] of views) seen.set(buffer, copy);
    const copy = clone(value, seen);
    for (const buffer of moved) buffer.transfer(0);
    return copy;
  }

  return { structuredClone };
}
