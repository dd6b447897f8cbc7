"""The demo facts in memory: reading them, and walking relation paths exactly as the engine counts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

Fact = tuple[str, str, str]
HEADER = "head\trelation\ttail"


def read_facts(files: Iterable[Path]) -> list[Fact]:
    """All facts of the files, in file order.

    Raises:
        ValueError: a row has not exactly three non-empty fields; the message names file and line.
    """
    facts: list[Fact] = []
    for file in files:
        header, *rows = file.read_text(encoding="utf-8").splitlines()
        if header != HEADER:
            raise ValueError(f"{file.name}:1: the header must be {HEADER!r}")
        for number, row in enumerate(rows, start=2):
            cells = row.split("\t")
            if len(cells) != 3 or not all(cell.strip() for cell in cells):
                raise ValueError(f"{file.name}:{number}: expected head, relation, tail: {row!r}")
            facts.append((cells[0], cells[1], cells[2]))
    return facts


class DemoWorld:
    """Facts indexed for walking.

    A relation path is words, ``borders official_language``; a word that starts with ``^`` walks the facts of
    that relation backwards. Only simple walks count: no entity is visited twice.
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.facts = frozenset(facts)
        self._steps: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for head, relation, tail in sorted(self.facts):
            self._steps[relation][head].append(tail)
            self._steps[f"^{relation}"][tail].append(head)

    @cached_property
    def entities(self) -> frozenset[str]:
        """Everything that facts speak of; aliases are names, not entities."""
        heads = {head for head, _, _ in self.facts}
        return frozenset(heads | {tail for _, relation, tail in self.facts if relation != "alias"})

    def find_starts(self, word: str) -> list[str]:
        """Entities from which a step of ``word`` leads somewhere, sorted."""
        return sorted(self._steps[word])

    def take_step(self, entity: str, word: str) -> list[str]:
        """Where one step leads from ``entity``, sorted."""
        steps = self._steps[word]
        return steps.get(entity, [])

    def list_walks(self, topic: str, path: str) -> Iterator[tuple[str, ...]]:
        """Every simple walk of ``path`` from ``topic``: the entities visited, ``topic`` first."""
        return self._walk_path((topic,), path.split())

    def _walk_path(self, visited: tuple[str, ...], words: list[str]) -> Iterator[tuple[str, ...]]:
        if not words:
            yield visited
            return
        for target in self.take_step(visited[-1], words[0]):
            if target not in visited:
                yield from self._walk_path((*visited, target), words[1:])

    def find_targets(self, topic: str, path: str) -> frozenset[str]:
        """What ``path`` reaches from ``topic``."""
        return frozenset(walk[-1] for walk in self.list_walks(topic, path))

    def build_reasoning_paths(self, topic: str, path: str, answers: Iterable[str]) -> list[list[Fact]]:
        """One walk to each of ``answers``, the first in order, as facts in the direction of the graph."""
        first: dict[str, tuple[str, ...]] = {}
        for walk in self.list_walks(topic, path):
            first.setdefault(walk[-1], walk)
        return [self._build_facts(first[answer], path) for answer in answers]

    @staticmethod
    def _build_facts(walk: tuple[str, ...], path: str) -> list[Fact]:
        hops = zip(walk, path.split(), walk[1:], strict=False)
        return [
            (target, word[1:], source) if word.startswith("^") else (source, word, target)
            for source, word, target in hops
        ]
