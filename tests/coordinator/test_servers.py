"""A missing Redis or PostgreSQL is never passed over in silence."""

from __future__ import annotations

import pytest

from tests.coordinator.servers import found


def test_where_ci_is_set_a_missing_program_fails(monkeypatch, capsys):
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no-such-program is missing: apt-get install its-package"):
        found("no-such-program", "its-package")
    assert "apt-get install its-package" in capsys.readouterr().out


def test_elsewhere_it_is_skipped_and_said(monkeypatch):
    monkeypatch.delenv("CI", raising=False)

    with pytest.raises(pytest.skip.Exception, match="apt-get install its-package"):
        found("no-such-program", "its-package")
