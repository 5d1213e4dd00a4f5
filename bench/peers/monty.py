"""Tasks by Monty, a session each; the task comes on stdin as JSON, the nanoseconds go to stdout.

Arguments: how often.
"""

import json
import sys
import time

from pydantic_monty import Monty

_AROUND = """
import json
{code}
json.dumps(main(json.loads(text)))
"""
_LIMITS = {"max_feed_duration_secs": 30.0, "max_memory": 128 << 20}


task = json.load(sys.stdin)
samples = []
with Monty() as pool:
    for number in range(-5, int(sys.argv[1])):
        started = time.perf_counter_ns()
        with pool.checkout(limits=_LIMITS) as session:
            said = session.feed_run(_AROUND.format(code=task["code"]), inputs={"text": task["input"]})
        ended = time.perf_counter_ns()
        if json.loads(said) != json.loads(task["expected"]):
            sys.exit(f"a wrong output: {said}")
        if number >= 0:
            samples.append(ended - started)
print(samples)
