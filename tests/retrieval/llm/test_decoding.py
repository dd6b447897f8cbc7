"""Several replies at once, with a network that counts what it is given."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from itertools import islice

import numpy as np
import pytest

from retrieval.llm.decoding import MEANWHILE, TRIAL, Fed, Replies, count_common

WORDS, END = 50, 49


class Counting:
    """After each token the next number is likeliest; remembers each step, and what each slot holds."""

    batch = 200

    def __init__(self):
        self.steps: list[list[Fed]] = []
        self.held: dict[int, list[int]] = {}
        self.breaks = False
        self.open = threading.Event()
        self.open.set()

    def compute_step(self, fed):
        self.open.wait(10)
        if self.breaks:
            raise RuntimeError("the network broke")
        assert 0 < len(fed) <= self.batch
        self.steps.append(list(fed))
        found = []
        for one in fed:
            held = self.held.setdefault(one.slot, [])
            assert one.place == len(held)
            held.append(one.token)
            if one.wanted:
                found.append(np.eye(WORDS)[(one.token + 1) % WORDS])
        return found

    def drop_tokens(self, slot, start):
        del self.held.setdefault(slot, [])[start:]


def best(scores):
    token = int(scores.argmax())
    return None if token == END else token


def test_a_reply_ends_where_it_ends_or_is_long_enough():
    network = Counting()
    replies = Replies(network, 2)
    assert list(replies.write([1, 45], best, 10)) == [46, 47, 48]
    assert list(replies.write([5], best, 2)) == [6, 7]
    assert [len(step) for step in network.steps] == [2, 1, 1, 1, 1, 1]


def test_what_was_read_before_is_not_read_again():
    network = Counting()
    replies = Replies(network, 2)
    one, other = [*range(40), 7], [9] * 30
    for prompt in (one, other, one):
        list(replies.write(prompt, best, 1))
    # The first prompt's slot still holds it; its last token is read again for what follows it.
    assert [len(step) for step in network.steps] == [41, 30, 1]
    list(replies.write([*range(40), 8], best, 1))
    assert len(network.steps[-1]) == 1
    assert {step[0].slot for step in network.steps} == {0, 1}
    # A prompt that begins like none takes the slot that was used longest ago.
    list(replies.write([30, 31], best, 1))
    assert network.steps[-1][0].slot == network.steps[1][0].slot


def test_replies_at_once_share_their_steps_and_the_rest_waits():
    network = Counting()
    network.open.clear()
    replies = Replies(network, 3)
    said = {}

    def ask(first):
        said[first] = list(replies.write([first], best, 5))

    threads = [threading.Thread(target=ask, args=(first,)) for first in (0, 10, 20, 30)]
    for thread in threads:
        thread.start()
        time.sleep(0.02)  # in this order
    network.open.set()
    for thread in threads:
        thread.join(10)
    assert said == {first: [*range(first + 1, first + 6)] for first in (0, 10, 20, 30)}
    assert max(map(len, network.steps)) == 3
    assert len(network.steps) <= 11


def test_a_long_prompt_is_read_in_pieces_and_holds_nobody_up():
    network = Counting()
    replies = Replies(network, 2)
    with closing(replies.write([0], lambda scores: int(scores.argmax()), 10_000_000)) as first:
        assert next(first) == 1
        assert list(replies.write([3] * 450, best, 1)) == [4]
        assert list(islice(first, 3)) == [2, 3, 4]
    shared = [step for step in network.steps if len({one.slot for one in step}) == 2]
    assert MEANWHILE < max(map(len, shared)) <= MEANWHILE + 1 + TRIAL
    alone = Counting()
    list(Replies(alone, 2).write([3] * 450, best, 1))
    assert [len(step) for step in alone.steps] == [200, 200, 50]


def test_what_stood_before_is_tried_and_kept_as_far_as_it_is_right():
    network = Counting()
    replies = Replies(network, 1)
    # Numbers come again after 50, so that most are tried rightly; what a reply may not hold is not computed.
    said = list(replies.write([0], lambda scores: int(scores.argmax()), 120))
    assert said == [number % WORDS for number in range(1, 121)]
    assert len(network.steps) < 75
    assert len(network.held[0]) == 120
    # After 1 and 2 stood 9, which is wrong now.
    assert list(replies.write([1, 2, 9, 2, 9, 1], best, 6)) == [2, 3, 4, 5, 6, 7]
    assert network.held[0] == [1, 2, 9, 2, 9, 1, 2, 3, 4, 5, 6]
    assert any([one.token for one in step] == [2, 9, 2] for step in network.steps)


def test_who_hangs_up_frees_the_slot():
    network = Counting()
    replies = Replies(network, 1)
    with closing(replies.write([0], lambda scores: int(scores.argmax()), 10_000)) as endless:
        assert next(endless) == 1
    assert list(replies.write([5], best, 1)) == [6]
    seen = len(network.steps)
    time.sleep(0.05)
    assert len(network.steps) == seen


def test_what_breaks_is_told_and_the_next_is_answered():
    network = Counting()
    replies = Replies(network, 2)

    def refuse(scores):
        raise ValueError("no token fits")

    with pytest.raises(ValueError, match="no token fits"):
        list(replies.write([1], refuse, 5))
    network.breaks = True
    with pytest.raises(RuntimeError, match="the network broke"):
        list(replies.write([1, 2, 3], best, 5))
    network.breaks = False
    assert list(replies.write([1, 2, 3], best, 2)) == [4, 5]


def test_how_much_begins_alike():
    for other, alike in (([], 0), ([2], 0), ([1, 2], 2), ([1, 2, 4], 2), ([1, 2, 3, 4], 3)):
        assert count_common([1, 2, 3], other) == alike
