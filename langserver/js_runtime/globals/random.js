// The generator of all randomness that is to be a secret: ChaCha20 (RFC 8439, section 2.3), of a key and a nonce that were
// drawn for this child alone. It is made when a program first asks, which by then may have replaced anything: what it uses is
// given to it or part of the language, and its state is in these variables only.
({ NativeUint32Array, toInteger, slice, key }) => {
  const state = new NativeUint32Array(16);
  const block = new NativeUint32Array(16);
  let used = 64; // bytes of the block that were given away

  // Eleven words, the low byte first: 256 bits of key, 96 of nonce. Word 12 counts blocks.
  state[0] = 0x61707865;
  state[1] = 0x3320646e;
  state[2] = 0x79622d32;
  state[3] = 0x6b206574;
  for (let i = 0; i < 11; i++) {
    let word = '';
    for (let at = 8 * i + 6; at >= 8 * i; at -= 2) word += slice(key, at, at + 2);
    state[i < 8 ? 4 + i : 5 + i] = toInteger(word, 16);
  }

  function quarterRound(a, b, c, d) {
    block[a] += block[b];
    const first = block[d] ^ block[a];
    block[d] = (first << 16) | (first >>> 16);
    block[c] += block[d];
    const second = block[b] ^ block[c];
    block[b] = (second << 12) | (second >>> 20);
    block[a] += block[b];
    const third = block[d] ^ block[a];
    block[d] = (third << 8) | (third >>> 24);
    block[c] += block[d];
    const fourth = block[b] ^ block[c];
    block[b] = (fourth << 7) | (fourth >>> 25);
  }

  // A program may call at the very end of its stack, so that any call in here fails: the counter moves first, and the block
  // is used last, only when it is whole.
  function nextBlock() {
    state[12]++;
    for (let i = 0; i < 16; i++) block[i] = state[i];
    for (let round = 0; round < 10; round++) {
      quarterRound(0, 4, 8, 12);
      quarterRound(1, 5, 9, 13);
      quarterRound(2, 6, 10, 14);
      quarterRound(3, 7, 11, 15);
      quarterRound(0, 5, 10, 15);
      quarterRound(1, 6, 11, 12);
      quarterRound(2, 7, 8, 13);
      quarterRound(3, 4, 9, 14);
    }
    for (let i = 0; i < 16; i++) block[i] += state[i];
    used = 0;
  }

  return () => {
    if (used === 64) nextBlock();
    const word = used >> 2;
    const byte = block[word] & 255;
    block[word] >>>= 8; // what was given away is not kept
    used++;
    return byte;
  };
}
