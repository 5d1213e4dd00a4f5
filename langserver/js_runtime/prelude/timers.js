// Timers that the host drives: it calls `step`, and is told how long to wait. A binary heap, ordered by time, then age.
const MAX_DELAY = 2147483647;
const heap = list();
const timers = new Map();
let lastTimer = 0;
let oneShots = 0; // timers that are to fire once and have not, but those that nothing waits for

function isBefore(a, b) {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function pushTimer(timer) {
  let i = heap.length;
  heap[i] = timer;
  while (i > 0) {
    const up = (i - 1) >> 1;
    if (!isBefore(timer, heap[up])) break;
    heap[i] = heap[up];
    i = up;
  }
  heap[i] = timer;
}

function popTimer() {
  const first = heap[0];
  const moved = heap[heap.length - 1];
  heap.length--;
  if (heap.length === 0) return first;
  let i = 0;
  for (;;) {
    let down = 2 * i + 1;
    if (down >= heap.length) break;
    if (down + 1 < heap.length && isBefore(heap[down + 1], heap[down])) down++;
    if (!isBefore(heap[down], moved)) break;
    heap[i] = heap[down];
    i = down;
  }
  heap[i] = moved;
  return first;
}

function addTimer(name, callback, delay, values, repeats, isAwaited = !repeats) {
  if (typeof callback !== 'function') throw wrongType(name + ' needs a function as its first argument');
  let pause = toNumber(delay);
  if (!(pause >= 1 && pause <= MAX_DELAY)) pause = 1; // as browsers and Node do
  pause = floor(pause);
  const id = ++lastTimer;
  const call = callOf(callback, undefined, values);
  const timer = { __proto__: null, id, order: id, at: now() + pause, every: repeats ? pause : 0, isAwaited, call };
  mapSet(timers, id, timer);
  if (isAwaited) oneShots++;
  pushTimer(timer);
  return id;
}

function dropTimer(id) {
  const timer = mapGet(timers, id);
  if (timer === undefined) return;
  mapDelete(timers, id);
  if (timer.isAwaited) oneShots--;
}

// Starts the next timer that is due. Says 'A' (call again), 'W' and milliseconds to wait, or 'N': there is none.
function nextTimer() {
  for (;;) {
    if (heap.length === 0) return 'N';
    const timer = heap[0];
    if (mapGet(timers, timer.id) !== timer) {
      popTimer();
      continue;
    }
    const left = timer.at - now();
    if (left > 0) return 'W' + left;
    popTimer();
    if (timer.every > 0) {
      timer.at = now() + timer.every;
      timer.order = ++lastTimer;
      pushTimer(timer);
    } else dropTimer(timer.id);
    enqueue(timer.call);
    return 'A';
  }
}

const timerFunctions = {
  __proto__: null,
  setTimeout: native('setTimeout', 2, (callback, delay, ...values) => addTimer('setTimeout', callback, delay, values, false)),
  setInterval: native('setInterval', 2, (callback, delay, ...values) => addTimer('setInterval', callback, delay, values, true)),
  setImmediate: native('setImmediate', 1, (callback, ...values) => addTimer('setImmediate', callback, 0, values, false)),
  clearTimeout: native('clearTimeout', 1, dropTimer),
  clearInterval: native('clearInterval', 1, dropTimer),
  clearImmediate: native('clearImmediate', 1, dropTimer),
};
