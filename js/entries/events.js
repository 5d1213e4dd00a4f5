import EventEmitter from 'events';
import { named } from '../named.js';

named({ EventEmitter });
export { EventEmitter };
