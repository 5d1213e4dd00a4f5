// Buffer: the package `buffer`, with the encodings that the engine does itself, and base64url, which the package lacks.
(host) => {
  const { Buffer, kMaxLength } = host.library('vendor/buffer');
  const { encodeUtf8, decodeUtf8, binaryText } = host.library('encoding');
  const SHOWN_BYTES = 50;
  const plain = {
    from: Buffer.from, byteLength: Buffer.byteLength, isEncoding: Buffer.isEncoding,
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

  const unknownEncoding = (encoding) => Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: 'ERR_UNKNOWN_ENCODING' });
  const outOfRange = (message) => Object.assign(new RangeError(message), { code: 'ERR_OUT_OF_RANGE' });

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
      return read ? toBuffer(read(value)) : plain.from(value, encodingOrOffset, length);
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
      const given = [offset, length, encoding].findLast((argument) => typeof argument === 'string');
      const name = nameOf(given);
      if (typeof text !== 'string' || !readers[name] || name === 'utf8') return plain.write.apply(this, arguments);
      const start = typeof offset === 'number' ? offset : 0;
      if (start < 0 || start > this.length) throw new RangeError('Attempt to write outside buffer bounds');
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
      if (start < 0 || end > this.length || start > this.length) throw outOfRange('The fill is outside of the buffer');
      const place = Uint8Array.prototype.subarray.call(this, start, end);
      const pattern = patternOf(value, encoding);
      if (pattern.length === 1) Uint8Array.prototype.fill.call(place, pattern[0]);
      else if (pattern.length === 0) throw new TypeError(`The value "${value}" is invalid for argument "value"`);
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
