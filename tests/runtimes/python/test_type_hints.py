"""`typing.get_type_hints` resolves what text in annotations names, and evaluates nothing."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

PROGRAM = """
from __future__ import annotations
from dataclasses import dataclass
from typing import *
@dataclass
class Node:
    val: int
    nxt: Node | None
    kids: list[Node]
    d: dict[str, "Node"]
    l: Literal["a", 'Node']
    o: Optional[Node] = None
    c: ClassVar[int] = 3
    a: Annotated[int, 5] = 1
    n: Annotated[list[Node], "no name", 5] = ()
    q: Callable[[int], str] = str
class Sub(Node):
    extra: "Tuple[int, ...]"
def f(x: List["Node"], y: Union[str, "Node", None], z: Type["Node"], *a: int) -> None: ...
class Typed(TypedDict):
    k: Required[int]
hints = (get_type_hints(Node), get_type_hints(Sub)["extra"], get_type_hints(f),
    get_type_hints(f, localns={"Node": bytes})["z"], get_type_hints(Node, include_extras=True)["a"],
    get_type_hints(Node, include_extras=True)["n"],
    get_type_hints(Typed), get_type_hints(int))
result = [repr(each) for each in hints]
"""
# What CPython says of the same program, run as a script.
EXPECTED = [
    (
        "{'val': <class 'int'>, 'nxt': __main__.Node | None, 'kids': list[__main__.Node], "
        "'d': dict[str, __main__.Node], "
        "'l': typing.Literal['a', 'Node'], 'o': typing.Optional[__main__.Node], 'c': typing.ClassVar[int], "
        "'a': <class 'int'>, 'n': list[__main__.Node], 'q': typing.Callable[[int], str]}"
    ),
    "typing.Tuple[int, ...]",
    (
        "{'x': typing.List[__main__.Node], 'y': typing.Union[str, __main__.Node, NoneType], "
        "'z': typing.Type[__main__.Node], 'a': <class 'int'>, 'return': <class 'NoneType'>}"
    ),
    "typing.Type[bytes]",
    "typing.Annotated[int, 5]",
    "typing.Annotated[list[__main__.Node], 'no name', 5]",
    "{'k': <class 'int'>}",
    "{}",
]


def test_text_is_resolved(run):
    assert run(PROGRAM).value == EXPECTED


def test_a_name_that_there_is_not_is_a_name_error(run):
    failure = run("import typing\ndef f(a: 'Missing'): pass\ntyping.get_type_hints(f)").failure
    assert (failure.type, failure.message) == ("NameError", "name 'Missing' is not defined")


@pytest.mark.parametrize(
    "text",
    [
        "done.append(1)",
        "[done for _ in '1']",
        "lambda: 1",
        "done + done",
        "__builtins__",
        "__import__('os')",
        "(x := 1)",
    ],
)
def test_other_text_stays_text(run, text):
    source = f"import typing\ndone = []\ndef f(a: {text!r}): pass\nresult = [typing.get_type_hints(f)['a'], done]"
    assert run(source).value == [text, []]


@pytest.mark.parametrize(
    "text", ["f.__globals__", "f.__code__", "typing._eval_type", "typing.sys", "int.__subclasses__"]
)
def test_text_reaches_no_further_than_the_program(run, text):
    source = f"import typing\ndef f(a: {text!r}): pass\nresult = typing.get_type_hints(f)"
    assert run(source).kind is ErrorKind.POLICY_VIOLATION
