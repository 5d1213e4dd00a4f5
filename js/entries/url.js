// URL and URLSearchParams without the parts that few URLs need: see standins/.
import { URL as UrlInterface, URLSearchParams as ParamsInterface } from 'whatwg-url/webidl2js-wrapper.js';
import { domainParser, failure } from 'whatwg-url/lib/url-miscellaneous.js';
import Impl from 'whatwg-url/lib/URL-impl.js';
import ParamsImpl from 'whatwg-url/lib/URLSearchParams-impl.js';
import { named } from '../named.js';
import { toUnicode } from '../standins/idna.js';

// Errors are told apart by `code`, as in Node. Those of the interfaces are made here, by what they say.
const { withCode } = host.library('faults');
const CODES = [
  [/'forEach'.*required|not a function/, 'ERR_INVALID_ARG_TYPE'],
  [/arguments? required/, 'ERR_MISSING_ARGS'],
  [/is not a valid instance|called on an object/, 'ERR_INVALID_THIS'],
  [/sequence's element/, 'ERR_INVALID_TUPLE'],
];
function InterfaceError(message) {
  return withCode(new TypeError(message), CODES);
}

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

ParamsImpl.implementation = class extends ParamsImpl.implementation {
  constructor(...given) {
    try {
      super(...given);
    } catch (error) {
      throw withCode(error, CODES);
    }
  }
};

const scope = { Array, Object, Promise, String, TypeError: InterfaceError };
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
