// require('events')
(host) => {
  const { EventEmitter } = host.library('vendor/events');
  const events = EventEmitter;
  events.EventEmitter = EventEmitter;
  events.default = EventEmitter;
  return { events };
}
