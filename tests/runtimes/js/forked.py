"""How a script of a test begins that forks children as a zygote does: `child(work)` is what `work()` gave in one."""

FORKED = """
import os
from langserver.js_runtime import JsRuntime
runtime = JsRuntime(policy=True)
runtime.preload()
def child(work):
    read, write = os.pipe()
    if not os.fork():
        with open(write, "wb") as pipe:
            pipe.write(work())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        return pipe.read()
def rehearsed():
    runtime.wake()
    return runtime.rehearse()
"""
