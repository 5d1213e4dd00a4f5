export { md5, sha1 } from '@noble/hashes/legacy.js';
export { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js';
export { hmac } from '@noble/hashes/hmac.js';
export { pbkdf2 } from '@noble/hashes/pbkdf2.js';
