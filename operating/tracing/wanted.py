"""What the operator wants to become of spans, in OpenTelemetry's own variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"
_BY_RATIO: Final = ("traceidratio", "parentbased_traceidratio")
_SAMPLERS: Final = ("always_on", "always_off", "parentbased_always_on", "parentbased_always_off", *_BY_RATIO)
_MOST_SPANS: Final = 100_000
_MOST_MILLISECONDS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """`collector` is shown to operators and holds no secret. Counts are of spans."""

    collector: str
    queue: int
    batch: int
    delay_seconds: float


def wanted(environ: Mapping[str, str]) -> Wanted | None:
    """None: no spans are made. Raises ValueError, which names the variable."""
    variable = next((name for name in _ENDPOINTS if environ.get(name)), None)
    exporter = environ.get("OTEL_TRACES_EXPORTER", "")
    if variable is None or exporter == "none" or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    if exporter not in ("", "otlp"):
        raise ValueError(f"OTEL_TRACES_EXPORTER is {exporter[:40]!r}: expected otlp or none")
    _check_protocol(environ)
    _check_sampler(environ)
    queue = _whole(environ, "OTEL_BSP_MAX_QUEUE_SIZE", 2048, _MOST_SPANS)
    return Wanted(
        collector=_shown(variable, environ[variable]),
        queue=queue,
        batch=min(_whole(environ, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512, _MOST_SPANS), queue),
        delay_seconds=_whole(environ, "OTEL_BSP_SCHEDULE_DELAY", 5000, _MOST_MILLISECONDS) / 1000,
    )


def _shown(variable: str, url: str) -> str:
    """Scheme, host and port alone: the rest of a URL may hold a password."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname:
            port = "" if parts.port is None else f":{parts.port}"
            return f"{parts.scheme}://{parts.hostname}{port}"
    except ValueError:
        pass
    raise ValueError(f"{variable} is not usable: expected a URL as in http://collector:4318")


def _check_protocol(environ: Mapping[str, str]) -> None:
    for name in _PROTOCOLS:
        if environ.get(name):
            if environ[name] != _PROTOCOL:
                raise ValueError(f"{name} is {environ[name][:40]!r}: spans are sent by {_PROTOCOL} only")
            return


def _check_sampler(environ: Mapping[str, str]) -> None:
    sampler, ratio = environ.get("OTEL_TRACES_SAMPLER", ""), environ.get("OTEL_TRACES_SAMPLER_ARG", "")
    if sampler and sampler not in _SAMPLERS:
        raise ValueError(f"OTEL_TRACES_SAMPLER is {sampler[:40]!r}: expected one of {', '.join(_SAMPLERS)}")
    if sampler in _BY_RATIO and ratio:
        try:
            fits = 0 <= float(ratio) <= 1
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"OTEL_TRACES_SAMPLER_ARG is {ratio[:40]!r}: expected a number from 0 to 1")


def _whole(environ: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = environ.get(name) or str(default)
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= most):
        raise ValueError(f"{name} is {text[:40]!r}: expected a whole number from 1 to {most}")
    return int(text)
