// Buffer's methods that read and write one number, on the engine's DataView, and with Node's checks.
(host) => {
  const { coded, outOfRange, needType } = host.library('faults');
  const KINDS = [
    ['Int8', 1], ['Uint8', 1], ['Int16', 2], ['Uint16', 2], ['Int32', 4], ['Uint32', 4],
    ['Float32', 4], ['Float64', 8], ['BigInt64', 8], ['BigUint64', 8],
  ];
  const NAMES = {
    __proto__: null, Uint8: 'UInt8', Uint16: 'UInt16', Uint32: 'UInt32', Float32: 'Float', Float64: 'Double', BigUint64: 'BigUInt64',
  };
  const MAX_BYTES = 6;
  const viewOf = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);

  function checkOffset(buffer, offset, size) {
    needType('number', 'offset', offset);
    const last = buffer.length - size;
    if (Number.isInteger(offset) && offset >= 0 && offset <= last) return;
    if (Number.isInteger(offset) && last < 0) throw coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
    throw outOfRange('offset', Number.isInteger(offset) ? `>= 0 and <= ${last}` : 'an integer', offset);
  }

  function checkBytes(size) {
    needType('number', 'byteLength', size);
    if (!Number.isInteger(size)) throw outOfRange('byteLength', 'an integer', size);
    if (size < 1 || size > MAX_BYTES) throw outOfRange('byteLength', `>= 1 and <= ${MAX_BYTES}`, size);
  }

  // What a whole number of some kind may be: the ends of its range, and how Node tells them.
  function rangeOf(kind, size) {
    const isSigned = !/u/i.test(kind);
    if (kind.startsWith('Big')) {
      const [low, high] = isSigned ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
      return [low, high, isSigned ? '>= -(2n ** 63n) and < 2n ** 63n' : '>= 0n and < 2n ** 64n'];
    }
    const [low, high] = isSigned ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
    const bits = size * 8;
    if (size <= 4) return [low, high, `>= ${low} and <= ${high}`];
    return [low, high, isSigned ? `>= -(2 ** ${bits - 1}) and < 2 ** ${bits - 1}` : `>= 0 and < 2 ** ${bits}`];
  }

  function checkRange(value, [low, high, text]) {
    if (value > high || value < low) throw outOfRange('value', text, value);
  }

  const methods = {};
  // Both spellings, readUInt8 and readUint8, are one function.
  function add(name, method) {
    Object.defineProperty(method, 'name', { value: name, configurable: true });
    methods[name] = method;
    const other = name.replace('UInt', 'Uint');
    if (other !== name) methods[other] = method;
  }

  for (const [kind, size] of KINDS) {
    const isFloat = kind.startsWith('Float');
    const isBig = kind.startsWith('Big');
    const range = isFloat ? undefined : rangeOf(kind, size);
    const [get, set] = [DataView.prototype[`get${kind}`], DataView.prototype[`set${kind}`]];
    for (const end of size === 1 ? [''] : ['LE', 'BE']) {
      const isLittle = end === 'LE';
      const name = (NAMES[kind] ?? kind) + end;
      add(`read${name}`, function (offset = 0) {
        checkOffset(this, offset, size);
        return get.call(viewOf(this), offset, isLittle);
      });
      add(`write${name}`, function (value, offset = 0) {
        const given = isBig ? value : +value;
        if (isBig && typeof given !== 'bigint') throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
        needType('number', 'offset', offset);
        if (range) checkRange(given, range);
        checkOffset(this, offset, size);
        set.call(viewOf(this), offset, given, isLittle);
        return offset + size;
      });
    }
  }

  for (const kind of ['Int', 'UInt']) {
    for (const end of ['LE', 'BE']) {
      add(`read${kind}${end}`, function (offset, size) {
        if (offset === undefined) needType('number', 'offset', offset);
        checkBytes(size);
        checkOffset(this, offset, size);
        let value = 0;
        for (let i = 0; i < size; i++) value = value * 256 + this[end === 'BE' ? offset + i : offset + size - 1 - i];
        return kind === 'Int' && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
      });
      add(`write${kind}${end}`, function (value, offset, size) {
        checkBytes(size);
        needType('number', 'offset', offset);
        const given = +value;
        checkRange(given, rangeOf(kind, size));
        checkOffset(this, offset, size);
        let rest = Math.trunc(given) || 0;
        if (rest < 0) rest += 2 ** (8 * size);
        for (let i = 0; i < size; i++, rest = Math.floor(rest / 256)) this[end === 'LE' ? offset + i : offset + size - 1 - i] = rest % 256;
        return offset + size;
      });
    }
  }
  return { methods };
}
