"""The published schemas that lie beside, and what they say of a document."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
_FOLDER = Path(__file__).parent / "schemas"
_CYCLONEDX = ("spdx.schema.json", "jsf-0.82.schema.json")


def read(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text())


@cache
def compose() -> Validator:
    return Draft202012Validator(read("compose-spec.json"))


@cache
def cyclonedx() -> Validator:
    schema = read("bom-1.6.schema.json")
    base = schema["$id"].rpartition("/")[0]
    others = [(f"{base}/{name}", Resource(read(name), DRAFT7)) for name in _CYCLONEDX]
    return Draft7Validator(
        schema, registry=Registry().with_resources(others), format_checker=Draft7Validator.FORMAT_CHECKER
    )


@cache
def kubernetes(api_version: str, kind: str) -> Validator:
    """Of one kind. Raises KeyError for one that is not there."""
    if kind in ("ScaledObject", "TriggerAuthentication"):
        return Draft7Validator(read(f"keda-{kind.lower()}.json"))
    schema = read("kubernetes-1.34.0.json")
    group, _, version = api_version.rpartition("/")
    wanted = {"group": group, "version": version, "kind": kind}
    (name,) = [
        name
        for name, definition in schema["definitions"].items()
        if wanted in definition.get("x-kubernetes-group-version-kind", ())
    ]
    return Draft7Validator({**schema, "$ref": f"#/definitions/{name}"})


def complaints(validator: Validator, document: object) -> list[str]:
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in validator.iter_errors(document)
    ]
