// What acorn finds in a source. It runs in the isolate of the task, before anything of the program's has: nothing here
// can have been replaced. Its tree is thrown away piece by piece, as a source of 1 MiB would not leave room for it.
const MAX_MODULES = 1000;
const TOO_DEEP = 'the source is nested too deeply';
const STUB = { type: 'Dropped' };
const VALUELESS = /^(?:EmptyStatement|FunctionDeclaration|ImportDeclaration)$/; // and may stand behind a return

// acorn exports no Parser here; its tokenizer is one.
const Parser = acorn.tokenizer('', { ecmaVersion: 'latest' }).constructor;

// The names of a scope. acorn looks each new one up among all before it, in a list.
const MANY = 32;
class Names extends Array {
  push(name) {
    this.known?.add(name);
    return super.push(name);
  }

  indexOf(name) {
    if (this.length <= MANY) return super.indexOf(name);
    this.known ??= new Set(this);
    return this.known.has(name) ? 0 : -1;
  }
}

// What an assignment may have on its left: a literal that holds anything else is no pattern, and of such a one a single
// part is kept, by which it is still known not to be one.
const TARGETS = /Identifier|Member|Pattern|Assignment|Spread|Rest/;
function isValue(node) {
  return node !== null && !TARGETS.test(node.type) && !(/^(?:Object|Array)Expression$/.test(node.type) && !node.isValue);
}

function keepOne(node, parts, valueOf) {
  if (parts.length < 2) {
    node.isValue = parts.length === 1 && isValue(valueOf(parts[0]));
    return parts;
  }
  const one = parts.find((part) => isValue(valueOf(part)));
  node.isValue = one !== undefined;
  return node.isValue ? [one] : parts;
}

class Collector extends Parser {
  constructor(options, source) {
    super({ ecmaVersion: 'latest', allowHashBang: true, ...options }, source);
    this.modules = []; // {name, at, isStatement, isGuarded}
    this.absent = []; // {name, at, isGuarded}: uses of a name that is not there on purpose
    this.known = new Set(); // names that the source declares, gives a value, or asks the type of
    this.awaits = false; // outside of every function
    this.metas = []; // where import.meta stands
    this.last = -1; // where the last statement that has a value begins, if it is an expression
    this.throwsLast = false; // whether the last statement is a throw: it has no value
    this.hides = false; // whether a with statement may give any name a value
    this.returns = false; // outside of every function
  }

  // A function's body may have these, and a body is what acorn's script is here. (It has a source type for that, which
  // knows no await.)
  get allowUsing() {
    return this.options.allowReturnOutsideFunction || super.allowUsing;
  }

  get allowNewDotTarget() {
    return this.options.allowAwaitOutsideFunction || super.allowNewDotTarget;
  }

  parseAwait(forInit) {
    if (!this.inFunction && !this.inClassStaticBlock) this.awaits = true;
    return super.parseAwait(forInit);
  }

  enterScope(flags) {
    super.enterScope(flags);
    const scope = this.currentScope();
    for (const kind of ['var', 'lexical', 'functions']) scope[kind] = Names.from(scope[kind]);
  }

  // A name in a try block with a handler is one that the program can do without.
  parseTryStatement(node) {
    const first = this.modules.length;
    const firstUse = this.absent.length;
    const parsed = super.parseTryStatement(node);
    if (parsed.handler) {
      for (const found of [...this.modules.slice(first), ...this.absent.slice(firstUse)]) {
        if (found.at < parsed.block.end) found.isGuarded = true;
      }
    }
    return parsed;
  }

  parseStatement(context, isTopLevel, exports) {
    const node = super.parseStatement(context, isTopLevel, exports);
    if (isTopLevel && !VALUELESS.test(node.type)) {
      this.last = node.type === 'ExpressionStatement' ? node.start : -1;
      this.throwsLast = node.type === 'ThrowStatement';
    }
    if (!isTopLevel || /^(?:Im|Ex)port/.test(node.type)) return node;
    return node.type === 'ExpressionStatement' && node.expression.type === 'Literal' ? node : STUB; // may be a directive
  }

  // Of everything that is declared or assigned to.
  checkLValSimple(node, ...rest) {
    this.know(node.type === 'MemberExpression' ? node.property : node);
    return super.checkLValSimple(node, ...rest);
  }

  know(node) {
    if (node?.type === 'Identifier' && ABSENT.has(node.name)) this.known.add(node.name);
  }

  use(node) {
    if (node.type !== 'Identifier' || !ABSENT.has(node.name) || this.absent.length === MAX_MODULES) return;
    this.absent.push({ name: node.name, at: node.start, isGuarded: false });
  }

  note(node, type) {
    if (type === 'CallExpression' || type === 'NewExpression') [node.callee, ...node.arguments].forEach(this.use, this);
    else if (type === 'MemberExpression') this.use(node.object);
    else if (type === 'UnaryExpression' && node.operator === 'typeof') this.know(node.argument);
    else if (type === 'FunctionExpression' || type === 'ClassExpression') this.know(node.id);
    else if (type === 'WithStatement') this.hides = true;
  }

  // Uses that will be refused: of names that the program may have given a value, none.
  get refusedUses() {
    if (this.hides || /\b(?:globalThis|eval|Function)\b/.test(this.input)) return [];
    return this.absent.filter((found) => !found.isGuarded && !this.known.has(found.name));
  }

  parseReturnStatement(node) {
    if (!this.inFunction) this.returns = true;
    return super.parseReturnStatement(node);
  }

  parseFunctionBody(node, ...rest) {
    super.parseFunctionBody(node, ...rest);
    node.body = undefined;
  }

  parseFunctionParams(node) {
    node.paramsStart = this.start;
    super.parseFunctionParams(node);
  }

  parseClassId(node, isStatement) {
    super.parseClassId(node, isStatement);
    node.afterName = this.start;
  }

  finishNode(node, type) {
    this.note(node, type);
    if (type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require') {
      if (node.arguments.length === 1) this.name(node.arguments[0], node.start, false);
    } else if (type === 'ImportExpression') this.name(node.source, node.start, true);
    else if (type === 'ObjectExpression') node.properties = keepOne(node, node.properties, (part) => part.value ?? part);
    else if (type === 'ArrayExpression') node.elements = keepOne(node, node.elements, (part) => part);
    else if (type === 'MetaProperty' && node.meta.name === 'import') this.metas.push(node.start);
    return super.finishNode(node, type);
  }

  name(node, at, isImport) {
    let name;
    if (node.type === 'Literal') name = node.value;
    else if (node.type === 'TemplateLiteral' && node.quasis.length === 1) name = node.quasis[0].value.cooked;
    if (typeof name !== 'string' || name === '' || this.modules.length === MAX_MODULES) return;
    if (isImport || !this.scopeStack.some((scope) => declares(scope, 'require'))) {
      this.modules.push({ name: name.slice(0, 256), at, isStatement: false, isGuarded: false, isImport });
    }
  }

  // Reads it all. What went wrong is in `problem`.
  read() {
    try {
      this.tree = this.parse();
    } catch (error) {
      this.problem = this.told(error);
    }
    const top = this.scopeStack[0];
    this.declared = ['require', 'module', 'exports'].filter((name) => declares(top, name));
    if (this.declared.includes('require')) this.modules = this.modules.filter((found) => found.isImport);
    return this;
  }

  // Where a return may be put so that a body gives the value of its last expression, or -1: what else may give the
  // body's value is not to be overtaken by it.
  get lastExpression() {
    return this.problem || this.returns || this.namesValue ? -1 : this.last;
  }

  get namesValue() {
    const top = this.scopeStack[0];
    return declares(top, 'main') || declares(top, 'result');
  }

  told(error) {
    if (!(error instanceof SyntaxError)) return { message: TOO_DEEP, line: 0, column: 0 }; // of V8: no stack is left
    const { line, column } = error.loc;
    let message = error.message.replace(/ \(\d+:\d+\)$/, '');
    if (message === 'Not enough stack space to parse input') return { message: TOO_DEEP, line: 0, column: 0 };
    // In the words that V8 has for it.
    if (message === 'Unexpected token' && error.pos === this.start) message = unexpected(this);
    return { message, line, column: column + 1 };
  }
}

function declares(scope, name) {
  return scope.var.includes(name) || scope.lexical.includes(name) || scope.functions.includes(name);
}

const KINDS = { num: 'number', string: 'string', template: 'template string' };
function unexpected(parser) {
  const { label } = parser.type;
  if (label === 'eof') return 'Unexpected end of input';
  if (KINDS[label]) return 'Unexpected ' + KINDS[label];
  const text = parser.input.slice(parser.start, Math.min(parser.end, parser.start + 100));
  return 'Unexpected ' + (label === 'name' ? 'identifier' : 'token') + " '" + text + "'";
}
