// URL and URLSearchParams, as Node shows them.
(host) => {
  const { URL, URLSearchParams, domainToAscii, domainToUnicode } = host.library('vendor/url');
  const PARTS = 'href origin protocol username password host hostname port pathname search searchParams hash'.split(' ');
  const hidden = (value) => ({ value, configurable: true, writable: true });

  function inspectUrl(depth, options, inspect) {
    return `${this.constructor.name} ${inspect(Object.fromEntries(PARTS.map((part) => [part, this[part]])), options)}`;
  }

  function inspectParams(depth, options, inspect) {
    const pairs = [...this].map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
    return pairs.length > 0 ? `URLSearchParams { ${pairs.join(', ')} }` : 'URLSearchParams {}';
  }

  Object.defineProperty(URL.prototype, host.CUSTOM_INSPECT, hidden(inspectUrl));
  Object.defineProperty(URLSearchParams.prototype, host.CUSTOM_INSPECT, hidden(inspectParams));
  return { URL, URLSearchParams, domainToAscii, domainToUnicode };
}
