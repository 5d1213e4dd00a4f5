"""A web server on this machine, for the demo's http tasks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def web_server() -> AsyncIterator[str]:
    """Its URL. `/rates` has a document, nothing else is there."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    found = head.startswith("GET /rates ")
    body = json.dumps({"EUR": 1, "USD": 1.25}) if found else "there is no such page"
    status = "200 OK" if found else "404 Not Found"
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
    await writer.drain()
    writer.close()
