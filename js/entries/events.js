export { default as EventEmitter } from 'events';
