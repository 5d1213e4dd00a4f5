// require('crypto'): hashes, HMAC, PBKDF2 and random values.
(host) => {
  const { Buffer } = host.library('buffer');
  const { names, hashNamed, hmac, pbkdf2: derive } = host.library('hashes');
  const { crypto: webcrypto, fillRandom, sameBytes } = host.library('webcrypto');
  const MAX_RANGE = 2 ** 48 - 1;
  const ABSENT =
    'createCipheriv createDecipheriv createCipher createDecipher createSign createVerify sign verify createDiffieHellman ' +
    'createECDH createPrivateKey createPublicKey createSecretKey diffieHellman generateKey generateKeySync generateKeyPair ' +
    'generateKeyPairSync generatePrime generatePrimeSync hkdf hkdfSync privateDecrypt privateEncrypt publicDecrypt ' +
    'publicEncrypt scrypt scryptSync X509Certificate';

  function coded(Type, code, message) {
    return Object.assign(new Type(message), { code });
  }

  function bytesOf(data, encoding, what = 'data') {
    if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    const message = `The "${what}" argument must be of type string or an instance of Buffer, TypedArray, or DataView`;
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', message);
  }

  function hashFor(name) {
    const hash = hashNamed(name);
    if (hash) return hash;
    throw coded(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Digest method not supported: ${name} (there are ${names.join(', ')})`);
  }

  function encoded(bytes, encoding) {
    const digest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding === undefined || encoding === 'buffer' ? digest : digest.toString(encoding);
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
    const options = { c: iterations, dkLen: length };
    return encoded(derive(hashFor(digest), bytesOf(password, undefined, 'password'), bytesOf(salt, undefined, 'salt'), options));
  }

  // Of (..., callback): the answer comes later, as an error or a value.
  function answer(callback, make) {
    if (typeof callback !== 'function') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "callback" argument must be of type function');
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
    if (!(Number.isInteger(size) && size >= 0 && size <= 2 ** 31 - 1)) {
      throw coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "size" is out of range. It must be a whole number up to 2147483647. Received ${String(size)}`);
    }
    if (callback === undefined) return fillRandom(Buffer.alloc(size));
    return answer(callback, () => fillRandom(Buffer.alloc(size)));
  }

  function randomFillSync(buffer, offset = 0, size = buffer.byteLength - offset) {
    fillRandom(bytesOf(buffer, undefined, 'buf').subarray(offset, offset + size));
    return buffer;
  }

  function randomFill(buffer, ...rest) {
    const callback = rest.pop();
    answer(callback, () => randomFillSync(buffer, ...rest));
  }

  // Every number of the range is as likely as any other: those beyond the last whole multiple are drawn again.
  function draw(low, high) {
    const range = high - low;
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && range > 0 && range <= MAX_RANGE)) {
      throw coded(RangeError, 'ERR_OUT_OF_RANGE', `randomInt needs whole numbers min < max, at most ${MAX_RANGE} apart. Received ${String(low)}, ${String(high)}`);
    }
    const last = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      let number = 0;
      for (let i = 0; i < 6; i++) number = number * 256 + host.randomByte();
      if (number < last) return low + (number % range);
    }
  }

  function randomInt(...values) {
    const callback = typeof values.at(-1) === 'function' ? values.pop() : undefined;
    const [low, high] = values.length === 1 ? [0, values[0]] : values;
    if (callback === undefined) return draw(low, high);
    return answer(callback, () => draw(low, high));
  }

  function timingSafeEqual(a, b) {
    const [first, second] = [bytesOf(a, undefined, 'buf1'), bytesOf(b, undefined, 'buf2')];
    if (typeof a === 'string' || typeof b === 'string') {
      throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'timingSafeEqual compares Buffers: use Buffer.from(text)');
    }
    if (first.length !== second.length) {
      throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
    }
    return sameBytes(first, second);
  }

  const crypto = {
    createHash: (name) => new Hash(hashFor(name).create()),
    createHmac: (name, key) => new Hmac(hmac.create(hashFor(name), bytesOf(key, undefined, 'key'))),
    hash: (name, data, encoding = 'hex') => encoded(hashFor(name)(bytesOf(data)), encoding),
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
    randomUUID: () => webcrypto.randomUUID(),
    subtle: webcrypto.subtle,
    timingSafeEqual,
    webcrypto,
  };
  for (const name of ABSENT.split(' ')) crypto[name] = host.absent(`crypto.${name}`);
  return { crypto };
}
