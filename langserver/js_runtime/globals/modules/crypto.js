// require('crypto'): hashes, HMAC, PBKDF2 and random values.
(host) => {
  const { Buffer } = host.library('buffer');
  const { names, hashNamed, hmac, pbkdf2: derive } = host.library('hashes');
  const { coded, wrongType, outOfRange, needType, needInteger } = host.library('faults');
  const { crypto: webcrypto, fillRandom, sameBytes } = host.library('webcrypto');
  const MAX_RANGE = 2 ** 48 - 1;
  const MAX_INT = 2 ** 31 - 1;
  const ABSENT =
    'createCipheriv createDecipheriv createCipher createDecipher createSign createVerify sign verify createDiffieHellman ' +
    'createECDH createPrivateKey createPublicKey createSecretKey diffieHellman generateKey generateKeySync generateKeyPair ' +
    'generateKeyPairSync generatePrime generatePrimeSync hkdf hkdfSync privateDecrypt privateEncrypt publicDecrypt ' +
    'publicEncrypt scrypt scryptSync X509Certificate';

  function bytesOf(data, encoding, what = 'data') {
    if (typeof data === 'string') return Buffer.from(data, Buffer.isEncoding(encoding) ? encoding : 'utf8');
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    throw wrongType(what, 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  }

  function hashFor(name, what, Type = TypeError) {
    needType('string', what, name);
    const hash = hashNamed(name);
    if (hash) return hash;
    throw coded(Type, 'ERR_CRYPTO_INVALID_DIGEST', `Digest method not supported: ${name} (there are ${names.join(', ')})`);
  }

  function encoded(bytes, encoding) {
    const digest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Buffer.isEncoding(encoding) ? digest.toString(encoding) : digest;
  }

  class Digest {
    #state;
    #done;

    constructor(state) {
      this.#state = state;
    }

    update(data, encoding) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#state.update(bytesOf(data, encoding));
      return this;
    }

    digest(encoding) {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#done = true;
      return encoded(this.#state.digest(), encoding);
    }

    _copyState() {
      if (this.#done) throw coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      return this.#state.clone();
    }
  }

  class Hash extends Digest {
    copy() {
      return new Hash(this._copyState());
    }
  }

  class Hmac extends Digest {}

  function pbkdf2Sync(password, salt, iterations, length, digest) {
    const hash = hashFor(digest, 'digest');
    needInteger('iterations', iterations, 1, MAX_INT);
    needInteger('keylen', length, 0, MAX_INT);
    const options = { c: iterations, dkLen: length };
    return encoded(derive(hash, bytesOf(password, undefined, 'password'), bytesOf(salt, undefined, 'salt'), options));
  }

  // Of (..., callback): the answer comes later, as an error or a value.
  function answer(callback, make) {
    needType('function', 'callback', callback);
    let error = null;
    let value;
    try {
      value = make();
    } catch (thrown) {
      error = thrown;
    }
    host.callLater(() => (error === null ? callback(null, value) : callback(error)), 0);
  }

  function randomBytes(size, callback) {
    needType('number', 'size', size);
    if (!(size >= 0 && size <= MAX_INT)) throw outOfRange('size', `>= 0 && <= ${MAX_INT}`, size);
    if (callback === undefined) return fillRandom(Buffer.alloc(size));
    return answer(callback, () => fillRandom(Buffer.alloc(size)));
  }

  function randomFillSync(buffer, offset = 0, size = buffer?.byteLength - offset) {
    if (typeof buffer !== 'object' || buffer === null) throw wrongType('buf', 'an instance of ArrayBuffer or ArrayBufferView', buffer);
    const bytes = bytesOf(buffer, undefined, 'buf');
    needType('number', 'offset', offset);
    if (!(offset >= 0 && offset <= bytes.length)) throw outOfRange('offset', `>= 0 && <= ${bytes.length}`, offset);
    needType('number', 'size', size);
    if (size + offset > bytes.length) throw outOfRange('size + offset', `<= ${bytes.length}`, size + offset);
    fillRandom(bytes.subarray(offset, offset + size));
    return buffer;
  }

  function randomFill(buffer, ...rest) {
    const callback = rest.pop();
    answer(callback, () => randomFillSync(buffer, ...rest));
  }

  // Every number of the range is as likely as any other: those beyond the last whole multiple are drawn again.
  function draw(low, high) {
    if (!Number.isSafeInteger(low)) throw wrongType('min', 'a safe integer', low);
    if (!Number.isSafeInteger(high)) throw wrongType('max', 'a safe integer', high);
    const range = high - low;
    if (range <= 0) throw outOfRange('max', `greater than the value of "min" (${low})`, high);
    if (range > MAX_RANGE) throw outOfRange('max - min', `<= ${MAX_RANGE}`, range);
    const last = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      let number = 0;
      for (let i = 0; i < 6; i++) number = number * 256 + host.randomByte();
      if (number < last) return low + (number % range);
    }
  }

  function randomInt(...values) {
    const isPair = typeof values[1] === 'number';
    const [low, high, callback] = isPair ? values : [0, values[0], values[1]];
    if (callback !== undefined) needType('function', 'callback', callback);
    if (callback === undefined) return draw(low, high);
    return answer(callback, () => draw(low, high));
  }

  function timingSafeEqual(a, b) {
    for (const [name, value] of [['buf1', a], ['buf2', b]]) {
      if (typeof value === 'string') throw wrongType(name, 'an instance of ArrayBuffer, Buffer, TypedArray, or DataView: use Buffer.from(text)', value);
    }
    const [first, second] = [bytesOf(a, undefined, 'buf1'), bytesOf(b, undefined, 'buf2')];
    if (first.length !== second.length) {
      throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
    }
    return sameBytes(first, second);
  }

  const crypto = {
    createHash: (name) => new Hash(hashFor(name, 'algorithm', Error).create()),
    createHmac(name, key) {
      needType('string', 'hmac', name);
      if (key === undefined || key === null) throw wrongType('key', 'of type string or an instance of Buffer, TypedArray, or DataView', key);
      const secret = bytesOf(key, undefined, 'key');
      return new Hmac(hmac.create(hashFor(name, 'hmac'), secret));
    },
    hash(name, data, encoding = 'hex') {
      needType('string', 'algorithm', name);
      const bytes = bytesOf(data, undefined, 'input');
      needType('string', 'outputEncoding', encoding);
      return encoded(hashFor(name, 'algorithm', Error)(bytes), encoding);
    },
    getHashes: () => [...names],
    getCiphers: () => [],
    getCurves: () => [],
    getRandomValues: (array) => webcrypto.getRandomValues(array),
    pbkdf2: (password, salt, iterations, length, digest, callback) =>
      answer(callback, () => pbkdf2Sync(password, salt, iterations, length, digest)),
    pbkdf2Sync,
    randomBytes,
    randomFill,
    randomFillSync,
    randomInt,
    randomUUID(options) {
      if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options))) throw wrongType('options', 'of type object', options);
      return webcrypto.randomUUID();
    },
    subtle: webcrypto.subtle,
    timingSafeEqual,
    webcrypto,
  };
  for (const name of ABSENT.split(' ')) crypto[name] = host.absent(`crypto.${name}`);
  return { crypto };
}
