"""Several replies of one model at once: their next tokens are computed together, and what was read before is kept.

A step of a language model costs nearly the same for one token as for some, since it is the weights that have to be
fetched. So replies share their steps; and where a reply repeats two tokens of what went before, as it does in names of
the evidence, what followed them there is computed on trial with them, and kept as far as it is what would have been
chosen. Prompts of one kind begin alike: what a slot read last stays, and a prompt that begins the same goes on from
there.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Protocol

import numpy as np

MEANWHILE = 128
"""Tokens of a prompt that are read in one step while other replies are being written, which wait for it."""

TRIAL = 8
"""Tokens that are computed on trial, at most."""

WORTH, MEMORY = 0.65, 0.2
"""Nothing is tried where fewer guesses than this share were right, since a token on trial costs about half a step; how
much the newest guess counts in that share."""


@dataclass(frozen=True, slots=True)
class Fed:
    """One token that a step computes: of which slot, at which place, and whether what follows it is wanted."""

    slot: int
    place: int
    token: int
    wanted: bool


class DecodingNetwork(Protocol):
    """What computes. Only one thread uses it."""

    batch: int
    """Tokens of one step, at most."""

    def compute_step(self, fed: Sequence[Fed]) -> list[np.ndarray]:
        """The scores of all tokens after each that is wanted, in their order."""
        ...

    def drop_tokens(self, slot: int, start: int) -> None:
        """Drop what a slot holds from a place on."""
        ...


Choose = Callable[[np.ndarray], int | None]
"""The token to write, given the scores of all; None where the reply ends."""


@dataclass(eq=False, slots=True)
class _Reply:
    prompt: Sequence[int]
    choose: Choose
    most: int
    tokens: queue.SimpleQueue[int | Exception | None] = field(default_factory=queue.SimpleQueue)
    gone: bool = False
    """Nobody wants it any more."""
    over: threading.Event = field(default_factory=threading.Event)
    """``choose`` is not asked again."""


@dataclass(eq=False, slots=True)
class _Slot:
    number: int
    held: list[int] = field(default_factory=list)
    """Tokens that the network holds."""
    rest: list[int] = field(default_factory=list)
    """Tokens that it has still to read; while it writes, the last one written and those on trial."""
    after: dict[tuple[int, int], int] = field(default_factory=dict)
    """Where two tokens stood last: the place after them."""
    guess: list[int] = field(default_factory=list)
    """What may follow the last token, tried or not."""
    luck: float = 0.0
    """The share of guesses that were right lately."""
    reply: _Reply | None = None
    written: int = 0
    used: int = 0
    """When it was last given a reply."""


class Replies:
    """Writes replies, as many at once as there are slots; others wait. Threads may share it.

    Args:
        network: what computes.
        slots: replies at once.
    """

    def __init__(self, network: DecodingNetwork, slots: int) -> None:
        self._network = network
        self._slots = [_Slot(number) for number in range(slots)]
        self._waiting: list[_Reply] = []
        self._changed = threading.Condition()
        self._given = 0
        self._thread: threading.Thread | None = None

    def write(self, prompt: Sequence[int], choose: Choose, most: int) -> Iterator[int]:
        """The tokens of a reply as they come, at most ``most``; who closes this stops the reply.

        Args:
            prompt: at least one token.
            choose: asked after each step, in the thread that computes; what it raises is raised here.
            most: at least 1.
        """
        reply = _Reply(prompt, choose, most)
        with self._changed:
            self._waiting.append(reply)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_loop, name="llm-decoding", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            while (item := reply.tokens.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            reply.gone = True
            reply.over.wait()

    def _run_loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or any(slot.reply for slot in self._slots))
                self._assign_slots()
            busy = [slot for slot in self._slots if slot.reply is not None]
            if not busy:
                continue
            try:
                self._run_step(busy)
            except Exception as error:  # whatever breaks is told to all who wait for this step
                for slot in busy:
                    self._close_reply(slot, error)
                    slot.held.clear()
                    self._network.drop_tokens(slot.number, 0)

    def _assign_slots(self) -> None:
        """Give waiting replies to free slots, each to the one that holds most of its beginning."""
        for slot in self._slots:
            if slot.reply is not None and slot.reply.gone:
                self._close_reply(slot)
        for reply in self._waiting:
            if reply.gone:
                reply.over.set()
        self._waiting = [reply for reply in self._waiting if not reply.gone]
        while self._waiting and (free := [slot for slot in self._slots if slot.reply is None]):
            reply = self._waiting.pop(0)
            slot = max(free, key=lambda each: (count_common(each.held, reply.prompt), -each.used))
            # The last token is read again: what follows it is not kept.
            kept = min(count_common(slot.held, reply.prompt), len(reply.prompt) - 1)
            self._network.drop_tokens(slot.number, kept)
            del slot.held[kept:]
            self._given += 1
            slot.reply, slot.rest, slot.written, slot.used = reply, list(reply.prompt[kept:]), 0, self._given
            slot.guess, slot.luck = [], WORTH
            slot.after = {pair: position + 2 for position, pair in enumerate(pairwise(reply.prompt))}

    def _run_step(self, busy: Sequence[_Slot]) -> None:
        writing = [slot for slot in busy if slot.written]
        fed = [
            Fed(slot.number, len(slot.held) + i, token, True) for slot in writing for i, token in enumerate(slot.rest)
        ]
        room = max(0, min(MEANWHILE, self._network.batch - len(fed))) if writing else self._network.batch
        wanting = {slot.number: len(slot.rest) for slot in writing}
        for slot in busy:
            if slot.written or not room:
                continue
            taken, slot.rest = slot.rest[:room], slot.rest[room:]
            room -= len(taken)
            begin, last = len(slot.held), 0 if slot.rest else len(taken)
            fed += [Fed(slot.number, begin + i, token, i + 1 == last) for i, token in enumerate(taken)]
            slot.held += taken
            if last:
                wanting[slot.number] = 1
        scores = iter(self._network.compute_step(fed))
        for number, count in wanting.items():
            self._process_scores(self._slots[number], list(islice(scores, count)))

    def _process_scores(self, slot: _Slot, scores: Sequence[np.ndarray]) -> None:
        """Choose what follows, and what follows that as long as it is what was tried."""
        if slot.written:
            first, *tried = slot.rest
            slot.held.append(first)
        else:
            tried = []
        good = 0
        for row in scores:
            reply = slot.reply
            if reply is None or reply.gone:
                break
            try:
                token = reply.choose(row)
            except Exception as error:  # of this reply alone
                self._close_reply(slot, error)
                break
            if token is None:
                self._close_reply(slot)
                break
            reply.tokens.put(token)
            slot.written += 1
            slot.rest = [token]
            if good < len(slot.guess):
                slot.luck += MEMORY * ((token == slot.guess[good]) - slot.luck)
            if slot.written == reply.most:
                self._close_reply(slot)
                break
            if good == len(tried) or token != tried[good]:
                break
            slot.held.append(token)
            good += 1
        if good < len(tried):
            self._network.drop_tokens(slot.number, len(slot.held))
        if slot.reply is not None:
            self._propose_tokens(slot, good + 1, slot.reply.most - slot.written - 1)

    @staticmethod
    def _propose_tokens(slot: _Slot, new: int, most: int) -> None:
        """Put on trial what followed the last two tokens where they stood before.

        Args:
            slot: whose last token is written and not yet computed.
            new: tokens written since the last time.
            most: tokens that may be tried.
        """
        text = [*slot.held, *slot.rest]
        start = slot.after.get((text[-2], text[-1])) if len(text) > 1 else None
        for place in range(max(2, len(text) - new + 1), len(text) + 1):
            slot.after[text[place - 2], text[place - 1]] = place
        slot.guess = text[start : start + TRIAL] if start is not None else []
        if slot.luck >= WORTH:
            slot.rest += slot.guess[: min(most, round((2 * slot.luck - 1) * TRIAL))]

    @staticmethod
    def _close_reply(slot: _Slot, error: Exception | None = None) -> None:
        if slot.reply is not None:
            slot.reply.over.set()
            slot.reply.tokens.put(error)
        slot.reply = None


def count_common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences begin with alike."""
    shorter = min(len(first), len(second))
    return next((i for i in range(shorter) if first[i] != second[i]), shorter)
