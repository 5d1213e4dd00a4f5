// require('assert') and require('assert/strict')
(host) => {
  const { coded, missing, needType, wrongType } = host.library('faults');
  const { isDeepEqual } = host.library('modules/util');
  const shown = (value) => host.inspect(value);

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator, stackStartFn } = {}) {
      super(message === undefined ? `${shown(actual)} ${operator} ${shown(expected)}` : String(message));
      this.name = 'AssertionError';
      Object.assign(this, { generatedMessage: message === undefined, code: 'ERR_ASSERTION', actual, expected, operator });
      for (const key of ['name', 'generatedMessage']) Object.defineProperty(this, key, { enumerable: false });
      Error.captureStackTrace?.(this, stackStartFn ?? AssertionError);
    }
  }

  function fail(message, usual, details) {
    if (message instanceof Error) throw message;
    throw Object.assign(new AssertionError({ ...details, message: message ?? usual }), { generatedMessage: message === undefined });
  }

  function compared(actual, expected, sign) {
    const [a, b] = [shown(actual), shown(expected)];
    return sign && !`${a}${b}`.includes('\n') ? `${a} ${sign} ${b}` : `${a}\n\nagainst\n\n${b}`;
  }

  // One check: a test of actual and expected, and what is wrong when it fails.
  function check(operator, test, complaint, sign) {
    const one = {
      [operator](...given) {
        if (given.length < 2) throw missing('The "actual" and "expected" arguments must be specified');
        const [actual, expected, message] = given;
        if (test(actual, expected)) return;
        fail(message, `${complaint}:\n\n${compared(actual, expected, sign)}\n`, { actual, expected, operator, stackStartFn: one });
      },
    }[operator];
    return one;
  }

  function ok(...values) {
    const [value, message] = values;
    if (value) return;
    const usual = values.length === 0 ? 'No value argument passed to `assert.ok()`' : `The expression evaluated to a falsy value: ${shown(value)}`;
    fail(message, usual, { actual: value, expected: true, operator: '==', stackStartFn: ok });
  }

  // Whether an error is of the kind that was expected: a class, a pattern, a function that says so, or properties.
  function matches(error, expected) {
    if (expected === undefined) return true;
    if (expected instanceof RegExp) return expected.test(String(error));
    if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return true;
      return Error.isPrototypeOf(expected) ? false : expected.call({}, error) === true;
    }
    return Object.keys(expected).every((key) =>
      expected[key] instanceof RegExp && typeof error[key] === 'string' ? expected[key].test(error[key]) : isDeepEqual(error[key], expected[key], true),
    ) && (!(expected instanceof Error) || (expected.message === error.message && expected.name === error.name));
  }

  function judge(outcome, expected, message, isWanted, operator) {
    const [pattern, said] = typeof expected === 'string' ? [undefined, expected] : [expected, message];
    if (!isWanted) {
      if (outcome) fail(said, `Got unwanted exception.\nActual message: "${outcome.error?.message}"`, { actual: outcome.error, expected: pattern, operator });
    } else if (!outcome) fail(said, `Missing expected ${operator === 'rejects' ? 'rejection' : 'exception'}.`, { expected: pattern, operator });
    else if (!matches(outcome.error, pattern)) {
      if (typeof pattern === 'function' && Error.isPrototypeOf(pattern)) throw outcome.error;
      fail(said, `The error is not the one expected:\n\n${shown(outcome.error)}`, { actual: outcome.error, expected: pattern, operator });
    }
  }

  function outcomeOf(callback) {
    needType('function', 'fn', callback);
    try {
      callback();
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async function settled(promiseOrFunction) {
    const isFunction = typeof promiseOrFunction === 'function';
    const promise = isFunction ? promiseOrFunction() : promiseOrFunction;
    if (typeof promise?.then !== 'function') {
      if (isFunction) throw coded(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected instance of Promise to be returned from the "promiseFn" function');
      throw wrongType('promiseFn', 'of type function or an instance of Promise', promise);
    }
    try {
      await promise;
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  function matching(operator, isWanted, complaint) {
    const one = check(operator, (text, pattern) => typeof text === 'string' && (RegExp.prototype.exec.call(pattern, text) !== null) === isWanted, complaint);
    return (...given) => {
      if (!(given[1] instanceof RegExp)) throw wrongType('regexp', 'an instance of RegExp', given[1]);
      one(...given);
    };
  }

  const loose = (a, b) => a == b || (a !== a && b !== b);
  const equal = check('equal', loose, 'Expected values to be loosely equal', '!=');
  const notEqual = check('notEqual', (a, b) => !loose(a, b), 'Expected values to be loosely unequal', '==');
  const strictEqual = check('strictEqual', Object.is, 'Expected values to be strictly equal', '!==');
  const notStrictEqual = check('notStrictEqual', (a, b) => !Object.is(a, b), 'Expected values to be strictly unequal', '===');
  const deepEqual = check('deepEqual', (a, b) => isDeepEqual(a, b, false), 'Expected values to be loosely deep-equal');
  const notDeepEqual = check('notDeepEqual', (a, b) => !isDeepEqual(a, b, false), 'Expected values not to be loosely deep-equal');
  const deepStrictEqual = check('deepStrictEqual', (a, b) => isDeepEqual(a, b, true), 'Expected values to be strictly deep-equal');
  const notDeepStrictEqual = check('notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true), 'Expected values not to be strictly deep-equal');

  const common = {
    ok,
    AssertionError,
    strictEqual,
    notStrictEqual,
    deepStrictEqual,
    notDeepStrictEqual,
    fail: (message) => fail(message, 'Failed', { operator: 'fail' }),
    match: matching('match', true, 'The input did not match the regular expression'),
    doesNotMatch: matching('doesNotMatch', false, 'The input was expected not to match'),
    throws: (callback, expected, message) => judge(outcomeOf(callback), expected, message, true, 'throws'),
    doesNotThrow: (callback, expected, message) => judge(outcomeOf(callback), expected, message, false, 'doesNotThrow'),
    rejects: async (promise, expected, message) => judge(await settled(promise), expected, message, true, 'rejects'),
    doesNotReject: async (promise, expected, message) => judge(await settled(promise), expected, message, false, 'doesNotReject'),
    ifError: (value) => {
      if (value === null || value === undefined) return;
      fail(undefined, `ifError got unwanted exception: ${value?.message ?? shown(value)}`, { actual: value, expected: null, operator: 'ifError' });
    },
  };
  const strict = Object.assign((...values) => ok(...values), common, {
    equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual,
  });
  const assert = Object.assign((...values) => ok(...values), common, { equal, notEqual, deepEqual, notDeepEqual, strict });
  strict.strict = strict;
  return { assert, strict };
}
