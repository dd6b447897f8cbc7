"""Anchors that are nodes: by name and alias, as adjectives of places, in part, or spelt alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.labels import keep_as_written, normalize_name
from retrieval.language.amounts import ValueKind
from retrieval.language.english import SEXES, STOP
from retrieval.language.gazetteer import find_countries
from retrieval.language.words import QuestionWords
from retrieval.lexicon import get_groups, get_pairs, get_words
from retrieval.lexicon.nouns import list_quality_nouns, list_singulars
from retrieval.programs.algebra.operations import Entities
from retrieval.programs.grounding.anchors.anchor import Anchor

if TYPE_CHECKING:
    from retrieval.kg.snapshot.labels import Match
    from retrieval.programs.grounding.schema import Schema

_ABBREVIATIONS = get_pairs("place_abbreviations")
"""Other names of places, where a graph lacks the name that was given."""
_SHORT_NAMES = {name: [short for short, full in _ABBREVIATIONS.items() if full == name] for name in _ABBREVIATIONS}
_OTHER_NAMES = get_words("other_name_relations")
"""What relations are called that lead to another name of somebody."""
_STATE_SYNONYMS = get_groups("state_synonyms")
"""What graphs write for one state of things, and people say for it."""

_LONGEST_NAME = 8
#: Meanings of one stretch of words that are kept.
NODES = 4
_DEMONYM = 5
#: Letters of an abbreviation, and names of a graph whose initials are known.
_INITIALS, _ABBREVIATED = range(2, 6), 50_000
#: Letters of a word that may stand for a longer name.
_PART = 4
#: Small words that say how something is, and what stands before them.
_STATES = get_words("verb_particles")
_BEING = get_words("state_verbs")
#: Nodes whose names end alike, at most.
_ENDING = 100
_DEMONYM_ENDINGS = ("an", "ese", "ish", "ian", "ic", "ist", "i")


class NameAnchors:
    """Finds the nodes that words name, over one graph."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.snapshot = schema.snapshot

    def find_anchors(self, question: QuestionWords, cued: set[int]) -> list[Anchor]:
        """Nodes by name; ``cued`` are the words that ask for an operator."""
        labels, anchors = self.snapshot.labels, list[Anchor]()
        texts = [normalize_name(word.text) for word in question.words]
        covered = [False] * len(texts)
        numbers = {(q.first, q.last) for q in question.quantities}
        for first in range(len(texts)):
            for last in range(min(len(texts), first + _LONGEST_NAME), first, -1):
                words = question.words[first:last]
                state = last - first == 1 and self._is_state(question, first)
                small = words[0].text in STOP or len(words[0].text) < 2
                if last - first == 1 and small and not words[0].capital and not state:
                    continue
                common = all(word.text in STOP for word in words) and not state
                titled = common and first > 0 and all(word.capital for word in words)
                if (common and not titled) or words[0].text in ("'s",) or words[-1].text in ("'s", "the"):
                    continue
                if _is_determiner(question, first, last):
                    continue
                name = normalize_name(question.get_span_text(first, last))
                matches = labels.find_exact(name)
                if titled:  # "The Who" and "It" name something where the graph writes them so
                    matches = [match for match in matches if match.node.label == question.get_span_text(first, last)]
                if (first, last) in numbers and (first, last) not in question.quoted:
                    matches = [match for match in matches if not self._is_measurement(match.entity)]
                if not matches:
                    matches = labels.find_exact(_ABBREVIATIONS.get(name, ""))
                if not matches and last - first == 1:
                    matches = self._match_initials(question.get_span_text(first, last))
                if not matches and last - first == 1:
                    matches = self._match_demonym(name) or labels.find_exact(SEXES.get(name, ""))
                # The last word of a longer name: Sensor Switches are not several of Switch.
                ends_name = last - first == 1 and first > 0 and words[0].capital and question.words[first - 1].capital
                if not matches and last - first <= 3 and not ends_name and not self._is_kind(question, first, last):
                    matches = next(filter(None, map(labels.find_exact, list_singulars(name))), [])
                if not matches and last - first == 1 and last < len(texts) and texts[last] not in STOP:
                    matches = next(filter(None, map(labels.find_exact, list_quality_nouns(name))), [])
                matches = [match for match in matches if match.entity not in self.schema.kinds]
                matches = keep_as_written(matches, question.text, words[0].start, words[-1].end)
                for place, match in enumerate(matches[:NODES]):
                    capital = any(word.capital for word in words)
                    quoted = (first, last) in question.quoted
                    features = [
                        ("e", 1.0), (f"e.{match.source}", 1.0), ("e.words", min(last - first, 4) - 1.0),
                        ("e.capital", float(capital)), ("e.quoted", float(quoted)), ("e.place", float(place)),
                        ("e.cue", float(any(n in cued for n in range(first, last)))),
                    ]  # fmt: skip
                    anchors.append(Anchor("S", first, last, Entities((match.entity,)), "node", tuple(features), 1.0))
                    known = self._resolve_other_name(match.entity)
                    if known is not None:
                        alias = tuple(("e.alias" if name == "e.exact" else name, value) for name, value in features)
                        anchors.append(Anchor("S", first, last, Entities((known,)), "node", alias, 1.0))
                    covered[first:last] = [True] * (last - first)
        for date in (q for q in question.quantities if q.amount.kind is ValueKind.DATE):
            covered[date.first : date.last] = [True] * (date.last - date.first)  # no other date that is misspelt
        for low, high in [*question.quoted, *_find_capital_runs(question)]:
            if not any(covered[low:high]):
                anchors += self._find_partial_matches(question, low, high)
            elif not covered[low]:  # "Remco Evenepoel Belgian": a name, and a place's adjective
                anchors += self._find_partial_matches(question, low, covered.index(True, low))
        return anchors

    def _is_kind(self, question: QuestionWords, first: int, last: int) -> bool:
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

    def _resolve_other_name(self, node: int) -> int | None:
        """The only one whom a node is another name of, a codename or a nickname; None of all other nodes."""
        offsets = self.snapshot.in_offsets
        if self.snapshot.out_offsets[node + 1] > self.snapshot.out_offsets[node]:
            return None
        if offsets[node + 1] - offsets[node] != 1:
            return None
        relation = int(self.snapshot.in_groups.get_entity_groups(node)[0][0])
        if self.schema.relations[relation].label.casefold() not in _OTHER_NAMES:
            return None
        sources, targets = self.schema.columns.list_arcs(relation)
        return int(sources[targets == node][0])

    def _is_state(self, question: QuestionWords, index: int) -> bool:
        """Whether a small word at the end is a value that says how something is: "is it still up"."""
        words, labels = question.words, self.snapshot.labels
        if index != len(words) - 1 or index < 2 or words[index].text not in _STATES:
            return False
        if not any(word.text in _BEING for word in words[:index]):
            return False
        ends = [match.entity for match in labels.find_exact(words[index].text)]
        return any(self.snapshot.out_offsets[entity] == self.snapshot.out_offsets[entity + 1] for entity in ends)

    def _is_measurement(self, node: int) -> bool:
        """Whether a node is nothing but a number, date or time that relations of values lead to."""
        snapshot, columns = self.snapshot, self.schema.columns
        if not columns.kinds[node] or snapshot.out_offsets[node + 1] > snapshot.out_offsets[node]:
            return False
        relations = snapshot.in_groups.get_entity_groups(node)[0]
        return all(columns.get_value_type(int(relation)) is not None for relation in relations)

    def _match_initials(self, text: str) -> list[Match]:
        """What capitals are short for: "CEO", of a Chief Executive Officer."""
        if len(text) not in _INITIALS or not (text.isalpha() and text.isupper()):
            return []
        return [
            match for name in self._initials.get(text.lower(), ()) for match in self.snapshot.labels.find_exact(name)
        ]

    @cached_property
    def _initials(self) -> dict[str, list[str]]:
        """By their initials, names of some words; of a graph of many names none."""
        by_initials: dict[str, list[str]] = {}
        names = self.snapshot.labels.names
        for name in names if len(names) <= _ABBREVIATED else ():
            words = name.split(" ")
            if len(words) in _INITIALS and all(word[:1].isalpha() for word in words):
                by_initials.setdefault("".join(word[0] for word in words), []).append(name)
        return by_initials

    def _match_demonym(self, word: str) -> list[Match]:
        """Places that an adjective is of: "African", "German"."""
        labels = self.snapshot.labels
        places = find_countries(word)
        if places:
            names = [name for place in places for name in (place, *_SHORT_NAMES.get(place, ()))]
            return [match for name in names for match in labels.find_exact(name)]
        if len(word) < _DEMONYM or word in STOP or not word.removesuffix("s").endswith(_DEMONYM_ENDINGS):
            return []
        for kept in range(len(word) - 1, max(_DEMONYM - 2, len(word) - 4), -1):
            low, high = labels.names.find_prefix_range(word[:kept].encode())
            names = [labels.names[row] for row in range(low, min(high, low + 50))]
            near = [name for name in names if len(name) <= kept + 3 and " " not in name and name != word]
            matches = [match for name in near for match in labels.find_exact(name)]
            if matches:
                return sorted(matches, key=lambda match: -match.degree)
        return []

    def find_states(self, question: QuestionWords) -> list[Anchor]:
        """States by another word for them, where the graph has none by this one: "finished", of ``completed``."""
        anchors: list[Anchor] = []
        for first, last in _list_short_spans(question):
            words = question.words[first:last]
            name = " ".join(word.text for word in words)
            groups = [group for group in _STATE_SYNONYMS if name in group]
            is_named = any(word.capital or word.stem in self.schema.by_stem for word in words)
            if not groups or is_named or self.snapshot.labels.find_exact(name):
                continue
            matches = [
                match
                for other in sorted(set[str]().union(*groups) - {name})
                for match in self.snapshot.labels.find_exact(other)
                if match.entity not in self.schema.kinds
                and self.snapshot.out_offsets[match.entity] == self.snapshot.out_offsets[match.entity + 1]
            ]
            anchors += _make_node_anchors(first, last, matches[:NODES], "alias", 0.7)
        return anchors

    def find_name_endings(self, question: QuestionWords, known: set[int]) -> list[Anchor]:
        """Nodes whose name ends in a word that nothing else explains, "penguin" of the king penguin; of a plural all of
        them: "wind farms".
        """
        anchors: list[Anchor] = []
        for index, word in enumerate(question.words):
            if (
                index
                and not word.capital
                and not {index - 1, index} <= known
                and question.words[index - 1].text not in STOP
            ):
                anchors += self._find_plural_nodes(question, index - 1, index + 1)
            if index in known or word.text in STOP or len(word.text) < _PART:
                continue
            every = self._find_plural_nodes(question, index, index + 1)
            anchors += every
            for name in dict.fromkeys((normalize_name(word.text), normalize_name(word.text.removesuffix("s")))):
                matches = self._match_name_end(name)[:NODES]
                if matches:
                    anchors += _make_node_anchors(index, index + 1, matches, "end", 0.6)
                    break
        return anchors

    def _match_name_end(self, name: str) -> list[Match]:
        matches = self.snapshot.labels.find_containing(name, _ENDING)
        return [match for match in matches if normalize_name(match.node.label).endswith(f" {name}")]

    def _find_plural_nodes(self, question: QuestionWords, first: int, last: int) -> list[Anchor]:
        """All nodes whose names end in words, where these are a plural."""
        name = normalize_name(question.get_span_text(first, last))
        nodes = self._match_name_end(name.removesuffix("s")) if name.endswith("s") and not name.endswith("ss") else []
        if len(nodes) < 2:
            return []
        program = Entities(tuple(sorted(match.entity for match in nodes)))
        features = (("e.ends", 1.0), ("e.words", last - first - 1.0))
        return [Anchor("S", first, last, program, "hub", features, 0.8)]

    def _find_partial_matches(self, question: QuestionWords, first: int, last: int) -> list[Anchor]:
        """Nodes whose name holds the words of a stretch, or is spelt like it."""
        name = normalize_name(question.get_span_text(first, last))
        matches = self.snapshot.labels.find_containing(name, NODES)
        sort = "part"
        if not matches and len(name) >= 4:
            matches, sort = self.snapshot.labels.find_fuzzy(name, 2), "fuzzy"
        return _make_node_anchors(first, last, matches, sort, 0.8, scored=True)


def _make_node_anchors(
    first: int, last: int, matches: Sequence[Match], sort: str, strength: float, *, scored: bool = False
) -> list[Anchor]:
    """Nodes that words may stand for by less than their name, best first; ``scored`` weighs how well it matches."""
    return [
        Anchor(
            "S", first, last, Entities((match.entity,)), "node",
            (("e", 1.0), (f"e.{sort}", match.score if scored else 1.0), ("e.place", float(place))), strength,
        )
        for place, match in enumerate(matches)
    ]  # fmt: skip


def _list_short_spans(question: QuestionWords) -> list[tuple[int, int]]:
    """Stretches of one or two words."""
    return [
        (n, n + length) for n in range(len(question.words)) for length in (1, 2) if n + length <= len(question.words)
    ]


def _is_determiner(question: QuestionWords, first: int, last: int) -> bool:
    """Whether a "no" says that there are none of what follows: "lots that have no score"."""
    alone = last == first + 1 and question.words[first].text == "no" and last < len(question.words)
    return alone and not question.words[first].capital and (first, last) not in question.quoted


def _find_capital_runs(question: QuestionWords) -> list[tuple[int, int]]:
    """Stretches of capitalised words, the first word of the question left out where it only begins the sentence."""
    runs, first = list[tuple[int, int]](), None
    for n, word in enumerate([*question.words, None]):
        capital = word is not None and word.capital and not ((n == 0 or word.text == "i") and word.text in STOP)
        if capital and first is None:
            first = n
        elif not capital and first is not None:
            runs.append((first, n))
            first = None
    return runs
