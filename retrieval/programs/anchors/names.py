"""Anchors that are nodes: by name and alias, as adjectives of places, in part, or spelt alike."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.labels import keep_as_written, normalise
from retrieval.programs import lexicon
from retrieval.programs.algebra import Entities
from retrieval.programs.anchors.anchor import Anchor
from retrieval.programs.lexicon import STOP
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.kg.snapshot.labels import Match
    from retrieval.programs.schema import Schema

_LONGEST_NAME = 8
#: Meanings of one stretch of words that are kept.
NODES = 4
_DEMONYM = 5
#: Letters of an abbreviation, and names of a graph whose initials are known.
_INITIALS, _ABBREVIATED = range(2, 6), 50_000
#: Letters of a word that may stand for a longer name.
_PART = 4
#: Small words that say how something is, and what stands before them.
_STATES = frozenset({"up", "down", "in", "out", "on", "off", "over", "under", "away"})
_BEING = frozenset({"is", "are", "was", "were", "be", "been", "still", "currently"})
#: Nodes whose names end alike, at most.
_ENDING = 100
_DEMONYM_ENDINGS = ("an", "ese", "ish", "ian", "ic", "ist", "i")


class Names:
    """Finds the nodes that words name, over one graph."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot

    def of(self, question: Question, cued: set[int]) -> list[Anchor]:
        """Nodes by name; ``cued`` are the words that ask for an operator."""
        labels, found = self.snapshot.labels, list[Anchor]()
        texts = [normalise(word.text) for word in question.words]
        whole = [False] * len(texts)
        numbers = {(q.first, q.last) for q in question.quantities}
        for first in range(len(texts)):
            for last in range(min(len(texts), first + _LONGEST_NAME), first, -1):
                own = question.words[first:last]
                state = last - first == 1 and self._is_state(question, first)
                small = own[0].text in STOP or len(own[0].text) < 2
                if last - first == 1 and small and not own[0].capital and not state:
                    continue
                common = all(word.text in STOP for word in own) and not state
                titled = common and first > 0 and all(word.capital for word in own)
                if (common and not titled) or own[0].text in ("'s",) or own[-1].text in ("'s", "the"):
                    continue
                if _is_determiner(question, first, last):
                    continue
                name = normalise(question.span_text(first, last))
                matches = labels.lookup(name)
                if titled:  # "The Who" and "It" name something where the graph writes them so
                    matches = [
                        match for match in matches if match.node.label == question.span_text(first, last)
                    ]
                if (first, last) in numbers and (first, last) not in question.quoted:
                    matches = [match for match in matches if not self._measured(match.entity)]
                if not matches:
                    matches = labels.lookup(lexicon.ABBREVIATIONS.get(name, ""))
                if not matches and last - first == 1:
                    matches = self._of_initials(question.span_text(first, last))
                if not matches and last - first == 1:
                    matches = self._demonym(name) or labels.lookup(lexicon.SEXES.get(name, ""))
                if (
                    not matches
                    and own[-1].text.endswith("s")
                    and last - first <= 3
                    and not self._is_kind(question, first, last)
                ):
                    matches = labels.lookup(name.removesuffix("s"))
                matches = [match for match in matches if match.entity not in self.schema.kinds]
                matches = keep_as_written(matches, question.text, own[0].start, own[-1].end)
                for place, match in enumerate(matches[:NODES]):
                    capital = any(word.capital for word in own)
                    quoted = (first, last) in question.quoted
                    features = [
                        ("e", 1.0), (f"e.{match.source}", 1.0), ("e.words", min(last - first, 4) - 1.0),
                        ("e.capital", float(capital)), ("e.quoted", float(quoted)), ("e.place", float(place)),
                        ("e.cue", float(any(n in cued for n in range(first, last)))),
                    ]  # fmt: skip
                    found.append(
                        Anchor("S", first, last, Entities((match.entity,)), "node", tuple(features), 1.0)
                    )
                    known = self._known_as(match.entity)
                    if known is not None:
                        alias = tuple(
                            ("e.alias" if name == "e.exact" else name, value) for name, value in features
                        )
                        found.append(Anchor("S", first, last, Entities((known,)), "node", alias, 1.0))
                    whole[first:last] = [True] * (last - first)
        for low, high in [*question.quoted, *_capital_runs(question)]:
            if not any(whole[low:high]):
                found += self._partly(question, low, high)
            elif not whole[low]:  # "Remco Evenepoel Belgian": a name, and a place's adjective
                found += self._partly(question, low, whole.index(True, low))
        return found

    def _is_kind(self, question: Question, first: int, last: int) -> bool:
        """Whether words in the plural are a kind of the graph, or, where nothing else is said, those that several are:
        moons, senior engineers.
        """
        words, schema = question.words[first:last], self.schema
        stems = tuple(word.stem for word in words)
        if any(word.capital for word in words[-1:]):
            return False
        alone = all(word.text in STOP for word in (*question.words[:first], *question.words[last:]))
        kind = len(stems) == 1 and stems[0] in schema.kind_stems
        return kind or stems in schema.induced or (alone and stems in schema.hubs)

    def _known_as(self, node: int) -> int | None:
        """The only one whom a node is another name of, a codename or a nickname; None of all other nodes."""
        offsets = self.snapshot.in_offsets
        if self.snapshot.out_offsets[node + 1] > self.snapshot.out_offsets[node]:
            return None
        if offsets[node + 1] - offsets[node] != 1:
            return None
        relation = int(self.snapshot.in_groups.of_entity(node)[0][0])
        if self.schema.relations[relation].label.casefold() not in lexicon.OTHER_NAMES:
            return None
        sources, targets = self.schema.columns.arcs(relation)
        return int(sources[targets == node][0])

    def _is_state(self, question: Question, at: int) -> bool:
        """Whether a small word at the end is a value that says how something is: "is it still up"."""
        words, labels = question.words, self.snapshot.labels
        if at != len(words) - 1 or at < 2 or words[at].text not in _STATES:
            return False
        if not any(word.text in _BEING for word in words[:at]):
            return False
        ends = [match.entity for match in labels.lookup(words[at].text)]
        return any(self.snapshot.out_offsets[own] == self.snapshot.out_offsets[own + 1] for own in ends)

    def _measured(self, node: int) -> bool:
        """Whether a node is nothing but a number, date or time that relations of values lead to."""
        snapshot, columns = self.snapshot, self.schema.columns
        if not columns.kinds[node] or snapshot.out_offsets[node + 1] > snapshot.out_offsets[node]:
            return False
        relations = snapshot.in_groups.of_entity(node)[0]
        return all(columns.value_type(int(relation)) is not None for relation in relations)

    def _of_initials(self, text: str) -> list[Match]:
        """What capitals are short for: "CEO", of a Chief Executive Officer."""
        if len(text) not in _INITIALS or not (text.isalpha() and text.isupper()):
            return []
        return [
            match
            for name in self._initials.get(text.lower(), ())
            for match in self.snapshot.labels.lookup(name)
        ]

    @cached_property
    def _initials(self) -> dict[str, list[str]]:
        """By their initials, names of some words; of a graph of many names none."""
        found: dict[str, list[str]] = {}
        names = self.snapshot.labels.names
        for name in names if len(names) <= _ABBREVIATED else ():
            words = name.split(" ")
            if len(words) in _INITIALS and all(word[:1].isalpha() for word in words):
                found.setdefault("".join(word[0] for word in words), []).append(name)
        return found

    def _demonym(self, word: str) -> list[Match]:
        """Places that an adjective is of: "African", "German"."""
        labels = self.snapshot.labels
        if word in lexicon.DEMONYMS:
            return labels.lookup(lexicon.DEMONYMS[word])
        if len(word) < _DEMONYM or word in STOP or not word.removesuffix("s").endswith(_DEMONYM_ENDINGS):
            return []
        for kept in range(len(word) - 1, max(_DEMONYM - 2, len(word) - 4), -1):
            low, high = labels.names.prefix_range(word[:kept].encode())
            names = [labels.names[row] for row in range(low, min(high, low + 50))]
            near = [name for name in names if len(name) <= kept + 3 and " " not in name and name != word]
            found = [match for name in near for match in labels.lookup(name)]
            if found:
                return sorted(found, key=lambda match: -match.degree)
        return []

    def states(self, question: Question) -> list[Anchor]:
        """States by another word for them, where the graph has none by this one: "finished", of ``completed``."""
        found: list[Anchor] = []
        for first, last in _short_stretches(question):
            words = question.words[first:last]
            name = " ".join(word.text for word in words)
            groups = [group for group in lexicon.STATES if name in group]
            named = any(word.capital or word.stem in self.schema.by_stem for word in words)
            if not groups or named or self.snapshot.labels.lookup(name):
                continue
            matches = [
                match
                for other in sorted(set[str]().union(*groups) - {name})
                for match in self.snapshot.labels.lookup(other)
                if match.entity not in self.schema.kinds
                and self.snapshot.out_offsets[match.entity] == self.snapshot.out_offsets[match.entity + 1]
            ]
            found += [
                Anchor(
                    "S", first, last, Entities((match.entity,)), "node",
                    (("e", 1.0), ("e.alias", 1.0), ("e.place", float(place))), 0.7,
                )
                for place, match in enumerate(matches[:NODES])
            ]  # fmt: skip
        return found

    def in_part(self, question: Question, known: set[int]) -> list[Anchor]:
        """Nodes whose name ends in a word that nothing else explains, "penguin" of the king penguin; of a plural all of
        them: "wind farms".
        """
        found: list[Anchor] = []
        for at, word in enumerate(question.words):
            if (
                at
                and not word.capital
                and not {at - 1, at} <= known
                and question.words[at - 1].text not in STOP
            ):
                found += self._ending(question, at - 1, at + 1)
            if at in known or word.text in STOP or len(word.text) < _PART:
                continue
            every = self._ending(question, at, at + 1)
            found += every
            for name in dict.fromkeys((normalise(word.text), normalise(word.text.removesuffix("s")))):
                matches = self._ends(name)[:NODES]
                if matches:
                    found += [
                        Anchor(
                            "S", at, at + 1, Entities((match.entity,)), "node",
                            (("e", 1.0), ("e.end", 1.0), ("e.place", float(place))), 0.6,
                        )
                        for place, match in enumerate(matches)
                    ]  # fmt: skip
                    break
        return found

    def _ends(self, name: str) -> list[Match]:
        matches = self.snapshot.labels.containing(name, _ENDING)
        return [match for match in matches if normalise(match.node.label).endswith(f" {name}")]

    def _ending(self, question: Question, first: int, last: int) -> list[Anchor]:
        """All nodes whose names end in words, where these are a plural."""
        name = normalise(question.span_text(first, last))
        nodes = self._ends(name.removesuffix("s")) if name.endswith("s") and not name.endswith("ss") else []
        if len(nodes) < 2:
            return []
        program = Entities(tuple(sorted(match.entity for match in nodes)))
        features = (("e.ends", 1.0), ("e.words", last - first - 1.0))
        return [Anchor("S", first, last, program, "hub", features, 0.8)]

    def _partly(self, question: Question, first: int, last: int) -> list[Anchor]:
        """Nodes whose name holds the words of a stretch, or is spelt like it."""
        name = normalise(question.span_text(first, last))
        matches = self.snapshot.labels.containing(name, NODES)
        sort = "part"
        if not matches and len(name) >= 4:
            matches, sort = self.snapshot.labels.fuzzy(name, 2), "fuzzy"
        return [
            Anchor(
                "S",
                first,
                last,
                Entities((match.entity,)),
                "node",
                (("e", 1.0), (f"e.{sort}", match.score), ("e.place", float(place))),
                0.8,
            )
            for place, match in enumerate(matches)
        ]


def _short_stretches(question: Question) -> list[tuple[int, int]]:
    """Stretches of one or two words."""
    return [
        (n, n + length)
        for n in range(len(question.words))
        for length in (1, 2)
        if n + length <= len(question.words)
    ]


def _is_determiner(question: Question, first: int, last: int) -> bool:
    """Whether a "no" says that there are none of what follows: "lots that have no score"."""
    alone = last == first + 1 and question.words[first].text == "no" and last < len(question.words)
    return alone and not question.words[first].capital and (first, last) not in question.quoted


def _capital_runs(question: Question) -> list[tuple[int, int]]:
    """Stretches of capitalised words, the first word of the question left out where it only begins the sentence."""
    runs: list[tuple[int, int]] = []
    first = None
    for n, word in enumerate([*question.words, None]):
        capital = word is not None and word.capital and not (n == 0 and word.text in STOP)
        if capital and first is None:
            first = n
        elif not capital and first is not None:
            runs.append((first, n))
            first = None
    return runs
