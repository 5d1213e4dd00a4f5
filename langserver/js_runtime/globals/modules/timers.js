// require('timers') and require('timers/promises')
(host) => {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = host.timers;
  function abortError({ reason }) {
    const error = new Error('The operation was aborted', { cause: reason });
    return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
  }

  function later(delay, value, { signal } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const stop = () => {
        host.dropTimer(timer);
        reject(abortError(signal));
      };
      const timer = host.callLater(() => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      }, delay);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  const promises = {
    setTimeout: later,
    setImmediate: (value, options) => later(0, value, options),
    async *setInterval(delay, value, options) {
      for (;;) yield await later(delay, value, options);
    },
    scheduler: { wait: (delay, options) => later(delay, undefined, options), yield: () => later(0) },
  };
  const timers = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };
  return { timers, promises };
}
