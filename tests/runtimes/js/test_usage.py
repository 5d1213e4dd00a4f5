"""How long parsing took, as far as it can be told apart from running."""

from __future__ import annotations

import pytest

MEASURED = {
    "body": ("return await 1", "run"),
    "broken": ("let a = ;", "run"),
    "validation": ("function main() {}", "validate"),
}


@pytest.mark.parametrize("name", MEASURED)
def test_parsing_alone_is_measured(js, name):
    source, mode = MEASURED[name]
    report = js.run(source, mode=mode).report
    assert report.compile_ns > 0


@pytest.mark.parametrize("source", ["function main() {}", "throw new Error(1)"])
def test_a_script_is_parsed_while_it_runs(js, source):
    report = js.run(source).report
    assert report.compile_ns == 0
    assert report.run_ns > 0
