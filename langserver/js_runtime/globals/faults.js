// The errors of Node's interfaces: of their types, and with the codes by which programs tell them apart.
(host) => {
  const SHOWN = 28;

  function coded(Type, code, message) {
    return Object.assign(new Type(message), { code });
  }

  function received(value) {
    if (value === undefined || value === null) return `Received ${value}`;
    if (typeof value === 'function') return `Received function ${value.name}`;
    if (typeof value === 'object') {
      const name = value.constructor?.name;
      return name ? `Received an instance of ${name}` : `Received ${host.inspect(value, { depth: -1 })}`;
    }
    const shown = host.inspect(value);
    return `Received type ${typeof value} (${shown.length > SHOWN ? shown.slice(0, SHOWN - 3) + '...' : shown})`;
  }

  // `expected`: 'of type string', 'an instance of Buffer'.
  function wrongType(name, expected, value) {
    return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be ${expected}. ${received(value)}`);
  }

  function wrongValue(name, reason, value) {
    return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument '${name}' ${reason}. Received ${host.inspect(value)}`);
  }

  function outOfRange(name, range, value) {
    const digits = typeof value === 'bigint' || Number.isInteger(value) ? String(value) : host.inspect(value);
    const shown = digits.length > 10 ? digits.replace(/\B(?=(?:\d{3})+$)/g, '_') : digits;
    return coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${shown}${typeof value === 'bigint' ? 'n' : ''}`);
  }

  function missing(message) {
    return coded(TypeError, 'ERR_MISSING_ARGS', message);
  }

  function unknownEncoding(encoding) {
    return coded(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${String(encoding)}`);
  }

  function needType(type, name, value) {
    if (typeof value !== type) throw wrongType(name, `of type ${type}`, value);
  }

  function needInteger(name, value, low, high) {
    needType('number', name, value);
    if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < low || value > high) throw outOfRange(name, `>= ${low} && <= ${high}`, value);
  }

  // Gives what the functions of a package throw the code that its message stands for: `codes` are pairs of both.
  function withCodes(holder, codes, names = Reflect.ownKeys(holder)) {
    for (const name of names) {
      const property = Object.getOwnPropertyDescriptor(holder, name);
      const plain = property?.value;
      if (typeof plain !== 'function' || name === 'constructor') continue;
      const wrapped = { [name](...given) {
        try {
          return Reflect.apply(plain, this, given);
        } catch (error) {
          throw withCode(error, codes);
        }
      } }[name];
      for (const copied of ['name', 'length']) Object.defineProperty(wrapped, copied, Object.getOwnPropertyDescriptor(plain, copied));
      Object.defineProperty(holder, name, { ...property, value: wrapped });
    }
  }

  function withCode(error, codes) {
    const found = Error.isError(error) && !Object.hasOwn(error, 'code') ? codes.find(([message]) => message.test(error.message)) : undefined;
    return found ? Object.assign(error, { code: found[1] }) : error;
  }

  return { coded, wrongType, wrongValue, outOfRange, missing, unknownEncoding, needType, needInteger, withCode, withCodes };
}
