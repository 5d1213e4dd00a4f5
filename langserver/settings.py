"""The settings of the language server: environment variables, checked when they are read."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from langserver.core.jit import MEANT as JIT_MEANT
from langserver.core.jit import parse_jit
from langserver.errors import RequestError, StartError
from langserver.limits import Ceilings
from langserver.python_runtime.packages.names import MEANT, parse_modules
from langserver.sandbox.layers import LAYERS, REQUIRED, parse_layers
from langserver.server.cores import usable_cores
from langserver.zygote.request import RUNTIMES, canonical_runtime
from operating.access.address import parse_address
from operating.access.exposure import check_shown
from operating.access.files import readable
from operating.access.tls import check_together
from operating.access.tokens import TOKEN_BYTES, is_token
from operating.telemetry.lines import FORMATS, LEVELS

_PREFIX = "LANG_"
_DEFAULTS = Ceilings()
# A worker bridge's, which may share the environment.
_OTHERS = frozenset(
    f"LANG_WORKER_{name}" for name in ("ADDRS", "TLS_CA", "CLIENT_CERT", "CLIENT_KEY", "TOKEN", "TOKEN_FILE")
)
QUEUED_A_TASK = 8  # places in the queue for each task that may run
_MAX_MESSAGE_BYTES = 1 << 30  # code and input each; gRPC counts message lengths in 32 bits


def _address(text: str) -> str:
    parse_address(text)
    return text


def _tcp_address(text: str) -> str:
    if parse_address(text).path:
        raise ValueError
    return text


def _runtimes(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return tuple(dict.fromkeys(canonical_runtime(name.strip()) for name in value.split(",")))
    except RequestError as error:
        raise ValueError(str(error)) from None


def _layers(value: object) -> object:
    return parse_layers(value) if isinstance(value, str) else value


def _modules(value: object) -> object:
    return parse_modules(value) if isinstance(value, str) else value


def _js_modules(value: object) -> object:
    if not isinstance(value, str):
        return value
    # By name, and only when it is set: nothing else of the runtime is needed here.
    return importlib.import_module("langserver.js_runtime.catalog").chosen(value)


def _jit(value: object) -> object:
    return parse_jit(value) if isinstance(value, str) else value


def _token(value: SecretStr) -> SecretStr:
    if not is_token(value.get_secret_value().encode()):
        raise ValueError
    return value


_File = Annotated[Path | None, AfterValidator(readable)]


def _default_timeout(known: dict[str, Any]) -> int:
    longest: int = known.get("max_timeout_seconds", _DEFAULTS.max_timeout_seconds)  # missing when it was invalid
    return min(_DEFAULTS.default_timeout_seconds, longest)


def _whole(low: int, high: int, default: int | Callable[..., int]) -> Any:
    """A whole number; the description is what an error says was expected. A function may look at the fields before."""
    means: dict[str, Any] = {"default_factory": default} if callable(default) else {"default": default}
    return Field(ge=low, le=high, description=f"a whole number from {low} to {high}", **means)


class Settings(BaseSettings):
    """One attribute a variable: `LANG_` and the name in capitals. Raises StartError, which names the variable."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="forbid", validate_default=False)

    listen_addr: Annotated[str, AfterValidator(_address)] = Field(
        "127.0.0.1:50053", description="HOST:PORT, [IPv6]:PORT or unix:PATH"
    )
    runtimes: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_runtimes)] = Field(
        RUNTIMES, min_length=1, description=f"some of {', '.join(RUNTIMES)}, separated by commas"
    )
    max_concurrency: int = _whole(1, 10_000, lambda: 2 * usable_cores())
    max_queue: int = _whole(0, 100_000, lambda known: QUEUED_A_TASK * known.get("max_concurrency", 1))
    warm_children: int = _whole(0, 1_000, usable_cores)
    max_timeout_seconds: int = _whole(1, 86_400, _DEFAULTS.max_timeout_seconds)
    default_timeout_seconds: int = _whole(1, 86_400, _default_timeout)
    memory_mb: int = _whole(1, 1 << 20, _DEFAULTS.memory_mb)
    cpu_seconds: int = _whole(0, 86_400, _DEFAULTS.cpu_seconds)
    output_bytes: int = _whole(1, _MAX_MESSAGE_BYTES, _DEFAULTS.output_bytes)
    log_bytes: int = _whole(0, _MAX_MESSAGE_BYTES, _DEFAULTS.log_bytes)
    code_bytes: int = _whole(1, _MAX_MESSAGE_BYTES // 4, _DEFAULTS.code_bytes)
    input_bytes: int = _whole(1, _MAX_MESSAGE_BYTES // 4, _DEFAULTS.input_bytes)
    python_modules: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_modules)] = Field((), description=MEANT)
    required_layers: Annotated[frozenset[str], NoDecode, BeforeValidator(_layers)] = Field(
        REQUIRED,
        description=f"none, or some of {', '.join(LAYERS)}, separated by commas",
    )
    compile_cache_mb: int = _whole(0, 1 << 16, 32)
    zygote_max_tasks: int = _whole(1, 10_000_000, 1_000)
    zygote_max_age: int = _whole(1, 10_000_000, 600)
    js_modules: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_js_modules)] = Field(
        (), description="some of dayjs, lodash, luxon, separated by commas"
    )
    js_jit: Annotated[bool, BeforeValidator(_jit)] = Field(False, description=JIT_MEANT)
    allow_insecure: bool = Field(False, description="1 or 0")
    tls_cert: _File = Field(None, description="a file this process can read")
    tls_key: _File = Field(None, description="a file this process can read")
    tls_client_ca: _File = Field(None, description="a file this process can read")
    auth_token: Annotated[SecretStr, AfterValidator(_token)] | None = Field(
        None, description=f"at least {TOKEN_BYTES} printable ASCII characters without spaces"
    )
    auth_tokens_file: _File = Field(None, description="a file this process can read")
    drain_seconds: int = _whole(0, 86_400, 30)
    reflection: bool = Field(False, description="1 or 0")
    metrics_addr: Annotated[str, AfterValidator(_tcp_address)] | None = Field(
        None, description="HOST:PORT or [IPv6]:PORT"
    )
    metrics_allow_remote: bool = Field(False, description="1 or 0")
    log_format: Literal["console", "json"] = Field("console", description=f"one of {', '.join(FORMATS)}")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description=f"one of {', '.join(LEVELS)}")

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise StartError(_explain(error)) from None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.default_timeout_seconds > self.max_timeout_seconds:
            raise ValueError(
                f"LANG_DEFAULT_TIMEOUT_SECONDS is {self.default_timeout_seconds}, above LANG_MAX_TIMEOUT_SECONDS, "
                f"which is {self.max_timeout_seconds}"
            )
        if self.metrics_addr:
            learns = "how busy the server is and what is refused"
            check_shown("LANG", parse_address(self.metrics_addr), self.metrics_allow_remote, learns)
        check_together("LANG", self.tls_cert, self.tls_key, self.tls_client_ca)
        return self

    @staticmethod
    def unknown_variables() -> list[str]:
        """Variables of our prefix that mean nothing: a typo, or an orchestrator's for a service of that name."""
        known = {_PREFIX + name.upper() for name in Settings.model_fields} | _OTHERS
        return sorted(name for name in os.environ if name.startswith(_PREFIX) and name not in known)

    def packages(self, runtime: str) -> tuple[str, ...]:
        """What the operator adds to what tasks of `runtime` may import."""
        return self.python_modules if runtime == "python" else self.js_modules

    def jit(self, runtime: str) -> bool:
        """Whether the operator lets the engine of `runtime` compile."""
        return self.js_jit and runtime == "js"

    @property
    def ceilings(self) -> Ceilings:
        """The limits of every task."""
        return Ceilings(
            default_timeout_seconds=self.default_timeout_seconds,
            max_timeout_seconds=self.max_timeout_seconds,
            memory_mb=self.memory_mb,
            cpu_seconds=self.cpu_seconds,
            output_bytes=self.output_bytes,
            log_bytes=self.log_bytes,
            code_bytes=self.code_bytes,
            input_bytes=self.input_bytes,
        )


def _explain(error: ValidationError) -> str:
    """The first thing that is wrong, in the words of somebody who sets variables."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return str(first["ctx"]["error"])
    name = str(first["loc"][0])
    field = Settings.model_fields.get(name)
    if field is None:
        return f"there is no setting {name!r}"
    given = "is not usable" if name == "auth_token" else f"is {str(first['input'])[:200]!r}"
    return f"{_PREFIX}{name.upper()} {given}: expected {field.description}"
