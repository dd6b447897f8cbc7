"""The blocking and the asynchronous client."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator
from contextlib import aclosing, closing
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

import httpx2
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect

from clew.calls import Calls
from clew.errors import ApiError, build_connection_error, build_error
from clew.steps import Pause, Steps
from clew.types import AskRequest, Event

P = ParamSpec("P")
T = TypeVar("T")

CALL_WITHIN_S = 60.0
FRAME_MAX = 2**24
"""Bytes of one event."""
RECONNECTS = 5
"""How often in a row a socket may break without an event in between."""
ENDED = 1000
REFUSALS = {4401: "not_authenticated", 4404: "not_found"}
"""Codes with which the server closes the socket of a run for good."""


class _Connection:
    """What both clients know of a server."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        self.url = (url or os.environ.get("CLEW_URL") or "http://127.0.0.1:8000").rstrip("/")
        token = (token or os.environ.get("CLEW_TOKEN", "")).strip()
        if not token:
            raise ApiError(
                "There is no API token. Make one on the page Account, and give it as `token` or in CLEW_TOKEN.",
                code="no_token",
            )
        self._calls = Calls(self.url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self._options: dict[str, Any] = {"base_url": f"{self.url}/api/v1/", "headers": self._headers}
        self._options["timeout"] = CALL_WITHIN_S

    def _build_socket(self, run: str, after: int) -> dict[str, Any]:
        """Return the arguments that open the socket of a run, for the events behind a number."""
        uri = f"ws{self.url.removeprefix('http')}/ws/runs/{run}?after={after}"
        return {"uri": uri, "additional_headers": self._headers, "max_size": FRAME_MAX}

    def _assess_close(self, error: Exception, failures: int) -> float | None:
        """Return the seconds after which a socket that closed may be opened again; None where the run has ended.

        Raises:
            ApiError: it may not be opened again.
        """
        code = error.rcvd.code if isinstance(error, ConnectionClosed) and error.rcvd else 0
        if code == ENDED:
            return None
        if code in REFUSALS:
            message = "There is no such run, or this token may not see it. Make a token on the page Account."
            raise ApiError(message, code=REFUSALS[code]) from error
        if failures == RECONNECTS:
            raise build_connection_error(self.url, error) from error
        return float(0.1 * 2**failures)


def _describe_result(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a call as ``help`` shows it: with what it results in, instead of its steps."""
    signature = inspect.signature(function)
    return signature.replace(return_annotation=signature.return_annotation.removeprefix("Steps[")[:-1])


def _block(function: Callable[Concatenate[Calls, P], Steps[T]]) -> Callable[Concatenate[Client, P], T]:
    @wraps(function)
    def call(self: Client, /, *args: P.args, **options: P.kwargs) -> T:
        return self._drive(function(self._calls, *args, **options))

    call.__signature__ = _describe_result(function)  # type: ignore[attr-defined]
    return call


def _await(
    function: Callable[Concatenate[Calls, P], Steps[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @wraps(function)
    async def call(self: AsyncClient, /, *args: P.args, **options: P.kwargs) -> T:
        return await self._drive(function(self._calls, *args, **options))

    call.__signature__ = _describe_result(function)  # type: ignore[attr-defined]
    return call


class Client(_Connection):
    """A blocking client; use it as a context manager, or close it.

    Args:
        url: address of Clew, as the browser shows it; the variable ``CLEW_URL`` unless given.
        token: API token from the page *Account*; the variable ``CLEW_TOKEN`` unless given.

    Raises:
        ApiError: there is no token.
    """

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        super().__init__(url, token)
        self._http = httpx2.Client(**self._options)

    call = _block(Calls.call)
    list_graphs = _block(Calls.list_graphs)
    list_question_sets = _block(Calls.list_question_sets)
    list_review_queues = _block(Calls.list_review_queues)
    upload_graph = _block(Calls.upload_graph)
    upload_questions = _block(Calls.upload_questions)
    ask = _block(Calls.ask)
    ask_all = _block(Calls.ask_all)
    start_run = _block(Calls.start_run)
    stop_run = _block(Calls.stop_run)
    wait_for_answer = _block(Calls.wait_for_answer)
    retrieve = _block(Calls.retrieve)
    evaluate = _block(Calls.evaluate)
    start_evaluation = _block(Calls.start_evaluation)
    wait_for_evaluation = _block(Calls.wait_for_evaluation)
    wait_for_job = _block(Calls.wait_for_job)
    export_review = _block(Calls.export_review)

    def stream(self, graph: int, question: str, **settings: Unpack[AskRequest]) -> Iterator[Event]:
        """Ask when the first event is taken, and yield events as they are computed; leaving early stops the run.

        Raises:
            ApiError: the question is refused, or the run fails after the event that says so.
        """
        run, event = self.start_run(graph, question, **settings)["id"], None
        try:
            with closing(self.follow_run(run)) as events:
                for event in events:
                    yield event
        finally:
            if not _is_end(event):
                self.stop_run(run)
        _require_answer(event)

    def follow_run(self, run: str, after: int = 0) -> Generator[Event, None, None]:
        """Yield the events of a run behind a sequence number until it ends, also across broken connections.

        Raises:
            ApiError: the run is not there, or the server does not answer any more.
        """
        failures = 0
        while True:
            try:
                with connect(**self._build_socket(run, after)) as socket:
                    while True:
                        event = json.loads(socket.recv())
                        after, failures = event["seq"], 0
                        yield event
            except (WebSocketException, OSError) as error:
                pause = self._assess_close(error, failures)
            if pause is None:
                return
            failures += 1
            time.sleep(pause)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    response = self._http.request(step.method, step.path, **step.options)
                except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                    step = steps.throw(build_connection_error(self.url, error))
                else:
                    step = steps.send(response)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


class AsyncClient(_Connection):
    """An asynchronous client with the methods of :class:`Client`; use it as an asynchronous context manager."""

    def __init__(self, url: str | None = None, token: str | None = None) -> None:
        super().__init__(url, token)
        self._http = httpx2.AsyncClient(**self._options)

    call = _await(Calls.call)
    list_graphs = _await(Calls.list_graphs)
    list_question_sets = _await(Calls.list_question_sets)
    list_review_queues = _await(Calls.list_review_queues)
    upload_graph = _await(Calls.upload_graph)
    upload_questions = _await(Calls.upload_questions)
    ask = _await(Calls.ask)
    ask_all = _await(Calls.ask_all)
    start_run = _await(Calls.start_run)
    stop_run = _await(Calls.stop_run)
    wait_for_answer = _await(Calls.wait_for_answer)
    retrieve = _await(Calls.retrieve)
    evaluate = _await(Calls.evaluate)
    start_evaluation = _await(Calls.start_evaluation)
    wait_for_evaluation = _await(Calls.wait_for_evaluation)
    wait_for_job = _await(Calls.wait_for_job)
    export_review = _await(Calls.export_review)

    async def stream(self, graph: int, question: str, **settings: Unpack[AskRequest]) -> AsyncIterator[Event]:
        """Yield the events of a question as :meth:`Client.stream` does.

        Raises:
            ApiError: the question is refused, or the run fails after the event that says so.
        """
        run, event = (await self.start_run(graph, question, **settings))["id"], None
        try:
            async with aclosing(self.follow_run(run)) as events:
                async for event in events:
                    yield event
        finally:
            if not _is_end(event):
                await self.stop_run(run)
        _require_answer(event)

    async def follow_run(self, run: str, after: int = 0) -> AsyncGenerator[Event, None]:
        """Yield the events of a run as :meth:`Client.follow_run` does.

        Raises:
            ApiError: the run is not there, or the server does not answer any more.
        """
        failures = 0
        while True:
            try:
                async with connect_async(**self._build_socket(run, after)) as socket:
                    while True:
                        event = json.loads(await socket.recv())
                        after, failures = event["seq"], 0
                        yield event
            except (WebSocketException, OSError) as error:
                pause = self._assess_close(error, failures)
            if pause is None:
                return
            failures += 1
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    response = await self._http.request(step.method, step.path, **step.options)
                except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                    step = steps.throw(build_connection_error(self.url, error))
                else:
                    step = steps.send(response)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def _is_end(event: Event | None) -> bool:
    return event is not None and event["type"] in ("answer.final", "run.failed", "run.cancelled")


def _require_answer(event: Event | None) -> None:
    if event is not None and event["type"] != "answer.final":
        raise build_error({"code": "cancelled", **event})
