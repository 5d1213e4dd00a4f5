// In place of webidl-conversions in the URL bundle: the two conversions that it uses. The library looks at
// SharedArrayBuffer while it loads, which no isolate here has.
export const any = (value) => value;

export function USVString(value, { context, globals }) {
  if (typeof value === 'symbol') {
    throw new globals.TypeError(`${context} is a symbol, which cannot be converted to a string.`);
  }
  return String(value).toWellFormed();
}
