"""Anchors that are relations, by the stems of their names or by words for the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.language import words as vocabulary
from retrieval.language.amounts import ValueKind
from retrieval.language.english import EACH, IRREGULAR, NUMBERING, PERIODICAL, STOP
from retrieval.language.words import QuestionWords
from retrieval.lexicon import get_sequence, get_words
from retrieval.programs.algebra.operations import Entities, Having, Program, Walk
from retrieval.programs.grounding.anchors.anchor import FULLY, Anchor, Features, Relating
from retrieval.programs.grounding.anchors.distant_words import measure_recall
from retrieval.programs.grounding.induction import IS_A
from retrieval.programs.grounding.relation_types import LOCATING, parse_stems

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

_PAIR, _LONGEST_RELATION = 2, 12
#: Ends of nouns for who does something.
_AGENTS = ("er", "or")
#: By the stem of any of them, stems of kindred that are older or younger: who is a mother is a parent.
_GENERATIONS = {
    vocabulary.get_stem("parent"): parse_stems("mother father"),
    vocabulary.get_stem("child"): parse_stems("son daughter offspring"),
}  # fmt: skip
#: Words without a meaning of their own that relations are named with.
_PARTS_OF_NAMES = frozenset({"name", "names", "type", "types", "kind"})
#: Relations that end so lead to where something is: "exhibited at".
_PLACING = frozenset({"in", "at", "on", "near"})
#: What verbs and their nouns are parted or joined by: "signed up", a signup.
_PARTICLES = get_words("verb_particles")
#: Prepositions without which a participle says something else: "made from", "made".
_TELLING = frozenset({"from", "of", "with"})
_WHAT = frozenset({"what", "whats", "what's"})
_DONE = tuple(map(vocabulary.get_stem, get_sequence("work_nouns")))
_ABOUT = tuple(map(vocabulary.get_stem, get_sequence("topic_nouns")))
"""Stems of relations that say what was done to something, and what something is about."""
_ASKING = frozenset({"who", "whom", "what", "where", "when", "why"})
"""What a column may be headed with that is asked with, too."""
_TWO_NOUNS = re.compile(r"\w\s(?:in|of|on|at|by)\s\w", re.IGNORECASE)
#: Cosines below this say not that a yes or no is meant: what is posted is not paid.
_FLAGGED = 0.55


def _is_active_verb(question: QuestionWords, index: int) -> bool:
    """Whether a word is a verb in the active voice, as far as its ending tells: "manages", not "manager"."""
    text = question.words[index].text
    behind = question.words[index + 1].text if index + 1 < len(question.words) else ""
    return not text.endswith((*_AGENTS, "ers", "ors", "ing", "ment")) and behind != "by"


class RelationLexicon:
    """Finds the relations that words stand for, over one graph."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def find_asked_relations(self, question: QuestionWords) -> list[Anchor]:
        """Relations that "where" and "when" may ask for, and those that are called so: a column headed "Who"."""
        anchors = list(self._find_topic_relations(question))
        for n, word in enumerate(question.words):
            for relation in self._asking.get(word.text, ()):
                anchors += self.make_relation_anchors(n, n + 1, relation, 1.0, (("r", 1.0), ("r.recall", 1.0)))
            if word.text not in ("where", "when"):
                continue
            for info in self.schema.relations:
                located = info.label.rpartition(" ")[2].casefold() in _PLACING
                placed = not self._has_values(info.id) and (located or set(info.stems) & LOCATING)
                if self._has_dates(info.id) if word.text == "when" else placed:
                    features = (("r", 1.0), (f"r.{word.text}", 1.0))
                    anchors.append(
                        Anchor(
                            "R",
                            n,
                            n + 1,
                            extra=Relating(info.id, 0.3 + info.facts * 1e-9),
                            features=features,
                            strength=0.25,
                        )
                    )
        return anchors

    def _find_topic_relations(self, question: QuestionWords) -> Iterator[Anchor]:
        """Relations of "what was it about", "what is it for" and "what did we do on job 266"."""
        texts = [word.text for word in question.words]
        for index, text in enumerate(texts):
            doing = text in ("do", "done") and index > 1 and texts[0] == "what"
            if text in ("did", "does") and texts[:1] == ["who"] and index == 1:
                for relation in self.schema.by_stem.get(text, ()):
                    if self.schema.relations[relation].form == "by":
                        yield from self.make_relation_anchors(
                            index, index + 1, relation, 1.0, (("r", 1.0), ("r.recall", 1.0))
                        )
            if not doing and (text not in ("about", "for") or index + 1 < len(texts) or texts[0] not in _WHAT):
                continue
            for stem in _DONE if doing else _ABOUT:
                for relation in self.schema.by_stem.get(stem, ()):
                    if not self._has_values(relation):
                        yield from self.make_relation_anchors(
                            index, index + 1, relation, 0.8, (("r", 1.0), ("r.related", 1.0))
                        )

    @cached_property
    def _asking(self) -> dict[str, list[int]]:
        """Relations that are called by a word that asks."""
        relations: dict[str, list[int]] = {}
        for info in self.schema.relations:
            if info.label.casefold() in _ASKING:
                relations.setdefault(info.label.casefold(), []).append(info.id)
        return relations

    def _has_values(self, relation: int) -> bool:
        return self.schema.columns.get_value_type(relation) is not None

    def _has_dates(self, relation: int) -> bool:
        """Whether a relation leads to dates, times or years."""
        kind = self.schema.columns.get_value_type(relation)
        return kind is not None and (kind.year or kind.kind is not ValueKind.NUMBER)

    def find_relations(self, question: QuestionWords) -> list[Anchor]:
        """Relations whose names have the stems of words."""
        schema, anchors = self.schema, list[Anchor]()
        targets = vocabulary.find_target_words(question) if question.words[0].text == "which" else set()
        numbered = any(word.text in NUMBERING for word in question.words)
        unsaid = set[int]() if numbered else set(schema.measures.numbering)
        doing = [_is_active_verb(question, index) for index in range(len(question.words))]
        content = [word.text not in STOP for word in question.words]
        numbers = {word.stem for word in question.words if word.stem.isdecimal()}
        for index, word in enumerate(question.words[1:], 1):  # "first name", "phone number"
            content[index] = content[index] or (content[index - 1] and word.text in _PARTS_OF_NAMES)
        longest = min(_LONGEST_RELATION, max((len(info.label.split()) for info in schema.relations), default=0) + 1)
        for first in range(len(content)):
            for last in range(min(len(content), first + longest), first, -1):
                if not (content[first] and content[last - 1]) and last - first > 1:
                    continue
                span_stems = {w.stem for w, c in zip(question.words[first:last], content[first:last], strict=True) if c}
                if last - first == 1:
                    span_stems = {question.words[first].stem}
                if not span_stems or (
                    question.words[first].text in STOP
                    and question.words[first].text not in ("name", "names", "type", "kind")
                ):
                    continue
                if last - first == 1 and last < len(content) and question.words[last].text in _PARTICLES:
                    joined = vocabulary.get_stem(question.words[first].stem + question.words[last].text)
                    if joined in schema.by_stem:  # "signed up", of a signup date
                        span_stems = {joined}
                elif last - first == _PAIR:
                    joined = vocabulary.get_stem("".join(word.text for word in question.words[first:last]))
                    if joined in schema.by_stem:  # "birth date", of a column headed "birthdate"
                        span_stems = {joined}
                held = [set(schema.by_stem.get(stem, ())) for stem in span_stems]
                some = sorted(set.intersection(*held) - unsaid) if held else []
                followed = [relation for relation in some if self._is_followed(question, last, relation)]
                for relation in some:
                    if last - first == 1 and self._is_counting_period(question, first, relation):
                        continue
                    stems = schema.relations[relation].stems
                    if span_stems <= numbers and set(stems) - span_stems:
                        continue  # a year alone is none of the columns for figures of that year
                    recall, apart = measure_recall(question, last, relation, span_stems, schema)
                    features: Features = (("r", 1.0), ("r.recall", recall), ("skip", -float(len(apart))))
                    if span_stems == {"name"} and len(set(stems)) > 1:  # what everything has is no contact name
                        features = (*features, ("r.name.part", 1.0))
                    another = followed and relation not in followed and len(stems) == 1
                    if another or self._is_preposition_missing(question, relation):
                        features = (*features, ("r.preposition", 1.0))
                    does = last - first == 1 and doing[first] and schema.relations[relation].label.endswith(_AGENTS)
                    plural = question.words[last - 1].text.endswith("s")
                    target = first in targets
                    is_a = IS_A.fullmatch(schema.relations[relation].label.casefold())
                    if is_a is not None and span_stems <= set(vocabulary.get_label_stems(is_a["noun"])):
                        # Those that are one are asked for, and not what they are one of.
                        features = (*features, ("r.heads", float(plural or target)))
                    anchors += self.make_relation_anchors(
                        first, last, relation, recall, features, does=does, plural=plural, target=target, distant=apart
                    )
        return anchors

    def _is_counting_period(self, question: QuestionWords, index: int, relation: int) -> bool:
        """Whether a period is one of many in which things are counted, and no fee of each: "how many each month"."""
        period, before = question.words[index].text, question.words[index - 1].text if index else ""
        words = self.schema.relations[relation].label.casefold().split()
        counts = before in EACH and question.kind == "how many"
        return counts and period not in words and PERIODICAL.get(period) in words

    def _is_followed(self, question: QuestionWords, last: int, relation: int) -> bool:
        """Whether the words behind a verb are those behind it in a relation's name: "sleep in"."""
        behind = self.schema.relations[relation].label.casefold().split()[1:]
        texts = [word.text for word in question.words[last : last + len(behind)]]
        return bool(behind) and texts == behind

    def _is_preposition_missing(self, question: QuestionWords, relation: int) -> bool:
        """Whether the preposition that makes a participle what it is was not said: "makes", and ``made from``."""
        words = self.schema.relations[relation].label.casefold().split()
        if len(words) != 2 or words[1] not in _TELLING:
            return False
        participle = words[0] in IRREGULAR or words[0].endswith(("ed", "en"))
        return participle and all(word.text != words[1] for word in question.words)

    def find_related_relations(self, question: QuestionWords) -> list[Anchor]:
        """Relations named with other words for the same: "boss" and ``reports_to``; where the word itself names one,
        those with dates that "when" asks for, "when was it discovered" and ``discovery_year``, and those for who does
        it, "who founded it" and ``founder`` beside ``founded``.
        """
        schema, anchors = self.schema, list[Anchor]()
        numbered = any(word.text in NUMBERING for word in question.words)
        unsaid = set[int]() if numbered else set(schema.measures.numbering)
        when = any(word.text == "when" for word in question.words)
        for index, word in enumerate(question.words):
            is_named = not all(self._is_preposition_missing(question, r) for r in schema.by_stem.get(word.stem, ()))
            if word.stem in schema.kind_stems or (word.stem,) in schema.induced:
                continue
            ends = index + 1 == len(question.words) and word.text == "place"
            if (word.text == "placed" or ends) and not is_named:
                continue  # who "placed" an order is no place
            for relation in () if is_named else schema.called.get(word.stem, ()):
                anchors += self.make_relation_anchors(index, index + 1, relation, 0.8, (("r", 1.0), ("r.related", 1.0)))
            agents = vocabulary.generate_agent_stems(word.stem)
            for other in sorted(vocabulary.get_related_stems().get(word.stem, frozenset()) | agents):
                for relation in schema.by_stem.get(other, ()):
                    if relation in unsaid:
                        continue
                    if is_named and other not in agents and not (when and self._has_dates(relation)):
                        continue
                    weights = schema.get_stem_weights(relation)
                    recall = weights[other] / sum(weights.values())
                    features: Features = (("r", 1.0), ("r.related", recall))
                    if any(
                        word.stem in members and other == generation for generation, members in _GENERATIONS.items()
                    ):
                        features = (*features, ("r.alike", 1.0))  # who is a mother is a parent, and no child
                    agent = other in agents and schema.relations[relation].label.endswith(_AGENTS)
                    does = agent and _is_active_verb(question, index)
                    doer = other in agents and not does and self._is_doer(word.text, relation)
                    doers = other in agents and schema.relations[relation].form == "by"  # directors, of "directed by"
                    anchors += self.make_relation_anchors(
                        index, index + 1, relation, 1.0 if doers else 0.8 * recall, features,
                        does=does, doer=doer, plural=doers and word.text.endswith("s"),
                    )  # fmt: skip
        return anchors

    def _is_doer(self, text: str, relation: int) -> bool:
        """Whether a noun says who does what a relation's verb says: the teacher, of who taught whom."""
        info = self.schema.relations[relation]
        active = info.form == "verb" and " " not in info.label and text.removesuffix("s").endswith(_AGENTS)
        return active and bool(self.schema.somebody[self.schema.columns.list_sources(relation)].any())

    def make_relation_anchors(
        self,
        first: int,
        last: int,
        relation: int,
        quality: float,
        features: Features,
        *,
        does: bool = False,
        doer: bool = False,
        plural: bool = False,
        target: bool = False,
        distant: Set[str] = frozenset(),
    ) -> list[Anchor]:
        """A relation, and the sets that its name may be of: what it leads to, what has it, what has it truly."""
        schema, strength = self.schema, 0.5 * quality + 0.3
        alike = tuple((f"s{name[1:]}", value) for name, value in features if name in ("r.similar", "r.foreign"))

        def make_set_anchor(program: Program, sort: str, name: str) -> Anchor:
            set_features = ((f"s.{name}", 1.0), (f"s.{name}.quality", quality), *alike)
            if sort == "ends" and plural and quality >= FULLY and not self._has_values(relation):
                set_features = (*set_features, ("s.ends.plural", 1.0))
            elif sort == "ends" and target and quality >= FULLY and not self._has_values(relation):
                set_features = (*set_features, ("s.ends.target", 1.0))
            return Anchor("S", first, last, program, sort, set_features, strength)

        relating = Relating(relation, quality, does, doer, frozenset(distant))
        anchors = [
            Anchor("R", first, last, None, relating, features, strength),
            make_set_anchor(Having(schema.get_inverse(relation)), "ends", "ends"),
        ]
        true = schema.truths.get(relation)
        if true is not None and dict(features).get("r.similar", 1.0) >= _FLAGGED:
            anchors.append(make_set_anchor(Walk(Entities((true,)), schema.get_inverse(relation)), "flag", "flag"))
        if _TWO_NOUNS.search(schema.relations[relation].label) or schema.relations[relation].form == "of":
            anchors.append(make_set_anchor(Having(relation), "starts", "starts"))
        elif alike and schema.type_relation is None and dict(features)["r.target"]:
            anchors.append(make_set_anchor(Having(relation), "starts", "domain"))
        return anchors
