"""A task by CPython and nothing else: code and input come on stdin as JSON, the output goes to stdout."""

import json
import sys

task = json.load(sys.stdin)
names = {"__name__": "task"}
exec(compile(task["code"], "task.py", "exec"), names)  # noqa: S102 -- our own program
print(json.dumps(names["main"](json.loads(task["input"])), separators=(",", ":")))  # type: ignore[operator]
