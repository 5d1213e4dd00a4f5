"""What to do about an error, where its words and its place in the source tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from langserver.js_runtime.excerpt import characters, source_line
from langserver.js_runtime.thrown import NO_ERROR, Thrown

_NAME = re.compile(r"(?<![\w$.#])[A-Za-z_$][\w$]*+(?!\s*+:(?!:))")
_MAX_NAMES = 2000
_LOOKED_AT = 400  # characters of a line before a place: patterns that end there try every start
_KEYWORDS = frozenset(
    """
    async await break case catch class const continue debugger default delete do else export extends false finally for
    function if import in instanceof let new null of return static super switch this throw true try typeof var void
    while with yield
    """.split()
)
_GLOBALS = """
    Array BigInt Boolean Date Error Infinity Intl JSON Map Math NaN Number Object Promise Proxy RangeError Reflect
    RegExp Set String Symbol TypeError WeakMap clearInterval clearTimeout console decodeURIComponent encodeURIComponent
    globalThis inputs isFinite isNaN parseFloat parseInt queueMicrotask require setInterval setTimeout undefined
""".split()
# What other places call the input of a step.
_INPUT_NAMES = frozenset(
    """
    $ $env $execution $input $item $itemIndex $items $json $node $parameter $prevNode $runIndex $vars $workflow
    args body context data event input item items msg params payload
    """.split()
)
_LIBRARIES = {
    **dict.fromkeys(("DateTime", "Duration", "Interval"), ("luxon", "{ %s }", "Date or Temporal")),
    **dict.fromkeys(("_", "lodash"), ("lodash", "%s", "what the language has")),
    **dict.fromkeys(("dayjs", "moment"), ("dayjs", "%s", "Date or Temporal")),
    **dict.fromkeys(("luxon",), ("luxon", "%s", "Date or Temporal")),
}
_NOW = frozenset(("$now", "$today"))
_ARRAY_METHODS = """
    at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes
    indexOf join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toReversed
    toSorted toSpliced unshift values with
""".split()
_TEXT_METHODS = """
    charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd padStart repeat replace
    replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd trimStart
""".split()
_OTHER_METHODS = """
    add assign catch clear delete finally from fromEntries get getDate getDay getFullYear getHours getMilliseconds
    getMinutes getMonth getSeconds getTime has hasOwn hasOwnProperty isArray isInteger log parse resolve set stringify
    test then toFixed toISOString toJSON toLocaleDateString toLocaleString toString
""".split()

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_READ = re.compile(r"Cannot (read|set) properties of (undefined|null) \((?:reading|setting) '(.*)'\)", re.DOTALL)
_OF_UNDEFINED = re.compile(r"Cannot destructure '(.*)' as it is (undefined|null)\.", re.DOTALL)
_NO_FUNCTION = re.compile(r"(.*) is not a function", re.DOTALL)
_NOT_ITERABLE = re.compile(r"(?:Spread syntax requires .*|(.*) is not iterable(?: .*)?)", re.DOTALL)
_UNDEFINED = re.compile(r"([\w$]+) is not defined")
_EARLY = re.compile(r"Cannot access '(.*)' before initialization")
_NOT_JSON = re.compile(r"(?s).* is not valid JSON|Unexpected end of JSON input|.* in JSON at position \d+.*")
_ACCESS = re.compile(r"((?:[\w$]|\?\.|\.|\[[^\[\]]{0,40}\]|\([^()]{0,40}\)){1,80}?)(?:\?\.|\.|\[)$")
_OF_INPUT = re.compile(r"(?:inputs?|data)\??\.([A-Za-z_$][\w$]*)")
_SHOWN_KEYS = 8
_FIND = re.compile(r"\.find(?:Last)?\(")
_FIXED = {
    "Assignment to constant variable.": "declare it with let, not const",
    "Maximum call stack size exceeded": "a function calls itself again and again: look for what should end it",
    "Invalid time value": "the Date is not valid: what it was made of is no date",
    "Cannot mix BigInt and other types, use explicit conversions": "make both of one kind: Number(a) or BigInt(b)",
    "Reduce of empty array with no initial value": "give reduce a second argument, what it begins with",
    "Converting circular structure to JSON": "an object contains itself: leave that property out",
}


def hint(thrown: Thrown, source: str, line: int, column: int) -> str:
    """What the author may do about an uncaught error; "" where nothing better than its message is known."""
    type_name, message = thrown.type, thrown.message
    if type_name == "ReferenceError":
        return _reference_hint(message, source)
    if type_name == "SyntaxError" and _NOT_JSON.fullmatch(message):
        return _json_hint(message)
    if message.startswith(NO_ERROR):
        return "throw new Error(text) instead; of another object, what is in it is told only if `main` throws it"
    if type_name == "TypeError" and (told := _type_hint(thrown, source, line, column)):
        return told
    return _FIXED.get(message.partition("\n")[0], "")


def _reference_hint(message: str, source: str) -> str:
    if early := _EARLY.fullmatch(message):
        return f"`{early[1]}` is used before the line that declares it has run: move that line up"
    found = _UNDEFINED.fullmatch(message)
    if not found:
        return ""
    missing = found[1]
    if missing in _INPUT_NAMES:
        return "what the task is given is in `inputs`"
    if missing in _NOW:
        return "use `new Date()`"
    if missing in _LIBRARIES:
        library, pattern, instead = _LIBRARIES[missing]
        line = f"const {pattern % missing} = require('{library}')"
        return f"use {instead}; or, where the operator turned {library} on, write `{line}` first"
    known = dict.fromkeys(name[0] for name in _NAME.finditer(source) if name[0] not in _KEYWORDS and name[0] != missing)
    names = [*list(known)[:_MAX_NAMES], *_GLOBALS]
    close = [name for name in names if name.lower() == missing.lower()] or get_close_matches(missing, names, n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def _type_hint(thrown: Thrown, source: str, line: int, column: int) -> str:
    message = thrown.message
    if found := _READ.fullmatch(message):
        text = source_line(source, line) or ""
        return _nothing_hint(found, text[: characters(text, max(0, column - 1))][-_LOOKED_AT:], thrown.keys)
    if found := _OF_UNDEFINED.fullmatch(message):
        return f"`{found[1]}` is {found[2]} here: give it a value, or a default: `= {{}}`"
    if found := _NO_FUNCTION.fullmatch(message):
        return _function_hint(found[1])
    if found := _NOT_ITERABLE.fullmatch(message):
        what = f"`{found[1]}`" if found[1] else "it"
        return f"{what} is no list: of an object take Object.values(...) or Object.entries(...)"
    return ""


def _nothing_hint(told: re.Match[str], before: str, keys: Sequence[str]) -> str:
    """Of a property of undefined or null; `before` is the line up to that property, `keys` the names in the input."""
    way, value, name = told.groups()
    if way == "set":  # the place is that of the =
        before = before.rstrip().removesuffix(name)
    found = _ACCESS.search(before)
    if before.endswith((").", ")?.")) and _FIND.search(before):
        return "find gives undefined when nothing fits: look at its result before using it"
    if not found or found[1] in {"null", "undefined"}:
        return f"what should have {name!r} is {value}: see where it gets its value"
    what = found[1].strip(".?")
    if keys and (given := _OF_INPUT.fullmatch(what)) and given[1] not in keys:
        close = get_close_matches(given[1], keys, n=1)
        return f"the input has no {given[1]!r}: " + (
            f"did you mean {close[0]!r}?" if close else f"it has {_some(keys)}"
        )
    if way == "set":
        return f"`{what}` is {value} here: give it an object first"
    access = f"?.{name}" if _WORD.fullmatch(name) else f"?.[{name}]"
    return f"`{what}` is {value} here: see where it gets its value, or write `{what}{access}` if it may be missing"


def _some(keys: Sequence[str]) -> str:
    return ", ".join(map(repr, keys[:_SHOWN_KEYS])) + (", ..." if len(keys) > _SHOWN_KEYS else "")


def _function_hint(what: str) -> str:
    owner, dot, method = what.rpartition(".")
    if not dot or not _WORD.fullmatch(method):
        return f"`{what}` holds something else: console.log(typeof {what}) tells what" if _WORD.fullmatch(what) else ""
    if method in _ARRAY_METHODS:
        return f"only a list has {method}, and `{owner}` is none: console.log({owner}) shows what it is"
    if method in _TEXT_METHODS:
        return f"only a text has {method}, and `{owner}` is none: String({owner}) makes it one"
    close = get_close_matches(method, [*_ARRAY_METHODS, *_TEXT_METHODS, *_OTHER_METHODS], n=1)
    if close and close[0] != method:
        return f"did you mean {close[0]!r}?"
    return f"`{owner}` has no function {method!r}: Object.keys({owner}) tells what it has"


def _json_hint(message: str) -> str:
    if message.startswith('"[object '):
        return "it is an object already: JSON.parse is for text"
    if message.startswith('"undefined"'):
        return "JSON.parse was given undefined: see where the text should come from"
    return "JSON.parse was given a text that is no JSON: console.log shows it"


_TYPESCRIPT = re.compile(
    r"[\w$)\]?]\s*:\s*(?:string|number|boolean|any|unknown|void|object|never|Array<|Record<|Promise<)"
    r"|\bas (?:any|const|string|number)\b|^\s*(?:export\s+)?(?:interface|type|enum|declare|namespace)\s+[\w$]+"
    r"|^\s*(?:public|private|protected|readonly|abstract)\s+[\w$]+|^\s*import type\b"
)
# What stands before the place of an error, and what at it.
_TYPED = tuple(
    (re.compile(left), re.compile(right))
    for left, right in (
        (r"[\w$)\]]$", r"!\s*(?:[;,.)\]]|$)"),  # of a value that cannot be missing
        (r"\bfunction\s+[\w$]+$|\bclass\s+[\w$]+$", r"<"),
        (r"[=(,]\s?$", r"<[\w$.]{1,40}(?:\[\])?>\s*[\w$(\[{]"),
        (r"(?:const|let|var)\s+[\w$]+!?$|\([^()]*[\w$]\??$|\)\s?$", r":\s*[\w$({\[]"),
        (r"(?:const|let|var)\s+$", r"[\w$]+\s*:"),
        (r"\([^()]*[\w$]\?$|[\w$]\?$", r":"),
        (r"[\w$)\]}]\s+$", r"(?:as|satisfies|implements)\s+[\w${]"),
    )
)
_PYTHON = re.compile(
    r"^\s*(?:def\s+\w+\s*\(.*\)\s*(?:->.*)?:|elif\b.*:|(?:for|if|while)\b[^({]*:\s*$|from\s+[\w.]+\s+import\b)"
)
_LAST_WORD = re.compile(r"([A-Za-z]{4,12})\s*\(?$")
_LONG_KEYWORDS = sorted(word for word in _KEYWORDS if len(word) > 3)


def syntax_hint(message: str, source: str, line: int, column: int) -> str:
    """What the author may do about a source that does not parse."""
    text = source_line(source, line) or ""
    place = characters(text, max(0, column - 1))
    if text[place : place + 1] in {"\u201c", "\u201d", "\u2018", "\u2019", "\u201e"}:
        return "these are typographic quotes: use ' or \""
    if message.startswith(("await is only valid", "Cannot use keyword 'await' outside")):
        return "write async before the function around it"
    if _PYTHON.match(text[:_LOOKED_AT]):
        return "this looks like Python: choose the runtime python for it"
    if _TYPESCRIPT.search(text[:_LOOKED_AT]) or _is_typed(text, place):
        return "this looks like TypeScript, which is not understood here: leave the types out"
    word = _LAST_WORD.search(text[:place][-_LOOKED_AT:])
    close = get_close_matches(word[1], _LONG_KEYWORDS, n=1, cutoff=0.75) if word else []
    if word and close and word[1] not in _KEYWORDS:
        return f"did you mean {close[0]!r}?"
    return ""


def _is_typed(text: str, place: int) -> bool:
    """Whether a line stops being JavaScript at a place where TypeScript would go on."""
    before, after = text[:place][-_LOOKED_AT:], text[place : place + _LOOKED_AT]
    return any(left.search(before) and right.match(after) for left, right in _TYPED)
