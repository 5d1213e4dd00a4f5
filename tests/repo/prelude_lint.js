// (acorn) => (text) => what is wrong with a prelude, as [[line, what], ...]. Functions of the prelude run when a program
// may have replaced anything that can be looked up, so they may call captured names only. What stands outside of every
// function has run before.
(acorn) => (text) => {
  const found = [];
  const tree = acorn.parse(text, { ecmaVersion: 'latest', sourceType: 'script', locations: true });
  const outer = tree.body[0].expression.callee; // (() => { ... })()
  const tell = (node, what) => found.push([node.loc.start.line, what]);
  const declared = new Set(['undefined', 'Infinity', 'arguments']);
  const captured = new Set(); // names of constructors, taken before

  function names(pattern, into) {
    if (!pattern) return;
    if (pattern.type === 'Identifier') into.add(pattern.name);
    else if (pattern.type === 'ObjectPattern') for (const each of pattern.properties) names(each.value ?? each.argument, into);
    else if (pattern.type === 'ArrayPattern') for (const each of pattern.elements) names(each, into);
    else names(pattern.left ?? pattern.argument, into);
  }

  // One flat set of names: nothing of ours hides a global by a name that is declared elsewhere.
  walk(outer.body, (node) => {
    if (node.type === 'VariableDeclarator') names(node.id, declared);
    if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') names(node.id, declared);
    for (const each of node.params ?? []) names(each, declared);
    if (node.type === 'CatchClause') names(node.param, declared);
  });
  for (const node of outer.body.body) if (node.type === 'VariableDeclaration') for (const each of node.declarations) names(each.id, captured);

  let depth = 0; // of functions
  check(outer.body, null, '');

  function check(node, parent, key) {
    if (!node || typeof node.type !== 'string') return;
    const isFunction = /Function/.test(node.type);
    if (isFunction) depth++;
    if (depth > 0) rule(node, parent, key);
    for (const [name, child] of Object.entries(node)) {
      if (Array.isArray(child)) for (const each of child) check(each, node, name);
      else if (child && typeof child === 'object') check(child, node, name);
    }
    if (isFunction) depth--;
  }

  function rule(node, parent, key) {
    switch (node.type) {
      case 'CallExpression':
        if (node.callee.type === 'MemberExpression') tell(node, 'calls a member: ' + text.slice(node.start, node.callee.end));
        break;
      case 'NewExpression':
        if (node.callee.type !== 'Identifier' || !(captured.has(node.callee.name) || node.callee.name === 'Type')) {
          tell(node, 'new of what is not captured');
        }
        break;
      case 'SpreadElement':
        if (parent.type !== 'ObjectExpression') tell(node, 'spreads by an iterator that may have been replaced');
        break;
      case 'ForOfStatement':
      case 'YieldExpression':
      case 'AwaitExpression':
      case 'TaggedTemplateExpression':
      case 'ClassExpression':
      case 'ClassDeclaration':
        tell(node, node.type);
        break;
      case 'TemplateLiteral':
        if (node.expressions.length) tell(node, 'a template calls toString');
        break;
      case 'ArrayPattern':
        tell(node, 'takes an array apart by its iterator');
        break;
      case 'Literal':
        if (node.regex) tell(node, 'a regular expression asks RegExp.prototype');
        break;
      case 'ObjectExpression': {
        const bare = node.properties.some((each) => each.key && !each.computed && (each.key.name ?? each.key.value) === '__proto__');
        if (!bare) tell(node, 'an object that inherits: write { __proto__: null, ... }');
        break;
      }
      case 'Identifier': {
        const isName = (parent.type === 'MemberExpression' && key === 'property' && !parent.computed)
          || (parent.type === 'Property' && key === 'key' && !parent.computed)
          || /Labeled|Break|Continue|MetaProperty|MethodDefinition/.test(parent.type);
        if (!isName && !declared.has(node.name)) tell(node, 'a global: ' + node.name);
      }
    }
  }

  function walk(node, visit) {
    if (!node || typeof node.type !== 'string') return;
    visit(node);
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const each of child) walk(each, visit);
      else if (child && typeof child === 'object') walk(child, visit);
    }
  }
  return JSON.stringify(found);
}
