const STRICT = "'use strict';void 0;\n"; // the directive is not to be the value of what has none

// Makes a script or body of a module: its import and export statements are blanked out, so that every other character
// keeps its line and column. What they did is told besides: `imports` are the names to declare before the source runs,
// `reader` is the text of a function that gives what the source exports.
function edit(collector) {
  const { input: source, tree } = collector;
  const pieces = [];
  const result = { imports: [], refusals: [], exported: [], defaultName: '$default' };
  for (let n = 1; source.includes(result.defaultName); n++) result.defaultName = '$default' + n;
  let at = 0;
  const replace = (start, end, text) => {
    pieces.push(source.slice(at, start), text);
    at = end;
  };
  const last = tree.body.some((node) => node.type.startsWith('Export')) ? -1 : collector.lastExpression;
  for (const node of tree.body) {
    const { start, end, declaration } = node;
    if (node.source) collector.modules.push({ name: node.source.value.slice(0, 256), at: start, isStatement: true, isGuarded: false, isImport: true });
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.map((each) => ({ local: each.local.name, imported: imported(each), at: each.start }));
      result.imports.push({ module: node.source.value, names, at: start });
      replace(start, end, blank(source, start, end));
    } else if (node.source) {
      result.refusals.push({ what: 'export from', at: start });
    } else if (node.type === 'ExportDefaultDeclaration') {
      exportDefault(source, node, result, replace);
    } else if (node.type === 'ExportNamedDeclaration') {
      if (declaration) {
        replace(start, declaration.start, blank(source, start, declaration.start));
        const ids = declaration.declarations ? declaration.declarations.flatMap((each) => boundNames(each.id)) : [declaration.id.name];
        for (const name of ids) result.exported.push([name, name]);
      } else {
        for (const each of node.specifiers) result.exported.push([nameOf(each.exported), nameOf(each.local)]);
        replace(start, end, blank(source, start, end));
      }
    }
  }
  pieces.push(source.slice(at));
  for (const at of collector.metas) result.refusals.push({ what: 'import.meta', at });
  const pairs = result.exported.map(([name, local]) => JSON.stringify(name) + ': ' + local);
  result.reader = pairs.length ? '() => ({ __proto__: null, ' + pairs.join(', ') + ' })' : '';
  // Without an export all edits keep the length.
  result.last = last < 0 ? null : { splitAt: STRICT.length + last, at: last };
  result.hasDefault = result.exported.some(([name]) => name === 'default');
  result.source = STRICT + pieces.join('');
  return result;
}

function imported(specifier) {
  if (specifier.type === 'ImportNamespaceSpecifier') return '*';
  return specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
}

// Of `export { a as "b c" }`.
function nameOf(node) {
  return node.type === 'Literal' ? node.value : node.name;
}

// An expression gets a name by a declaration that is no longer than what it stands for; a function or class without a
// name gets the same one within its own declaration, so that what follows it cannot continue it.
function exportDefault(source, node, result, replace) {
  const { declaration } = node;
  const { type } = declaration;
  const isFunction = type === 'FunctionDeclaration';
  if ((isFunction || type === 'ClassDeclaration') && declaration.id) {
    result.exported.push(['default', declaration.id.name]);
    replace(node.start, declaration.start, blank(source, node.start, declaration.start));
    return;
  }
  result.exported.push(['default', result.defaultName]);
  let words = 'let ' + result.defaultName + '=';
  let end = declaration.start;
  if (isFunction) {
    words = (declaration.async ? 'async ' : '') + 'function' + (declaration.generator ? '*' : '') + ' ' + result.defaultName;
    end = declaration.paramsStart;
  } else if (type === 'ClassDeclaration') {
    words = 'class ' + result.defaultName;
    end = declaration.afterName;
  } else {
    // The brackets around an expression are no part of it in acorn's tree.
    end = node.start + /^export(?:\s|\/\*[^]*?\*\/|\/\/.*)*default/.exec(source.slice(node.start))[0].length;
  }
  replace(node.start, end, words + padding(source.slice(node.start, end), words.length));
}

// What brings the column behind `words`, which stand for `text`, to where it was.
function padding(text, length) {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  const last = lines[lines.length - 1].length;
  return lines.length > 1 ? '\n'.repeat(lines.length - 1) + ' '.repeat(last) : ' '.repeat(Math.max(0, last - length));
}

// An empty statement: without its semicolon the statement before could go on behind it.
function blank(source, start, end) {
  return ';' + source.slice(start + 1, end).replace(/[^\n\r\u2028\u2029]/g, ' ');
}

function boundNames(pattern) {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((each) => boundNames(each.type === 'RestElement' ? each.argument : each.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((each) => (each ? boundNames(each) : []));
    case 'RestElement':
      return boundNames(pattern.argument);
    default:
      return boundNames(pattern.left); // AssignmentPattern
  }
}
