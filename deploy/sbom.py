"""Writes what the image gets besides its base, as CycloneDX 1.6: `python deploy/sbom.py FILE`.

From requirements.lock, from the manifest of the JavaScript bundles with the lock that they were built from, and for the
licences from what is installed here. The same tree gives the same bytes. What a wheel holds inside, such as V8 in
mini-racer's, is the wheel's.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import uuid
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
MANIFEST = ROOT / "langserver/js_runtime/vendor/manifest.json"
JAVASCRIPT_LOCK = ROOT / "js/package-lock.json"
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
# What the metadata of a wheel do not say as an SPDX expression, and of what other versions of Python install.
LICENCES = {
    "async-timeout": "Apache-2.0",
    "certifi": "MPL-2.0",
    "charset-normalizer": "MIT",
    "h11": "MIT",
    "protobuf": "BSD-3-Clause",
    "python-dotenv": "BSD-3-Clause",
    "requests": "Apache-2.0",
    "tzdata": "Apache-2.0",
}


def main(target: Path) -> int:
    """Returns the exit status."""
    document = bom(ROOT / "langserver/__init__.py")
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    return 0


def bom(initial: Path) -> dict[str, Any]:
    """The document. Raises ValueError for a package whose licence is unknown."""
    (version,) = VERSION.findall(initial.read_text())
    root = {
        "type": "application",
        "bom-ref": f"pkg:pypi/langserver@{version}",
        "purl": f"pkg:pypi/langserver@{version}",
        "name": "langserver",
        "version": version,
        "licenses": [{"expression": "Apache-2.0"}],
    }
    entries = [entry for entry in re.split(r"\n(?=\S)", LOCK.read_text().strip()) if entry]
    python = {name(entry): of_wheel(entry) for entry in entries}
    javascript = of_bundles()
    needed: dict[str, set[str]] = {reference(part): set() for part in (root, *python.values(), *javascript)}
    needed[reference(root)] |= {reference(part) for part in javascript}
    for entry in entries:
        for user in wanted_by(entry):
            needed[reference(python.get(user, root))].add(reference(python[name(entry)]))
    components = [*python.values(), *javascript]
    content = json.dumps([root, components])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": root},
        "components": components,
        "dependencies": [{"ref": one, "dependsOn": sorted(others)} for one, others in sorted(needed.items())],
    }


def name(entry: str) -> str:
    """Of an entry of the lock."""
    return entry.partition("==")[0]


def wanted_by(entry: str) -> list[str]:
    """The distributions that an entry's comments name; this project's own is among them by its pyproject.toml."""
    return re.findall(r"^    #(?:  | via) ([^\s-]\S*)", entry, re.MULTILINE)


def of_wheel(entry: str) -> dict[str, Any]:
    """A distribution, with the hashes of all its wheels: which one is installed depends on the machine.

    One that only some versions of Python need is `optional`, which in CycloneDX 1.6 is what may not be installed: the
    base decides.
    """
    distribution, version = re.match(r"(\S+)==(\S+)", entry).groups()  # type: ignore[union-attr]
    hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)
    condition = entry.partition(" \\\n")[0].partition(" ; ")[2]
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{distribution}@{version}",
        "purl": f"pkg:pypi/{distribution}@{version}",
        "name": distribution,
        "version": version,
        "scope": "optional" if "python_" in condition else "required",
        "licenses": [{"expression": licence(distribution)}],
        "hashes": [{"alg": "SHA-256", "content": one} for one in hashes],
    }


def licence(distribution: str) -> str:
    """An SPDX expression. Raises ValueError."""
    try:
        said = metadata(distribution)["License-Expression"]
    except PackageNotFoundError:
        said = None
    found = said or LICENCES.get(distribution)
    if not found:
        raise ValueError(f"{distribution} does not say its licence: look it up, and add it to LICENCES")
    return found


def of_bundles() -> list[dict[str, Any]]:
    """The packages of npm in the bundles, with the hashes of what they were built from."""
    packages = json.loads(MANIFEST.read_text())["packages"]
    locked = json.loads(JAVASCRIPT_LOCK.read_text())["packages"]
    found = []
    for package, about in packages.items():
        algorithm, _, encoded = locked[f"node_modules/{package}"]["integrity"].partition("-")
        purl = f"pkg:npm/{package.replace('@', '%40')}@{about['version']}"
        found.append(
            {
                "type": "library",
                "bom-ref": purl,
                "purl": purl,
                "name": package,
                "version": about["version"],
                "licenses": [{"expression": about["license"]}],
                "hashes": [{"alg": f"SHA-{algorithm.removeprefix('sha')}", "content": base64.b64decode(encoded).hex()}],
            }
        )
    return found


def reference(component: dict[str, Any]) -> str:
    """How other parts of the document name it."""
    return str(component["bom-ref"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
