// Buffer: the package `buffer`, with the encodings that the engine does itself, and base64url, which the package lacks.
(host) => {
  const { Buffer, kMaxLength } = host.library('vendor/buffer');
  const { encodeUtf8, decodeUtf8, binaryText, binaryBytes } = host.library('encoding');
  const { coded, wrongType, outOfRange, unknownEncoding, needType, withCodes } = host.library('faults');
  const { methods: numbers } = host.library('numbers');
  const SHOWN_BYTES = 50;
  // What the package throws, as Node codes it.
  const CODES = [
    [/^Unknown encoding/, 'ERR_UNKNOWN_ENCODING'],
    [/^"(?:offset|length)" is outside of buffer bounds/, 'ERR_BUFFER_OUT_OF_BOUNDS'],
    [/^Buffer size must be a multiple/, 'ERR_INVALID_BUFFER_SIZE'],
    [/argument|must be|must not be/, 'ERR_INVALID_ARG_TYPE'],
    [/out of range|out of bounds|outOfBounds|beyond|outside/i, 'ERR_OUT_OF_RANGE'],
  ];
  withCodes(Buffer, CODES);
  withCodes(Buffer.prototype, CODES);
  const plain = {
    from: Buffer.from, byteLength: Buffer.byteLength, isEncoding: Buffer.isEncoding,
    alloc: Buffer.alloc, concat: Buffer.concat, compare: Buffer.compare, equals: Buffer.prototype.equals,
    toString: Buffer.prototype.toString, write: Buffer.prototype.write, indexOf: Buffer.prototype.indexOf,
  };
  const NAMES = {
    __proto__: null, utf8: 'utf8', 'utf-8': 'utf8', hex: 'hex', base64: 'base64', base64url: 'base64url', latin1: 'latin1', binary: 'latin1',
  };
  const nameOf = (encoding) => (encoding === undefined || encoding === null ? 'utf8' : NAMES[String(encoding).toLowerCase()]);

  // As Node reads it: both alphabets, up to the first `=`, without what belongs to neither.
  function base64Bytes(text) {
    const digits = text.split('=', 1)[0].replace(/[^\w+/-]/g, '').replaceAll('-', '+').replaceAll('_', '/');
    return Uint8Array.fromBase64(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  }

  const readers = {
    utf8: encodeUtf8,
    hex: (text) => Uint8Array.fromHex(/^(?:[\da-f]{2})*/i.exec(text)[0]),
    base64: base64Bytes,
    base64url: base64Bytes,
    latin1: binaryBytes, // a character beyond U+00FF is cut to its low byte, as in Node
  };
  const writers = {
    utf8: (bytes) => decodeUtf8(bytes),
    hex: (bytes) => bytes.toHex(),
    base64: (bytes) => bytes.toBase64(),
    base64url: (bytes) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true }),
    latin1: binaryText,
  };
  const readerOf = (text, encoding) => (typeof text === 'string' ? readers[nameOf(encoding)] : undefined);

  function toBuffer(bytes) {
    return Object.setPrototypeOf(bytes, Buffer.prototype);
  }

  // An empty text is found at once, as in a string; the package finds none.
  const isEmptyText = (value) => value === '';
  function placeOf(buffer, offset) {
    const from = Math.trunc(Number(offset)) || 0;
    return Math.min(buffer.length, from < 0 ? Math.max(0, buffer.length + from) : from);
  }

  function checkSize(size) {
    needType('number', 'size', size);
    if (!(size >= 0 && size <= kMaxLength)) throw outOfRange('size', `>= 0 && <= ${kMaxLength}`, size);
  }

  function needBytes(name, value) {
    if (!(value instanceof Uint8Array)) throw wrongType(name, 'an instance of Buffer or Uint8Array', value);
  }

  function patternOf(value, encoding) {
    if (typeof value === 'string') return value === '' ? [0] : Buffer.from(value, encoding);
    return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : [value & 255];
  }

  function define(holder, methods) {
    for (const name of Reflect.ownKeys(methods)) {
      Object.defineProperty(holder, name, { value: methods[name], writable: true, configurable: true });
    }
  }

  define(Buffer, {
    from(value, encodingOrOffset, length) {
      const read = readerOf(value, encodingOrOffset);
      if (read) return toBuffer(read(value));
      if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
        const expected = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', wrongType('', expected, value).message.replace('"" ', 'first '));
      }
      return plain.from(value, encodingOrOffset, length);
    },
    alloc(size, fill, encoding) {
      checkSize(size);
      if (fill === undefined || fill === 0 || size === 0) return plain.alloc(size);
      return plain.alloc(size).fill(fill, encoding);
    },
    allocUnsafe(size) {
      checkSize(size);
      return plain.alloc(size);
    },
    allocUnsafeSlow(size) {
      checkSize(size);
      return plain.alloc(size);
    },
    concat(list, length) {
      if (!Array.isArray(list)) throw wrongType('list', 'an instance of Array', list);
      list.forEach((each, place) => needBytes(`list[${place}]`, each));
      return plain.concat(list, length);
    },
    compare(first, second) {
      needBytes('buf1', first);
      needBytes('buf2', second);
      return plain.compare(first, second);
    },
    isEncoding(encoding) {
      return nameOf(encoding ?? '') !== undefined || plain.isEncoding(encoding);
    },
    byteLength(value, encoding) {
      const read = readerOf(value, encoding);
      return read ? read(value).length : plain.byteLength(value, encoding);
    },
    copyBytesFrom(view, offset = 0, length = view.length - offset) {
      const part = view.subarray(offset, offset + length);
      return toBuffer(new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)));
    },
  });

  define(Buffer.prototype, {
    ...numbers,
    equals(other) {
      needBytes('otherBuffer', other);
      return plain.equals.call(this, other);
    },
    toString(encoding, start = 0, end = this.length) {
      const write = writers[nameOf(encoding)];
      if (!write) return plain.toString.call(this, encoding, start, end);
      const [from, to] = [Math.max(0, Math.trunc(start) || 0), Math.min(this.length, Math.trunc(end) || 0)];
      return from >= to ? '' : write(new Uint8Array(this.buffer, this.byteOffset + from, to - from));
    },
    indexOf(value, offset, encoding) {
      return isEmptyText(value) ? placeOf(this, offset) : plain.indexOf.call(this, value, offset, encoding);
    },
    includes(value, offset, encoding) {
      return this.indexOf(value, offset, encoding) !== -1;
    },
    write(text, offset, length, encoding) {
      if (typeof text !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
      if (typeof offset === 'number' && !(offset >= 0 && offset <= this.length)) throw outOfRange('offset', `>= 0 && <= ${this.length}`, offset);
      const given = [offset, length, encoding].findLast((argument) => typeof argument === 'string');
      const name = nameOf(given);
      if (!readers[name] || name === 'utf8') return plain.write.apply(this, arguments);
      const start = typeof offset === 'number' ? offset : 0;
      const room = Math.min(this.length - start, typeof length === 'number' ? length : Infinity);
      const bytes = readers[name](text).subarray(0, room);
      this.set(bytes, start);
      return bytes.length;
    },
    // The bytes of a text, again and again: doubled by the engine, not in a loop.
    fill(value, ...given) {
      const encoding = given.find((argument) => typeof argument === 'string');
      if (encoding !== undefined && !Buffer.isEncoding(encoding)) throw unknownEncoding(encoding);
      const [start = 0, end = this.length] = given.filter((argument) => typeof argument !== 'string');
      if (start < 0 || end > this.length) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'The fill is outside of the buffer');
      const place = Uint8Array.prototype.subarray.call(this, start, end);
      const pattern = patternOf(value, encoding);
      if (pattern.length === 1) Uint8Array.prototype.fill.call(place, pattern[0]);
      else if (pattern.length === 0) throw coded(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'value' is invalid: ${value}`);
      else {
        place.set(pattern.subarray(0, place.length));
        for (let filled = pattern.length; filled < place.length; filled *= 2) place.copyWithin(filled, 0, filled);
      }
      return this;
    },
    [host.CUSTOM_INSPECT]() {
      const shown = this.subarray(0, SHOWN_BYTES).toString('hex').replace(/..(?=.)/g, '$& ');
      const rest = this.length - SHOWN_BYTES;
      const more = rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : '';
      return `<${this.constructor.name} ${shown}${more}>`;
    },
  });
  define(Buffer.prototype, { inspect: Buffer.prototype[host.CUSTOM_INSPECT] });

  return { Buffer, kMaxLength };
}
