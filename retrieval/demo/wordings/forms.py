"""The forms of question templates.

A path is written as words: ``borders official_language`` walks two facts forward, ``^directed_by`` walks a
fact backwards. ``{}`` is where the topic entity goes, ``{a}`` and ``{b}`` where there are two.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Simple:
    """Questions about one topic entity.

    Attributes:
        path: the gold relation path.
        texts: wordings for every split.
        unseen: wordings kept for the test split.
        where: a relation that the topic must have as a head, to keep apart topics of different kinds.
        count: how many questions to make.
        test_only: the relation path itself is kept for the test split.
    """

    path: str
    texts: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    where: str = ""
    count: int = 9
    test_only: bool = False


@dataclass(frozen=True, slots=True)
class Pair:
    """Questions about two topic entities whose answers both paths reach. ``kind`` is multi or comparison."""

    path_a: str
    path_b: str
    texts: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    kind: str = "multi"
    count: int = 9
    test_only: bool = False


@dataclass(frozen=True, slots=True)
class Compare:
    """Questions that ask which of two entities has the larger (or smaller) number."""

    relation: str
    where: str
    texts: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    smaller: bool = False
    count: int = 9
