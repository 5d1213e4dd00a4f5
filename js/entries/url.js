// URL and URLSearchParams without the parts that few URLs need: see standins/.
import { URL as UrlInterface, URLSearchParams as ParamsInterface } from 'whatwg-url/webidl2js-wrapper.js';
import { domainParser, failure } from 'whatwg-url/lib/url-miscellaneous.js';
import Impl from 'whatwg-url/lib/URL-impl.js';
import { named } from '../named.js';
import { toUnicode } from '../standins/idna.js';

// What is no URL is told apart by `code`, as in Node.
function coded(error, input) {
  return Object.assign(error, { code: 'ERR_INVALID_URL', input });
}
Impl.implementation = class extends Impl.implementation {
  constructor(scope, given) {
    try {
      super(scope, given);
    } catch (error) {
      throw coded(error, given[0]);
    }
  }

  get href() {
    return super.href;
  }

  set href(input) {
    try {
      super.href = input;
    } catch (error) {
      throw coded(error, input);
    }
  }
};

const scope = { Array, Object, Promise, String, TypeError };
UrlInterface.install(scope, ['Worker']);
ParamsInterface.install(scope, ['Worker']);
export const { URL, URLSearchParams } = scope;
named({ URL, URLSearchParams });

// '' for what is no domain, as Node's url.domainToASCII and url.domainToUnicode answer.
export function domainToAscii(domain) {
  const parsed = domainParser(domain);
  return parsed === failure ? '' : parsed;
}
export function domainToUnicode(domain) {
  const ascii = domainToAscii(domain);
  return ascii === '' ? '' : toUnicode(ascii).domain;
}
