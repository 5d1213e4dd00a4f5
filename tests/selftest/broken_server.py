"""`langserver ...` whose zygotes are broken ones: `broken_server.py ROOT BREAKAGE ARGUMENT...`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from langserver import cli
from langserver.zygote import launch

SCRIPT = Path(__file__).with_name("broken_zygote.py")

if __name__ == "__main__":
    launch._INTERPRETER = ("-I", "-X", "utf8", str(SCRIPT), sys.argv[1], sys.argv[2])
    sys.exit(cli.main(sys.argv[3:]))
