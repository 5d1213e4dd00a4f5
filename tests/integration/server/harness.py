"""A real server in a process of its own, and short words for calling it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import grpc
import psutil
from grpc_health.v1 import health_pb2, health_pb2_grpc

from langserver.pb import lang_pb2, lang_pb2_grpc

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
ENDLESS = "print('started')\nwhile True:\n    pass\n"
PATIENCE = 30  # seconds; only a server that hangs needs them


class Server:
    """One `langserver serve`; `wrapper` is a command that becomes it. What it says goes to `stderr`, or to `wait`."""

    def __init__(self, settings, wrapper=(), stderr=subprocess.PIPE):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("LANG_")}
        self.process = subprocess.Popen(
            [*wrapper, sys.executable, "-m", "langserver", "serve"],
            env=inherited | {"LANG_LISTEN_ADDR": "127.0.0.1:0", "LANG_RUNTIMES": "python"} | settings,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        self.address = ""

    def wait_until_ready(self):
        """Reads its one line; the address stays empty when it ends instead."""
        line = self.process.stdout.readline()
        if line:
            head, self.address = line.rstrip("\n").split(" on ")
            assert head == "langserver listening"

    def processes(self):
        return psutil.Process(self.process.pid).children(recursive=True)

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self):
        """Exit status, standard output after the first line, standard error."""
        output, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output, errors

    def connect(self, credentials=None, **options):
        channel = (
            grpc.secure_channel(self.address, credentials, **options)
            if credentials
            else grpc.insecure_channel(self.address, **options)
        )
        return Client(channel)


class Client:
    """A caller."""

    def __init__(self, channel):
        self.channel = channel
        self.stub = lang_pb2_grpc.LanguageServerStub(channel)
        self.health_stub = health_pb2_grpc.HealthStub(channel)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()

    def execute(self, code, timeout=PATIENCE, metadata=None, **fields):
        return self.stub.Execute(request(code, **fields), timeout=timeout, metadata=metadata)

    def stream(self, code, timeout=PATIENCE, **fields):
        return self.stub.ExecuteStream(request(code, **fields), timeout=timeout)

    def validate(self, code, runtime="python"):
        return self.stub.Validate(
            lang_pb2.ValidateRequest(runtime=runtime, inline_code=lang_pb2.InlineCode(code=code)), timeout=PATIENCE
        )

    def capabilities(self, metadata=None):
        return self.stub.GetCapabilities(lang_pb2.GetCapabilitiesRequest(), timeout=PATIENCE, metadata=metadata)

    def health(self, service=""):
        return self.health_stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE).status

    def start_endless(self, **fields):
        """A task that runs for ever, once it has begun to."""
        call = self.stream(ENDLESS, **fields)
        assert next(call).log.text == "started"
        return call

    def queue(self, code):
        """A call that waits for a slot behind an endless task, in a queue of one place that it fills."""
        call = self.stub.Execute.future(request(code), timeout=PATIENCE)
        while not call.done():
            probe = self.stub.Execute.future(request("return 1"), timeout=0.2)
            if probe.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                break
        return call


def request(code, runtime="python", filename="", **fields):
    payload = lang_pb2.InlineCode(code=code, filename=filename)
    return lang_pb2.ExecuteRequest(runtime=runtime, inline_code=payload, **fields)


@contextmanager
def starting_server(wrapper=(), stderr=subprocess.PIPE, **settings):
    """A server on its way; killed at the end if it still runs."""
    server = Server(settings, wrapper, stderr)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


@contextmanager
def running_server(wrapper=(), stderr=subprocess.PIPE, **settings):
    """A server that must start; killed at the end if it still runs."""
    with starting_server(wrapper, stderr, **settings) as server:
        server.wait_until_ready()
        assert server.address, server.wait()
        yield server


def refusal_to_start(**settings):
    """What a server says that must not start. Its exit status is 3, or 2 for settings, and there is no traceback."""
    with starting_server(**settings) as server:
        server.wait_until_ready()
        assert not server.address
        status, _, errors = server.wait()
    assert status in (2, 3), errors
    assert "Traceback" not in errors
    return errors


def wait_for(condition):
    """Returns as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def status_of(call):
    """(code, details) of a call that must fail."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code(), error.details()
    raise AssertionError("the call succeeded")
