"""A websocket client for the ASGI application itself (the one of Channels needs another web server installed)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

from asgiref.testing import ApplicationCommunicator

HOST = (b"host", b"localhost")


class Socket(ApplicationCommunicator):
    """One connection."""

    def __init__(self, application: Any, target: str, headers: list[tuple[bytes, bytes]]) -> None:
        path, _, query = target.partition("?")
        scope = {
            "type": "websocket",
            "path": unquote(path),
            "query_string": query.encode(),
            "headers": headers if any(name == b"host" for name, _ in headers) else [HOST, *headers],
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def connect(self) -> bool:
        """Open it; whether it was accepted."""
        await self.send_input({"type": "websocket.connect"})
        answer: dict[str, Any] = await self.receive_output(timeout=30)
        return bool(answer["type"] == "websocket.accept")

    async def receive_json(self) -> Any:
        """The next frame."""
        message: dict[str, Any] = await self.receive_output(timeout=30)
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def send_text(self, text: str) -> None:
        """Send a text frame."""
        await self.send_input({"type": "websocket.receive", "text": text})

    async def send_bytes(self, content: bytes) -> None:
        """Send a binary frame."""
        await self.send_input({"type": "websocket.receive", "bytes": content})

    async def close_code(self) -> int:
        """The code with which the server closes; nothing else may come before."""
        message: dict[str, Any] = await self.receive_output(timeout=30)
        assert message["type"] == "websocket.close", message
        return int(message["code"])

    async def disconnect(self) -> None:
        """Leave."""
        await self.send_input({"type": "websocket.disconnect", "code": 1005})
        await self.wait(timeout=1)
