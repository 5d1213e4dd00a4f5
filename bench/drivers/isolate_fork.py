"""Forks children that make a V8 isolate, evaluate `40 + 2`, send one byte and exit, and reaps them; prints the
nanoseconds of each round as one JSON array.

V8 is initialised before the first fork, with the flags of our engine: no jail, no prelude, no code of this project.
Arguments: the rounds.
"""

import ctypes
import gc
import importlib.util
import json
import os
import sys
import time
from _thread import allocate_lock

found = importlib.util.find_spec("py_mini_racer")
if found is None or not found.submodule_search_locations:
    sys.exit("mini-racer is not installed")
folder = found.submodule_search_locations[0]
library = ctypes.CDLL(os.path.join(folder, "libmini_racer.so"))
callback_type = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p)
library.mr_init_v8.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
library.mr_init_context.restype, library.mr_init_context.argtypes = ctypes.c_uint64, [callback_type]
library.mr_alloc_string_val.restype = ctypes.c_void_p
library.mr_alloc_string_val.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint8]
library.mr_eval.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64]
library.mr_init_v8(b"--single-threaded --jitless", os.fsencode(os.path.join(folder, "icudtl.dat")))

answered = allocate_lock()
answered.acquire()
callback = callback_type(lambda _number, _value: answered.release())
read_end, write_end = os.pipe()
gc.collect()
gc.freeze()
samples = []
for _ in range(int(sys.argv[1])):
    started = time.perf_counter_ns()
    pid = os.fork()
    if pid == 0:
        context = library.mr_init_context(callback)
        library.mr_eval(context, library.mr_alloc_string_val(context, b"40 + 2", 6, 5), 0)
        answered.acquire()
        os.write(write_end, b".")
        os._exit(0)
    os.read(read_end, 1)
    os.waitpid(pid, 0)
    samples.append(time.perf_counter_ns() - started)
print(json.dumps(samples))
