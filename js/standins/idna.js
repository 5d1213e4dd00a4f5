// In place of tr46 in the URL bundle: ASCII needs no table. What does is asked of the bundle `idna`, loaded then.
const NEEDS_TABLES = /[^\0-\x7f]|(?:^|\.)xn--/i;

export function toASCII(domain, options) {
  return NEEDS_TABLES.test(domain) ? host.library('vendor/idna').toASCII(domain, options) : domain.toLowerCase();
}

export function toUnicode(domain, options) {
  return NEEDS_TABLES.test(domain) ? host.library('vendor/idna').toUnicode(domain, options) : { domain, error: false };
}
