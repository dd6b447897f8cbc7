"""What the things at both ends of a relation are called: by their type, or by the words of the relations they have."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.relation_names import format_relation_name
from retrieval.lexicon.nouns import to_plural, to_singular
from retrieval.questions.wording import BARE
from retrieval.supervision.path_questions.lexicon import (
    HEADS,
    NOUNS,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    TIMES,
    VERBS,
)

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

#: Nodes of a side that are looked at, and the share of the best noun's votes that another one needs.
_SAMPLE, _NEARLY = 60, 0.55
#: Types that this share of a side has are what its nodes are called.
_SHARE = 0.3
_ENDS_IN_PREPOSITION = re.compile(rf"\s(?:{'|'.join(PREPOSITIONS)})$")
_VERB_FIRST = re.compile(rf"^(\w+(?:ed|[^s]s)|born|built|held|set|made) ({'|'.join(PREPOSITIONS)}) (.+)$")


@dataclass(frozen=True, slots=True)
class EndKind:
    """What nodes are called, most fitting first, in the singular; none where nobody knows."""

    nouns: tuple[str, ...]

    @property
    def people(self) -> bool:
        """Whether one asks for them with "who"."""
        return any(noun.split()[-1] in PEOPLE for noun in self.nouns)

    @property
    def places(self) -> bool:
        """Whether one asks for them with "where"."""
        return any(noun.split()[-1] in PLACES for noun in self.nouns)

    @property
    def times(self) -> bool:
        """Whether one asks for them with "when"."""
        return any(noun.split()[-1] in TIMES for noun in self.nouns)


def find_kinds(schema: Schema) -> tuple[list[EndKind], list[EndKind]]:
    """What the heads and the tails of each relation are called, [R] each."""
    snapshot = schema.snapshot
    relation_nouns = [_parse_relation_name(snapshot.get_relation_name(r)) for r in range(snapshot.num_relations)]
    heads = [_infer_kind(schema, schema.columns.list_sources(r), relation_nouns) for r in range(snapshot.num_relations)]
    tails = []
    for r in range(snapshot.num_relations):
        tail_nouns = relation_nouns[r][1]
        others = _infer_kind(schema, schema.columns.list_targets(r), relation_nouns)
        tails.append(EndKind(tuple(dict.fromkeys((*tail_nouns, *others.nouns[:2])))))
    return heads, tails


def _parse_relation_name(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a relation's name says of its heads and of its tails."""
    parts = [part for part in re.split(r"[./]", name) if part]
    owner = (format_relation_name(parts[-2]),) if len(parts) > 2 and "://" not in name else ()
    label = re.sub(r"^(has|have|is|was)\s", "", format_relation_name(name).lower())
    words = label.split()
    verb = next((VERBS[word] for word in words if word in VERBS), None)
    known = tuple(noun for word in words for noun in HEADS.get(to_singular(word), HEADS.get(word, ())))
    if label in BARE:
        return (*owner, *known), ()
    led = parse_verb_first(label)
    if led is not None:
        return (*owner, *known), (to_singular(led[2]),)
    before, middle, after = label.partition(" in ")
    if middle:
        return (*owner, to_singular(before)), (after,)
    if verb is not None and words[-1] == "by":
        return (*owner, *verb.things, *known), verb.agents
    if _ENDS_IN_PREPOSITION.search(label):
        return (*owner, *known), ()
    if words and words[0] == "in":
        words = words[1:]
    head = to_singular(words[-1]) if words else ""
    if " of " in label:
        head = to_singular(label.split(" of ")[0].split()[-1])
    tails = (head, *(NOUNS.get(head, ())[:1])) if head and not head.endswith("ed") else ()
    return (*owner, *(verb.things if verb else ()), *known), tails


def _infer_kind(
    schema: Schema, nodes: np.ndarray, relation_nouns: list[tuple[tuple[str, ...], tuple[str, ...]]]
) -> EndKind:
    """What most of these nodes are called."""
    if not len(nodes):
        return EndKind(())
    sample = nodes[:: max(1, len(nodes) // _SAMPLE)]
    owners, relations, targets, _ = find_arcs(schema.snapshot, sample)
    if schema.type_relation is not None:
        typed = Counter(int(t) for r, t in zip(relations, targets, strict=True) if r == schema.type_relation)
        often = [node for node, count in typed.most_common(3) if count >= _SHARE * len(sample)]
        if often:
            return EndKind(tuple(to_singular(schema.snapshot.get_entity_label(node).lower()) for node in often))
    votes: Counter[str] = Counter()
    total = schema.snapshot.num_relations
    for _, relation in np.unique(np.stack([owners, relations]), axis=1).T.tolist():
        nouns = relation_nouns[relation][0] if relation < total else relation_nouns[relation - total][1]
        votes.update(dict.fromkeys(nouns, 1))
    if not votes:
        return EndKind(())
    most = votes.most_common(1)[0][1]
    return EndKind(tuple(noun for noun, count in votes.most_common(4) if count >= _NEARLY * most))


def parse_verb_first(label: str) -> tuple[str, str, str] | None:
    """Verb, preposition and noun of a name like "lies on river" and "built in year"; None of another one."""
    match = _VERB_FIRST.match(label)
    return None if match is None else (match[1], match[2], match[3])


def apply_number(noun: str, *, many: bool) -> str:
    """A noun in the number that is meant; of "place of birth" the part before "of" is counted."""
    head, of, rest = noun.partition(" of ")
    before, _, last = head.rpartition(" ")
    return " ".join(filter(None, [before, to_plural(to_singular(last)) if many else to_singular(last)])) + of + rest
