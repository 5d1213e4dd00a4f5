"""`langserver serve` whose Python children are the attacker's: `server.py ROOT LAYER,...`, where those layers are off.

They are off for Python only, JavaScript tasks run as ever, and so do the server and everything between.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from langserver import cli
from langserver.sandbox.layers import parse_layers
from langserver.server import app
from langserver.zygote import launch

SCRIPT = Path(__file__).with_name("zygote.py")

if __name__ == "__main__":
    off, plan = parse_layers(sys.argv[2]), app._plan

    def plan_without(settings, runtime, layers):
        whole = plan(settings, runtime, layers)
        if runtime != "python":
            return whole
        return replace(whole, zygote=replace(whole.zygote, layers=whole.zygote.layers - off))

    app._plan = plan_without
    launch._INTERPRETER = ("-I", "-X", "utf8", str(SCRIPT), sys.argv[1])
    sys.exit(cli.main(["serve", "--listen", "127.0.0.1:0"]))
