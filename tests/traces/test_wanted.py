"""OpenTelemetry's variables, as all three programs read them."""

from __future__ import annotations

import pytest

from operating.tracing.wanted import Wanted, wanted

ON = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
        {**ON, "OTEL_SDK_DISABLED": "TRUE"},
        {**ON, "OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_TRACES_SAMPLER": "no such", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_off(environ: dict[str, str]) -> None:
    assert wanted(environ) is None


def test_on() -> None:
    assert wanted(ON) == Wanted("http://collector:4318", queue=2048, batch=512, delay_seconds=5.0)
    numbers = {"OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_SCHEDULE_DELAY": "10"}
    for_traces = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://user:pass@[::1]/v1/traces?key=1"}
    assert wanted({**ON, **numbers, **for_traces}) == Wanted("https://::1", queue=100, batch=100, delay_seconds=0.01)
    narrower = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}
    assert wanted({**ON, **narrower, "OTEL_TRACES_EXPORTER": "otlp"}) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:99999"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://[user:s3cret"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
        ("OTEL_TRACES_EXPORTER", "console"),
        ("OTEL_TRACES_SAMPLER", "sometimes"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-1"),
        ("OTEL_BSP_SCHEDULE_DELAY", "\u0665"),
    ],
)
def test_what_is_wrong_is_said_with_the_variables_name(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} is ") as refused:
        wanted({**ON, name: value})
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("ratio", ["1.5", "-0.1", "nan", "half"])
def test_a_ratio_is_one(ratio: str) -> None:
    sampled = {**ON, "OTEL_TRACES_SAMPLER": "traceidratio"}
    with pytest.raises(ValueError, match=r"^OTEL_TRACES_SAMPLER_ARG is "):
        wanted({**sampled, "OTEL_TRACES_SAMPLER_ARG": ratio})
    assert wanted({**sampled, "OTEL_TRACES_SAMPLER_ARG": "0.25"}) is not None
    assert wanted({**ON, "OTEL_TRACES_SAMPLER_ARG": ratio}) is not None  # it is no ratio's
