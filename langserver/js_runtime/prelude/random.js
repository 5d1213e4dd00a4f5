// A repeatable Math.random for tasks with a seed (sfc32), of which the two halves are given. Without one V8's own stays.
const SEED_ROUNDS = 16; // until every bit of the seed has reached every number
function seedRandom(low, high) {
  let a = low | 0;
  let b = high | 0;
  let c = 0x9e3779b9 | 0;
  let count = 1;
  const random = () => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let i = 0; i < SEED_ROUNDS; i++) random();
  defineProperty(NativeMath, 'random', { __proto__: null, value: native('random', 0, random), writable: true, configurable: true });
}
