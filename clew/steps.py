"""Calls of the API as generators, so that the blocking and the asynchronous client share them.

A generator yields requests and pauses, which its driver carries out; it is sent the response of each request, and an
``ApiError`` with the code ``no_response`` is thrown into it where there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2

from clew.errors import ApiError, build_error

TRIES = 6
"""How often a request is sent that the server is too busy for, or that gets no response and may be repeated."""
PAUSE_MAX_S = 60.0
"""The longest ``Retry-After`` that is waited for."""
POLL_S, POLL_MAX_S = 0.05, 1.0
"""How long a poll waits at first and at most; each time half as long again."""


@dataclass(frozen=True)
class Request:
    """A request below ``/api/v1/``; ``options`` are those of httpx."""

    method: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    """Time to wait."""

    seconds: float


T = TypeVar("T")
Steps = Generator[Request | Pause, Any, T]


def send(method: str, path: str, *, repeat: bool = False, **options: Any) -> Steps[httpx2.Response]:
    """Send a request, again where the server is busy; with ``repeat`` also where no response comes.

    Raises:
        ApiError: it was refused, or there is no response.
    """
    for left in reversed(range(TRIES)):
        pause: float | None = None
        try:
            response: httpx2.Response = yield Request(method, path, options)
        except ApiError:
            if not (repeat and left):
                raise
            pause = 0.1 * 2 ** (TRIES - left)
        else:
            if response.status_code in (429, 503) and left:
                pause = read_retry_after(response)
            if pause is None:
                break
        yield Pause(pause)
    if not response.is_success:
        raise build_error(read_json(response).get("error"), response.status_code)
    return response


def call(method: str, path: str, *, repeat: bool = False, **options: Any) -> Steps[Any]:
    """Send a request and return its JSON.

    Raises:
        ApiError: as :func:`send`.
    """
    response = yield from send(method, path, repeat=repeat, **options)
    try:
        return response.json()
    except ValueError:
        message = f"{response.url} is not Clew's API. Give the client the address that the browser shows."
        raise ApiError(message, code="not_clew", status=response.status_code) from None


def list_all(path: str) -> Steps[list[Any]]:
    """Return the rows of all pages of a list.

    Raises:
        ApiError: as :func:`send`.
    """
    rows: list[Any] = []
    page = 1
    while True:
        content = yield from call("GET", path, repeat=True, params={"page_size": 200, "page": page})
        rows += content["results"]
        if content["next"] is None:
            return rows
        page += 1


def poll(path: str, timeout: float | None, watch: Callable[[Any], object] | None = None) -> Steps[Any]:
    """Return a run, job or report once it is neither queued nor running; ``watch`` is called with each state before.

    Raises:
        ApiError: as :func:`send`, or it is not done in time; it goes on, and can be waited for again.
    """
    started, wait = time.monotonic(), POLL_S
    while (row := (yield from call("GET", path, repeat=True)))["state"] in ("queued", "running"):
        if watch is not None:
            watch(row)
        if timeout is not None and time.monotonic() - started > timeout:
            raise ApiError(f"{path} is not done after {timeout:g} s. It goes on: wait again.", code="timed_out")
        yield Pause(wait)
        wait = min(1.5 * wait, POLL_MAX_S)
    return row


def read_retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds to wait before a request is sent again; None where that is too long or not said."""
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdigit() and int(text) <= PAUSE_MAX_S else None


def read_json(response: httpx2.Response) -> dict[str, Any]:
    """Return the JSON object of a response; empty where it is something else, as from a proxy."""
    try:
        content = response.json()
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
