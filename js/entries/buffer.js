export { Buffer, kMaxLength, INSPECT_MAX_BYTES } from 'buffer';
