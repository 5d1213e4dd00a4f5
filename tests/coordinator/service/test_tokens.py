"""A coordinator whose file of tokens is written again while it runs."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from coordinator.pb import coordinator_pb2 as pb
from tests.coordinator.service.conftest import Start, eventually

ONE, TWO = "first-token-0123", "second-token-456"


def write(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text)
    new.chmod(0o600)
    new.replace(file)


@pytest.mark.parametrize("left", ["", "# bridge:first-token-0123\n", f"other:{TWO}\nbroken\n"])
async def test_the_last_token_is_refused_once_its_line_is_gone(start: Start, tmp_path: Path, left: str) -> None:
    file = tmp_path / "tokens"
    write(file, f"bridge:{ONE}\n")
    caller = await start(auth_tokens_file=file)

    async def status(token: str) -> grpc.StatusCode:
        try:
            request = pb.AcquireTaskLeaseRequest(task_id="t", run_id="r", owner="me", ttl_seconds=5, attempt=1)
            await caller.workflow.AcquireTaskLease(request, metadata=(("authorization", f"Bearer {token}"),))
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    async def is_known(token: str) -> bool:
        code = await status(token)
        assert code in (grpc.StatusCode.OK, grpc.StatusCode.UNAUTHENTICATED)
        return code is grpc.StatusCode.OK

    async def is_refused() -> bool:
        return not await is_known(ONE)

    async def is_let_in() -> bool:
        return await is_known(TWO)

    assert await is_known(ONE)
    write(file, left)
    await eventually(is_refused, "the token is refused")
    assert not await is_known(TWO)
    write(file, f"bridge:{TWO}\n")
    await eventually(is_let_in, "the new token is known")
    assert not await is_known(ONE)
