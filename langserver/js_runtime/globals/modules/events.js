// require('events')
(host) => {
  const { EventEmitter } = host.library('vendor/events');
  host.library('faults').withCodes(EventEmitter.prototype, [
    [/^Unhandled error/, 'ERR_UNHANDLED_ERROR'], [/out of range/, 'ERR_OUT_OF_RANGE'], [/must be of type/, 'ERR_INVALID_ARG_TYPE'],
  ]);
  const { setMaxListeners } = EventEmitter.prototype;
  EventEmitter.prototype.setMaxListeners = {
    setMaxListeners(count) {
      host.library('faults').needType('number', 'setMaxListeners', count);
      return setMaxListeners.call(this, count);
    },
  }.setMaxListeners;
  const events = EventEmitter;
  events.EventEmitter = EventEmitter;
  events.default = EventEmitter;
  return { events };
}
