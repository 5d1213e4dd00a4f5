"""The programs that rows run: the same ones for us and for peers."""

from __future__ import annotations

from bench.calls import Task

TRIVIAL = {
    "python": Task("python", "def main(inputs):\n    return inputs['n'] + 1\n", '{"n": 41}', "42"),
    "js": Task("js", "function main(inputs) { return inputs.n + 1 }\n", '{"n": 41}', "42"),
}

_LINES = '{"lines": [["pen", 3, 2], ["ink", 7, 5], ["pen", 3, 4], ["pad", 11, 1], ["ink", 7, 1], ["cup", 2, 9]]}'
_INVOICE_PYTHON = """\
def add(totals, name, amount):
    totals[name] = totals.get(name, 0) + amount


def main(inputs):
    totals = {}
    for name, price, count in inputs["lines"]:
        add(totals, name, price * count)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    label = ", ".join([f"{name.upper()}: {totals[name]}" for name in names])
    whole = sum([totals[name] for name in names])
    checksum = 0
    for n in range(300):
        checksum = (checksum * 31 + n * whole) % 65521
    return {"label": label, "sum": whole, "checksum": checksum}
"""
_INVOICE_JS = """\
function add(totals, name, amount) {
  totals[name] = (totals[name] ?? 0) + amount;
}

function main(inputs) {
  const totals = {};
  for (const [name, price, count] of inputs.lines) add(totals, name, price * count);
  const names = Object.keys(totals).sort((a, b) => totals[b] - totals[a] || (a < b ? -1 : 1));
  const label = names.map((name) => `${name.toUpperCase()}: ${totals[name]}`).join(", ");
  const sum = names.reduce((found, name) => found + totals[name], 0);
  let checksum = 0;
  for (let n = 0; n < 300; n++) checksum = (checksum * 31 + n * sum) % 65521;
  return { label, sum, checksum };
}
"""
_INVOICE_SAID = '{"label":"INK: 42, CUP: 18, PEN: 18, PAD: 11","sum":89,"checksum":%d}'
_CHECKSUM = 0
for _n in range(300):
    _CHECKSUM = (_CHECKSUM * 31 + _n * 89) % 65521

# Two dozen lines as people write them, and a loop of some hundred steps.
INVOICE = {
    "python": Task("python", _INVOICE_PYTHON, _LINES, _INVOICE_SAID % _CHECKSUM),
    "js": Task("js", _INVOICE_JS, _LINES, _INVOICE_SAID % _CHECKSUM),
}


def long_python(lines: int, mark: int = 0) -> str:
    """A program of functions, ten lines each, as many lines as asked for. `mark` makes it one never seen before."""
    blocks = [f"# {mark}\n", *(_BLOCK_PYTHON.format(number=number) for number in range(max(lines // 10 - 1, 0)))]
    return "".join(blocks) + "\n" * (lines % 10) + "def main(inputs):\n" + "    step = 1\n" * 7 + "    return step\n"


def long_js(lines: int, mark: int = 0) -> str:
    """The same in JavaScript."""
    blocks = [f"// {mark}\n", *(_BLOCK_JS.format(number=number) for number in range(max(lines // 10 - 1, 0)))]
    return (
        "".join(blocks) + "\n" * (lines % 10) + "function main(inputs) {\n" + "  inputs.n = 1;\n" * 7 + "return 1 }\n"
    )


_BLOCK_PYTHON = """\
def work_{number}(items, limit={number}):
    found = {{}}
    for place, item in enumerate(items):
        name = item.get("name", "nobody")
        if place > limit and name not in found:
            found[name] = [item["price"] * item["count"], place]
        elif name in found:
            found[name][0] += item["price"]
    return sorted(found.items(), key=lambda pair: pair[1][0])

"""
_BLOCK_JS = """\
function work_{number}(items, limit = {number}) {{
  const found = new Map();
  items.forEach((item, place) => {{
    const name = item.name ?? "nobody";
    if (place > limit && !found.has(name)) found.set(name, [item.price * item.count, place]);
    else if (found.has(name)) found.get(name)[0] += item.price;
  }});
  return [...found].sort((one, other) => one[1][0] - other[1][0]);
}}

"""
