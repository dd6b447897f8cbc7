"""Which answers of several graphs mean the same thing: by their IRI, or by their name."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Named:
    """An answer of one graph.

    Attributes:
        label: its name, or its text.
        score: in [0, 1].
        iri: of an entity that has one, else empty.
        guess: its score is below the least that is trusted.
    """

    label: str
    score: float
    iri: str = ""
    guess: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One answer of one graph in a joined one, by their places; ``by`` is ``iri``, ``name``, or ``""`` of the first."""

    graph: int
    answer: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Answers that mean the same thing.

    Attributes:
        label: of the first.
        score: the highest of theirs.
        guess: every one of them is a guess.
        members: in the order of the graphs, at most one of each.
    """

    label: str
    score: float
    guess: bool
    members: tuple[Member, ...]


def join(graphs: Sequence[Sequence[Named]]) -> list[Joined]:
    """The answers of several graphs as one list.

    Answers join when they have the same IRI, else when they have the same name, whatever its capitals and spaces.
    Those of one name do not when their IRIs are of one site, which tells them apart, nor when they are of one graph.

    Returns:
        Best score first; of the same score those of more graphs, then in the order of the graphs.
    """
    groups: list[list[Member]] = []

    def get_answer(member: Member) -> Named:
        return graphs[member.graph][member.answer]

    def find_group(graph: int, answer: Named) -> tuple[list[Member] | None, str]:
        others = [members for members in groups if all(member.graph != graph for member in members)]
        if answer.iri:
            for members in others:
                if any(get_answer(member).iri == answer.iri for member in members):
                    return members, "iri"
        for members in others:
            if all(_has_same_name(get_answer(member), answer) for member in members):
                return members, "name"
        return None, ""

    for graph, answers in enumerate(graphs):
        for number, answer in enumerate(answers):
            members, by = find_group(graph, answer)
            if members is None:
                groups.append([Member(graph, number)])
            else:
                members.append(Member(graph, number, by))
    joined = [
        Joined(
            get_answer(members[0]).label,
            max(get_answer(member).score for member in members),
            all(get_answer(member).guess for member in members),
            tuple(members),
        )
        for members in groups
    ]
    return sorted(joined, key=lambda answer: (-answer.score, -len(answer.members)))


def _has_same_name(left: Named, right: Named) -> bool:
    if left.iri and right.iri and left.iri != right.iri and _get_site(left.iri) == _get_site(right.iri):
        return False
    return _normalize_label(left.label) == _normalize_label(right.label)


def _normalize_label(label: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _get_site(iri: str) -> str:
    return urlsplit(iri).netloc
