// URL and URLSearchParams without the parts that few URLs need: see standins/.
import { URL as UrlInterface, URLSearchParams as ParamsInterface } from 'whatwg-url/webidl2js-wrapper.js';
import { domainParser, failure } from 'whatwg-url/lib/url-miscellaneous.js';
import { toUnicode } from './../standins/idna.js';

const scope = { Array, Object, Promise, String, TypeError };
UrlInterface.install(scope, ['Worker']);
ParamsInterface.install(scope, ['Worker']);
export const { URL, URLSearchParams } = scope;

// '' for what is no domain, as Node's url.domainToASCII and url.domainToUnicode answer.
export function domainToAscii(domain) {
  const parsed = domainParser(domain);
  return parsed === failure ? '' : parsed;
}
export function domainToUnicode(domain) {
  const ascii = domainToAscii(domain);
  return ascii === '' ? '' : toUnicode(ascii).domain;
}
