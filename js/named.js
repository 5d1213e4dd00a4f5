// The names that a program sees: minifying takes them away.
export function named(classes) {
  for (const [name, value] of Object.entries(classes)) Object.defineProperty(value, 'name', { value: name, configurable: true });
  return classes;
}
