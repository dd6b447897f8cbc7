"""Makes the demo question files again from the facts and the wordings; the same input gives the same files.

Run ``python -m retrieval.demo.build_questions`` after a change to ``facts/`` or ``wordings/``.

Answers are what the gold relation path reaches by simple walks, so they are complete for the graph. The test
split holds wordings, topic entities and some relation paths that train and dev never show.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import TypeVar

from retrieval.demo import FACTS, QUESTIONS, wordings
from retrieval.demo.naming import format_name
from retrieval.demo.world import DemoWorld, Fact, read_facts

Row = dict[str, object]
Topics = TypeVar("Topics", str, tuple[str, str])
SHOWCASE = ("Which languages are spoken in the countries that border {}?", "Switzerland")
MAX_ANSWERS = 60
MAX_PATHS = 10
PAIR_POOL = 6000
"""How many pairs of topics are looked at for one template."""


def build(world: DemoWorld) -> dict[str, list[Row]]:
    """All questions by split, in the order they are written."""
    return Builder(world).build()


class Builder:
    """Collects questions; no wording with the same topics is asked twice, in any split."""

    def __init__(self, world: DemoWorld) -> None:
        self.world = world
        self.rows: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
        self._asked: set[str] = set()
        self._numbers: Counter[str] = Counter()

    def build(self) -> dict[str, list[Row]]:
        """Makes every kind of question in turn."""
        text, topic = SHOWCASE
        self._add_simple("test", text, topic, "borders official_language")
        for template in wordings.SIMPLE:
            self._make_simple(template)
        for pair in wordings.PAIRS:
            self._make_pairs(pair)
        for compare in wordings.COMPARES:
            self._make_comparisons(compare)
        self._make_unanswerable()
        return self.rows

    def _make_simple(self, template: wordings.Simple) -> None:
        """Spreads one relation path over the splits, with topics of its own for each split."""
        world, rng = self.world, random.Random(f"{template.path}|{template.texts[0]}")
        topics = world.find_starts(template.path.split()[0])
        if template.where:
            topics = [topic for topic in topics if world.take_step(topic, template.where)]
        topics = [topic for topic in topics if 0 < len(world.find_targets(topic, template.path)) <= MAX_ANSWERS]
        for split, topic, text in _assign_splits(rng, topics, template):
            self._add_simple(split, text, topic, template.path, rng)

    def _make_pairs(self, template: wordings.Pair) -> None:
        rng = random.Random(f"{template.path_a}|{template.path_b}|{template.texts[0]}")
        pairs = self._find_meeting(template.path_a, template.path_b, rng)
        for split, (a, b), text in _assign_splits(rng, pairs, template):
            self._add_pair(split, text, (a, template.path_a), (b, template.path_b), kind=template.kind, rng=rng)

    def _find_meeting(self, path_a: str, path_b: str, rng: random.Random) -> list[tuple[str, str]]:
        """Pairs whose sets meet, those first where neither path alone would give the answer."""
        sets_a, sets_b = self._find_answer_sets(path_a), self._find_answer_sets(path_b)
        same = path_a == path_b
        pairs = list(combinations(sets_a, 2) if same else product(sets_a, sets_b))
        rng.shuffle(pairs)
        telling: list[tuple[str, str]] = []
        others: list[tuple[str, str]] = []
        for a, b in pairs[:PAIR_POOL]:
            both = sets_a[a] & sets_b[b]
            if a == b or not both or {a, b} & both or len(both) > MAX_ANSWERS:
                continue
            (telling if both != sets_a[a] and both != sets_b[b] else others).append((a, b))
        return telling or others

    def _find_answer_sets(self, path: str) -> dict[str, frozenset[str]]:
        starts = self.world.find_starts(path.split(maxsplit=1)[0])
        reached = {topic: self.world.find_targets(topic, path) for topic in starts}
        return {topic: answers for topic, answers in reached.items() if answers}

    def _make_comparisons(self, template: wordings.Compare) -> None:
        """Pairs whose numbers differ clearly, so that the answer does not hang on the year of a census."""
        rng = random.Random(f"{template.relation}|{template.texts[0]}")
        numbers = {
            entity: _parse_number(self.world.take_step(entity, template.relation)[0])
            for entity in self.world.find_starts(template.relation)
            if self.world.take_step(entity, template.where)
        }
        pairs = list(combinations(numbers, 2))
        rng.shuffle(pairs)
        by_year = template.relation.endswith("year")
        clear = [
            (a, b)
            for a, b in pairs[:PAIR_POOL]
            if (abs(numbers[a] - numbers[b]) >= 2 if by_year else _compute_ratio(numbers[a], numbers[b]) >= 1.15)
        ]
        choose = min if template.smaller else max
        for split, pair, text in _assign_splits(rng, clear, template):
            a, b = pair if rng.random() < 0.5 else pair[::-1]
            sides = [
                self.world.build_reasoning_paths(e, template.relation, self.world.find_targets(e, template.relation))
                for e in (a, b)
            ]
            question = text.format(a=self._render_entity(a, rng), b=self._render_entity(b, rng))
            answer = choose((a, b), key=lambda entity: numbers[entity])
            paths = [path for side in sides for path in side]
            self._add(split, "comparison", question, (a, b), hops=1, answers=(answer,), paths=paths)

    def _make_unanswerable(self) -> None:
        for text, names, hops in wordings.UNKNOWN:
            for split, name in zip(_list_splits(len(names)), names, strict=True):
                self._add(split, "unanswerable", text.format(name), (name,), hops=hops)
        for text, having, count in wordings.ABSENT:
            self._make_empty(text, self.world.find_starts(having), 1, count)
        for text, path, having, count in wordings.MISSING:
            topics = [topic for topic in self.world.find_starts(having) if not self.world.find_targets(topic, path)]
            self._make_empty(text, topics, len(path.split()), count)
        for text, path_a, path_b, count in wordings.DISJOINT:
            self._make_disjoint(text, path_a, path_b, count)

    def _make_empty(self, text: str, topics: Sequence[str], hops: int, count: int) -> None:
        rng = random.Random(text)
        for split, topic in zip(_list_splits(count), rng.sample(topics, min(count, len(topics))), strict=False):
            self._add(split, "unanswerable", text.format(self._render_entity(topic, rng)), (topic,), hops=hops)

    def _make_disjoint(self, text: str, path_a: str, path_b: str, count: int) -> None:
        rng = random.Random(text)
        sets_a, sets_b = self._find_answer_sets(path_a), self._find_answer_sets(path_b)
        splits = _list_splits(count)
        while splits:
            a, b = rng.choice(sorted(sets_a)), rng.choice(sorted(sets_b))
            if a == b or sets_a[a] & sets_b[b]:
                continue
            question = text.format(a=self._render_entity(a, rng), b=self._render_entity(b, rng))
            hops = max(len(path_a.split()), len(path_b.split()))
            if self._add(splits[0], "unanswerable", question, (a, b), hops=hops):
                splits = splits[1:]

    def _add_simple(self, split: str, text: str, topic: str, path: str, rng: random.Random | None = None) -> None:
        answers = sorted(self.world.find_targets(topic, path))
        paths = self.world.build_reasoning_paths(topic, path, answers[:MAX_PATHS])
        question = text.format(self._render_entity(topic, rng))
        self._add(split, "simple", question, (topic,), hops=len(path.split()), answers=answers, paths=paths)

    def _add_pair(
        self,
        split: str,
        text: str,
        side_a: tuple[str, str],
        side_b: tuple[str, str],
        *,
        kind: str,
        rng: random.Random,
    ) -> None:
        world = self.world
        answers = sorted(world.find_targets(*side_a) & world.find_targets(*side_b))
        to_a = world.build_reasoning_paths(*side_a, answers[:MAX_PATHS])
        to_b = world.build_reasoning_paths(*side_b, answers[:MAX_PATHS])
        paths = [path for both in zip(to_a, to_b, strict=True) for path in both]
        question = text.format(a=self._render_entity(side_a[0], rng), b=self._render_entity(side_b[0], rng))
        hops = max(len(path) for path in paths)
        self._add(split, kind, question, (side_a[0], side_b[0]), hops=hops, answers=answers, paths=paths)

    def _add(
        self,
        split: str,
        kind: str,
        question: str,
        topics: Sequence[str],
        *,
        hops: int,
        answers: Sequence[str] = (),
        paths: Sequence[list[Fact]] = (),
    ) -> bool:
        question = question[0].upper() + question[1:]
        if question in self._asked:
            return False
        self._asked.add(question)
        self._numbers[kind] += 1
        row: Row = {
            "id": f"{kind}-{self._numbers[kind]:04d}",
            "question": question,
            "topic_entities": list(topics),
            "answers": list(answers),
            "paths": list(paths),
            "hops": hops,
            "split": split,
        }
        self.rows[split].append(row)
        return True

    def _render_entity(self, entity: str, rng: random.Random | None) -> str:
        return format_name(self.world, entity, rng)


def is_held_out(*topics: str) -> bool:
    """Whether a topic is kept for the test split: a sixth of all entities are, whatever the question."""
    return any(zlib.crc32(topic.encode()) % 6 == 0 for topic in topics)


def _assign_splits(
    rng: random.Random,
    topics: Sequence[Topics],
    template: wordings.Simple | wordings.Pair | wordings.Compare,
) -> Iterator[tuple[str, Topics, str]]:
    """Topics and wordings for each split; a topic serves one split only.

    Args:
        rng: decides the order.
        topics: an entity, or a pair of them, for each possible question.
        template: gives the wordings, how many questions to make, and whether only the test split has them.
    """
    pool = list(topics)
    rng.shuffle(pool)
    kept = [topic for topic in pool if is_held_out(*_list_topics(topic))]
    free = [topic for topic in pool if not is_held_out(*_list_topics(topic))]
    test_only = getattr(template, "test_only", False)
    splits = ["test"] * template.count if test_only else _list_splits(template.count)
    fresh = template.unseen or template.texts
    tests = 0
    for split in splits:
        if split == "test":
            source = kept or free
            texts = fresh if tests % 2 == 0 else template.texts
            tests += 1
        else:
            source, texts = free, template.texts
        if source:
            yield split, source.pop(), rng.choice(texts)


def _list_topics(topic: Topics) -> tuple[str, ...]:
    return (topic,) if isinstance(topic, str) else topic


def _list_splits(count: int) -> list[str]:
    """The split of each of ``count`` questions: five train, one dev and two test in every eight."""
    return [("train", "test", "train", "train", "dev", "train", "train", "test")[i % 8] for i in range(count)]


def _parse_number(literal: str) -> int:
    """``8849 m`` -> 8849."""
    match = re.match(r"-?\d+", literal)
    if match is None:
        raise ValueError(f"{literal!r} does not begin with a number")
    return int(match[0])


def _compute_ratio(a: int, b: int) -> float:
    return max(a, b) / min(a, b)


def write(files: dict[str, Path]) -> dict[str, int]:
    """Writes the question files, one JSON object a line; returns how many questions each got."""
    rows = build(DemoWorld(read_facts(FACTS)))
    for split, file in files.items():
        lines = (json.dumps(row, ensure_ascii=False) for row in rows[split])
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {split: len(rows[split]) for split in files}


if __name__ == "__main__":
    write(QUESTIONS)
