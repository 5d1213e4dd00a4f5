// Buffer: the package `buffer`, with the encodings that the engine does itself, and base64url, which the package lacks.
(host) => {
  const { Buffer, kMaxLength } = host.library('vendor/buffer');
  const { encodeUtf8, decodeUtf8, binaryText, binaryBytes } = host.library('encoding');
  const { coded, wrongType, outOfRange, unknownEncoding, needType, needInteger, withCodes } = host.library('faults');
  const { methods: numbers } = host.library('numbers');
  const SHOWN_BYTES = 50;
  const BOUNDS = ['targetStart', 'targetEnd', 'sourceStart', 'sourceEnd'];
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
    lastIndexOf: Buffer.prototype.lastIndexOf, compareBuffers: Buffer.prototype.compare,
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

  // Whether Node makes bytes of what an object says when it is to be a string, as a Date does.
  function isConvertible(value) {
    if (typeof value !== 'object' || value === null || value.length !== undefined || ArrayBuffer.isView(value)) return false;
    return typeof value[Symbol.toPrimitive] === 'function' && typeof value.valueOf() !== 'string';
  }

  function checkSize(size) {
    needType('number', 'size', size);
    if (!(size >= 0 && size <= kMaxLength)) throw outOfRange('size', `>= 0 && <= ${kMaxLength}`, size);
  }

  function needBytes(name, value) {
    if (!(value instanceof Uint8Array)) throw wrongType(name, 'an instance of Buffer or Uint8Array', value);
  }

  // A view of the same bytes as the Buffer that the package wants.
  function asBuffer(bytes) {
    return bytes instanceof Buffer ? bytes : toBuffer(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  function sought(value, encoding) {
    if (typeof value === 'string' && encoding !== undefined) needEncoding(encoding);
    return value instanceof Uint8Array ? asBuffer(value) : value;
  }

  function needEncoding(encoding) {
    const name = String(encoding).toLowerCase();
    if (name === '' || (!NAMES[name] && !plain.isEncoding(name))) throw unknownEncoding(encoding);
  }

  // A whole number from 0, of whatever is given: what is no number is `otherwise`.
  function whole(name, given, otherwise) {
    const number = Math.trunc(given === undefined ? otherwise : Number(given));
    if (number < 0) throw outOfRange(name, '>= 0', given);
    return number !== number ? otherwise : number;
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
      if (isConvertible(value)) return Buffer.from(value[Symbol.toPrimitive]('string'), encodingOrOffset, length);
      if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
        const expected = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';
        throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', wrongType('', expected, value).message.replace('"" ', 'first '));
      }
      return plain.from(value, encodingOrOffset, length);
    },
    alloc(size, fill, encoding) {
      checkSize(size);
      if (fill === undefined || fill === 0 || size === 0) return plain.alloc(size);
      return plain.alloc(size).fill(fill, 0, size, encoding);
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
    copyBytesFrom(view, offset = 0, length = undefined) {
      if (!ArrayBuffer.isView(view) || view instanceof DataView) throw wrongType('view', 'an instance of TypedArray', view);
      needInteger('offset', offset, 0, kMaxLength);
      if (length === undefined) length = Math.max(0, view.length - offset);
      else needInteger('length', length, 0, kMaxLength);
      const part = view.subarray(offset, offset + length);
      return toBuffer(new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength)));
    },
  });

  define(Buffer.prototype, {
    ...numbers,
    equals(other) {
      needBytes('otherBuffer', other);
      return plain.equals.call(this, asBuffer(other));
    },
    compare(target, ...bounds) {
      needBytes('target', target);
      const lengths = [target.length, target.length, this.length, this.length];
      bounds.forEach((bound, i) => bound === undefined || needInteger(BOUNDS[i], bound, 0, i % 2 ? lengths[i] : kMaxLength));
      return plain.compareBuffers.call(this, asBuffer(target), ...bounds);
    },
    // Of what lies outside of the target nothing is copied.
    copy(target, targetStart, sourceStart, sourceEnd) {
      needBytes('target', target);
      const to = whole('targetStart', targetStart, 0);
      const from = whole('sourceStart', sourceStart, 0);
      const end = Math.min(whole('sourceEnd', sourceEnd, this.length), this.length);
      if (from > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
      if (to >= target.length || from >= end) return 0;
      const part = new Uint8Array(this.buffer, this.byteOffset + from, Math.min(end - from, target.length - to));
      Uint8Array.prototype.set.call(target, part, to);
      return part.length;
    },
    toString(encoding, start = 0, end = this.length) {
      const [from, to] = [Math.max(0, Math.trunc(start) || 0), Math.min(this.length, Math.trunc(end) || 0)];
      if (from >= to) return '';
      if (encoding !== undefined) needEncoding(encoding);
      const write = writers[nameOf(encoding)];
      if (!write) return plain.toString.call(this, encoding, start, end);
      return write(new Uint8Array(this.buffer, this.byteOffset + from, to - from));
    },
    indexOf(value, offset, encoding) {
      return isEmptyText(value) ? placeOf(this, offset) : plain.indexOf.call(this, sought(value, encoding), offset, encoding);
    },
    lastIndexOf(value, offset, encoding) {
      if (isEmptyText(value)) return placeOf(this, offset ?? this.length);
      return plain.lastIndexOf.call(this, sought(value, encoding), offset, encoding);
    },
    includes(value, offset, encoding) {
      return this.indexOf(value, offset, encoding) !== -1;
    },
    write(text, offset, length, encoding) {
      let [start, room, asked] = [offset, length, encoding];
      if (length === undefined && typeof offset === 'string') [start, room, asked] = [0, undefined, offset];
      else if (typeof length === 'string') [room, asked] = [undefined, length];
      if (start === undefined) [start, room, asked] = [0, undefined, undefined];
      needInteger('offset', start, 0, this.length);
      if (room !== undefined) needInteger('length', room, 0, this.length);
      if (asked) needEncoding(asked);
      if (typeof text !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
      room = Math.min(this.length - start, room ?? Infinity);
      const name = nameOf(asked || 'utf8');
      if (!readers[name] || name === 'utf8') return plain.write.call(this, text, start, room, asked || 'utf8');
      const bytes = readers[name](text).subarray(0, room);
      this.set(bytes, start);
      return bytes.length;
    },
    // The bytes of a text, again and again: doubled by the engine, not in a loop.
    fill(value, offset, last, encoding) {
      let [start, end] = [offset, last];
      if (typeof value === 'string') {
        if (typeof offset === 'string') [start, end, encoding] = [undefined, undefined, offset];
        else if (typeof last === 'string') [end, encoding] = [undefined, last];
        if (encoding !== undefined) {
          needType('string', 'encoding', encoding);
          needEncoding(encoding);
        }
      } else encoding = undefined;
      if (start === undefined) [start, end] = [0, this.length];
      needInteger('offset', start, 0, kMaxLength);
      if (end === undefined) end = this.length;
      else needInteger('end', end, 0, this.length);
      if (start >= end) return this;
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
  define(Buffer.prototype, { inspect: Buffer.prototype[host.CUSTOM_INSPECT], toLocaleString: Buffer.prototype.toString });

  return { Buffer, kMaxLength };
}
