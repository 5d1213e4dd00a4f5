"""Forks children that exit at once and reaps them; prints the nanoseconds of each round as one JSON array.

Arguments: the rounds; `byte` for children that send one byte first, which is waited for; the milliseconds to pause
before each round.
"""

import os
import sys
import time

with_byte = sys.argv[2:3] == ["byte"]
pause_seconds = int("".join(sys.argv[3:4]) or 0) / 1000
read_end, write_end = os.pipe()
samples = []
for _ in range(int(sys.argv[1])):
    if pause_seconds:
        time.sleep(pause_seconds)
    started = time.perf_counter_ns()
    pid = os.fork()
    if pid == 0:
        if with_byte:
            os.write(write_end, b".")
        os._exit(0)
    if with_byte:
        os.read(read_end, 1)
    os.waitpid(pid, 0)
    samples.append(time.perf_counter_ns() - started)
print(samples)
