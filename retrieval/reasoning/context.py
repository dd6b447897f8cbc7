"""What a question says beside its topics, held against the mediators that a relation path passes.

"Who plays Dwight Schrute in The Office": each role of the series is a mediator with an actor and a character. The
roles whose other ends the question names are the ones it asks about; the rest of what the path reaches is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evidence.reach import Reach
from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot import KINDS
from retrieval.kg.snapshot.relation_names import format_qualified_name
from retrieval.language.question import Question
from retrieval.linking.mentions import STOP_WORDS

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

_WORD = re.compile(r"[^\W_]+")
_MEDIATOR = KINDS.index("cvt")

#: Share of a label's words that a question must hold to name it.
NAMED = 0.5
#: How many times likelier a relation path is when the question names what its mediators lead to besides. Chosen on
#: a development part of WebQSP: 1, 3, 10 and 30 give Hit@1 0.778, 0.781, 0.783 and 0.784, Macro-F1 0.736, 0.738,
#: 0.740 and 0.741 there.
LIFT = 30.0
#: Relation paths less probable than this share of the best one are left as they are.
_WORTH_A_LOOK = 0.05
#: Mediators of a relation path that are looked at.
_MEDIATORS = 256


def filter_by_context(
    snapshot: Snapshot, question: Question, names: Sequence[str], reaches: Sequence[Reach]
) -> list[Reach]:
    """The reaches, narrowed to what the question's other words allow, most probable first.

    Args:
        names: of the topics, as the question and the graph write them; their words name nothing else.
        reaches: relation paths of all topics, none of them empty.

    Returns:
        As many reaches. Those whose mediators are named have fewer targets and ``LIFT`` times their probability;
        then all are scaled, so that they keep their sum.
    """
    question_words = _extract_words(question.text).difference(*map(_extract_words, names))
    best = max((reach.probability for reach in reaches), default=0.0)
    narrowed = [
        _filter_reach(snapshot, question_words, reach) if reach.probability >= _WORTH_A_LOOK * best else reach
        for reach in reaches
    ]
    before, after = (sum(reach.probability for reach in each) for each in (reaches, narrowed))
    if before == after:
        return list(reaches)
    scaled = [replace(reach, probability=reach.probability * before / after) for reach in narrowed]
    return sorted(scaled, key=lambda reach: -reach.probability)


def _filter_reach(snapshot: Snapshot, question_words: set[str], reach: Reach) -> Reach:
    if len(reach.path) < 2:
        return reach
    mediators = reach.levels[-2]
    mediators = mediators[snapshot.kinds[mediators] == _MEDIATOR][:_MEDIATORS]
    question_words = question_words.difference(
        *(
            _extract_words(format_qualified_name(snapshot.get_relation_name(r)))
            for r in _list_relations(snapshot, reach)
        )
    )
    if not len(mediators) or not question_words:
        return reach
    owner, relation, other, _ = find_arcs(snapshot, mediators)
    is_last_hop = (relation == reach.path[-1]) & np.isin(other, reach.targets)
    ends = set(zip(owner[is_last_hop].tolist(), other[is_last_hop].tolist(), strict=True))
    shares = np.zeros(len(mediators))
    for i, entity in zip(owner.tolist(), other.tolist(), strict=True):
        if entity != reach.topic and (i, entity) not in ends and snapshot.kinds[entity] != _MEDIATOR:
            shares[i] = max(shares[i], _compute_word_share(snapshot.get_entity_label(entity), question_words))
    chosen = (shares >= NAMED) & (shares == shares.max())
    targets = np.unique(other[is_last_hop & chosen[owner]])
    if not len(targets):
        return reach
    return replace(reach, levels=(*reach.levels[:-1], targets), probability=reach.probability * LIFT)


def _list_relations(snapshot: Snapshot, reach: Reach) -> list[int]:
    return [directed % snapshot.num_relations for directed in reach.path]


def _compute_word_share(label: str, question_words: set[str]) -> float:
    """Share of a label's words that were said."""
    words = _extract_words(label)
    return len(words & question_words) / len(words) if words else 0.0


def _extract_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - STOP_WORDS
