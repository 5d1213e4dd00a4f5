"""Coverage-guided fuzzing of one target: `python -m tests.fuzz.run TARGET SECONDS FOLDER`. Wants atheris.

FOLDER keeps the inputs that reached something new. An input that breaks an invariant is written to
tests/fuzz/found/TARGET/, where `make test` tries it for ever after, and the exit status is not 0.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import tempfile
from pathlib import Path

import atheris

HERE = Path(__file__).parent
LONGEST_INPUT = 4096


def main(name: str, seconds: str, folder: str) -> None:
    # The oracle too: it leads to inputs that native code, which shows no coverage, tells apart.
    with atheris.instrument_imports(include=["langserver", "worker_bridge", "h11", "tests.fuzz.oracle"]):
        target = importlib.import_module(f"tests.fuzz.targets.{name}")
    kept = Path(folder) / name
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as seeds:
        for seed in [*target.seeds(), *(path.read_bytes() for path in HERE.glob(f"found/{name}/*"))]:
            (Path(seeds) / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
        found = HERE / "found" / name
        found.mkdir(parents=True, exist_ok=True)
        bounds = [f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}", "-timeout=30"]
        output = [f"-artifact_prefix={found}/", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *bounds, *output, str(kept), seeds], target.check)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
