// Hashes and HMAC for crypto and crypto.subtle, by the names of either.
(host) => {
  const noble = host.library('vendor/hashes');
  const NAMES = {
    __proto__: null,
    md5: 'md5', sha1: 'sha1', sha224: 'sha224', sha256: 'sha256', sha384: 'sha384', sha512: 'sha512',
    'sha512-224': 'sha512_224', 'sha512-256': 'sha512_256',
  };
  const names = Object.keys(NAMES);

  // SHA-256, sha256 and RSA-SHA256 are one.
  function hashNamed(given) {
    const name = String(given).toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha').replace('/', '-');
    return NAMES[name] && noble[NAMES[name]];
  }

  const { hmac, pbkdf2 } = noble;
  return { names, hashNamed, hmac, pbkdf2 };
}
