// require('string_decoder')
(host) => {
  const { unknownEncoding, wrongType } = host.library('faults');
  const { TextDecoder } = host.library('encoding');
  const { Buffer } = host.library('buffer');
  const STREAMED = { __proto__: null, utf8: 'utf-8', 'utf-8': 'utf-8', utf16le: 'utf-16le', 'utf-16le': 'utf-16le', ucs2: 'utf-16le', 'ucs-2': 'utf-16le' };
  const GROUPED = { __proto__: null, base64: 3, base64url: 3 };

  class StringDecoder {
    #decoder;
    #group;
    #held = Buffer.alloc(0);

    constructor(encoding) {
      const name = String(encoding === undefined || encoding === null || encoding === '' ? 'utf8' : encoding).toLowerCase();
      if (!Buffer.isEncoding(name)) throw unknownEncoding(encoding);
      this.encoding = name;
      if (STREAMED[name]) this.#decoder = new TextDecoder(STREAMED[name], { ignoreBOM: true });
      this.#group = GROUPED[name] ?? 1;
    }

    write(data) {
      if (typeof data === 'string') return data;
      if (!ArrayBuffer.isView(data)) throw wrongType('buf', 'an instance of Buffer, TypedArray, or DataView', data);
      if (this.#decoder) return this.#decoder.decode(data, { stream: true });
      const bytes = Buffer.concat([this.#held, data]);
      const whole = bytes.length - (bytes.length % this.#group);
      this.#held = bytes.subarray(whole);
      return bytes.toString(this.encoding, 0, whole);
    }

    end(data) {
      const text = data === undefined ? '' : this.write(data);
      const rest = this.#decoder ? this.#decoder.decode() : this.#held.toString(this.encoding);
      this.#held = Buffer.alloc(0);
      return text + rest;
    }
  }

  return { string_decoder: { StringDecoder } };
}
