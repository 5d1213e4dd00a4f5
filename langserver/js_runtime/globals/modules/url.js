// require('url'): the classes, and the older functions parse, format and resolve.
(host) => {
  const { needType, wrongType } = host.library('faults');
  const { URL, URLSearchParams, domainToAscii, domainToUnicode } = host.library('url');
  const SLASHED = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);
  const HOSTLESS = new Set(['javascript:']);
  // scheme, two slashes, and the rest up to where a path, query or fragment begins
  const HOST = /^[^/?#\\\s"<>^`{|}']*/;

  class Url {
    constructor() {
      for (const part of ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href']) {
        this[part] = null;
      }
    }

    format() {
      return format(this);
    }

    resolve(to) {
      return resolve(this.href, to);
    }

    parse(text, ...options) {
      Object.assign(this, parse(text, ...options));
    }
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      throw new URIError('URI malformed');
    }
  }

  // What Node writes as %XX though it was given as it is.
  const escaped = (text) => text.replace(/[\s"<>\\^`{|}']/g, (char) => (char === "'" ? '%27' : encodeURIComponent(char)));

  function takeHost(url, text) {
    let authority = HOST.exec(text)[0];
    const at = authority.lastIndexOf('@');
    // Credentials may hold what a host may not.
    if (at < 0) {
      const wide = /^[^/?#]*@/.exec(text)?.[0];
      if (wide) authority = wide + HOST.exec(text.slice(wide.length))[0];
    }
    const split = authority.lastIndexOf('@');
    if (split >= 0) url.auth = decoded(authority.slice(0, split));
    const place = authority.slice(split + 1);
    const port = /:(\d*)$/.exec(place);
    if (port?.[1]) url.port = port[1];
    let name = (port ? place.slice(0, port.index) : place).toLowerCase();
    const isBracketed = name.startsWith('[') && name.endsWith(']');
    if (!isBracketed && /[^\0-\x7f]/.test(name)) name = domainToAscii(name) || name;
    url.hostname = isBracketed ? name.slice(1, -1) : name;
    url.host = name + (url.port ? `:${url.port}` : '');
    return text.slice(authority.length);
  }

  function parse(text, parseQuery = false, slashesDenoteHost = false) {
    if (text instanceof Url) return text;
    if (typeof text !== 'string') throw wrongType('url', 'of type string', text);
    const url = new Url();
    const [, before, after] = /^([^?#]*)([^]*)$/.exec(text.trim());
    let rest = before.replaceAll('\\', '/') + after;
    const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
    if (scheme) {
      url.protocol = scheme.toLowerCase();
      rest = rest.slice(scheme.length);
    }
    const isHostless = HOSTLESS.has(url.protocol);
    const hasSlashes = rest.startsWith('//') && !isHostless && (scheme || slashesDenoteHost || /^\/\/[^@/]+@[^@/]+/.test(rest));
    if (hasSlashes) {
      url.slashes = true;
      rest = rest.slice(2);
    }
    if (!isHostless && (hasSlashes || (scheme && !SLASHED.has(url.protocol)))) rest = takeHost(url, rest);
    if (!isHostless) rest = escaped(rest);
    const hash = rest.indexOf('#');
    if (hash >= 0) [url.hash, rest] = [rest.slice(hash), rest.slice(0, hash)];
    const search = rest.indexOf('?');
    if (search >= 0) {
      url.search = rest.slice(search);
      url.query = rest.slice(search + 1);
      rest = rest.slice(0, search);
    } else if (parseQuery) [url.search, url.query] = [null, ''];
    if (parseQuery) url.query = host.library('modules/querystring').querystring.parse(url.query);
    if (rest !== '') url.pathname = rest;
    if (SLASHED.has(url.protocol) && url.hostname && !url.pathname) url.pathname = '/';
    if (url.pathname || url.search) url.path = (url.pathname ?? '') + (url.search ?? '');
    url.href = format(url);
    return url;
  }

  function format(given, options = {}) {
    if (typeof given !== 'string' && (typeof given !== 'object' || given === null)) throw wrongType('urlObject', 'one of type object or string', given);
    if (given instanceof URL) return formatUrl(given, options);
    const url = typeof given === 'string' ? parse(given) : given;
    const auth = url.auth ? `${encodeURIComponent(url.auth).replace(/%3A/i, ':')}@` : '';
    let protocol = url.protocol ?? '';
    if (protocol && !protocol.endsWith(':')) protocol += ':';
    const { querystring } = host.library('modules/querystring');
    let place = '';
    if (url.host) place = auth + url.host;
    else if (url.hostname) {
      const name = url.hostname.includes(':') && !url.hostname.startsWith('[') ? `[${url.hostname}]` : url.hostname;
      place = auth + name + (url.port ? `:${url.port}` : '');
    }
    const query = typeof url.query === 'object' && url.query !== null ? querystring.stringify(url.query) : '';
    let search = url.search || (query && `?${query}`);
    let hash = url.hash ?? '';
    let pathname = (url.pathname ?? '').replaceAll('?', '%3F').replaceAll('#', '%23');
    if (url.slashes || SLASHED.has(protocol)) {
      if (url.slashes || place) {
        if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
        place = `//${place}`;
      } else if (protocol === 'file:') place = '//';
    }
    if (search && !search.startsWith('?')) search = `?${search}`;
    if (hash && !hash.startsWith('#')) hash = `#${hash}`;
    return protocol + place + pathname + (search || '').replaceAll('#', '%23') + hash;
  }

  function formatUrl(given, { auth = true, fragment = true, search = true, unicode = false }) {
    const url = new URL(given.href);
    if (!fragment) url.hash = '';
    if (!search) url.search = '';
    if (!auth) [url.username, url.password] = ['', ''];
    return unicode ? url.href.replace(url.hostname, domainToUnicode(url.hostname)) : url.href;
  }

  // A base without a scheme stays without one.
  function resolve(from, to) {
    needType('string', 'url', from);
    needType('string', 'url', to);
    const url = new URL(to, new URL(from, 'resolve://'));
    return url.protocol === 'resolve:' ? url.href.replace(/^resolve:(?:\/\/(?=\/))?/, '') : url.href;
  }

  const resolveObject = (from, to) => parse(resolve(typeof from === 'string' ? from : format(from), to));

  function urlToHttpOptions(url) {
    const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
    const options = {
      protocol, hash, search, pathname, href, path: pathname + search,
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    };
    if (port !== '') options.port = Number(port);
    if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return options;
  }

  const url = {
    URL, URLSearchParams, Url, parse, format, resolve, resolveObject, urlToHttpOptions,
    domainToASCII: domainToAscii, domainToUnicode,
    fileURLToPath: host.absent('url.fileURLToPath'),
    pathToFileURL: host.absent('url.pathToFileURL'),
  };
  return { url };
}
