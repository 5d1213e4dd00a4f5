// require(): the modules that the host's table MODULES names, nothing else. It has for each its library and the name by
// which that exports the module; of a family of them, `lodash/`, what has its members.
function requireModule(given, asked) {
  if (typeof given !== 'string') throw wrongType('require needs the name of a module');
  const name = given;
  const found = moduleNamed(slice(name, 0, 5) === 'node:' ? slice(name, 5) : name);
  if (found === undefined) throw refusedModule(name, asked);
  return found;
}

function moduleNamed(name) {
  const entry = MODULES[name];
  if (entry !== undefined && slice(name, -1) !== '/') return library(entry[0])[entry[1]];
  for (let slash = name.length - 1; slash > 0; slash--) {
    if (name[slash] !== '/') continue;
    const family = MODULES[slice(name, 0, slash + 1)];
    if (family === undefined) continue;
    const member = slice(name, slash + 1, slice(name, -3) === '.js' ? -3 : name.length);
    const members = library(family[0])[family[1]];
    if (hasOwn(members, member) && typeof members[member] === 'function') return members[member];
  }
  return undefined;
}

// Of import() there is nothing to tell: V8 rejects it without asking anyone.
function refusedModule(name, asked) {
  const module = quote(slice(name, 0, 100));
  tellRefusal(module);
  const error = refusal(NativeError, 'the module ' + module + ' is not available here', asked);
  return withCode(error, 'MODULE_NOT_FOUND');
}
