// DOMException (Web IDL, section 3.14.1).
() => {
  const CODES = {
    __proto__: null,
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10, InvalidStateError: 11,
    SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14, InvalidAccessError: 15, TypeMismatchError: 17,
    SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23,
    InvalidNodeTypeError: 24, DataCloneError: 25,
  };

  class DOMException extends Error {
    #name;

    constructor(message = '', options = 'Error') {
      const isNamed = typeof options !== 'object' || options === null;
      super(message, isNamed ? undefined : options);
      this.#name = String(isNamed ? options : (options.name ?? 'Error'));
      Error.captureStackTrace?.(this, new.target);
      if (message === '') Object.defineProperty(this, 'message', { value: '', writable: true, configurable: true });
    }

    get name() {
      return this.#name;
    }

    get code() {
      return CODES[this.#name] ?? 0;
    }

    get [Symbol.toStringTag]() {
      return 'DOMException';
    }
  }
  for (const [name, value] of Object.entries(CODES)) {
    const constant = name.replace(/Error$/, '').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase() + '_ERR';
    for (const holder of [DOMException, DOMException.prototype]) Object.defineProperty(holder, constant, { value, enumerable: true });
  }
  return { DOMException };
}
