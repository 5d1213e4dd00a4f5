// Headers (Fetch standard, section 5.1): a plain list, as nothing here sends them.
(host) => {
  const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

  function nameOf(given) {
    const name = String(given);
    if (!NAME.test(name)) throw new TypeError(`Headers: ${JSON.stringify(name)} is an invalid header name`);
    return name.toLowerCase();
  }

  function valueOf(given) {
    const value = String(given).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    if (/[\0\n\r]|[^\0-\xff]/.test(value)) throw new TypeError(`Headers: ${JSON.stringify(value)} is an invalid header value`);
    return value;
  }

  function needArguments(given, count, method) {
    if (given.length < count) throw new TypeError(`Headers.${method} needs ${count === 1 ? 'a name' : 'a name and a value'}`);
  }

  class Headers {
    #list = []; // [name, value], names in lower case

    constructor(init) {
      if (init === undefined) return;
      if (init === null || typeof init !== 'object') throw new TypeError('Headers needs an object, or an iterable of pairs');
      if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          const [name, value, ...more] = pair;
          if (more.length > 0 || [...pair].length !== 2) throw new TypeError('Headers: each item must be a [name, value] pair');
          this.append(name, value);
        }
      } else for (const name of Reflect.ownKeys(init)) if (Object.prototype.propertyIsEnumerable.call(init, name)) this.append(name, init[name]);
    }

    append(name, value) {
      needArguments(arguments, 2, 'append');
      this.#list.push([nameOf(name), valueOf(value)]);
    }

    delete(name) {
      needArguments(arguments, 1, 'delete');
      const wanted = nameOf(name);
      this.#list = this.#list.filter(([known]) => known !== wanted);
    }

    get(name) {
      needArguments(arguments, 1, 'get');
      const wanted = nameOf(name);
      const values = this.#list.filter(([known]) => known === wanted).map(([, value]) => value);
      return values.length > 0 ? values.join(', ') : null;
    }

    getSetCookie() {
      return this.#list.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
    }

    has(name) {
      needArguments(arguments, 1, 'has');
      const wanted = nameOf(name);
      return this.#list.some(([known]) => known === wanted);
    }

    set(name, value) {
      needArguments(arguments, 2, 'set');
      const [wanted, given] = [nameOf(name), valueOf(value)];
      const place = this.#list.findIndex(([known]) => known === wanted);
      if (place < 0) this.#list.push([wanted, given]);
      else this.#list = this.#list.filter(([known], i) => known !== wanted || i === place).with(place, [wanted, given]);
    }

    // By name, values of one name in one, but for those of set-cookie.
    *entries() {
      for (const name of [...new Set(this.#list.map(([known]) => known))].sort()) {
        if (name === 'set-cookie') for (const value of this.getSetCookie()) yield [name, value];
        else yield [name, this.get(name)];
      }
    }

    *keys() {
      for (const [name] of this.entries()) yield name;
    }

    *values() {
      for (const [, value] of this.entries()) yield value;
    }

    forEach(callback, self) {
      if (typeof callback !== 'function') throw new TypeError('Headers.forEach needs a function');
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }

    [Symbol.iterator]() {
      return this.entries();
    }

    get [Symbol.toStringTag]() {
      return 'Headers';
    }

    [host.CUSTOM_INSPECT](depth, options, inspect) {
      return `Headers ${inspect(Object.fromEntries(this.entries()), options)}`;
    }
  }

  return { Headers };
}
