"""A small assembler for the classic BPF of seccomp filters: labels, jump limits, 64-bit argument compares.

The program reads `struct seccomp_data` (seccomp(2)): nr at 0, arch at 4, six 64-bit arguments from 16 on.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

# linux/bpf_common.h: class, size or operation, and source joined into one code.
LOAD_WORD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS: A = the word at offset k
JUMP_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K: A == k
JUMP_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K: A >= k, unsigned
RETURN: Final = 0x06  # BPF_RET | BPF_K

OFFSET_NUMBER: Final = 0
OFFSET_ARCH: Final = 4
_OFFSET_ARGUMENTS: Final = 16

MAX_INSTRUCTIONS: Final = 4096  # BPF_MAXINSNS
_MAX_JUMP: Final = 255  # jt and jf are one byte

_INSTRUCTION: Final = struct.Struct("=HBBI")  # struct sock_filter


class AssemblyError(ValueError):
    """The program cannot be written as classic BPF."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One `struct sock_filter`."""

    code: int
    if_true: int
    if_false: int
    k: int


@dataclass(frozen=True, slots=True)
class Label:
    """A place to jump to; takes no instruction."""

    name: str


@dataclass(frozen=True, slots=True)
class Jump:
    """A conditional jump to labels further down; None goes on with the next instruction."""

    code: int
    k: int
    if_true: str | None = None
    if_false: str | None = None


Item = Instruction | Label | Jump


def load(offset: int) -> Instruction:
    """A = the 32-bit word at `offset` of the call's data."""
    return Instruction(LOAD_WORD, 0, 0, offset)


def answer(value: int) -> Instruction:
    """Ends the program with a seccomp action."""
    return Instruction(RETURN, 0, 0, value)


@dataclass(frozen=True, slots=True)
class Is:
    """The 64-bit argument `index` (from 0) is `value`, which is below 2**32."""

    index: int
    value: int


def check(condition: Is, failed: str) -> list[Item]:
    """Instructions that jump to `failed` unless the condition holds.

    BPF has 32-bit words only: the argument's high word (the second one, little endian) has to be 0.
    """
    low = _OFFSET_ARGUMENTS + 8 * condition.index
    return [
        load(low + 4),
        Jump(JUMP_EQUAL, 0, None, failed),
        load(low),
        Jump(JUMP_EQUAL, condition.value, None, failed),
    ]


def assemble(items: Iterable[Item]) -> tuple[Instruction, ...]:
    """Turns labels into distances. Raises AssemblyError for a missing, double or backward label, or too far a jump."""
    places: dict[str, int] = {}
    body: list[Instruction | Jump] = []
    for item in items:
        if isinstance(item, Label):
            if item.name in places:
                raise AssemblyError(f"label {item.name} is there twice")
            places[item.name] = len(body)
        else:
            body.append(item)
    if len(body) > MAX_INSTRUCTIONS:
        raise AssemblyError(f"{len(body)} instructions; the kernel takes {MAX_INSTRUCTIONS}")

    def distance(here: int, label: str | None) -> int:
        if label is None:
            return 0
        if label not in places:
            raise AssemblyError(f"no label {label}")
        far = places[label] - here - 1
        if not 0 <= far <= _MAX_JUMP:
            raise AssemblyError(f"jump to {label} over {far} instructions; 0 to {_MAX_JUMP} can be written")
        return far

    return tuple(
        Instruction(item.code, distance(here, item.if_true), distance(here, item.if_false), item.k)
        if isinstance(item, Jump)
        else item
        for here, item in enumerate(body)
    )


def encode(program: Sequence[Instruction]) -> bytes:
    """The array of `struct sock_filter` that the kernel reads."""
    return b"".join(_INSTRUCTION.pack(step.code, step.if_true, step.if_false, step.k) for step in program)


def decode(data: bytes) -> tuple[Instruction, ...]:
    """The program that `encode` wrote."""
    return tuple(Instruction(*fields) for fields in _INSTRUCTION.iter_unpack(data))
