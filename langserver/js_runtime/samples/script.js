// To be run: what programs do with what is ours.
console.log('a', 1, 1.5, true, null, undefined, -0, 10n, Symbol('s'), 'it\'s\nnew');
console.log('%s is %d and %j', 'a', 1, {}, { a: [1, 'x', { b: null }], f() {}, d: new Date(0), r: /x/g, n: { o: { p: {} } } });
console.log([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], new Map([[1, { a: 2 }]]), new Set(['a']), [{ id: 1, name: 'a' }, { id: 2 }]);
console.log(class A {}, (x) => x, Promise.resolve(1), new (class Point { x = 1; })(), new Uint8Array(3), Object.create(null));
console.info('i'); console.warn('w'); console.error(new TypeError('bad', { cause: new Error('inner') })); console.debug('d');
console.table([{ a: 1, b: 'x' }]); console.group('g'); console.groupEnd(); console.time('t'); console.timeEnd('t');
async function main(inputs) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const interval = setInterval(() => clearInterval(interval), 1);
  queueMicrotask(() => {});
  setImmediate(() => {});
  try { null.x } catch (error) { error.stack; }
  return { n: 1.5, s: 'text "quoted" \n', a: [true, null, undefined, [1]], o: { 'a b': 1, d: new Date(0) }, e: {}, own: { toJSON() { return 1; } } };
}
//# sourceURL=task.js
