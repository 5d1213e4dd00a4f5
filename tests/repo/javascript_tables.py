"""The tables of docs/javascript.md, made from the code and from what programs really get.

`python -m tests.repo.javascript_tables` writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from langserver.core.jit import COMPILING, JITLESS
from langserver.js_runtime.absent import ABSENT
from langserver.js_runtime.catalog import MODULES, OPTIONAL
from langserver.limits import Ceilings
from langserver.wire.strict_json import MAX_DEPTH
from tests.runtimes.js.driver import Forker

PAGE = Path(__file__).resolve().parents[2] / "docs" / "javascript.md"
_MIB = 1 << 20

_GLOBALS = """
const names = [];
for (let p = Object.getPrototypeOf(globalThis); p && p !== Object.prototype; p = Object.getPrototypeOf(p)) {
  names.push(...Object.getOwnPropertyNames(p));
}
return [...new Set(names)].filter((name) => name !== 'constructor').sort();
"""
_NUMBERS = [
    "9007199254740991",
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "0.1234567890123456789",
    "1.0",
    "-0",
    "1e400",
    "-1e400",
    "1e-400",
]
_SEEN = "return Object.is(inputs, -0) ? '-0' : String(inputs);"
_VALUES = [
    "undefined",
    "[1, undefined, , 2]",
    "{ a: undefined }",
    "-0",
    "NaN",
    "Infinity",
    "10n",
    "new Date(0)",
    "new Date('x')",
    "new Map([['a', 1]])",
    "new Set([1])",
    "Symbol('s')",
    "() => 1",
    "{ when: Promise.resolve(1) }",
    "Promise.resolve(1)",
    "/x/",
    "new Uint8Array(2)",
    "Buffer.from('hi')",
    "new Error('e')",
    "[1].values()",
    "new (class { a = 1; #b = 2; get c() { return 3; } })()",
    "{ toJSON() { return 'own'; } }",
    "{ get a() { return 1; } }",
    "new Proxy([1], {})",
    "JSON.parse('{\"__proto__\": 1}')",
    "Object(1n)",
    "(() => { const o = {}; o.self = o; return o; })()",
    "'\\ud83d'",
]
_HINTS = [
    "return inputs.user.name",
    "return inputs.usres.length",
    "return totl; const total = 1",
    "return inputs.map((x) => x)",
    "return JSON.parse({})",
    "return $json.name",
    "retrun 1",
    "const x: string = 'a'",
    "const fs = require('fs')",
    "import axios from 'axios'",
    "await fetch('https://example.com')",
]


def tables(js: Forker) -> dict[str, str]:
    """Each table by its name in the page."""
    ceilings = Ceilings()
    return {
        "globals": _list(f"`{name}`" for name in js.run(_GLOBALS).value),
        "profiles": f"- {JITLESS}\n- {COMPILING}",
        "modules": _list(f"`{name}`" for name in MODULES),
        "optional": _list(f"`{name}`" for name in OPTIONAL),
        "absent": _table(
            ("not there", "instead"),
            [
                (_list(f"`{name}`" for name in sorted(ABSENT) if ABSENT[name] == why), why)
                for why in dict.fromkeys(ABSENT.values())
            ],
        ),
        "numbers": _table(
            ("in the input", "to the program", "handed on, in the result"),
            [
                (f"`{text}`", f"`{js.run(_SEEN, text=text.encode()).value}`", _result(js, "inputs", text))
                for text in _NUMBERS
            ],
        ),
        "values": _table(("value", "in the result"), [(f"`{value}`", _result(js, value)) for value in _VALUES]),
        "hints": _table(("written", "told"), [(f"`{source}`", _told(js, source)) for source in _HINTS]),
        "limits": _table(
            ("what", "limit"),
            [
                ("time", f"{ceilings.default_timeout_seconds} s, up to {ceilings.max_timeout_seconds} s if asked for"),
                ("memory", f"{ceilings.memory_mb} MiB more than an idle child has"),
                ("source", f"{ceilings.code_bytes // _MIB} MiB"),
                ("input", f"{ceilings.input_bytes // _MIB} MiB, nested {MAX_DEPTH} deep"),
                ("result", f"{ceilings.output_bytes // _MIB} MiB of JSON, nested {MAX_DEPTH} deep"),
                ("log", f"{ceilings.log_bytes >> 10} KiB; a line costs its text and 24 bytes"),
            ],
        ),
    }


def _result(js: Forker, value: str, given: str = "{}") -> str:
    report = js.run(f"return ({value});", text=given.encode()).report
    assert report is not None
    if not report.failures:
        return f"`{report.output.decode()}`"
    failure = report.failures[0]
    return f"{failure.message}: {failure.hint}" if failure.hint else failure.message


def _told(js: Forker, source: str) -> str:
    failure = js.run(source, {"users": [], "total": 1}).failure
    return f"{failure.kind.name}: {failure.message}" + (
        f" *{failure.hint}*" if failure.hint not in failure.message else ""
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join([_row(head), _row(("---",) * len(head)), *map(_row, rows)])


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def filled(page: str, made: dict[str, str]) -> str:
    """The page with each table between its marks. Raises KeyError for a mark that no table is for."""
    seen = []

    def replace(found: re.Match[str]) -> str:
        seen.append(found[1])
        return f"<!-- {found[1]} -->\n{made[found[1]]}\n<!-- end -->"

    page = re.sub(r"<!-- (\w+) -->\n.*?<!-- end -->", replace, page, flags=re.DOTALL)
    assert sorted(seen) == sorted(made), f"marks: {json.dumps(seen)}"
    return page


def main() -> None:
    """Writes the page."""
    js = Forker()
    PAGE.write_text(filled(PAGE.read_text(), tables(js)))
    js.close()


if __name__ == "__main__":
    main()
