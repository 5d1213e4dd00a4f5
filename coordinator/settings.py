"""The settings of the coordinator: environment variables, checked when they are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from coordinator.core.bounds import MOST_ATTEMPTS, MOST_LEASE_SECONDS
from coordinator.errors import StartError
from coordinator.store import opened
from operating.access.address import MEANT, parse_tcp_address
from operating.access.exposure import check_shown
from operating.access.files import readable
from operating.access.keys import KeyFiles
from operating.access.tls import check_together
from operating.access.tokens import TOKEN_BYTES, is_token
from operating.redis.address import split_redis_addr
from operating.redis.link import LinkSettings
from operating.telemetry.lines import FORMATS, LEVELS

_SECRET: Final = ("COORDINATOR_DATABASE_URL", "COORDINATOR_AUTH_TOKEN", "REDIS_PASSWORD")
_PREFIX: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def _address(text: str) -> str:
    parse_tcp_address(text)
    return text


def _redis_addr(text: str) -> str:
    split_redis_addr(text)
    return text


def _database(url: SecretStr) -> SecretStr:
    opened.opener(url.get_secret_value())
    return url


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise ValueError
    return text


def _token(value: SecretStr) -> SecretStr:
    if not is_token(value.get_secret_value().encode()):
        raise ValueError
    return value


def _file(variable: str) -> Any:
    return Field(None, description="a file this process can read", validation_alias=variable)


def _whole(variable: str, low: int, high: int, default: int) -> Any:
    """A whole number; the description is what an error says was expected."""
    meant = f"a whole number from {low} to {high}"
    return Field(default, ge=low, le=high, description=meant, validation_alias=variable)


_File = Annotated[Path | None, AfterValidator(readable)]


class Settings(BaseSettings):
    """One attribute a variable. Raises StartError, which names the variable."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    listen_addr: Annotated[str, AfterValidator(_address)] = Field(
        "127.0.0.1:50051", description=MEANT, validation_alias="COORDINATOR_LISTEN_ADDR"
    )
    database_url: Annotated[SecretStr, AfterValidator(_database)] = Field(
        SecretStr("sqlite:///coordinator.db"),
        description=opened.SPELLINGS,
        validation_alias="COORDINATOR_DATABASE_URL",
    )
    allow_insecure: bool = Field(False, description="1 or 0", validation_alias="COORDINATOR_ALLOW_INSECURE")
    tls_cert: _File = _file("COORDINATOR_TLS_CERT")
    tls_key: _File = _file("COORDINATOR_TLS_KEY")
    tls_client_ca: _File = _file("COORDINATOR_TLS_CLIENT_CA")
    auth_token: Annotated[SecretStr, AfterValidator(_token)] | None = Field(
        None,
        description=f"at least {TOKEN_BYTES} printable ASCII characters without spaces",
        validation_alias="COORDINATOR_AUTH_TOKEN",
    )
    auth_tokens_file: _File = _file("COORDINATOR_AUTH_TOKENS_FILE")
    require_digest: bool = Field(False, description="1 or 0", validation_alias="COORDINATOR_REQUIRE_DIGEST")
    max_attempts: int = _whole("COORDINATOR_MAX_ATTEMPTS", 1, MOST_ATTEMPTS, 3)
    retry_seconds: int = _whole("COORDINATOR_RETRY_SECONDS", 0, 86_400, 1)
    sweep_seconds: int = _whole("COORDINATOR_SWEEP_SECONDS", 1, 3_600, 10)
    retention_seconds: int = _whole("COORDINATOR_RETENTION_SECONDS", 0, 10 * 365 * 86_400, 7 * 86_400)
    redis_addr: Annotated[str, AfterValidator(_redis_addr)] = Field(
        "127.0.0.1:6379", description=MEANT, validation_alias="REDIS_ADDR"
    )
    redis_user: str | None = Field(None, description="the name of an ACL user", validation_alias="REDIS_USER")
    redis_password: SecretStr | None = Field(None, description="a password", validation_alias="REDIS_PASSWORD")
    redis_password_file: _File = _file("REDIS_PASSWORD_FILE")
    redis_tls_ca: _File = _file("REDIS_TLS_CA")
    redis_client_cert: _File = _file("REDIS_CLIENT_CERT")
    redis_client_key: _File = _file("REDIS_CLIENT_KEY")
    redis_allow_insecure: bool = Field(False, description="1 or 0", validation_alias="REDIS_ALLOW_INSECURE")
    stream_prefix: Annotated[str, AfterValidator(_prefix)] = Field(
        "tasks", description="letters, digits and ._:-, at most 64", validation_alias="STREAM_PREFIX"
    )
    stream_shards: int = _whole("STREAM_SHARDS", 1, 1_024, 1)
    lease_ttl_seconds: int = _whole("LEASE_TTL_SECONDS", 1, MOST_LEASE_SECONDS, 90)
    max_deliveries: int = _whole("WORKER_MAX_DELIVERIES", 1, 1_000, 5)
    metrics_addr: Annotated[str, AfterValidator(_address)] | None = Field(
        None, description=MEANT, validation_alias="COORDINATOR_METRICS_ADDR"
    )
    metrics_allow_remote: bool = Field(False, description="1 or 0", validation_alias="COORDINATOR_METRICS_ALLOW_REMOTE")
    log_format: Literal["console", "json"] = Field(
        "console", description=f"one of {', '.join(FORMATS)}", validation_alias="COORDINATOR_LOG_FORMAT"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description=f"one of {', '.join(LEVELS)}", validation_alias="COORDINATOR_LOG_LEVEL"
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise StartError(_explain(error)) from None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.metrics_addr:
            at = parse_tcp_address(self.metrics_addr)
            check_shown("COORDINATOR", at, self.metrics_allow_remote, "how many tasks there are")
        check_together("COORDINATOR", self.tls_cert, self.tls_key, self.tls_client_ca)
        return self

    @property
    def key_files(self) -> KeyFiles:
        """Where tokens and certificates are."""
        token = self.auth_token
        return KeyFiles(
            "COORDINATOR",
            cert=self.tls_cert,
            key=self.tls_key,
            client_ca=self.tls_client_ca,
            token=None if token is None else token.get_secret_value().encode(),
            tokens_file=self.auth_tokens_file,
        )

    @property
    def redis_link(self) -> LinkSettings:
        """Where Redis is, and who the coordinator is to it."""
        host, port = split_redis_addr(self.redis_addr)
        password = self.redis_password
        return LinkSettings(
            host=host,
            port=port,
            user=self.redis_user,
            password=None if password is None else password.get_secret_value().encode("utf-8", "surrogateescape"),
            password_file=self.redis_password_file,
            ca=self.redis_tls_ca,
            cert=self.redis_client_cert,
            key=self.redis_client_key,
            allow_insecure=self.redis_allow_insecure,
        )

    @classmethod
    def variables(cls) -> dict[str, str]:
        """The variable of each field."""
        return {name: str(field.validation_alias) for name, field in cls.model_fields.items()}


def _explain(error: ValidationError) -> str:
    """The first thing that is wrong, in the words of somebody who sets variables. A URL may hold a password."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return str(first["ctx"]["error"])
    place = str(first["loc"][0])
    found = {**Settings.variables(), **{variable: variable for variable in Settings.variables().values()}}
    variable = found.get(place)
    if variable is None:
        return f"there is no setting {place!r}"
    field = next(field for field in Settings.model_fields.values() if field.validation_alias == variable)
    if variable == "REDIS_ADDR":  # what was given may hold a password
        return str(first["ctx"]["error"])
    given = "is not usable" if variable in _SECRET else f"is {str(first['input'])[:200]!r}"
    return f"{variable} {given}: expected {field.description}"
