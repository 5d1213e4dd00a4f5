"""A certificate's end is told before it comes, and what cannot be loaded is told in an operator's words."""

from __future__ import annotations

import datetime
import logging
import subprocess
from pathlib import Path

import pytest
import trustme

from operating.access import certificate
from operating.access.expiry import WARNED_SECONDS, Warnings, words
from operating.access.keys import KeyFiles, Keys

DAY = 86_400.0
NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (WARNED_SECONDS + 1, ""),
        (WARNED_SECONDS, "expires in 14 days"),
        (2.4 * DAY, "expires in 2 days"),
        (1.5 * DAY, "expires in 36 hours"),
        (0.0, "has expired: clients refuse it"),
        (-DAY, "has expired: clients refuse it"),
    ],
)
def test_what_is_said(left: float, said: str) -> None:
    assert words(NOW + left, NOW) == said


def test_it_is_said_once_a_day_at_its_end_and_at_once_of_another() -> None:
    warnings = Warnings()
    end = NOW + 1.5 * DAY
    assert warnings.due(end, NOW) == "expires in 36 hours"
    assert [warnings.due(end, NOW + after) for after in (1.0, DAY - 1)] == ["", ""]
    assert warnings.due(end, NOW + DAY) == "expires in 12 hours"
    assert warnings.due(end, end - 1) == ""
    assert warnings.due(end, end) == "has expired: clients refuse it"
    assert warnings.due(end, end + 1) == ""
    assert warnings.due(end + DAY, end + 2) == "expires in 24 hours"
    assert warnings.due(NOW + 365 * DAY, end + 3) == ""


def files(folder: Path, name: str, days: float) -> tuple[Path, Path]:
    ends = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    leaf = trustme.CA().issue_cert("localhost", not_after=ends)
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    leaf.cert_chain_pems[0].write_to_path(cert)
    leaf.private_key_pem.write_to_path(key)
    key.chmod(0o600)
    return cert, key


def test_keys_tell_of_the_certificate_that_is_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cert, key = files(tmp_path, "near", 3.5)
    keys = Keys(KeyFiles("LANG", cert=cert, key=key))
    now = datetime.datetime.now(datetime.UTC).timestamp()
    assert keys.certificate_ends_at == pytest.approx(now + 3.5 * DAY, abs=60)
    for _ in range(3):
        keys.look()
    (line,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert f"LANG_TLS_CERT: {cert} expires in " in line.getMessage()
    caplog.clear()
    for old, new in zip((cert, key), files(tmp_path, "far", 300), strict=True):
        new.replace(old)
    keys.look()
    assert keys.certificate_ends_at == pytest.approx(now + 300 * DAY, abs=60)
    assert [record for record in caplog.records if record.levelno == logging.WARNING] == []
    assert Keys(KeyFiles("LANG")).certificate_ends_at == float("inf")


def test_why_files_are_of_no_use(tmp_path: Path) -> None:
    (one, one_key), (_, other_key) = files(tmp_path, "one", 30), files(tmp_path, "other", 30)
    locked = tmp_path / "locked.key"
    encrypt = ["openssl", "pkey", "-in", one_key, "-aes256", "-passout", "pass:word", "-out", locked]
    subprocess.run(encrypt, check=True, capture_output=True)
    for cert, key, said in (
        (one, other_key, f"the key in {other_key} is not that of the certificate in {one}"),
        (one_key, one, f"{one_key} holds no certificate in PEM: look whether the two are swapped"),
        (one, one, f"{one} holds no private key in PEM"),
        (one, locked, f"the key is encrypted, in {locked}: `openssl pkey -in {locked}`"),
        (one, tmp_path / "missing", "No such file or directory"),
    ):
        with pytest.raises((OSError, ValueError)) as failed:
            certificate.load(cert, key)
        assert said in certificate.why_no_pair(cert, key, failed.value)
