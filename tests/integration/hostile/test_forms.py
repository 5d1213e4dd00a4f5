"""Native code forges compiled forms: what it sends after its input is never kept, what it sends before is its own.

The server is a real one, its Python tasks run without the language's layers. A form that is kept is seen by what it
makes of the next task of the same source: `forged`, or what the forger knew. A task called `early` runs while it should
be compiled, as a hole in the compiler would have it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from langserver.core.forms import LARGE_BYTES
from langserver.pb import lang_pb2, lang_pb2_grpc
from tests.integration.holds.conftest import GUARD_SECONDS, ServerProcess, until
from tests.integration.hostile.children import WORDS
from tests.integration.hostile.conftest import started
from tests.integration.server.test_access import Pki

NATIVE = "policy,audit"
NAIVE = Path(__file__).with_name("naive_server.py")
OWN = '"own"'
BROKEN = "CRASHED: the task's process broke the protocol"
FORMS = (
    WORDS
    + """
import marshal
from langserver.python_runtime import forms

def form(text):
    return marshal.dumps((compile(text, "<task>", "exec"), (), False, "__main__"))

def compiled(text="result = 'forged'"):
    return encode(Kind.COMPILED, form(text))
"""
)
PADDING = "\n# so long that its form is asked for at once" * (LARGE_BYTES // 40)
# Runs twice in a first child: instead of being compiled, and as the program.
FORGES = (
    FORMS
    + """
token = os.urandom(8).hex()
forms.form_of = lambda program: form(f"result = 'forged {token}'")
result = "own"
"""
    + PADDING
)
Answer = Callable[..., str]


def answer(stub: lang_pb2_grpc.LanguageServerStub, code: str, label: str = "early", **fields: object) -> str:
    """The output of a task, or its kind and message."""
    request = lang_pb2.ExecuteRequest(
        runtime="python",
        inline_code=lang_pb2.InlineCode(code=code, filename=label),
        timeout_seconds=20,
        **fields,  # type: ignore[arg-type]
    )
    response = stub.Execute(request, timeout=GUARD_SECONDS)
    if response.success:
        return response.output_json
    return f"{lang_pb2.ErrorKind.Name(response.error.kind).removeprefix('ERROR_KIND_')}: {response.error.message}"


@pytest.fixture(scope="module")
def server(make_hostile_server: Callable[..., ServerProcess]) -> ServerProcess:
    return make_hostile_server(NATIVE, LANG_RUNTIMES="python", LANG_ZYGOTE_MAX_TASKS="10000")


def salted(code: str, salt: object) -> str:
    return f"{code}\n# {salt}"


# Before it has its input


def test_a_child_lost_while_compiling_forges_for_its_own_source_alone(server: ServerProcess) -> None:
    code = salted(FORGES, "own")
    assert answer(server.stub, code) == OWN
    forged = answer(server.stub, code)
    assert forged.startswith('"forged '), "the same source of the same caller: it could have done the same again"
    assert answer(server.stub, code) == forged
    assert answer(server.stub, code, label="other.py") == OWN
    assert answer(server.stub, salted(code, "another")) == OWN
    assert answer(server.stub, code, metadata={"tenant": "other"}) == OWN
    assert answer(server.stub, code, metadata={"unknown": "other"}) == forged
    assert answer(server.stub, code, input_json="[1]", seed=3, timezone="Asia/Kolkata") == forged


def test_a_replaced_zygote_takes_its_forms_along(server: ServerProcess) -> None:
    code = salted(FORGES, "replaced")
    assert answer(server.stub, code) == OWN
    forged = answer(server.stub, code)
    assert forged.startswith('"forged ')
    before = started(server, "python")
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    until(lambda: bool(started(server, "python") - before), "there is another zygote")
    assert answer(server.stub, code) == OWN
    again = answer(server.stub, code)
    assert again.startswith('"forged ')
    assert again != forged


EARLY = {
    "twice": "compiled(), compiled()",
    "and starts without waiting for its input": "compiled(), STARTED, report(b'1')",
    "and a byte": "compiled(), b'x'",
    "over its cap": "HEAD.pack(Kind.COMPILED, (2 << 20) + 1), bytes(1000)",
    "behind its start": "STARTED, compiled(), report(b'1')",
    "behind its report": "STARTED, report(b'1'), compiled()",
    "and says that its input is bad": "compiled(), encode(Kind.BAD_INPUT, b'x')",
}


@pytest.mark.parametrize("frames", EARLY.values(), ids=EARLY)
def test_a_form_out_of_order_is_not_kept(frames: str, server: ServerProcess) -> None:
    """Was it kept, the next task of that source would not be compiled, and so not say this again."""
    code = f"{FORMS}\nif 'inputs' not in globals(): say({frames}); leave(0)\nresult = 'own'{PADDING}"
    for _ in range(3):
        assert answer(server.stub, code).startswith(BROKEN)


def test_nobody_asked(server: ServerProcess) -> None:
    """A small source that is new."""
    frames = "HEAD.pack(23, 4) + b'form' + HEAD.pack(17, 0)"
    code = f"import os, struct\nHEAD = struct.Struct('!BI')\nos.write(3, {frames})\nos._exit(0)"
    assert len(code) < LARGE_BYTES
    assert answer(server.stub, code).startswith(f"{BROKEN}: a frame of kind 23 is not accepted here")


def test_a_form_with_which_no_child_starts_is_given_up(server: ServerProcess) -> None:
    code = f"{FORMS}\nforms.form_of = lambda program: b'\\xff' * 100\nresult = 'own'{PADDING}"
    answers = [answer(server.stub, code) for _ in range(4)]
    assert answers[::2] == [OWN, OWN]
    assert all(each.startswith("CRASHED: the task's process exited without a report") for each in answers[1::2])


# After it has its input

SECRET = "what the first caller sent"
LATE = {
    "late": "say(compiled(stolen)); say(report(b'1'))",
    "late, and goes on": "say(compiled(stolen))",
    "late, twice": "say(compiled(stolen), compiled(stolen), report(b'1'))",
    "behind its report": "say(report(b'1'), compiled(stolen))",
    "late, drop by drop": "drip(compiled(stolen)); say(report(b'1'))",
    "late, over its cap": "say(HEAD.pack(Kind.COMPILED, (2 << 20) + 1), bytes(3 << 20))",
}


def thief(act: str) -> str:
    return f"""{FORMS}
if inputs.get("secret"):
    stolen = f"result = {{inputs['secret']!r}}"
    {act}
    leave(0)
result = "own"
{PADDING}"""


def steal(server: ServerProcess, act: str) -> tuple[str, str]:
    """What became of the task that steals, and what the next one of that source gives, with another's input."""
    code = thief(act)
    caught = answer(server.stub, code, "", input_json=f'{{"secret": "{SECRET}"}}')
    return caught, answer(server.stub, code, "")


@pytest.mark.parametrize("act", LATE.values(), ids=LATE)
def test_no_form_is_kept_of_a_child_that_has_seen_its_input(act: str, server: ServerProcess) -> None:
    caught, after = steal(server, act)
    assert caught.startswith(BROKEN)
    assert after == OWN
    # The form that the first child made is there now: with it, and not asked for one, the same.
    caught, after = steal(server, act)
    assert caught.startswith(BROKEN)
    assert after == OWN


def test_a_host_that_takes_forms_late_gives_the_input_of_one_task_to_the_next(
    make_hostile_server: Callable[..., ServerProcess],
) -> None:
    naive = make_hostile_server(NATIVE, NAIVE, LANG_RUNTIMES="python", LANG_ZYGOTE_MAX_TASKS="10000")
    assert steal(naive, LATE["late"]) == ("1", f'"{SECRET}"')


# Whose it is


@pytest.fixture(scope="module")
def callers(
    make_hostile_server: Callable[..., ServerProcess], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], lang_pb2_grpc.LanguageServerStub]]:
    """A stub by the name in a new certificate."""
    pki = Pki(tmp_path_factory.mktemp("pki"))
    settings = pki.settings(LANG_TLS_CLIENT_CA=pki.ca_file)
    server = make_hostile_server(NATIVE, LANG_RUNTIMES="python", LANG_ZYGOTE_MAX_TASKS="10000", **settings)
    channels = []

    def caller(name: str) -> lang_pb2_grpc.LanguageServerStub:
        channels.append(grpc.secure_channel(server.address, pki.credentials(pki.authority, name)))
        return lang_pb2_grpc.LanguageServerStub(channels[-1])

    yield caller
    for channel in channels:
        channel.close()


def test_two_principals_never_share(callers: Callable[[str], lang_pb2_grpc.LanguageServerStub]) -> None:
    ann, bob, ann_again = callers("ann@example.org"), callers("bob@example.org"), callers("ann@example.org")
    assert_apart(ann, bob, ann_again)


def assert_apart(
    ann: lang_pb2_grpc.LanguageServerStub,
    bob: lang_pb2_grpc.LanguageServerStub,
    ann_again: lang_pb2_grpc.LanguageServerStub,
) -> None:
    assert answer(ann, FORGES) == OWN
    forged = answer(ann, FORGES)
    assert forged.startswith('"forged ')
    assert answer(bob, FORGES) == OWN
    assert answer(bob, FORGES) not in (OWN, forged)
    assert answer(ann_again, FORGES) == forged, "it is the name that counts, not the certificate"
    assert answer(ann, FORGES) == forged


def test_the_names_of_tokens_are_principals(make_hostile_server: Callable[..., ServerProcess], tmp_path: Path) -> None:
    """The token that has no name is somebody else again."""
    pki, tokens, nameless = Pki(tmp_path), {name: f"the-token-of-{name}-alone" for name in ("ann", "bob")}, "n" * 16
    file = tmp_path / "tokens"
    file.write_text("".join(f"{name}:{token}\n" for name, token in tokens.items()))
    settings = pki.settings(LANG_AUTH_TOKENS_FILE=str(file), LANG_AUTH_TOKEN=nameless)
    server = make_hostile_server(NATIVE, LANG_RUNTIMES="python", LANG_ZYGOTE_MAX_TASKS="10000", **settings)
    channels = []

    def caller(token: str) -> lang_pb2_grpc.LanguageServerStub:
        keys = grpc.composite_channel_credentials(pki.credentials(), grpc.access_token_call_credentials(token))
        channels.append(grpc.secure_channel(server.address, keys))
        return lang_pb2_grpc.LanguageServerStub(channels[-1])

    assert_apart(caller(tokens["ann"]), caller(tokens["bob"]), caller(tokens["ann"]))
    assert answer(caller(nameless), FORGES) == OWN
    for channel in channels:
        channel.close()


def test_it_can_be_turned_off(make_hostile_server: Callable[..., ServerProcess]) -> None:
    server = make_hostile_server(NATIVE, LANG_RUNTIMES="python", LANG_COMPILE_CACHE_MB="0")
    assert [answer(server.stub, FORGES) for _ in range(3)] == [OWN] * 3
