// TextEncoder, TextDecoder (Encoding standard), atob and btoa (HTML standard), and what other libraries need of UTF-8 and
// base64. The long work is done by functions of the engine: a loop over bytes takes some fifty times as long.
(host) => {
  const PIECE = 8192;
  const ONLY_ASCII = /^[\0-\x7f]*$/;

  const { coded, wrongType, missing } = host.library('faults');

  // Bytes as a string of the characters 0 to 255, and back.
  function binaryText(bytes) {
    let text = '';
    for (let i = 0; i < bytes.length; i += PIECE) {
      text += String.fromCharCode.apply(undefined, Uint8Array.prototype.subarray.call(bytes, i, i + PIECE));
    }
    return text;
  }

  function binaryBytes(text) {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  // A lone surrogate becomes U+FFFD.
  function encodeUtf8(text) {
    if (ONLY_ASCII.test(text)) return binaryBytes(text);
    return binaryBytes(unescape(encodeURIComponent(text.toWellFormed())));
  }

  // With U+FFFD for what is not UTF-8, or undefined when `isFatal`.
  function decodeUtf8(bytes, isFatal = false) {
    const text = binaryText(bytes);
    if (ONLY_ASCII.test(text)) return text;
    try {
      return decodeURIComponent(escape(text)); // refuses all that is not UTF-8
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      return isFatal ? undefined : decodeReplacing(bytes);
    }
  }

  // The range of the byte after this one, and how many follow; undefined if it begins nothing.
  function sequence(lead) {
    if (lead >= 0xc2 && lead <= 0xdf) return [1, 0x80, 0xbf];
    if (lead >= 0xe0 && lead <= 0xef) return [2, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf];
    if (lead >= 0xf0 && lead <= 0xf4) return [3, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf];
    return undefined;
  }

  // How many bytes from `at` belong to one character, or to the longest beginning of one. Negative: a beginning only.
  function sequenceLength(bytes, at) {
    const found = sequence(bytes[at]);
    if (found === undefined) return bytes[at] < 0x80 ? 1 : -1;
    let [more, low, high] = found;
    let length = 1;
    for (; more > 0; more--, length++) {
      const byte = bytes[at + length];
      if (byte === undefined || byte < low || byte > high) return -length;
      low = 0x80;
      high = 0xbf;
    }
    return length;
  }

  function decodeReplacing(bytes) {
    let text = '';
    let start = 0;
    for (let at = 0; at < bytes.length; ) {
      const length = sequenceLength(bytes, at);
      if (length < 0) {
        text += decodeURIComponent(escape(binaryText(bytes.subarray(start, at)))) + '\ufffd';
        start = at - length;
      }
      at += Math.abs(length);
    }
    return text + decodeURIComponent(escape(binaryText(bytes.subarray(start))));
  }

  // How many bytes at the end are the beginning of a character that the next piece may finish.
  function unfinished(bytes) {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const at = bytes.length - back;
      if ((bytes[at] & 0xc0) === 0x80) continue;
      return sequence(bytes[at]) !== undefined && sequenceLength(bytes, at) === -back ? back : 0;
    }
    return 0;
  }

  function bytesOf(input) {
    if (input === undefined) return new Uint8Array(0);
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    throw wrongType('input', 'an ArrayBuffer or a view of one', input);
  }

  function joined(first, second) {
    if (first.length === 0) return second;
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
  }

  const decoders = {
    'utf-8': { unfinished, decode: decodeUtf8 },
    'utf-16le': {
      unfinished(bytes) {
        const odd = bytes.length % 2;
        const last = bytes[bytes.length - odd - 1];
        return bytes.length - odd >= 2 && last >= 0xd8 && last <= 0xdb ? odd + 2 : odd;
      },
      decode(bytes, isFatal) {
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        let text = '';
        for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(view.getUint16(i, true));
        if (bytes.length % 2) text += '\ud800'; // half a unit is as wrong as half a pair
        return isFatal && !text.isWellFormed() ? undefined : text.toWellFormed();
      },
    },
    'windows-1252': {
      unfinished: () => 0,
      decode: (bytes) => binaryText(bytes).replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80]),
    },
  };
  const WINDOWS_1252 =
    '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
    '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
  const LABELS = {
    __proto__: null,
    'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
    'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    'windows-1252':
      'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 ' +
      'iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
  };

  function encodingOf(label) {
    const wanted = String(label).replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
    for (const name in LABELS) if (LABELS[name].split(' ').includes(wanted)) return name;
    throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
  }

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #held = new Uint8Array(0); // of a stream, what the last piece did not finish
    #begun = false; // whether a byte order mark can still come

    constructor(label = 'utf-8', options = {}) {
      if (options !== null && typeof options !== 'object' && typeof options !== 'function') throw wrongType('options', 'of type object', options);
      this.#encoding = encodingOf(label);
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input, options = {}) {
      const decoder = decoders[this.#encoding];
      const streams = Boolean(options?.stream);
      const bytes = joined(this.#held, bytesOf(input));
      const whole = streams ? bytes.length - decoder.unfinished(bytes) : bytes.length;
      this.#held = bytes.slice(whole);
      let text = decoder.decode(bytes.subarray(0, whole), this.#fatal);
      const mayHaveMark = !this.#begun && !this.#ignoreBOM && this.#encoding !== 'windows-1252';
      this.#begun = streams && (this.#begun || whole > 0);
      if (text === undefined) {
        this.#held = new Uint8Array(0);
        this.#begun = false;
        const message = `The encoded data was not valid for encoding ${this.#encoding}`;
        throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', message);
      }
      if (mayHaveMark && text[0] === '\ufeff') text = text.slice(1);
      return text;
    }

    get [Symbol.toStringTag]() {
      return 'TextDecoder';
    }
  }

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(text = '') {
      return encodeUtf8(`${text}`);
    }

    // As many whole characters as fit.
    encodeInto(text, target) {
      if (!(target instanceof Uint8Array)) throw wrongType('dest', 'an instance of Uint8Array', target);
      const bytes = encodeUtf8(String(text));
      let written = Math.min(bytes.length, target.length);
      while (written < bytes.length && (bytes[written] & 0xc0) === 0x80) written--;
      target.set(bytes.subarray(0, written));
      // A lone surrogate was written as three bytes, and counts as one unit here as there.
      return { read: decodeUtf8(bytes.subarray(0, written)).length, written };
    }

    get [Symbol.toStringTag]() {
      return 'TextEncoder';
    }
  }

  function invalidCharacter(message) {
    const { DOMException } = host.library('exception');
    return new DOMException(message, 'InvalidCharacterError');
  }

  function btoa(data) {
    if (arguments.length === 0) throw missing('The "data" argument must be specified');
    const text = `${data}`;
    if (/[^\0-\xff]/.test(text)) throw invalidCharacter('Invalid character: btoa takes characters up to U+00FF');
    return binaryBytes(text).toBase64();
  }

  function atob(data) {
    if (arguments.length === 0) throw missing('The "data" argument must be specified');
    try {
      return binaryText(Uint8Array.fromBase64(`${data}`));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw invalidCharacter('The string to be decoded is not correctly encoded.');
    }
  }

  return { TextEncoder, TextDecoder, atob, btoa, encodeUtf8, decodeUtf8, binaryText, binaryBytes };
}
