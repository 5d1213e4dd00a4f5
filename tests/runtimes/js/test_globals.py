"""Globals and modules beside the language, by facts of the standards and of Node: one child for each file of facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FACTS = Path(__file__).with_name("facts")
# What a fact says of a value: JSON, with the few values that JSON has not; of an error, its name and code.
SHOW = """
const rare = (key, value) =>
  typeof value === 'bigint' ? `${value}n` : value === undefined ? '<undefined>' : Object.is(value, -0) ? '<-0>'
  : value !== value ? '<NaN>' : value instanceof Map ? { map: [...value] } : value instanceof Set ? { set: [...value] }
  : value instanceof RegExp ? String(value) : value;
const shown = [];
for (const fact of facts) {
  try {
    shown.push(JSON.stringify(await fact(), rare));
  } catch (error) {
    shown.push('throws ' + error.name + (error.code === undefined ? '' : ' ' + error.code));
  }
}
return shown;
"""


def read(name: str) -> dict[str, str]:
    """Expressions and what they are shown as: lines of a file of facts, `expression ==> shown`; # begins a comment."""
    lines = (FACTS / f"{name}.txt").read_text().splitlines()
    return dict(line.split(" ==> ") for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("name", sorted(path.stem for path in FACTS.glob("*.txt")))
def test_facts(js, name):
    facts = read(name)
    listed = ",\n".join(f"async () => ({expression})" for expression in facts)
    shown = js.run(f"const facts = [{listed}];\n{SHOW}", seconds=60).value
    wrong = [
        f"{fact}\n  is {is_} and not\n     {wanted}"
        for (fact, wanted), is_ in zip(facts.items(), shown, strict=True)
        if is_ != wanted
    ]
    assert not wrong, "\n".join(wrong)


def test_facts_are_facts():
    for path in FACTS.glob("*.txt"):
        for shown in read(path.stem).values():
            assert shown.startswith("throws ") or json.loads(shown) is not Ellipsis
