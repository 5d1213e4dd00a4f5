// Event, CustomEvent and EventTarget (DOM standard, section 2), without a tree of targets.
(host) => {
  const { missing, wrongType } = host.library('faults');
  const inner = Symbol('event');

  function needOptions(options) {
    if (options !== null && typeof options !== 'object') throw wrongType('options', 'of type object', options);
  }

  class Event {
    static NONE = 0;
    static CAPTURING_PHASE = 1;
    static AT_TARGET = 2;
    static BUBBLING_PHASE = 3;

    constructor(type, options = {}) {
      if (arguments.length === 0) throw missing('The "type" argument must be specified');
      needOptions(options);
      const { bubbles = false, cancelable = false, composed = false } = options ?? {};
      const state = {
        type: `${type}`, bubbles: Boolean(bubbles), cancelable: Boolean(cancelable), composed: Boolean(composed),
        target: null, current: null, prevented: false, stopped: false, halted: false, passive: false,
        dispatched: false, time: host.now() - host.startedAt(),
      };
      Object.defineProperty(this, inner, { value: state });
    }

    get type() { return this[inner].type; }
    get bubbles() { return this[inner].bubbles; }
    get cancelable() { return this[inner].cancelable; }
    get composed() { return this[inner].composed; }
    get target() { return this[inner].target; }
    get srcElement() { return this[inner].target; }
    get currentTarget() { return this[inner].current; }
    get eventPhase() { return this[inner].current === null ? Event.NONE : Event.AT_TARGET; }
    get timeStamp() { return this[inner].time; }
    get isTrusted() { return false; }
    get defaultPrevented() { return this[inner].prevented; }
    get returnValue() { return !this[inner].prevented; }
    get cancelBubble() { return this[inner].stopped; }
    set cancelBubble(value) { if (value) this[inner].stopped = true; }

    preventDefault() {
      if (this[inner].cancelable && !this[inner].passive) this[inner].prevented = true;
    }

    stopPropagation() {
      this[inner].stopped = true;
    }

    stopImmediatePropagation() {
      this[inner].stopped = true;
      this[inner].halted = true;
    }

    composedPath() {
      return this[inner].current === null ? [] : [this[inner].current];
    }

    get [Symbol.toStringTag]() {
      return 'Event';
    }

    [host.CUSTOM_INSPECT](depth, options, inspect) {
      const { type, defaultPrevented, cancelable, timeStamp } = this;
      return `${this.constructor.name} ${inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
    }
  }

  class CustomEvent extends Event {
    #detail;

    constructor(type, options = {}) {
      if (arguments.length === 0) throw missing('The "type" argument must be specified');
      super(type, options);
      this.#detail = options?.detail ?? null;
    }

    get detail() {
      return this.#detail;
    }

    get [Symbol.toStringTag]() {
      return 'CustomEvent';
    }
  }

  // Whether there is one. Throws at what can be none.
  function isListener(callback) {
    if (callback === null || callback === undefined) return false;
    if (typeof callback === 'function' || typeof callback === 'object') return true;
    throw wrongType('listener', 'an instance of EventListener', callback);
  }

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, callback, options) {
      if (arguments.length < 2) throw missing('The "type" and "listener" arguments must be specified');
      if (!isListener(callback)) return;
      const { once = false, passive = false, capture = options === true, signal } = Object(options);
      if (signal?.aborted) return;
      const name = String(type);
      const listeners = this.#listeners.get(name) ?? [];
      if (listeners.some((known) => known.callback === callback && known.capture === Boolean(capture))) return;
      const listener = { callback, capture: Boolean(capture), once: Boolean(once), passive: Boolean(passive), removed: false };
      this.#listeners.set(name, [...listeners, listener]);
      signal?.addEventListener('abort', () => this.#remove(name, listener), { once: true });
    }

    removeEventListener(type, callback, options) {
      if (arguments.length < 2) throw missing('The "type" and "listener" arguments must be specified');
      if (!isListener(callback)) return;
      const name = String(type);
      const capture = Boolean(typeof options === 'object' ? options?.capture : options);
      const found = this.#listeners.get(name)?.find((known) => known.callback === callback && known.capture === capture);
      if (found) this.#remove(name, found);
    }

    #remove(name, listener) {
      listener.removed = true;
      this.#listeners.set(name, this.#listeners.get(name).filter((other) => other !== listener));
    }

    dispatchEvent(event) {
      if (arguments.length === 0) throw missing('The "event" argument must be specified');
      if (!(event instanceof Event)) throw wrongType('event', 'an instance of Event', event);
      const state = event[inner];
      if (state.dispatched) {
        const { DOMException } = host.library('exception');
        throw new DOMException('The event is already being dispatched', 'InvalidStateError');
      }
      state.dispatched = true;
      state.target = this;
      state.current = this;
      for (const listener of this.#listeners.get(event.type) ?? []) {
        if (state.halted) break;
        if (listener.removed) continue;
        if (listener.once) this.#remove(event.type, listener);
        state.passive = listener.passive;
        try {
          if (typeof listener.callback === 'function') listener.callback.call(this, event);
          else listener.callback.handleEvent(event);
        } catch (error) {
          host.report(error); // ends the task, as an uncaught error does, but not the other listeners' turn
        }
        state.passive = false;
      }
      state.current = null;
      state.dispatched = false;
      state.stopped = false;
      state.halted = false;
      return !state.prevented;
    }

    get [Symbol.toStringTag]() {
      return 'EventTarget';
    }

    [host.CUSTOM_INSPECT]() {
      return `${this.constructor.name} {}`;
    }
  }

  return { Event, CustomEvent, EventTarget };
}
