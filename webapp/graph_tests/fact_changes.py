"""The facts that stand behind a changed answer: what one version of a graph holds and the other lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.kg.snapshot import Snapshot
from webapp.graph_tests.outcomes import Answered, Fact, find_missing

NAMED_MAX = 50
"""Facts that are named of each kind."""

AROUND_MAX = 2000
"""Facts of one entity that are looked at."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Facts by labels (head, relation, tail), in the order of the evidence."""

    added: list[Fact]
    removed: list[Fact]


def explain_change(old: Snapshot, new: Snapshot, earlier: Answered, now: Answered) -> Behind:
    """What changed an answer.

    First the evidence: facts that the earlier answer rests on and the new version lacks, and those that the answer of
    now rests on and the old one lacks. Where no fact of the evidence is another, the facts of the answers that came
    or went, of relations in the evidence.

    Args:
        old: the version of the earlier answer.
        new: the version of the answer of now.
        earlier: the earlier answer with its evidence.
        now: the answer of now with its evidence.
    """
    removed = list(_filter_missing(new, earlier.facts))
    added = list(_filter_missing(old, now.facts))
    if not removed and not added:
        names = {name for _, name, _ in (*earlier.facts, *now.facts)}
        came = find_missing(now.answers, earlier.answers)
        went = find_missing(earlier.answers, now.answers)
        removed = list(_filter_missing(new, _find_facts_around(old, (*went, *came), names)))
        added = list(_filter_missing(old, _find_facts_around(new, (*came, *went), names)))
    return Behind(added[:NAMED_MAX], removed[:NAMED_MAX])


def _filter_missing(snapshot: Snapshot, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Those of some facts that a version does not hold, each once."""
    for fact in dict.fromkeys(facts):
        head, relation, tail = fact
        source, step = snapshot.find_entity(head), snapshot.find_relation(relation)
        target = snapshot.find_entity(tail)
        if source is None or step is None or target is None or not snapshot.has(source, step, target):
            yield fact


def _find_facts_around(snapshot: Snapshot, labels: Sequence[str], relations: set[str]) -> Iterator[Fact]:
    """The facts that some entities are in, of some relations."""
    for label in labels:
        entity = snapshot.find_entity(label)
        if entity is None:
            continue
        facts = [*snapshot.get_out_edges(entity)[:AROUND_MAX], *snapshot.get_in_edges(entity)[:AROUND_MAX]]
        for fact in map(int, facts):
            name = snapshot.get_relation_name(int(snapshot.relations[fact]))
            if name in relations:
                head, tail = int(snapshot.heads[fact]), int(snapshot.tails[fact])
                yield snapshot.get_entity_label(head), name, snapshot.get_entity_label(tail)
