"""Questions that are offered to who opens a graph: made of it, asked once, and kept where the answer was right."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import Cancelled, ClewError
from retrieval.events import AnswerFinal, RunCancelled
from retrieval.kg.analysis import schema
from retrieval.kg.table import ROW
from retrieval.kg.values import parse
from retrieval.language.question import Question
from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_plural, to_singular
from retrieval.questions.sampling import sample_questions
from retrieval.questions.wording import parse_form
from retrieval.reasoning.example_questions import generate_example_questions
from webapp.experiments.methods import get_default_method
from webapp.graphs import services
from webapp.graphs.models import Graph, GraphVersion
from worker import answerers

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.types import QuestionRecord

logger = logging.getLogger(__name__)
SHOWN = 6
WITHIN_S = 20.0
"""How long asking may take, all together: a graph is indexed without suggestions rather than late."""

_KINDS, _RELATIONS, _EACH, _SAMPLED = 2, 12, 2, 16
_PASSAGES_READ = 200
"""Passages that questions are made from, about; a long text is read at so many places."""

_SURE = 0.5
"""An answer that is given with less is none to begin with."""
_CLUMSY = re.compile(r"\b(those|the one|the places?|Where did)\b|^What (is|are) .* the [\w ]+ of\?$")
"""Wordings that are read rightly and that nobody would type."""
_UNITS = get_words("suggestion_units")
_ABSTRACT = frozenset({"entity", "literal", "class", "cvt", "concept", "thing"})
_PLAIN_WORDS, _NAME_LONGEST = 3, 40
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
#: What a column is measured in, behind its name: "price (gbp)".
_MEASURED = re.compile(r" [(\[][^()\[\]]{1,8}[)\]]$")
#: Last words of relations whose numbers nobody ranks.
_NO_MEASURES = get_words("unranked_columns")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question, and the names of all its answers."""

    question: str
    answers: frozenset[str]


def suggest(graph: Graph, version: GraphVersion, snapshot: Snapshot, cancelled: Callable[[], bool]) -> None:
    """Offer what the graph can be asked, unless people gave it questions.

    What goes wrong here costs the suggestions alone.

    Raises:
        Cancelled: the job was stopped.
    """
    if graph.question_sets.exists():
        return
    try:
        services.suggest(graph=graph, questions=_select_right_questions(version, snapshot, cancelled))
    except Cancelled:
        raise
    except ClewError as error:
        logger.warning("nothing is suggested for %s: %s", graph.name, error)


def _select_right_questions(version: GraphVersion, snapshot: Snapshot, cancelled: Callable[[], bool]) -> list[str]:
    """Those that are answered exactly, as many as are shown."""
    until = time.monotonic() + WITHIN_S
    questions: list[str] = []
    reads_passages = snapshot.passages is not None
    candidates = generate_text_candidates(snapshot) if reads_passages else generate_candidates(snapshot)
    method = get_default_method(facts=version.triples, passages=version.passages)
    for suggestion in candidates:
        if len(questions) == SHOWN or time.monotonic() > until:
            break
        names = _list_sure_names(version, method, suggestion.question, cancelled)
        if (frozenset(names[:1]) if reads_passages else frozenset(names)) == suggestion.answers:
            questions.append(suggestion.question)
    return questions


def _list_sure_names(version: GraphVersion, method: str, question: str, cancelled: Callable[[], bool]) -> list[str]:
    """List the names of the answers that Clew is sure of, the best first."""
    from retrieval.answering.run import AskRequest  # noqa: PLC0415 - loads torch

    answerer = answerers.open_test_engine(version, None, method, {})
    for event in answerer.run(AskRequest(Question(question)), cancelled=cancelled):
        if isinstance(event, RunCancelled):
            raise Cancelled("The job was stopped.")
        if isinstance(event, AnswerFinal):
            return [answer.label for answer in event.answers if answer.score >= _SURE]
    return []


def generate_text_candidates(snapshot: Snapshot) -> Iterator[Suggestion]:
    """Make questions of passages from all parts of the text; each has the span that it was made from as its answer."""
    assert snapshot.passages is not None, "asked only where there are passages"
    count = len(snapshot.passages)
    places = range(0, count, max(1, count // _PASSAGES_READ))
    for example in generate_example_questions(snapshot.passages.get_passage(i) for i in places):
        yield Suggestion(example.text, frozenset({example.answer}))


def generate_candidates(snapshot: Snapshot) -> Iterator[Suggestion]:
    """What may be asked of a graph, each kind of question in turn."""
    sampled = {
        tuple(name for _, name, _ in question.paths[0]): Suggestion(question.question, frozenset(question.answers))
        for question in sample_questions(snapshot, _SAMPLED, seed=1, hops=(2, 1))
        if not _CLUMSY.search(question.question) and not _is_odd(snapshot, question)
    }
    for pair in zip_longest(_suggest_by_kind(snapshot), sampled.values()):
        yield from filter(None, pair)


def _is_odd(snapshot: Snapshot, question: QuestionRecord) -> bool:
    """Whether a relation is named in the plural or by a verb that looks like one ("the page of", "the eat of"), says
    where in its table a thing is, or is one of yes and no ("the hardy of").
    """
    if all(answer.casefold() in _TRUTHS for answer in question.answers):
        return True
    names = {name for path in question.paths for _, name, _ in path}
    if ROW in names:
        return True
    labels = [snapshot.get_relation_label(r) for r in map(snapshot.find_relation, names) if r is not None]
    return any(to_singular(label) != label and _is_noun(label) for label in labels)


def _is_noun(label: str) -> bool:
    word_form = parse_form(label)
    return word_form is not None and word_form.kind == "noun"


def _suggest_by_kind(snapshot: Snapshot) -> Iterator[Suggestion]:
    """How many there are of the commonest kinds, which of them share a value, and which has the most of something."""
    of_type, labels = schema.find_types(snapshot)
    common = schema.get_schema(snapshot)
    kinds = [kind for kind in common.types if kind.label.casefold() not in _ABSTRACT and kind.label in labels]
    for kind in kinds[:_KINDS]:
        if kind.count < 2 or len(kind.label.split()) > _PLAIN_WORDS:
            continue
        things = np.flatnonzero(of_type == labels.index(kind.label))
        noun = kind.label if kind.label.isupper() else kind.label.lower()
        yield Suggestion(f"How many {to_plural(noun)} are there?", frozenset({str(len(things))}))
        relations = [edge.relation for edge in common.edges if edge.source == kind.id]
        shared, ranked = [], []
        for relation in dict.fromkeys(relations[:_RELATIONS]):
            label = snapshot.get_relation_label(relation)
            if label.casefold() in (*schema.TYPE_RELATIONS, ROW) or len(label.split()) > _PLAIN_WORDS:
                continue
            facts = _list_facts(snapshot, relation, things)
            shared += _suggest_shared_values(to_plural(noun), label, facts)
            ranked += _suggest_largest(noun, label, facts)
        for pair in zip_longest(shared[:_EACH], ranked[:_EACH]):
            yield from filter(None, pair)


def _list_facts(snapshot: Snapshot, relation: int, things: np.ndarray) -> list[tuple[str, str]]:
    """What things have by a relation, as names."""
    rows = np.flatnonzero((snapshot.relations == relation) & np.isin(snapshot.heads, things))
    return list(
        zip(
            snapshot.entity_labels.get_many(snapshot.heads[rows]),
            snapshot.entity_labels.get_many(snapshot.tails[rows]),
            strict=True,
        )
    )


def _suggest_shared_values(nouns: str, label: str, facts: list[tuple[str, str]]) -> list[Suggestion]:
    """Which things have a value that several of them have, and not most."""
    if {tail.casefold() for _, tail in facts} <= set(_TRUTHS):
        return _suggest_truths(nouns, label, facts)
    if not _is_noun(label) or to_singular(label) != label:
        return []
    counted = Counter(tail for _, tail in facts if parse(tail) is None and len(tail) <= _NAME_LONGEST)
    for value, count in counted.most_common():
        if 1 < count <= max(2, len(facts) // 2):
            having = frozenset(head for head, tail in facts if tail == value)
            return [Suggestion(f"Which {nouns} have the {label} {value}?", having)]
    return []


def _suggest_truths(nouns: str, label: str, facts: list[tuple[str, str]]) -> list[Suggestion]:
    """Which things are what a column of yes and no says, where that is a word: "hardy"."""
    being = frozenset(head for head, tail in facts if _TRUTHS[tail.casefold()])
    if " " in label or not label.isalpha() or not 0 < len(being) < len({head for head, _ in facts}):
        return []
    return [Suggestion(f"Which {nouns} are {label}?", being)]


def _suggest_largest(noun: str, label: str, facts: list[tuple[str, str]]) -> list[Suggestion]:
    """Which thing has the largest value, where each has one number and one has the most."""
    words = _MEASURED.sub("", label).split()
    if words[-1].casefold() in _UNITS:
        words.pop()
    name = " ".join(words)
    if not words or words[-1].casefold() in _NO_MEASURES or not _is_noun(name):
        return []
    values = [(value, head) for head, tail in facts if (value := _parse_number(tail)) is not None]
    if len(values) < max(2, len(facts)) or len({head for _, head in values}) < len(values):
        return []
    most_of = "largest" if to_singular(name) == name else "most"
    most = max(value for value, _ in values)
    first = frozenset(head for value, head in values if value == most)
    return [Suggestion(f"Which {noun} has the {most_of} {name}?", first)] if len(first) == 1 else []


def _parse_number(text: str) -> float | None:
    parsed = parse(text)
    return parsed.value if parsed is not None and parsed.kind == "number" else None
