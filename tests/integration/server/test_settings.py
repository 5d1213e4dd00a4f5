"""The environment: what it may say, and the errors for what it may not."""

from __future__ import annotations

import pytest

from langserver.errors import StartError
from langserver.js_runtime.catalog import OPTIONAL
from langserver.settings import Settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    import os

    for name in list(os.environ):
        if name.startswith("LANG_"):
            monkeypatch.delenv(name)


def test_the_defaults():
    settings = Settings()
    assert settings.listen_addr == "127.0.0.1:50053"
    assert settings.runtimes == ("python", "js")
    assert settings.max_queue == 8 * settings.max_concurrency
    assert settings.required_layers == {"policy", "audit", "privileges", "rlimits", "seccomp"}
    assert settings.auth_token is None
    assert settings.reflection is settings.allow_insecure is False
    ceilings = settings.ceilings
    assert (ceilings.default_timeout_seconds, ceilings.max_timeout_seconds, ceilings.cpu_seconds) == (30, 300, 0)
    assert (ceilings.memory_mb, ceilings.output_bytes, ceilings.log_bytes) == (128, 2 << 20, 256 << 10)
    assert (ceilings.code_bytes, ceilings.input_bytes) == (1 << 20, 16 << 20)


def test_the_queue_follows_the_concurrency(monkeypatch):
    monkeypatch.setenv("LANG_MAX_CONCURRENCY", "3")
    assert Settings().max_queue == 24


def test_a_small_maximum_lowers_the_default_timeout(monkeypatch):
    monkeypatch.setenv("LANG_MAX_TIMEOUT_SECONDS", "5")
    assert Settings().default_timeout_seconds == 5


def test_lists(monkeypatch):
    monkeypatch.setenv("LANG_RUNTIMES", "node, python,js")
    monkeypatch.setenv("LANG_REQUIRED_LAYERS", "seccomp,landlock")
    settings = Settings()
    assert settings.runtimes == ("js", "python")
    assert settings.required_layers == {"seccomp", "landlock"}


def test_modules_are_of_those_there_are(monkeypatch):
    monkeypatch.setenv("LANG_JS_MODULES", "luxon, dayjs,luxon,")
    settings = Settings()
    assert settings.js_modules == ("dayjs", "luxon")
    assert (settings.packages("js"), settings.packages("python")) == (("dayjs", "luxon"), ())
    described = Settings.model_fields["js_modules"].description
    assert described == f"some of {', '.join(OPTIONAL)}, separated by commas"


@pytest.mark.parametrize(("text", "on"), [("on", True), ("off", False)])
def test_the_compiler_is_a_matter_of_javascript(monkeypatch, text, on):
    assert not Settings().jit("js")
    monkeypatch.setenv("LANG_JS_JIT", text)
    assert (Settings().jit("js"), Settings().jit("python")) == (on, False)


def test_no_layer_may_be_required(monkeypatch):
    monkeypatch.setenv("LANG_REQUIRED_LAYERS", "none")
    assert Settings().required_layers == frozenset()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("LANG_MEMORY_MB", "lots", "a whole number from 1 to "),
        ("LANG_MEMORY_MB", "0", "a whole number from 1 to "),
        ("LANG_MEMORY_MB", "1.5", "a whole number from 1 to "),
        ("LANG_MEMORY_MB", "", "a whole number from 1 to "),
        ("LANG_MAX_CONCURRENCY", "-1", "a whole number from 1 to "),
        ("LANG_MAX_QUEUE", "-1", "a whole number from 0 to "),
        ("LANG_COMPILE_CACHE_MB", "-1", "a whole number from 0 to "),
        ("LANG_LISTEN_ADDR", "50053", "HOST:PORT"),
        ("LANG_LISTEN_ADDR", ":50053", "HOST:PORT"),
        ("LANG_LISTEN_ADDR", "localhost:66000", "HOST:PORT"),
        ("LANG_JS_MODULES", "lodash,moment", "some of dayjs, lodash, luxon"),
        ("LANG_JS_JIT", "maybe", "on or off"),
        ("LANG_JS_JIT", "1", "on or off"),
        ("LANG_JS_JIT", "", "on or off"),
        ("LANG_RUNTIMES", "ruby", "some of python, js"),
        ("LANG_RUNTIMES", "", "some of python, js"),
        ("LANG_REQUIRED_LAYERS", "firewall", "none, or some of policy, audit"),
        ("LANG_ALLOW_INSECURE", "perhaps", "1 or 0"),
        ("LANG_METRICS_ADDR", "unix:/run/metrics", "HOST:PORT"),
        ("LANG_LOG_FORMAT", "xml", "one of console, json"),
        ("LANG_LOG_LEVEL", "loud", "one of debug, info, warning, error"),
        ("LANG_TLS_CERT", "/nowhere/cert.pem", "a file this process can read"),
        ("LANG_TLS_CLIENT_CA", "/", "a file this process can read"),
    ],
)
def test_an_error_names_variable_value_and_expectation(monkeypatch, name, value, expected):
    monkeypatch.setenv(name, value)
    with pytest.raises(StartError) as caught:
        Settings()
    assert str(caught.value).startswith(f"{name} is {value!r}: expected {expected}")


@pytest.mark.parametrize("token", ["", "short", "fifteen-bytes--", "with a space in it all", "ключключключключ"])
def test_a_weak_or_unsendable_token_is_refused_and_not_shown(monkeypatch, token):
    monkeypatch.setenv("LANG_AUTH_TOKEN", token)
    with pytest.raises(StartError) as caught:
        Settings()
    assert str(caught.value).startswith("LANG_AUTH_TOKEN is not usable: expected at least 16 ")
    assert not token or token not in str(caught.value)


def test_a_token_is_not_in_the_settings_text(monkeypatch):
    monkeypatch.setenv("LANG_AUTH_TOKEN", "0123456789abcdef")
    assert "0123456789abcdef" not in repr(Settings())


def test_certificate_and_key_go_together(monkeypatch, tmp_path):
    file = tmp_path / "cert.pem"
    file.touch()
    monkeypatch.setenv("LANG_TLS_CERT", str(file))
    with pytest.raises(StartError, match="LANG_TLS_CERT and LANG_TLS_KEY go together"):
        Settings()


def test_a_client_ca_needs_a_certificate(monkeypatch, tmp_path):
    file = tmp_path / "ca.pem"
    file.touch()
    monkeypatch.setenv("LANG_TLS_CLIENT_CA", str(file))
    with pytest.raises(StartError, match="LANG_TLS_CLIENT_CA needs LANG_TLS_CERT"):
        Settings()


def test_the_default_timeout_is_not_above_the_maximum(monkeypatch):
    monkeypatch.setenv("LANG_DEFAULT_TIMEOUT_SECONDS", "20")
    monkeypatch.setenv("LANG_MAX_TIMEOUT_SECONDS", "10")
    with pytest.raises(StartError, match="LANG_DEFAULT_TIMEOUT_SECONDS is 20, above LANG_MAX_TIMEOUT_SECONDS"):
        Settings()


def test_a_bridges_variable_in_the_same_environment_is_no_typo(monkeypatch):
    for name in ("ADDRS", "TLS_CA", "CLIENT_CERT", "CLIENT_KEY", "TOKEN", "TOKEN_FILE"):
        monkeypatch.setenv(f"LANG_WORKER_{name}", "a bridge's")
    monkeypatch.setenv("LANG_WORKER_ADDR", "a typo")
    assert Settings.unknown_variables() == ["LANG_WORKER_ADDR"]


@pytest.mark.parametrize("address", ["0.0.0.0:9464", "[::]:9464", "example.org:9464"])
def test_metrics_are_not_shown_beyond_this_machine_unasked(monkeypatch, address):
    monkeypatch.setenv("LANG_METRICS_ADDR", address)
    with pytest.raises(StartError, match="LANG_METRICS_ALLOW_REMOTE=1"):
        Settings()
    monkeypatch.setenv("LANG_METRICS_ALLOW_REMOTE", "1")
    assert Settings().metrics_addr == address
