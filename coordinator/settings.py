"""The settings of the coordinator: environment variables, checked when they are read."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from coordinator import address
from coordinator.core.bounds import MOST_ATTEMPTS, MOST_LEASE_SECONDS
from coordinator.errors import StartError
from coordinator.store import opened

_PREFIX: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


def _address(text: str) -> str:
    address.parse_address(text)
    return text


def _database(url: SecretStr) -> SecretStr:
    opened.opener(url.get_secret_value())
    return url


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise ValueError
    return text


def _whole(variable: str, low: int, high: int, default: int) -> Any:
    """A whole number; the description is what an error says was expected."""
    meant = f"a whole number from {low} to {high}"
    return Field(default, ge=low, le=high, description=meant, validation_alias=variable)


class Settings(BaseSettings):
    """One attribute a variable. Raises StartError, which names the variable."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    listen_addr: Annotated[str, AfterValidator(_address)] = Field(
        "127.0.0.1:50051", description=address.MEANT, validation_alias="COORDINATOR_LISTEN_ADDR"
    )
    database_url: Annotated[SecretStr, AfterValidator(_database)] = Field(
        SecretStr("sqlite:///coordinator.db"),
        description=opened.SPELLINGS,
        validation_alias="COORDINATOR_DATABASE_URL",
    )
    allow_insecure: bool = Field(False, description="1 or 0", validation_alias="COORDINATOR_ALLOW_INSECURE")
    require_digest: bool = Field(False, description="1 or 0", validation_alias="COORDINATOR_REQUIRE_DIGEST")
    max_attempts: int = _whole("COORDINATOR_MAX_ATTEMPTS", 1, MOST_ATTEMPTS, 3)
    retry_seconds: int = _whole("COORDINATOR_RETRY_SECONDS", 0, 86_400, 1)
    sweep_seconds: int = _whole("COORDINATOR_SWEEP_SECONDS", 1, 3_600, 10)
    retention_seconds: int = _whole("COORDINATOR_RETENTION_SECONDS", 0, 10 * 365 * 86_400, 7 * 86_400)
    redis_addr: Annotated[str, AfterValidator(_address)] = Field(
        "127.0.0.1:6379", description=address.MEANT, validation_alias="REDIS_ADDR"
    )
    stream_prefix: Annotated[str, AfterValidator(_prefix)] = Field(
        "tasks", description="letters, digits and ._:-, at most 64", validation_alias="STREAM_PREFIX"
    )
    stream_shards: int = _whole("STREAM_SHARDS", 1, 1_024, 1)
    lease_ttl_seconds: int = _whole("LEASE_TTL_SECONDS", 1, MOST_LEASE_SECONDS, 90)
    max_deliveries: int = _whole("WORKER_MAX_DELIVERIES", 1, 1_000, 5)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise StartError(_explain(error)) from None

    @classmethod
    def variables(cls) -> dict[str, str]:
        """The variable of each field."""
        return {name: str(field.validation_alias) for name, field in cls.model_fields.items()}


def _explain(error: ValidationError) -> str:
    """The first thing that is wrong, in the words of somebody who sets variables. A URL may hold a password."""
    first = error.errors(include_url=False)[0]
    place = str(first["loc"][0])
    found = {**Settings.variables(), **{variable: variable for variable in Settings.variables().values()}}
    variable = found.get(place)
    if variable is None:
        return f"there is no setting {place!r}"
    field = next(field for field in Settings.model_fields.values() if field.validation_alias == variable)
    given = "is not usable" if variable == "COORDINATOR_DATABASE_URL" else f"is {str(first['input'])[:200]!r}"
    return f"{variable} {given}: expected {field.description}"
