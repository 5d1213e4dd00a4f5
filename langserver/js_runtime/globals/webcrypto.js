// crypto, as in browsers: random values, and of crypto.subtle what rests on hashes.
(host) => {
  const { coded, missing } = host.library('faults');
  const QUOTA_BYTES = 65536;
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typeOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const exception = (message, name) => new (host.library('exception').DOMException)(message, name);

  function fillRandom(bytes) {
    const { length } = bytes;
    for (let i = 0; i < length; i++) bytes[i] = host.randomByte();
    return bytes;
  }

  function randomUuid() {
    const hex = [];
    for (let i = 0; i < 16; i++) {
      let byte = host.randomByte();
      if (i === 6) byte = (byte & 0x0f) | 0x40; // RFC 9562: version 4,
      if (i === 8) byte = (byte & 0x3f) | 0x80; // and its variant
      hex.push((i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + (byte < 16 ? '0' : '') + byte.toString(16));
    }
    return hex.join('');
  }

  function bytesOf(data, what) {
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    if (data instanceof ArrayBuffer) return new Uint8Array(data).slice();
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${what} must be an ArrayBuffer, a Buffer or a typed array`);
  }

  const SUBTLE_HASHES = { __proto__: null, 'SHA-1': 64, 'SHA-256': 64, 'SHA-384': 128, 'SHA-512': 128 };

  function hashOf(algorithm) {
    const name = String(typeof algorithm === 'object' ? algorithm?.name : algorithm).toUpperCase();
    if (name in SUBTLE_HASHES) return { name, hash: host.library('hashes').hashNamed(name), block: SUBTLE_HASHES[name] };
    throw exception(`Unrecognized algorithm name: ${name}`, 'NotSupportedError');
  }

  let secretOf; // set by the class, which alone can reach the key's bytes
  class CryptoKey {
    #secret;

    constructor(key, secret, description) {
      if (key !== made) throw new TypeError('Illegal constructor');
      this.#secret = secret;
      Object.assign(this, description);
    }

    static {
      secretOf = (key) => {
        if (typeof key !== 'object' || key === null || !(#secret in key)) throw new TypeError('The key must be a CryptoKey');
        return key.#secret;
      };
    }

    get [Symbol.toStringTag]() {
      return 'CryptoKey';
    }
  }
  const made = Symbol('made');

  const nameOf = (algorithm) => String(typeof algorithm === 'string' ? algorithm : algorithm?.name).toUpperCase();

  function secretFor(key, name, usage) {
    const secret = secretOf(key);
    if (key.algorithm.name !== name) throw exception(`The key is for ${key.algorithm.name}, not for ${name}`, 'InvalidAccessError');
    if (!key.usages.includes(usage)) throw exception(`The key does not allow ${usage}`, 'InvalidAccessError');
    return secret;
  }

  function onlyHmac(algorithm) {
    if (nameOf(algorithm) === 'HMAC') return;
    throw exception(`crypto.subtle has hashes, HMAC and PBKDF2 here, not ${nameOf(algorithm)}`, 'NotSupportedError');
  }

  function sign(key, data) {
    const secret = secretFor(key, 'HMAC', 'sign');
    return host.library('hashes').hmac(hashOf(key.algorithm.hash).hash, secret, bytesOf(data, 'The data'));
  }

  class SubtleCrypto {
    async digest(algorithm, data) {
      if (arguments.length < 2) throw missing('The "algorithm" and "data" arguments must be specified');
      const bytes = bytesOf(data, 'The data');
      return hashOf(algorithm).hash(bytes).buffer;
    }

    async importKey(format, data, algorithm, extractable, usages) {
      let secret;
      if (format === 'raw') secret = bytesOf(data, 'The key');
      else if (format === 'jwk' && data?.kty === 'oct') secret = Uint8Array.fromBase64(String(data.k), { alphabet: 'base64url' });
      else throw exception(`The key format ${format} is not supported here: use raw or jwk`, 'NotSupportedError');
      const kept = { type: 'secret', extractable: Boolean(extractable), usages: [...usages] };
      if (nameOf(algorithm) === 'PBKDF2') return new CryptoKey(made, secret, { ...kept, extractable: false, algorithm: { name: 'PBKDF2' } });
      onlyHmac(algorithm);
      const { name } = hashOf(algorithm.hash);
      if (secret.length === 0) throw exception('The key is empty', 'DataError');
      const described = { name: 'HMAC', hash: { name }, length: secret.length * 8 };
      return new CryptoKey(made, secret, { ...kept, algorithm: described });
    }

    async generateKey(algorithm, extractable, usages) {
      onlyHmac(algorithm);
      const length = algorithm.length === undefined ? hashOf(algorithm.hash).block : Math.ceil(algorithm.length / 8);
      return this.importKey('raw', fillRandom(new Uint8Array(length)), algorithm, extractable, usages);
    }

    async exportKey(format, key) {
      const secret = secretOf(key);
      if (!key.extractable) throw exception('The key is not extractable', 'InvalidAccessError');
      if (format === 'raw') return secret.slice().buffer;
      if (format !== 'jwk') throw exception(`The key format ${format} is not supported here: use raw or jwk`, 'NotSupportedError');
      const k = secret.toBase64({ alphabet: 'base64url', omitPadding: true });
      const alg = `HS${key.algorithm.hash.name.slice(4)}`;
      return { key_ops: [...key.usages], ext: true, kty: 'oct', k, alg };
    }

    async sign(algorithm, key, data) {
      onlyHmac(algorithm);
      return sign(key, data).buffer;
    }

    async verify(algorithm, key, signature, data) {
      onlyHmac(algorithm);
      const secret = secretFor(key, 'HMAC', 'verify');
      const right = host.library('hashes').hmac(hashOf(key.algorithm.hash).hash, secret, bytesOf(data, 'The data'));
      return sameBytes(right, bytesOf(signature, 'The signature'));
    }

    async deriveBits(algorithm, key, length) {
      if (nameOf(algorithm) !== 'PBKDF2') onlyHmac('PBKDF2');
      const secret = secretFor(key, 'PBKDF2', 'deriveBits');
      const options = { c: algorithm.iterations, dkLen: length / 8 };
      return host.library('hashes').pbkdf2(hashOf(algorithm.hash).hash, secret, bytesOf(algorithm.salt, 'The salt'), options).buffer;
    }

    get [Symbol.toStringTag]() {
      return 'SubtleCrypto';
    }
  }

  // Looks at every byte, whatever the first ones are.
  function sameBytes(a, b) {
    if (a.length !== b.length) return false;
    let different = 0;
    for (let i = 0; i < a.length; i++) different |= a[i] ^ b[i];
    return different === 0;
  }

  const REFUSED = 'encrypt decrypt deriveKey wrapKey unwrapKey'.split(' ');
  for (const name of REFUSED) {
    const refuse = async () => {
      throw exception(`crypto.subtle.${name} is not supported here: there are hashes, HMAC and PBKDF2`, 'NotSupportedError');
    };
    Object.defineProperty(SubtleCrypto.prototype, name, { value: refuse, writable: true, configurable: true });
  }
  const subtle = new SubtleCrypto();

  class Crypto {
    get subtle() {
      return subtle;
    }

    getRandomValues(array) {
      if (arguments.length === 0) throw missing('The "array" argument must be specified');
      const type = ArrayBuffer.isView(array) ? typeOf.call(array) : undefined;
      if (type === undefined || type.startsWith('Float')) throw exception('The array must be of integers', 'TypeMismatchError');
      if (array.byteLength > QUOTA_BYTES) {
        throw exception(`The array has ${array.byteLength} bytes, more than ${QUOTA_BYTES}`, 'QuotaExceededError');
      }
      fillRandom(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    }

    randomUUID() {
      return randomUuid();
    }

    get [Symbol.toStringTag]() {
      return 'Crypto';
    }
  }

  return { crypto: new Crypto(), Crypto, CryptoKey, SubtleCrypto, fillRandom, sameBytes };
}
