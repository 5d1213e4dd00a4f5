// require('buffer')
(host) => {
  const { Buffer, kMaxLength } = host.library('buffer');
  const { atob, btoa, decodeUtf8 } = host.library('encoding');
  const bytesOf = (data) => (ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));
  const buffer = {
    Buffer,
    atob,
    btoa,
    isAscii: (data) => bytesOf(data).every((byte) => byte < 0x80),
    isUtf8: (data) => decodeUtf8(bytesOf(data), true) !== undefined,
    kMaxLength,
    constants: { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: 2 ** 29 - 24 },
    INSPECT_MAX_BYTES: 50,
  };
  return { buffer };
}
