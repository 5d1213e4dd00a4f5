// The parser, for what V8 does not tell about a source.
export { parse, tokenizer, getLineInfo, version } from 'acorn';
