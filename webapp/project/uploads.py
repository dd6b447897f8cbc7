"""A request that is too large is refused while it arrives, not after it filled the disk."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings

from webapp.api.errors import body


class _TooLargeError(Exception):
    pass


def limit_body(application: Any) -> Any:
    """Wrap an ASGI application so that bodies over ``UPLOAD_MAX_BYTES`` get 413."""

    async def limited(scope: dict[str, Any], receive: Any, send: Any) -> None:
        seen = 0
        length = dict(scope["headers"]).get(b"content-length", b"0")

        async def counted() -> Any:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > settings.UPLOAD_MAX_BYTES:
                raise _TooLargeError
            return message

        try:
            if length.isdigit() and int(length) > settings.UPLOAD_MAX_BYTES:
                raise _TooLargeError
            await application(scope, counted, send)
        except _TooLargeError:
            await _refuse(send)

    return limited


async def _refuse(send: Any) -> None:
    gigabytes = settings.UPLOAD_MAX_BYTES / 1024**3
    content = body(
        "too_large", f"The upload is over the limit of {gigabytes:g} GiB.", "Compress the files with gzip."
    )
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(content).encode()})
