"""Runs a seccomp filter the way the kernel does: pure, for both architectures on any machine."""

from __future__ import annotations

import struct

from langserver.sandbox import bpf


def run(program: bytes, arch: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """The action that the filter answers for one call."""
    padded = [argument & 0xFFFFFFFFFFFFFFFF for argument in (*arguments, *([0] * (6 - len(arguments))))]
    data = struct.pack("<II7Q", number & 0xFFFFFFFF, arch, 0x7FFF00000000, *padded)
    steps = bpf.decode(program)
    accumulator = 0
    place = 0
    while True:
        step = steps[place]
        place += 1
        match step.code:
            case bpf.LOAD_WORD:
                assert step.k % 4 == 0, "the kernel takes aligned words only"
                accumulator = struct.unpack_from("<I", data, step.k)[0]
            case bpf.JUMP_EQUAL:
                place += step.if_true if accumulator == step.k else step.if_false
            case bpf.JUMP_AT_LEAST:
                place += step.if_true if accumulator >= step.k else step.if_false
            case bpf.RETURN:
                return step.k
            case _:
                raise AssertionError(f"unknown instruction {step}")
