"""A zygote on a kernel whose landlock is older than it is: `older_landlock.py ABI RUNTIME CONTROL_FD LAYERS`."""

import sys

from langserver.sandbox import landlock
from langserver.zygote.main import main

landlock._NEWEST_ABI = int(sys.argv[1])  # type: ignore[misc] -- final, but for this
main(sys.argv[2:])
