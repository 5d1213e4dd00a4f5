"""A gRPC server whose one method returns the bytes it got: what a call costs when nothing is done."""

import asyncio

import grpc


async def echo(request: bytes, _context: object) -> bytes:
    """The request; bytes are neither decoded nor encoded."""
    return request


async def main() -> None:
    """Serves on a free port of the loopback until it is killed."""
    server = grpc.aio.server()
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {"Echo": grpc.unary_unary_rpc_method_handler(echo)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"echo listening on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


asyncio.run(main())
