// require('querystring')
(host) => {
  // What may stand in a query as it is.
  const escape = (text) =>
    encodeURIComponent(typeof text === 'object' ? String(text) : `${text}`);

  function unescape(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      const { decodeUtf8, binaryBytes } = host.library('encoding');
      return decodeUtf8(binaryBytes(text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)))));
    }
  }

  const textOf = (value) =>
    typeof value === 'string' ? value
    : typeof value === 'number' && isFinite(value) ? `${value}`
    : typeof value === 'bigint' || typeof value === 'boolean' ? `${value}`
    : '';

  function stringify(object, given, givenEquals, { encodeURIComponent: encode = querystring.escape } = {}) {
    const [separator, equals] = [given || '&', givenEquals || '='];
    if (typeof object !== 'object' || object === null) return '';
    const pairs = [];
    for (const key of Object.keys(object)) {
      const values = Array.isArray(object[key]) ? object[key] : [object[key]];
      for (const value of values) pairs.push(encode(key) + equals + encode(textOf(value)));
    }
    return pairs.join(separator);
  }

  function parse(text, given, givenEquals, { decodeURIComponent: decode = querystring.unescape, maxKeys = 1000 } = {}) {
    const [separator, equals] = [given || '&', givenEquals || '='];
    const found = Object.create(null);
    if (typeof text !== 'string' || text === '') return found;
    const pieces = text.split(separator);
    for (const piece of maxKeys > 0 ? pieces.slice(0, maxKeys) : pieces) {
      if (piece === '') continue;
      const at = piece.indexOf(equals);
      const [key, value] = at < 0 ? [piece, ''] : [piece.slice(0, at), piece.slice(at + equals.length)];
      const [name, meant] = [key, value].map((part) => decode(part.replaceAll('+', ' ')));
      if (!Object.hasOwn(found, name)) found[name] = meant;
      else if (Array.isArray(found[name])) found[name].push(meant);
      else found[name] = [found[name], meant];
    }
    return found;
  }

  const querystring = { parse, stringify, escape, unescape, decode: parse, encode: stringify };
  return { querystring };
}
