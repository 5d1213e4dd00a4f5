"""The settings of the worker bridge: environment variables, checked when they are read."""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import socket
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from operating.access.address import MEANT, parse_address, parse_tcp_address
from operating.access.caller import CallerFiles
from operating.access.exposure import check_shown
from operating.access.files import readable
from operating.redis.address import split_redis_addr
from operating.redis.link import LinkSettings
from operating.telemetry.lines import FORMATS, LEVELS
from worker_bridge.core.queues import ASIDE, canonical, stream_name
from worker_bridge.core.timings import TimingError, Timings
from worker_bridge.errors import StartError

_PREFIX = "WORKER_"
_NAME = re.compile(r"[A-Za-z0-9._-]+(:[A-Za-z0-9._-]+)*")
_PLACE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_WORKER_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_LONGEST_SECONDS = 86_400


def _tcp_address(text: str) -> str:
    parse_tcp_address(text)
    return text


def _redis_addr(text: str) -> str:
    split_redis_addr(text)
    return text


def _grpc_address(text: str) -> str:
    parse_address(text)
    return text


def _worker_addrs(value: object) -> object:
    """`RUNTIME:ADDRESS`, several of them; a runtime may come again."""
    if not isinstance(value, str):
        return value
    by_runtime: dict[str, tuple[str, ...]] = {}
    for item in filter(None, (part.strip() for part in value.split(","))):
        runtime, _, address = item.partition(":")
        if not _NAME.fullmatch(runtime):
            raise ValueError
        name = canonical(runtime)
        by_runtime[name] = tuple(dict.fromkeys((*by_runtime.get(name, ()), _grpc_address(address))))
    return by_runtime


def _executors(value: object) -> object:
    """`NODE_TYPE=MODULE:CLASS`."""
    if not isinstance(value, str):
        return value
    found: dict[str, str] = {}
    for text in _listed(value):
        node_type, _, place = text.partition("=")
        if not _NAME.fullmatch(node_type) or not _PLACE.fullmatch(place) or canonical(node_type) in found:
            raise ValueError
        found[canonical(node_type)] = place
    return found


def _networks(value: object) -> object:
    """`ADDRESS/BITS`, or one address."""
    return tuple(ipaddress.ip_network(text) for text in _listed(value)) if isinstance(value, str) else value


def _names(value: object) -> object:
    return tuple(_listed(value)) if isinstance(value, str) else value


def _listed(text: str) -> list[str]:
    return [part for part in (item.strip() for item in text.split(",")) if part]


def _queues(value: object) -> object:
    if not isinstance(value, str):
        return value
    names = _listed(value)
    if not all(_NAME.fullmatch(name) for name in names):
        raise ValueError
    return tuple(dict.fromkeys(canonical(name) for name in names))


def _worker_id(text: str) -> str:
    if not _WORKER_ID.fullmatch(text) or text == ASIDE:
        raise ValueError
    return text


def _prefix(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError
    return text


def _own_name() -> str:
    host = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:100] or "worker"
    return f"{host}-{secrets.token_hex(4)}"


def _whole(low: int, high: int, default: int) -> Any:
    """A whole number; the description is what an error says was expected."""
    return Field(default, ge=low, le=high, description=f"a whole number from {low} to {high}")


def _file() -> Any:
    return Field(None, description="a file this process can read")


def _bytes(token: SecretStr | None) -> bytes | None:
    return None if token is None else token.get_secret_value().encode("utf-8", "surrogateescape")


_File = Annotated[Path | None, AfterValidator(readable)]


class Settings(BaseSettings):
    """One attribute a variable: the name in capitals. Raises StartError, which names the variable."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", validate_default=False)

    coordinator_addr: Annotated[str, AfterValidator(_grpc_address)] = Field(
        "localhost:50051", description="HOST:PORT, [IPv6]:PORT or unix:PATH"
    )
    coordinator_tls_ca: _File = _file()
    coordinator_client_cert: _File = _file()
    coordinator_client_key: _File = _file()
    coordinator_token: SecretStr | None = None
    coordinator_token_file: _File = _file()
    redis_addr: Annotated[str, AfterValidator(_redis_addr)] = Field("127.0.0.1:6379", description=MEANT)
    redis_user: str | None = None
    redis_password: SecretStr | None = None
    redis_password_file: _File = _file()
    redis_tls_ca: _File = _file()
    redis_client_cert: _File = _file()
    redis_client_key: _File = _file()
    redis_allow_insecure: bool = Field(False, description="1 or 0")
    lang_worker_addrs: Annotated[dict[str, tuple[str, ...]], NoDecode, BeforeValidator(_worker_addrs)] = Field(
        default_factory=dict, description="RUNTIME:HOST:PORT, separated by commas"
    )
    lang_worker_tls_ca: _File = _file()
    lang_worker_client_cert: _File = _file()
    lang_worker_client_key: _File = _file()
    lang_worker_token: SecretStr | None = None
    lang_worker_token_file: _File = _file()
    worker_queues: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_queues)] = Field(
        (), description="names of queues, of letters, digits, . _ - and :, separated by commas"
    )
    worker_concurrency: int = _whole(1, 10_000, 10)
    lease_ttl_seconds: int = _whole(1, 3_600, 90)
    worker_id: Annotated[str, AfterValidator(_worker_id)] = Field(
        default_factory=_own_name, description=f"up to 128 of A-Z a-z 0-9 . _ : -, and not {ASIDE}"
    )
    worker_max_deliveries: int = _whole(1, 1_000_000, 5)
    task_timeout_seconds: int = _whole(1, _LONGEST_SECONDS, 90)
    worker_drain_seconds: int = _whole(0, _LONGEST_SECONDS, 30)
    worker_executors: Annotated[dict[str, str], NoDecode, BeforeValidator(_executors)] = Field(
        default_factory=dict, description="NODE_TYPE=MODULE:CLASS, separated by commas"
    )
    http_allow_networks: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_networks)] = Field(
        (), description="networks as in 10.1.0.0/16, separated by commas"
    )
    http_allow_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)] = Field(
        (), description="HOST or HOST:PORT, separated by commas"
    )
    stream_prefix: Annotated[str, AfterValidator(_prefix)] = Field("tasks", description="letters, digits, . _ - and :")
    stream_shards: int = _whole(1, 1_024, 1)
    worker_metrics_addr: Annotated[str, AfterValidator(_tcp_address)] | None = Field(
        None, description="HOST:PORT or [IPv6]:PORT"
    )
    worker_metrics_allow_remote: bool = Field(False, description="1 or 0")
    worker_log_format: Literal["console", "json"] = Field("console", description=f"one of {', '.join(FORMATS)}")
    worker_log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description=f"one of {', '.join(LEVELS)}"
    )

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise StartError(_explain(error)) from None

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.worker_metrics_addr:
            at, learns = parse_tcp_address(self.worker_metrics_addr), "which streams there are and how busy"
            check_shown("WORKER", at, self.worker_metrics_allow_remote, learns)
        try:
            _ = self.timings
        except TimingError as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def timings(self) -> Timings:
        """What follows from the settings that are seconds."""
        return Timings.of(self.lease_ttl_seconds, self.task_timeout_seconds, self.worker_drain_seconds)

    @property
    def coordinator_access(self) -> CallerFiles:
        """Who the bridge is to the coordinator."""
        return CallerFiles(
            "COORDINATOR",
            ca=self.coordinator_tls_ca,
            cert=self.coordinator_client_cert,
            key=self.coordinator_client_key,
            token=_bytes(self.coordinator_token),
            token_file=self.coordinator_token_file,
        )

    @property
    def language_access(self) -> CallerFiles:
        """Who the bridge is to language servers."""
        return CallerFiles(
            "LANG_WORKER",
            ca=self.lang_worker_tls_ca,
            cert=self.lang_worker_client_cert,
            key=self.lang_worker_client_key,
            token=_bytes(self.lang_worker_token),
            token_file=self.lang_worker_token_file,
        )

    @property
    def redis_link(self) -> LinkSettings:
        """Where Redis is, and who the bridge is to it."""
        host, port = split_redis_addr(self.redis_addr)
        return LinkSettings(
            host=host,
            port=port,
            user=self.redis_user,
            password=_bytes(self.redis_password),
            password_file=self.redis_password_file,
            ca=self.redis_tls_ca,
            cert=self.redis_client_cert,
            key=self.redis_client_key,
            allow_insecure=self.redis_allow_insecure,
        )

    @property
    def node_types(self) -> tuple[str, ...]:
        """What a bridge with these settings can execute."""
        return tuple(sorted({"http", *self.lang_worker_addrs, *self.worker_executors}))

    def streams(self, node_types: Iterable[str]) -> dict[str, str]:
        """What is read, with the queue of each stream; without WORKER_QUEUES one a node type."""
        queues = self.worker_queues or tuple(node_types)
        return {
            stream_name(self.stream_prefix, queue, shard): queue
            for queue in queues
            for shard in range(self.stream_shards)
        }

    @staticmethod
    def unknown_variables() -> list[str]:
        """Variables of our prefix that mean nothing: a typo, or an orchestrator's."""
        known = {name.upper() for name in Settings.model_fields}
        return sorted(name for name in os.environ if name.startswith(_PREFIX) and name not in known)


def _explain(error: ValidationError) -> str:
    """The first thing that is wrong, in the words of somebody who sets variables."""
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return str(first["ctx"]["error"])
    name = str(first["loc"][0])
    field = Settings.model_fields.get(name)
    if field is None:
        return f"there is no setting {name!r}"
    if name == "redis_addr":  # what was given may hold a password
        return str(first["ctx"]["error"])
    return f"{name.upper()} is {str(first['input'])[:200]!r}: expected {field.description}"
