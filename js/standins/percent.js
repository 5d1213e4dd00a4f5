// In place of @exodus/bytes in the URL bundle: a URL of a program is encoded as UTF-8, never as a document's encoding.
import { utf8Encode } from './utf8.js';

// `encoding` is utf-8; `also` are the ASCII characters to encode beside controls and what is not ASCII.
export function percentEncodeAfterEncoding(encoding, input, also) {
  let out = '';
  for (const byte of utf8Encode(input)) {
    const char = String.fromCharCode(byte);
    const isEncoded = byte < 0x20 || byte > 0x7e || also.includes(char);
    out += isEncoded ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : char;
  }
  return out;
}
