"""The way to the child: whatever a caller sends, the child reads what was sent, and in order."""

from __future__ import annotations

import os
from dataclasses import replace

from langserver.core.forms import Found
from langserver.errors import RequestError
from langserver.limits import Ceilings
from langserver.wire.channel import TaskPipe
from langserver.wire.frames import Kind
from langserver.wire.header import TaskHeader
from langserver.zygote.hand_over import input_parts, source_parts
from langserver.zygote.request import TaskRequest, make_job
from tests.fuzz.source import Source

ZONES = ("", "Europe/Berlin", "Asia/Kolkata", "../../etc/passwd", "UTC0\0")
CEILINGS = Ceilings(code_bytes=1000, input_bytes=1000)


def seeds() -> list[bytes]:
    return [bytes([zone, length]) + b'task.py\n\0"\\\xff' + b"x" * 50 for zone in range(5) for length in (0, 10, 40)]


def check(data: bytes) -> None:
    source = Source(data)
    zone = source.choice(ZONES)
    texts = [source.take(source.byte()).decode("utf-8", "surrogateescape") for _ in range(3)]
    seed = int.from_bytes(source.take(8), "big", signed=True)
    request = TaskRequest("python", *texts, timezone=zone, seed=seed)
    try:
        job = make_job(request, CEILINGS, "run")
    except RequestError as error:
        str(error).encode("utf-8", "backslashreplace")
        return
    read, write = os.pipe2(os.O_CLOEXEC)
    form = source.rest()
    for part in [*source_parts(job, Found(form)), *input_parts(job)]:
        os.write(write, part)
    os.close(write)
    pipe = TaskPipe(read)
    assert TaskHeader.decode(pipe.read(Kind.HEADER)) == replace(job.header, form="given" if form else "none")
    assert pipe.read(Kind.SOURCE).decode() == request.code
    if form:
        assert pipe.read(Kind.FORM) == form
    assert pipe.read(Kind.INPUT).decode() == request.input_json
    assert pipe.read(Kind.GO) == b""
    pipe.close()
    assert job.header.label.isprintable()
    assert job.header.label
