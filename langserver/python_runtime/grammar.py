"""The grammar that the policy knows: the fields of every node of the syntax tree, by the Python that added them.

An allow-list of node types is not enough. A new Python may give a known node a new field, as 3.15 does with lazy
imports, and a visitor that does not know it would wave it through. So what is unknown is refused where it is used.
The tables of 3.11 to 3.13 are compared with the interpreters by a test; that of 3.14 follows its documentation.
"""

from __future__ import annotations

import _ast
import ast
import sys
from collections.abc import Iterator, Mapping
from typing import Final

Fields = dict[str, frozenset[str]]

# Nodes without fields, then the others with theirs.
_PLAIN: Final = """
    AST Add And BitAnd BitOr BitXor Break Continue Del Div Eq FloorDiv Gt GtE In Invert Is IsNot LShift Load Lt
    LtE MatMult Mod Mult Not NotEq NotIn Or Pass Pow RShift Store Sub UAdd USub boolop cmpop excepthandler expr
    expr_context mod operator pattern stmt type_ignore unaryop
"""
_FIELDS: Final = """
    AnnAssign: target annotation value simple
    Assert: test msg
    Assign: targets value type_comment
    AsyncFor: target iter body orelse type_comment
    AsyncFunctionDef: name args body decorator_list returns type_comment
    AsyncWith: items body type_comment
    Attribute: value attr ctx
    AugAssign: target op value
    Await: value
    BinOp: left op right
    BoolOp: op values
    Call: func args keywords
    ClassDef: name bases keywords body decorator_list
    Compare: left ops comparators
    Constant: value kind
    Delete: targets
    Dict: keys values
    DictComp: key value generators
    ExceptHandler: type name body
    Expr: value
    Expression: body
    For: target iter body orelse type_comment
    FormattedValue: value conversion format_spec
    FunctionDef: name args body decorator_list returns type_comment
    FunctionType: argtypes returns
    GeneratorExp: elt generators
    Global: names
    If: test body orelse
    IfExp: test body orelse
    Import: names
    ImportFrom: module names level
    Interactive: body
    JoinedStr: values
    Lambda: args body
    List: elts ctx
    ListComp: elt generators
    Match: subject cases
    MatchAs: pattern name
    MatchClass: cls patterns kwd_attrs kwd_patterns
    MatchMapping: keys patterns rest
    MatchOr: patterns
    MatchSequence: patterns
    MatchSingleton: value
    MatchStar: name
    MatchValue: value
    Module: body type_ignores
    Name: id ctx
    NamedExpr: target value
    Nonlocal: names
    Raise: exc cause
    Return: value
    Set: elts
    SetComp: elt generators
    Slice: lower upper step
    Starred: value ctx
    Subscript: value slice ctx
    Try: body handlers orelse finalbody
    TryStar: body handlers orelse finalbody
    Tuple: elts ctx
    TypeIgnore: lineno tag
    UnaryOp: op operand
    While: test body orelse
    With: items body type_comment
    Yield: value
    YieldFrom: value
    alias: name asname
    arg: arg annotation type_comment
    arguments: posonlyargs args vararg kwonlyargs kw_defaults kwarg defaults
    comprehension: target iter ifs is_async
    keyword: arg value
    match_case: pattern guard body
    withitem: context_expr optional_vars
"""
# What each later version added, in the same form: nodes, or fields of nodes that were there before.
_ADDED: Final[dict[tuple[int, int], str]] = {
    (3, 12): """
    AsyncFunctionDef: type_params
    ClassDef: type_params
    FunctionDef: type_params
    ParamSpec: name
    TypeAlias: name type_params value
    TypeVar: name bound
    TypeVarTuple: name
    type_param:
    """,
    (3, 13): """
    ParamSpec: default_value
    TypeVar: default_value
    TypeVarTuple: default_value
    """,
    (3, 14): """
    Interpolation: value str conversion format_spec
    TemplateStr: values
    """,
}
# What a version added in words, for the documentation; not all of it shows in the tree.
NEWS: Final[dict[tuple[int, int], tuple[str, ...]]] = {
    (3, 12): (
        "type parameters of functions and classes, and `type` statements (PEP 695)",
        "f-strings that nest freely, with any quotes, backslashes and comments (PEP 701)",
    ),
    (3, 13): ("defaults of type parameters (PEP 696)",),
    (3, 14): (
        "template strings (PEP 750)",
        "`except` and `except*` without parentheses (PEP 758)",
        "annotations that are evaluated when they are asked for (PEP 649)",
    ),
}
KNOWN: Final = (3, 14)


def _lines(text: str, into: Fields) -> None:
    for line in text.split("\n"):
        name, colon, fields = line.strip().partition(":")
        if colon:
            into[name] = into.get(name, frozenset()) | frozenset(fields.split())


def table(version: tuple[int, int]) -> Fields:
    """The fields of every node that the parser of `version` can make."""
    found: Fields = dict.fromkeys(_PLAIN.split(), frozenset())
    _lines(_FIELDS, found)
    for since, added in _ADDED.items():
        if since <= version:
            _lines(added, found)
    return found


def actual() -> Fields:
    """The same, asked of this interpreter."""
    kinds = {name: kind for name, kind in vars(_ast).items() if isinstance(kind, type) and issubclass(kind, ast.AST)}
    return {name: frozenset(kind._fields) for name, kind in kinds.items()}


def unknown(known: Mapping[str, frozenset[str]], found: Mapping[str, frozenset[str]]) -> Fields:
    """The nodes and fields of `found` that are not in `known`; a node that is new has all of them, or `*`."""
    return {
        name: fields - known.get(name, frozenset()) or frozenset("*")
        for name, fields in found.items()
        if name not in known or fields - known[name]
    }


# Empty on every version with a table here: then no program is looked at for it.
UNKNOWN: Final[Fields] = unknown(table(sys.version_info[:2]), actual())


def used_unknown(tree: ast.AST, what: Mapping[str, frozenset[str]] = UNKNOWN) -> Iterator[ast.AST]:
    """The nodes of `tree` that use something of `what`: a new node, or a new field that is not empty."""
    if not what:
        return
    for node in ast.walk(tree):
        fields = what.get(type(node).__name__)
        if fields is not None and ("*" in fields or any(getattr(node, each, None) for each in fields)):
            yield node
