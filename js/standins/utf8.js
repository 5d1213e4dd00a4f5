// In place of whatwg-url's own, which asks the global object for TextEncoder and TextDecoder.
const { encodeUtf8, decodeUtf8 } = host.library('encoding');
export { encodeUtf8 as utf8Encode, decodeUtf8 as utf8DecodeWithoutBOM };
