"""Synthetic analysts: verdicts by a rule, wrong as often as they are told to be, over the real HTTP API.

``python -m tests.support.analysts URL --queue ID --tokens FILE --error .1`` lets one analyst for each token of the
file judge a queue. They keep what the server acknowledged, and send a submission again as it was (the same id) until
it is, through restarts of the server.
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from retrieval.metrics.scores import compute_quantile

Item = dict[str, Any]
Truth = Callable[[Item, dict[str, Any]], bool]
"""Whether a candidate of an item is rational."""

RETRY_S = 0.2
PATIENCE_S = 120.0


def fits(bar: float) -> Truth:
    """A path is rational when the F1 of what it reaches against the answers is at least ``bar``."""

    def rational(item: Item, candidate: dict[str, Any]) -> bool:
        precision, recall = candidate["precision"], candidate["recall"]
        total = precision + recall
        return total > 0 and 2 * precision * recall / total >= bar

    return rational


def among(paths: Mapping[str, set[tuple[tuple[str, bool], ...]]]) -> Truth:
    """A path is rational when it is one of its question's, whatever it reaches."""

    def rational(item: Item, candidate: dict[str, Any]) -> bool:
        return tuple((name, inverse) for name, inverse in candidate["path"]) in paths.get(item["key"], set())

    return rational


class RefusedError(RuntimeError):
    """The server said no, and not because others came first."""


@dataclass
class Analyst:
    """One person at one connection.

    Attributes:
        url: of the server.
        token: of an account that may judge.
        queue: id of the queue.
        truth: what is right.
        error: share of verdicts that are wrong. Which ones follows from ``seed``, question and path alone, so that it
            does not matter who judges when.
        seed: of the errors and the pauses.
        think: shortest and longest pause before each submission, seconds.
        said: what was acknowledged: submission id to (item id, verdicts by candidate id).
        waits: from sending a submission to having the next item, ms, of those that were answered at once.
        resent: submissions that were sent more than once.
        beaten: submissions that were refused because others had judged the item.
    """

    url: str
    token: str
    queue: int
    truth: Truth
    error: float = 0.0
    seed: int = 0
    think: tuple[float, float] = (0.0, 0.0)
    said: dict[str, tuple[int, dict[int, str]]] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    resent: int = 0
    beaten: int = 0
    _connection: HTTPConnection | None = None

    def work(self, *, most: int | None = None, stop: threading.Event | None = None) -> None:
        """Judge what the queue gives until it gives nothing, ``most`` items are judged, or ``stop`` is set.

        Raises:
            RefusedError: the server refused something for good, or did not come back in time.
        """
        stop = stop or threading.Event()
        pauses = random.Random(self.seed)
        stop.wait(pauses.uniform(0, self.think[1]))
        item = None
        try:
            while not stop.is_set() and (most is None or len(self.said) < most):
                if item is None:
                    status, body, _ = self._send(f"review/queues/{self.queue}/next", {})
                    item = self._good(status, body)["item"]
                    if item is None:
                        return
                stop.wait(pauses.uniform(*self.think))
                item = self._submit(item)
        finally:
            if self._connection is not None:
                self._connection.close()

    def verdict(self, item: Item, candidate: dict[str, Any]) -> str:
        """What this analyst says of a candidate."""
        drawn = random.Random(f"{self.seed}:{item['key']}:{candidate['topic']}:{candidate['path']}").random()
        rational = self.truth(item, candidate) != (drawn < self.error)
        return "rational" if rational else "not-rational"

    def _submit(self, item: Item) -> Item | None:
        """Say it; the next item, or None when the queue must be asked for one."""
        kinds = {one["id"]: self.verdict(item, one) for one in item["candidates"]}
        key = str(uuid.uuid4())
        body = {
            "id": key,
            "version": item["version"],
            "shown": item["shown"],
            "verdicts": [{"candidate": candidate, "kind": kind} for candidate, kind in kinds.items()],
        }
        began = time.perf_counter()
        status, answer, tries = self._send(f"review/items/{item['id']}/submit", body)
        self.resent += tries > 1
        if status == 409:
            self.beaten += 1
            return None
        following: Item | None = self._good(status, answer)["next"]
        self.said[key] = (item["id"], kinds)
        if tries == 1:
            self.waits.append((time.perf_counter() - began) * 1000)
        return following

    def _send(self, path: str, body: dict[str, Any]) -> tuple[int, Any, int]:
        """Post it until it is answered, the same each time: status, decoded answer, how often it was sent."""
        sent = json.dumps(body).encode()
        deadline, tries = time.monotonic() + PATIENCE_S, 0
        while True:
            tries += 1
            try:
                status, answer = self._post(f"/api/v1/{path}", sent)
                if status < 500:
                    return status, json.loads(answer), tries
                error: object = f"{status} {answer[:300]!r}"
            except (OSError, HTTPException, ValueError) as lost:  # an answer that was cut off is none
                error = lost
                if self._connection is not None:
                    self._connection.close()
                self._connection = None
            if time.monotonic() > deadline:
                raise RefusedError(f"{path}: no answer in {PATIENCE_S:.0f} s ({error})")
            time.sleep(RETRY_S)

    def _post(self, path: str, body: bytes) -> tuple[int, bytes]:
        if self._connection is None:
            address = urlsplit(self.url)
            self._connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self._connection.request("POST", path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def _good(self, status: int, body: Any) -> Any:
        if status >= 400:
            raise RefusedError(f"{status}: {body}")
        return body


class Team:
    """Analysts at work at once, each in a thread. Use as a context manager; leaving it stops and joins them."""

    def __init__(self, analysts: list[Analyst], *, most: int | None = None) -> None:
        self.analysts = analysts
        self.stop = threading.Event()
        self.errors: list[Exception] = []
        self._threads = [threading.Thread(target=self._work, args=(one, most), daemon=True) for one in analysts]

    def __enter__(self) -> Team:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.join()

    def join(self) -> None:
        """Wait until all are done. Raises the first error of one of them."""
        for thread in self._threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def waits(self) -> list[float]:
        """From submission to next item, ms, of all."""
        return [one for analyst in self.analysts for one in list(analyst.waits)]

    def said(self) -> dict[str, tuple[int, dict[int, str]]]:
        """What was acknowledged to any of them."""
        return {key: value for analyst in self.analysts for key, value in list(analyst.said.items())}

    def _work(self, analyst: Analyst, most: int | None) -> None:
        try:
            analyst.work(most=most, stop=self.stop)
        except Exception as error:  # shown by join
            self.errors.append(error)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.analysts", description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--queue", type=int, required=True)
    parser.add_argument("--tokens", type=Path, required=True, help="API tokens of the accounts, one a line")
    parser.add_argument("--analysts", type=int, help="how many of them [all]")
    parser.add_argument("--error", type=float, default=0.0, help="share of wrong verdicts [0]")
    parser.add_argument("--bar", type=float, default=0.5, help="F1 from which a path is rational [0.5]")
    parser.add_argument("--most", type=int, help="items that each judges [all there are]")
    parser.add_argument("--think", type=float, nargs=2, default=(0.0, 0.0), help="pause, seconds [0 0]")
    args = parser.parse_args()
    tokens = args.tokens.read_text().split()[: args.analysts]
    team = Team(
        [
            Analyst(args.url, token, args.queue, fits(args.bar), args.error, seed, tuple(args.think))
            for seed, token in enumerate(tokens)
        ],
        most=args.most,
    )
    with team:
        team.join()
    waits = team.waits()
    for share in (0.5, 0.95):
        print(f"submit to next, p{share * 100:.0f}: {compute_quantile(waits, share):.0f} ms")
    for name in ("resent", "beaten"):
        print(f"{name}: {sum(getattr(one, name) for one in team.analysts)}")
    print(f"acknowledged: {len(team.said())}")


if __name__ == "__main__":
    main()
