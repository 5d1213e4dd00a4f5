// AbortController and AbortSignal (DOM standard, section 3).
(host) => {
  const { coded, wrongType, needInteger } = host.library('faults');
  const { EventTarget, Event } = host.library('events');
  const { DOMException } = host.library('exception');
  const made = Symbol('made');
  const MAX_DELAY = 2 ** 53 - 1;
  let abort; // set by the class, which alone can reach its state

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason;
    #followers = [];
    #handler = null;

    constructor(key) {
      if (key !== made) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
      super();
    }

    static {
      abort = (signal, reason = new DOMException('This operation was aborted', 'AbortError')) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason;
        for (const follower of signal.#followers.splice(0)) abort(follower, reason);
        signal.dispatchEvent(new Event('abort'));
      };
    }

    get aborted() {
      return this.#aborted;
    }

    get reason() {
      return this.#reason;
    }

    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }

    get onabort() {
      return this.#handler;
    }

    set onabort(handler) {
      if (this.#handler !== null) this.removeEventListener('abort', this.#handler);
      this.#handler = typeof handler === 'function' ? handler : null;
      if (this.#handler !== null) this.addEventListener('abort', this.#handler);
    }

    static abort(reason) {
      const signal = new AbortSignal(made);
      abort(signal, reason);
      return signal;
    }

    static timeout(delay) {
      needInteger('delay', delay, 0, MAX_DELAY);
      const signal = new AbortSignal(made);
      const expire = () => abort(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      host.callMaybeLater(expire, delay); // nothing waits for it
      return signal;
    }

    static any(signals) {
      if (typeof signals?.[Symbol.iterator] !== 'function') throw wrongType('signals', 'iterable', signals);
      if (typeof signals !== 'object') throw wrongType('signals', 'an array of AbortSignals', signals);
      const all = [...signals];
      for (const signal of all) {
        if (!(signal instanceof AbortSignal)) throw wrongType('signals', 'an array of AbortSignals', signal);
      }
      const one = new AbortSignal(made);
      const aborted = all.find((signal) => signal.aborted);
      if (aborted) abort(one, aborted.reason);
      else for (const signal of all) signal.#followers.push(one);
      return one;
    }

    get [Symbol.toStringTag]() {
      return 'AbortSignal';
    }

    [host.CUSTOM_INSPECT](depth, options, inspect) {
      return `AbortSignal ${inspect({ aborted: this.#aborted }, options)}`;
    }
  }

  class AbortController {
    #signal = new AbortSignal(made);

    get signal() {
      return this.#signal;
    }

    abort(reason) {
      abort(this.#signal, reason);
    }

    get [Symbol.toStringTag]() {
      return 'AbortController';
    }

    [host.CUSTOM_INSPECT](depth, options, inspect) {
      return `AbortController ${inspect({ signal: this.#signal }, options)}`;
    }
  }

  return { AbortController, AbortSignal };
}
