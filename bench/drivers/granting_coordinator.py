"""A coordinator without a memory: it grants every lease and accepts every report. What is measured is a worker."""

from __future__ import annotations

import asyncio

import grpc

from coordinator.pb import coordinator_pb2 as pb
from coordinator.pb import coordinator_pb2_grpc as pb_grpc


class Granting(pb_grpc.WorkflowServiceServicer):
    """Says yes."""

    async def AcquireTaskLease(self, request: pb.AcquireTaskLeaseRequest, _: object) -> pb.AcquireTaskLeaseResponse:  # noqa: N802
        """Granted, with the attempt that was asked for."""
        return pb.AcquireTaskLeaseResponse(acquired=True, fence=1, attempt=request.attempt)

    async def RenewTaskLease(self, request: pb.AcquireTaskLeaseRequest, _: object) -> pb.AcquireTaskLeaseResponse:  # noqa: N802
        """Granted."""
        return pb.AcquireTaskLeaseResponse(acquired=True, fence=1, attempt=request.attempt)

    async def ReportTaskResult(self, _: pb.ReportTaskResultRequest, __: object) -> pb.ReportTaskResultResponse:  # noqa: N802
        """Accepted."""
        return pb.ReportTaskResultResponse(acknowledged=True, accepted=True)


async def main() -> None:
    """Serves on a free port of the loopback until it is killed."""
    server = grpc.aio.server()
    pb_grpc.add_WorkflowServiceServicer_to_server(Granting(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"granting coordinator listening on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


asyncio.run(main())
