"""The image's base is one: what is built without a word, what the document says, and what the tests are run on."""

from __future__ import annotations

import re

from tests.container.base import PYTHON, RELEASE
from tests.deploy.published import DEPLOY, ROOT

DOCUMENT = (ROOT / "docs/deploy.md").read_text()


def default() -> tuple[str, str]:
    """Version of Python and release of Debian."""
    recipe = (DEPLOY / "Dockerfile.hardened").read_text()
    (found,) = re.findall(r"^ARG BASE=\S+/python:([\d.]+)-slim-(\w+)$", recipe, re.MULTILINE)
    assert isinstance(found, tuple)
    return found


def test_the_tests_run_on_it() -> None:
    assert (".".join(map(str, PYTHON)), RELEASE) == default()


def test_the_document_names_no_other() -> None:
    python, release = default()
    assert set(re.findall(r"python:([\w.]+-\w+-\w+)", DOCUMENT)) == {f"{python}-slim-{release}"}
    assert re.findall(r"lib/python([\d.]+)/site-packages", DOCUMENT) == [python]
    assert re.findall(r"debootstrap .* (\w+) base &&", DOCUMENT) == [release]
