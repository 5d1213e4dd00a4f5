// To be read by the parser, as a module.
import { createHash, randomUUID as uuid } from 'crypto';
import * as path from 'node:path';
import util from "util";
export const limit = 10, { a, b: [c] } = { a: 1, b: [2] };
export function helper(x) { return x; }
export class Thing {}
const other = 1;
export { other as renamed };
export default async function main(inputs) { return createHash('sha256').update(uuid()).digest('hex'); }
