// The tables for host names that are not ASCII: as large as all of the URL code, and few programs need them.
export { toASCII, toUnicode } from 'tr46';
