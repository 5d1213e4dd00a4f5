import { Buffer, kMaxLength } from 'buffer';
import { named } from '../named.js';

named({ Buffer });
export { Buffer, kMaxLength };
