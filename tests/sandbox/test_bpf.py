from __future__ import annotations

import pytest

from langserver.sandbox.bpf import (
    JUMP_EQUAL,
    AssemblyError,
    Instruction,
    Is,
    Jump,
    Label,
    answer,
    assemble,
    check,
    decode,
    encode,
    load,
)
from tests.sandbox.interpreter import run

YES, NO = 1, 0


def passes(condition: Is, value: int) -> bool:
    program = encode(assemble([*check(condition, "no"), answer(YES), Label("no"), answer(NO)]))
    arguments = [0xDEADBEEFDEADBEEF] * 6
    arguments[condition.index] = value
    return run(program, 0, 0, tuple(arguments)) == YES


@pytest.mark.parametrize("index", range(6))
@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, True), (1, False), (0, False), (2**31 | 3, False), (2**32 | 3, False), (2**63 | 3, False), (-1, False)],
)
def test_a_condition_looks_at_all_64_bits(index: int, value: int, expected: bool) -> None:
    assert passes(Is(index, 3), value) is expected


def test_zero_is_zero() -> None:
    assert passes(Is(0, 0), 0)
    assert not passes(Is(0, 0), 2**32)


def test_code_and_bytes_are_the_same_program() -> None:
    program = (Instruction(0x20, 0, 0, 4), Instruction(0x15, 255, 1, 0xFFFFFFFF), Instruction(6, 0, 0, 0))
    assert decode(encode(program)) == program
    assert len(encode(program)) == 8 * len(program)


def test_a_jump_reaches_255_instructions_and_no_more() -> None:
    def over(count: int) -> list[object]:
        return [Jump(JUMP_EQUAL, 0, "end"), *[load(0)] * count, Label("end"), answer(0)]

    assert assemble(over(255))[0].if_true == 255
    with pytest.raises(AssemblyError, match="256"):
        assemble(over(256))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([Label("up"), Jump(JUMP_EQUAL, 0, "up"), answer(0)], "-1"),
        ([Jump(JUMP_EQUAL, 0, "nowhere"), answer(0)], "no label"),
        ([Label("a"), Label("a"), answer(0)], "twice"),
        ([load(0)] * 4096 + [answer(0)], "4097"),
    ],
)
def test_what_cannot_be_written_is_refused(items: list[object], message: str) -> None:
    with pytest.raises(AssemblyError, match=message):
        assemble(items)
