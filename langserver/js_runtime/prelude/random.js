// A repeatable Math.random for tasks with a seed (mulberry32). Without one V8's own stays.
function seedRandom(seed) {
  let state = seed | 0;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  defineProperty(Math, 'random', { __proto__: null, value: native('random', 0, random), writable: true, configurable: true });
}
