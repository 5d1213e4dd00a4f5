"""`python -m langserver` is the command `langserver`."""

from __future__ import annotations

import sys

from langserver.cli import main

sys.exit(main())
