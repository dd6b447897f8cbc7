"""What words that point back may stand for, and what such things are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ProgramError
from retrieval.language.english import RELATION_PREPOSITIONS
from retrieval.language.words import QuestionWords, get_label_stems, get_stem
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Count, Exists, Fold, Top
from retrieval.programs.dialogue.rewriting import THINGS
from retrieval.programs.rendering.names import from_named_json
from retrieval.programs.rendering.wording import make_plural

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.schema import Schema
    from retrieval.types import Turn

#: Nodes that are looked at to say what many are called, and most nodes that words stand for.
_SAMPLE, _MOST = 50, 20_000
#: Of those, this share must be of a kind that the question names to be called so.
_MOSTLY = 0.5
#: The kind that a question asks for by its own words.
_ASKED = re.compile(r"^(?:which|what|how many)\s+([a-z]+s)\b", re.IGNORECASE)
_PEOPLE = get_words("people_relation_words")
_OF_PEOPLE = frozenset(map(get_stem, _PEOPLE))


@dataclass(frozen=True, slots=True)
class Referents:
    """What the turn before was about: single entities and sets, likeliest first; and what it called these."""

    single: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    nouns: Mapping[tuple[int, ...], str] = field(default_factory=dict)


def find_referents(
    turn: Turn, words: QuestionWords, schema: Schema, executor: Executor, anchors: Iterable[Anchor]
) -> Referents:
    """The answers, what was counted or compared to come to them, and the topics.

    Args:
        turn: the question before.
        executor: for its program.
    """
    id_sets = _compute_turn_sets(turn, schema, executor) if turn.program is not None else []
    id_sets = id_sets or [tuple(turn.answers)]
    sets = [entities for entities in (_filter_entities(schema, ids) for ids in id_sets) if entities]
    topics = _filter_entities(schema, turn.topics)
    asked_of = [reference.ids[0] for reference in turn.denoted if len(reference.ids) == 1]
    single = [entities[0] for entities in sets[:1] if len(entities) == 1] + asked_of + list(topics)
    many = [
        *sets,
        *(reference.ids for reference in turn.denoted if len(reference.ids) > 1),
        *([topics] if topics else []),
    ]
    many = sorted(dict.fromkeys(many), key=lambda ids: len(ids) == 1)  # "they" are several where there are
    called = {ids: _get_question_noun(ids, turn, words, executor, anchors) for ids in many}
    return Referents(tuple(dict.fromkeys(single)), tuple(many), called)


def _get_question_noun(
    ids: tuple[int, ...], turn: Turn, words: QuestionWords, executor: Executor, anchors: Iterable[Anchor]
) -> str:
    """What the question called them: "countries"; empty where it did not."""
    for anchor in anchors:
        plural_word = words.words[anchor.last - 1].text.endswith("s")
        if anchor.extra != "kind" or anchor.program is None or not plural_word:
            continue
        if np.isin(ids, executor.compute_nodes(anchor.program)).mean() >= _MOSTLY:
            return words.get_span_text(anchor.first, anchor.last).casefold()
    match = _ASKED.match(turn.question)
    return match[1].casefold() if match and not set(ids) <= set(turn.topics) else ""


def is_person(schema: Schema, node: int) -> bool:
    """Whether a node has relations that people have."""
    forward = schema.snapshot.num_relations
    labels = (schema.relations[relation].stems for relation in list_directions(schema, node) if relation < forward)
    return any(not _OF_PEOPLE.isdisjoint(stems) for stems in labels)


def _compute_turn_sets(turn: Turn, schema: Schema, executor: Executor) -> list[tuple[int, ...]]:
    """What the program of a turn gives, and the set that it counts, compares or looks into."""
    sets: list[tuple[int, ...]] = []
    try:
        program = from_named_json(schema.snapshot, turn.program)
        result = executor.run(program)
        if isinstance(result, np.ndarray):
            sets.append(tuple(result[:_MOST].tolist()))
        if isinstance(program, Count | Exists | Fold | Top):
            sets.append(tuple(executor.compute_nodes(program.source)[:_MOST].tolist()))
    except ProgramError:
        pass  # it was of an older version of the graph
    return sets


def _filter_entities(schema: Schema, ids: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(node for node in ids if not schema.columns.kinds[node]))


def list_kinds(schema: Schema, node: int) -> list[str]:
    """What a node is called in general: its types, or the nouns of relations that it has."""
    snapshot = schema.snapshot
    if schema.type_relation is not None:
        facts = [fact for fact in snapshot.get_out_edges(node) if snapshot.relations[fact] == schema.type_relation]
        return [snapshot.get_entity_label(int(snapshot.tails[fact])) for fact in facts]
    leaving = set(list_directions(schema, node))
    nouns = [(relation, name) for relation, name in schema.nouns.items() if relation in leaving]
    # "City in country" names a kind; "borders" names what is done. The commonest kind comes first.
    nouns = [each for each in nouns if _is_kind_noun(schema, each[0])]
    nouns.sort(key=lambda each: -len(schema.columns.list_sources(each[0])))
    return [name for _, name in nouns]


def _is_kind_noun(schema: Schema, relation: int) -> bool:
    label = schema.relations[relation % schema.snapshot.num_relations].label
    return not RELATION_PREPOSITIONS.isdisjoint(label.casefold().split()[1:-1])


def list_directions(schema: Schema, node: int) -> list[int]:
    """The directed relations that lead on from a node, each once."""
    snapshot = schema.snapshot
    out = np.unique(snapshot.relations[np.asarray(snapshot.get_out_edges(node), np.int64)])
    back = np.unique(snapshot.relations[np.asarray(snapshot.get_in_edges(node), np.int64)])
    return [*out.tolist(), *(int(relation) + snapshot.num_relations for relation in back)]


def get_shared_noun(schema: Schema, ids: tuple[int, ...]) -> str:
    """What several nodes are called together, in the plural."""
    sample = ids[:: max(1, len(ids) // _SAMPLE)]
    names = Counter(name.casefold() for node in sample for name in dict.fromkeys(list_kinds(schema, node)))
    shared = [name for name, count in names.most_common() if count == len(sample)]
    return make_plural(shared[0].replace("_", " ")) if shared else THINGS


def is_called(schema: Schema, node: int, words: str) -> bool:
    """Whether a node is of the kind that words name."""
    wanted = set(get_label_stems(words))
    kind_stems = {kind_stem for name in list_kinds(schema, node) for kind_stem in get_label_stems(name)}
    described = {get_stem(word) for word in schema.snapshot.describe_entity(node).casefold().split()}
    inside = set(get_label_stems(schema.snapshot.get_entity_label(node).rpartition("(")[2]))
    return bool(wanted) and wanted <= kind_stems | described | inside
