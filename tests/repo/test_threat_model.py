"""The two tables of the threat model say what the security suite holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.security.suite import matrix
from tests.security.suite.attack import load

ROOT = Path(__file__).resolve().parents[2]
PAGE = matrix.PAGE.read_text("utf-8")


def test_the_matrix_fits_the_attacks() -> None:
    assert matrix.between(PAGE) == matrix.page(load()), "run `make security`"


def guarantees() -> list[list[str]]:
    """The cells of each row."""
    section = PAGE.partition("<!-- guarantees")[2].partition("<!-- end of the guarantees")[0]
    return [row.strip("| ").split(" | ") for row in section.splitlines() if row.startswith("| ")][2:]


def test_each_guarantee_has_tests_that_are_there() -> None:
    assert len(guarantees()) > 10
    for guarantee, _, _, tests in guarantees():
        named = re.findall(r"`(tests/[^`]+)`", tests)
        assert named, guarantee
        for test in named:
            path, _, function = test.partition("::")
            assert (ROOT / path).exists(), test
            if function:
                nodes = ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
                assert function in {getattr(node, "name", None) for node in nodes}, test


def test_every_native_family_stands_for_a_guarantee() -> None:
    told = " ".join(tests for *_, tests in guarantees())
    families = {
        f"tests/security/attacks/native/{one.family.lower().replace(' ', '-')}.toml"
        for one in load()
        if one.runtime == "native"
    }
    assert {family for family in families if family not in told} == {"tests/security/attacks/native/introspection.toml"}
