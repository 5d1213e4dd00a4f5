// require('util') and require('util/types')
(host) => {
  const { needType, wrongType } = host.library('faults');
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const tagOfTyped = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const CUSTOM_PROMISIFY = Symbol.for('nodejs.util.promisify.custom');

  // Whether a value has the inner slots that this method needs.
  function hasSlots(method) {
    return (value) => {
      try {
        method.call(value);
        return true;
      } catch {
        return false;
      }
    };
  }
  const boxed = (type) => {
    const holds = hasSlots(type.prototype.valueOf);
    return (value) => typeof value === 'object' && value !== null && holds(value);
  };
  const ofKind = (kind) => (value) => typeof value === 'function' && Object.prototype.toString.call(value) === `[object ${kind}]`;
  const typed = (name) => (value) => ArrayBuffer.isView(value) && tagOfTyped.call(value) === name;
  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;

  const types = {
    isArrayBuffer: hasSlots(getter(ArrayBuffer, 'byteLength')),
    isAnyArrayBuffer: hasSlots(getter(ArrayBuffer, 'byteLength')),
    isArrayBufferView: ArrayBuffer.isView,
    isAsyncFunction: (value) => ofKind('AsyncFunction')(value) || ofKind('AsyncGeneratorFunction')(value),
    isBigIntObject: boxed(BigInt),
    isBooleanObject: boxed(Boolean),
    isDataView: hasSlots(getter(DataView, 'byteLength')),
    isDate: hasSlots(Date.prototype.getTime),
    isGeneratorFunction: (value) => ofKind('GeneratorFunction')(value) || ofKind('AsyncGeneratorFunction')(value),
    isGeneratorObject: (value) => Object.prototype.toString.call(value) === '[object Generator]',
    isMap: hasSlots(getter(Map, 'size')),
    isMapIterator: (value) => Object.prototype.toString.call(value) === '[object Map Iterator]',
    isNativeError: Error.isError,
    isNumberObject: boxed(Number),
    isPromise: (value) => value instanceof Promise,
    isRegExp: (value) => value instanceof RegExp && hasSlots(RegExp.prototype.toString)(value),
    isSet: hasSlots(getter(Set, 'size')),
    isSetIterator: (value) => Object.prototype.toString.call(value) === '[object Set Iterator]',
    isSharedArrayBuffer: () => false,
    isStringObject: boxed(String),
    isSymbolObject: boxed(Symbol),
    isTypedArray: (value) => ArrayBuffer.isView(value) && tagOfTyped.call(value) !== undefined,
    isWeakMap: (value) => value instanceof WeakMap,
    isWeakSet: (value) => value instanceof WeakSet,
  };
  types.isBoxedPrimitive = (value) =>
    types.isNumberObject(value) || types.isStringObject(value) || types.isBooleanObject(value) || types.isBigIntObject(value) || types.isSymbolObject(value);
  for (const name of 'Int8 Uint8 Uint8Clamped Int16 Uint16 Int32 Uint32 Float32 Float64 BigInt64 BigUint64'.split(' ')) {
    types[`is${name}Array`] = typed(`${name}Array`);
  }

  // Deep equality as of assert: strict compares kinds and prototypes too, loose lets 1 be '1'.
  function isDeepEqual(a, b, isStrict, seen = new Map()) {
    if (isStrict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (seen.get(a) === b) return true; // under way: if they differ, it is found elsewhere
    if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    for (const is of ['isDate', 'isRegExp', 'isMap', 'isSet', 'isNativeError', 'isTypedArray', 'isBoxedPrimitive']) {
      if (types[is](a) !== types[is](b)) return false;
    }
    seen.set(a, b);
    const equal = haveEqualSlots(a, b, isStrict, seen) && haveEqualProperties(a, b, isStrict, seen);
    seen.delete(a);
    return equal;
  }

  function haveEqualSlots(a, b, isStrict, seen) {
    if (types.isDate(a)) return Object.is(a.getTime(), b.getTime());
    if (types.isRegExp(a)) return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    if (types.isNativeError(a)) return a.message === b.message && a.name === b.name;
    if (types.isBoxedPrimitive(a)) return Object.is(a.valueOf(), b.valueOf());
    if (Array.isArray(a)) return a.length === b.length;
    if (types.isMap(a)) return a.size === b.size && [...a].every(([key, value]) => hasEntry(a, b, key, value, isStrict, seen));
    if (types.isSet(a)) return a.size === b.size && [...a].every((item) => b.has(item) || [...b].some((other) => isDeepEqual(item, other, isStrict, seen)));
    return true;
  }

  function hasEntry(a, b, key, value, isStrict, seen) {
    if (b.has(key)) return isDeepEqual(value, b.get(key), isStrict, seen);
    return [...b].some(([other, its]) => !a.has(other) && isDeepEqual(key, other, isStrict, seen) && isDeepEqual(value, its, isStrict, seen));
  }

  function enumerableKeys(object, isStrict) {
    const symbols = isStrict ? Object.getOwnPropertySymbols(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key)) : [];
    return [...Object.keys(object), ...symbols];
  }

  function haveEqualProperties(a, b, isStrict, seen) {
    const keys = enumerableKeys(a, isStrict);
    if (keys.length !== enumerableKeys(b, isStrict).length) return false;
    return keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(a[key], b[key], isStrict, seen));
  }

  function promisify(original) {
    needType('function', 'original', original);
    if (typeof original[CUSTOM_PROMISIFY] === 'function') return original[CUSTOM_PROMISIFY];
    function promised(...values) {
      return new Promise((resolve, reject) => {
        original.call(this, ...values, (error, value) => (error ? reject(error) : resolve(value)));
      });
    }
    Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
    return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
  }
  promisify.custom = CUSTOM_PROMISIFY;
  // Unless the program has frozen it.
  Reflect.defineProperty(host.timers.setTimeout, CUSTOM_PROMISIFY, {
    value: (delay, value) => new Promise((resolve) => host.callLater(() => resolve(value), delay)),
  });

  function callbackify(original) {
    needType('function', 'original', original);
    return function callbackified(...values) {
      const callback = values.pop();
      original.apply(this, values).then(
        (value) => host.callLater(() => callback(null, value), 0),
        (error) => host.callLater(() => callback(error ?? Object.assign(new Error('Promise was rejected with a falsy value'), { reason: error })), 0),
      );
    };
  }

  function inherits(constructor, parent) {
    needType('function', 'ctor', constructor);
    needType('function', 'superCtor', parent);
    if (parent.prototype === undefined) throw wrongType('superCtor.prototype', 'of type object', undefined);
    Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(constructor.prototype, parent.prototype);
  }

  // Warns once, on the first call.
  function deprecate(original, message, code) {
    let isTold = false;
    return function deprecated(...values) {
      if (!isTold) console.warn(`${code ? `[${code}] ` : ''}DeprecationWarning: ${message}`);
      isTold = true;
      return new.target ? Reflect.construct(original, values, new.target) : original.apply(this, values);
    };
  }

  const inspect = (value, ...options) => host.inspect(value, ...options);
  inspect.custom = host.CUSTOM_INSPECT;
  inspect.defaultOptions = { depth: 2, breakLength: 80 };

  const debuglog = () => Object.assign(() => {}, { enabled: false });
  const util = {
    format: (...values) => host.format(values),
    formatWithOptions(options, ...values) {
      if (typeof options !== 'object' || options === null) throw wrongType('inspectOptions', 'of type object', options);
      return host.format(values);
    },
    inspect,
    isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
    promisify,
    callbackify,
    inherits,
    deprecate,
    debuglog,
    debug: debuglog,
    isArray: Array.isArray,
    // eslint-disable-next-line no-control-regex
    stripVTControlCharacters(text) {
      needType('string', 'str', text);
      return text.replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g, '');
    },
    toUSVString: (text) => `${text}`.toWellFormed(),
    types,
    get TextEncoder() { return host.library('encoding').TextEncoder; },
    get TextDecoder() { return host.library('encoding').TextDecoder; },
  };
  return { util, types, isDeepEqual };
}
