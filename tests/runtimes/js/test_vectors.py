"""Hashes, codes and the generator against the vectors that were published with them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LONG = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
LONGER = (
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
)

# FIPS 180-4 (the examples of NIST's page "Cryptographic Standards and Guidelines") and RFC 1321, section A.5.
HASHES = {
    ("md5", ""): "d41d8cd98f00b204e9800998ecf8427e",
    ("md5", "a"): "0cc175b9c0f1b6a831c399e269772661",
    ("md5", "abc"): "900150983cd24fb0d6963f7d28e17f72",
    ("md5", "message digest"): "f96b697d7cb7938d525a2f31aaf161d0",
    ("md5", "abcdefghijklmnopqrstuvwxyz"): "c3fcd3d76192e4007dfb496cca67e13b",
    ("md5", "1234567890" * 8): "57edf4a22be3c955ac49da2e2107b67a",
    ("sha1", "abc"): "a9993e364706816aba3e25717850c26c9cd0d89d",
    ("sha1", LONG): "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
    ("sha224", "abc"): "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    ("sha256", ""): "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ("sha256", "abc"): "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ("sha256", LONG): "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ("sha384", "abc"): (
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    ("sha512", "abc"): (
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    ("sha512", LONGER): (
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
    ("sha512-256", "abc"): "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
}

# RFC 2202 (MD5, SHA-1) and RFC 4231 (SHA-2): cases 1, 2, 3 and 6; keys and data in hex.
JEFE, WANT = b"Jefe".hex(), b"what do ya want for nothing?".hex()
LARGE = b"Test Using Larger Than Block-Size Key - Hash Key First".hex()
HMACS = {
    ("md5", "0b" * 16, b"Hi There".hex()): "9294727a3638bb1c13f48ef8158bfc9d",
    ("md5", JEFE, WANT): "750c783e6ab0b503eaa86e310a5db738",
    ("md5", "aa" * 16, "dd" * 50): "56be34521d144c88dbb8c733f0e8b3f6",
    ("md5", "aa" * 80, LARGE): "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd",
    ("sha1", "0b" * 20, b"Hi There".hex()): "b617318655057264e28bc0b6fb378c8ef146be00",
    ("sha1", JEFE, WANT): "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
    ("sha1", "aa" * 80, LARGE): "aa4ae5e15272d00e95705637ce8a3b55ed402112",
    ("sha256", "0b" * 20, b"Hi There".hex()): "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    ("sha256", JEFE, WANT): "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ("sha256", "aa" * 131, LARGE): "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ("sha512", JEFE, WANT): (
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
    ),
    ("sha512", "aa" * 131, LARGE): (
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
    ),
}

# RFC 6070.
PBKDF2 = {1: "0c60c80f961f0e71f3a9b524af6012062fe037a6", 2: "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"}

# RFC 4648, section 10.
BASE64 = {
    "": "",
    "f": "Zg==",
    "fo": "Zm8=",
    "foo": "Zm9v",
    "foob": "Zm9vYg==",
    "fooba": "Zm9vYmE=",
    "foobar": "Zm9vYmFy",
}

# RFC 8439, section 2.3.2: the first block for this key and nonce has the number 1.
CHACHA_KEY = bytes(range(32)).hex() + "000000090000004a00000000"
CHACHA_BLOCK = (
    "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
    "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
)


def test_hashes(js):
    source = """const { createHash } = require('crypto');
return inputs.map(([name, text]) => createHash(name).update(text).digest('hex'));"""
    assert js.run(source, list(HASHES)).value == list(HASHES.values())


def test_hashes_of_subtle(js):
    source = """const hash = (name, text) => crypto.subtle.digest(name, new TextEncoder().encode(text));
return Promise.all(inputs.map(async ([name, text]) => new Uint8Array(await hash(name, text)).toHex()));"""
    names = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
    wanted = {(names[name], text): digest for (name, text), digest in HASHES.items() if name in names}
    assert js.run(source, list(wanted)).value == list(wanted.values())


def test_hashes_do_not_depend_on_how_the_text_comes(js):
    source = """const { createHash } = require('crypto');
const whole = createHash('sha256').update('x'.repeat(1000)).digest('hex');
const differ = [];
for (let step = 1; step < 140; step += 7) {
  const hash = createHash('sha256');
  for (let at = 0; at < 1000; at += step) hash.update('x'.repeat(Math.min(step, 1000 - at)));
  if (hash.digest('hex') !== whole) differ.push(step);
}
return differ;"""
    assert js.run(source).value == []


def test_hmac(js):
    source = """const { createHmac } = require('crypto');
const bytes = (hex) => Buffer.from(hex, 'hex');
return inputs.map(([name, key, data]) => createHmac(name, bytes(key)).update(bytes(data)).digest('hex'));"""
    assert js.run(source, list(HMACS)).value == list(HMACS.values())


def test_pbkdf2(js):
    source = """const { pbkdf2Sync } = require('crypto');
return inputs.map((rounds) => pbkdf2Sync('password', 'salt', rounds, 20, 'sha1').toString('hex'));"""
    assert js.run(source, list(PBKDF2)).value == list(PBKDF2.values())


def test_base64(js):
    source = """return inputs.map((text) => [btoa(text), Buffer.from(text).toString('base64'),
  Buffer.from(btoa(text), 'base64').toString(), atob(btoa(text))]);"""
    assert js.run(source, list(BASE64)).value == [[code, code, text, text] for text, code in BASE64.items()]


def test_the_generator_is_chacha20(js):
    """So that what it gives away tells nothing of what comes, nor of its key."""
    text = (ROOT / "langserver" / "js_runtime" / "globals" / "random.js").read_text()
    source = """const slice = (text, from, to) => text.slice(from, to);
const next = eval(inputs.text)({ NativeUint32Array: Uint32Array, toInteger: parseInt, slice, key: inputs.key });
return Uint8Array.from({ length: 64 }, next).toHex();"""
    assert js.run(source, {"text": text, "key": CHACHA_KEY}).value == CHACHA_BLOCK


def test_a_block_of_the_generator_is_never_given_twice(js):
    """A program may have it fail at the end of the stack, between any two steps."""
    source = """const seen = new Set();
let failed = 0;
function dive(depth) {
  try {
    seen.add(crypto.getRandomValues(new Uint8Array(64)).toHex());
  } catch (error) {
    failed++;
  }
  if (depth > 0) dive(depth - 1);
}
function toTheEnd() {
  try { toTheEnd(); } catch { dive(3); }
}
crypto.randomUUID();
for (let i = 0; i < 50; i++) { toTheEnd(); seen.add(crypto.getRandomValues(new Uint8Array(64)).toHex()); }
let zeros = 0;
for (const text of seen) if (text.includes('0'.repeat(16))) zeros++;
return [seen.size >= 50, failed > 0, zeros];"""
    assert js.run(source).value == [True, True, 0]
