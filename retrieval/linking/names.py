"""Names: which entity a stretch of the question means, by spelling, by part of a name, misspelt, by vector."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING, Literal

from rapidfuzz.distance import OSA

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import Match, drop_signs, keep_as_written, normalize_name
from retrieval.language.question import Question
from retrieval.linking.mentions import STOP_WORDS, MentionSpan, clean_punctuation, is_written, to_context_stem
from retrieval.linking.variants import TITLES
from retrieval.types import LinkedEntity, Node

if TYPE_CHECKING:
    from retrieval.linking.encoder import Encoder
    from retrieval.linking.entity_index import EntityIndex

Source = Literal["exact", "alias", "fuzzy", "vector", "given"]
ALTERNATIVES = 5
#: How alike (of 100) a misspelt name must be: the second for names that nothing marks as names.
FUZZY_NAME, FUZZY_WORD = 76.0, 84.0
#: The same of a name that holds others which are spelt rightly.
FUZZY_RUN = 88.0
#: How alike (cosine) a vector match must be.
VECTOR_CUTOFF = 0.7
#: A part of a name that more entities share names none of them, unless one is far better connected.
PART_LIMIT = 10
#: Part of a name found.
PART_SCORE = 0.7


class NameLinker:
    """Looks up what stretches of a question name, in one snapshot. Thread-safe.

    Args:
        index: its entity index, for vectors; None looks names up by spelling alone.
        encoder: encodes names for the vector look-up; None goes without.
    """

    def __init__(self, snapshot: Snapshot, index: EntityIndex | None, encoder: Encoder | None) -> None:
        self.snapshot = snapshot
        self._labels = snapshot.labels
        self._index = index
        self._encoder = encoder

    def link_mention(self, span: MentionSpan, question: Question) -> LinkedEntity | None:
        """What certainly is a name: as it is spelt, else part of a name, misspelt, or near in meaning."""
        matches = self._labels.find_exact(normalize_name(span.text))
        return self.select_entity(span, matches, question) if matches else self.link_inexact(span)

    def link_inexact(self, span: MentionSpan) -> LinkedEntity | None:
        """What is a name and no entity's whole one: part of a name, misspelt, or near in meaning."""
        link = self.link_partial(span)
        if link is None and not self._labels.count_names(normalize_name(span.text)):  # "Johnson" is no "Johnston"
            link = self.link_misspelt(span, FUZZY_NAME)
        return link or self._link_by_vector(span)

    def link_partial(self, span: MentionSpan) -> LinkedEntity | None:
        """Part of a name ("Obama", "Mr. Obama"): the most connected entity whose name holds these words."""
        name = normalize_name(span.text)
        title, _, rest = name.partition(" ")
        if rest and title in TITLES:
            name = rest
        if len(name) < 4:
            return None
        matches = self._labels.find_containing(name, PART_LIMIT + 1)
        if not matches or (len(matches) > PART_LIMIT and matches[0].degree < 3 * matches[1].degree):
            return None
        return build_link(span, matches, PART_SCORE, "fuzzy")

    def link_misspelt(self, span: MentionSpan, cutoff: float) -> LinkedEntity | None:
        """An entity whose name is spelt almost like this; ``cutoff`` as in ``LabelIndex.find_fuzzy``."""
        matches = self.find_misspelt(span, cutoff)
        return build_link(span, matches, matches[0].score, "fuzzy") if matches else None

    def find_misspelt(self, span: MentionSpan, cutoff: float) -> list[Match]:
        """The entities that :meth:`link_misspelt` links one of, most alike first."""
        name = normalize_name(span.text)
        if len(name) < 4:
            return []
        matches = self._labels.find_fuzzy(name, 2 * ALTERNATIVES, cutoff)
        return [match for match in matches if is_slip(name, match.name)]

    def _link_by_vector(self, span: MentionSpan) -> LinkedEntity | None:
        name = normalize_name(span.text)
        if self._index is None or self._encoder is None or len(name) == 1 or drop_signs(name) != name:
            return None  # vectors do not tell letters apart, nor signs
        matches = self._index.search_vector(self._encoder.encode([span.text])[0], ALTERNATIVES + 1)
        matches = [m for m in matches if m.score >= VECTOR_CUTOFF and not is_namesake(span.text, m.node.label)]
        return build_link(span, matches, matches[0].score, "vector") if matches else None

    def select_entity(self, span: MentionSpan, matches: list[Match], question: Question) -> LinkedEntity:
        """Which of the entities of one name is meant: as written, own name, fitting relations, degree."""
        question_stems = {stem for word in question.mention_words if (stem := to_context_stem(word.text))}
        written = question.has_case or span.text != span.text.lower()
        matches = keep_as_written(matches, question.text, span.start, span.end)
        ranked = sorted(matches, key=lambda match: self._fit(match, span, question_stems, written), reverse=True)
        best = ranked[0]
        source: Source = "alias" if best.source == "alias" else "exact"
        as_written = clean_punctuation(best.node.label) == clean_punctuation(span.text)
        score = best.score if as_written or best.source == "alias" else 0.98
        others: tuple[Node, ...] = tuple(match.node for match in ranked[1 : ALTERNATIVES + 1])
        label, end = best.node.label, span.end
        if question.text.startswith(label, span.start):
            # The punctuation that ends a name belongs to the mention: "U.S.", "Lolita (film)".
            end = max(end, span.start + len(label))
        return LinkedEntity(best.node, question.text[span.start : end], span.start, end, score, source, others)

    def _fit(self, match: Match, span: MentionSpan, question_stems: set[str], written: bool) -> float:
        """How well an entity of the mentioned name fits the question; compared, never shown.

        Capitals count most, where the question has them; then each word that the question shares with the
        entity's relations or with the rest of its label ("... (film)"); then a name of its own; then degree.
        """
        if match.degree == 0:
            return -1.0
        label = match.node.label
        capitals = (label == span.text) + is_written(label, span.text) if written else 0.6 * (label == span.text)
        relations = {
            int(relation)
            for groups in (self.snapshot.out_groups, self.snapshot.in_groups)
            for relation in groups.get_entity_groups(match.entity)[0][:200]
        }
        texts = [self.snapshot.get_relation_label(relation) for relation in relations]
        texts.append(label[len(span.text) :] if label.startswith(span.text) else "")
        stems = {to_context_stem(word) for text in texts for word in normalize_name(text).split(" ")}
        is_label = match.source != "alias"
        return 2.0 * capitals + 1.5 * len(question_stems & stems) + 1.0 * is_label + 0.5 * log1p(match.degree)


def build_link(span: MentionSpan, matches: list[Match], score: float, source: Source) -> LinkedEntity:
    """The first of some matches, with the others as alternatives."""
    nodes = tuple(match.node for match in matches[: ALTERNATIVES + 1])
    return LinkedEntity(nodes[0], span.text, span.start, span.end, round(score, 4), source, nodes[1 : ALTERNATIVES + 1])


def is_namesake(mention: str, label: str) -> bool:
    """Whether two names share a word and differ in another: "Emma Watson" is near "Emma Stone" and somebody else.

    Words may differ by a slip, and one may begin the other ("Wm", "J", "Dem"). Names that share no word may mean the
    same ("Holland", "the Netherlands"), and so may a name and a longer one ("Mozart", "Wolfgang Amadeus Mozart").
    """
    mine, theirs = _extract_name_words(mention), _extract_name_words(label)
    alone = [word for word in mine if not any(_is_alike(word, other) for other in theirs)]
    others = [word for word in theirs if not any(_is_alike(word, other) for other in mine)]
    return bool(alone) and bool(others) and len(alone) < len(mine)


def _extract_name_words(name: str) -> list[str]:
    return [word for word in normalize_name(name).split(" ") if word and word not in STOP_WORDS]


def _is_alike(left: str, right: str) -> bool:
    return left.startswith(right) or right.startswith(left) or is_slip(left, right)


def is_slip(name: str, meant: str) -> bool:
    """Whether ``name`` may be ``meant`` misspelt: an edit in short names, two or three in longer ones.

    Edits of the first letter are rare slips, so then only one is allowed ("Ruritania" is not "Mauritania").
    """
    allowed = 1 if len(name) < 9 else 2 if len(name) < 14 else 3
    if name[0] != meant[0]:
        allowed = 1
    return OSA.distance(name, meant, score_cutoff=allowed) <= allowed
