"""Sets in words, once their noun and clauses are known: "9 countries border Germany"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval.programs.rendering.sentences.grammar import make_singular, split_role
from retrieval.programs.rendering.sentences.values import write_list

if TYPE_CHECKING:
    from retrieval.programs.rendering.sentences.clauses import Clause

_STANDALONE = ("that", "with", "without", "whose")
_SHARED_VERBS = frozenset({"have", "has", "are", "is", "were", "was"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A set in words.

    Attributes:
        noun: the plural noun of its kind, or the names of what it is taken from; empty where the graph has none.
        clauses: what is said of its members.
        name_count: how many things ``noun`` names; 0 where it is a kind.
    """

    noun: str
    clauses: tuple[Clause, ...]
    name_count: int = 0


def write_phrase(phrase: Phrase, count: int) -> str:
    """``countries in Africa``, of one ``country in Africa``; without a noun only what is said of them."""
    which = int(count == 1)
    parts = sorted((clause.after[which] for clause in phrase.clauses), key=lambda part: part.startswith(_STANDALONE))
    noun = make_singular(phrase.noun) if which and not phrase.name_count else phrase.noun
    parts = [part.removeprefix(f"{noun} ") for part in parts]  # rulers of Valen
    return " ".join(filter(None, [noun, _join_clauses(parts)]))


def write_counted(phrase: Phrase, count: int) -> str:
    """``9 countries in Africa``, ``no country``."""
    return f"{f'{count:,}' if count else 'no'} {write_phrase(phrase, count)}"


def write_members(phrase: Phrase, count: int) -> str:
    """The members of a set: ``9 countries``, ``the 5 whose country is Nepal``."""
    if phrase.noun:
        return write_phrase(phrase, count) if phrase.name_count else write_counted(phrase, count)
    text = write_phrase(phrase, count)
    if count == 1 and split_role(text) is not None:
        return f"the {text}"  # mother of Felix
    return f"the {'one' if count == 1 else f'{count:,}'} {text}"


def write_doing(clauses: tuple[Clause, ...], count: int) -> str | None:
    """What so many do: ``border Germany``, ``is in Africa and has a coast``; None where a clause is no verb."""
    predicates = [clause.does[count == 1] for clause in clauses if clause.does is not None]
    if not clauses or len(predicates) < len(clauses):
        return None
    shared = [""] + [predicate.partition(" ")[0] for predicate in predicates]
    return " and ".join(
        predicate.partition(" ")[2] if before == verb and verb in _SHARED_VERBS else predicate
        for before, verb, predicate in zip(shared, shared[1:], predicates, strict=False)
    )


def write_count_clause(phrase: Phrase, count: int) -> str:
    """How many there are, without a full stop: ``9 countries border Germany``, ``there are 12 lighthouses``."""
    number = f"{count:,}" if count else "no"
    if not phrase.noun:
        does = write_doing(phrase.clauses, count)
        if does is None:
            return f"{number}: {write_phrase(phrase, count)}"
        return f"{number if count else 'none'} {does}"
    if phrase.name_count:
        of = "None" if not count else f"{count:,}"
        does = write_doing(phrase.clauses, count)
        return f"{of} of {phrase.noun} {does}" if does else f"{of} of the {phrase.name_count:,}"
    if not phrase.clauses:
        return f"there {'is' if count == 1 else 'are'} {write_counted(phrase, count)}"
    does = write_doing(phrase.clauses[-1:], count)
    if does is None:
        return write_counted(phrase, count)
    return f"{number} {write_phrase(replace(phrase, clauses=phrase.clauses[:-1]), count)} {does}"


def write_members_clause(phrase: Phrase, names: list[str]) -> str:
    """Who the members are, without a full stop: ``2 games made in 2019: Go and Chess``, ``Leo and Mia own a boat``."""
    listed, count = write_list(names), len(names)
    does = write_doing(phrase.clauses, count)
    if phrase.name_count:
        if phrase.name_count > 1 or does is None:
            return f"{count:,} of the {phrase.name_count:,}: {listed}"
        return f"{listed} {does}"
    if phrase.noun:
        return f"{write_counted(phrase, count)}: {listed}"
    if does:
        return f"{listed} {does}"
    text = write_phrase(phrase, count)
    standalone = any(clause.after[0].startswith(_STANDALONE) for clause in phrase.clauses)
    return f"{listed}: {write_members(phrase, count) if standalone else text}"


def _join_clauses(parts: list[str]) -> str:
    """Clauses in a row; those that begin alike are joined: ``that are let and have a garden``."""
    text = before = ""
    for part in parts:
        lead, _, rest = part.partition(" ")
        if not text:
            text = part
        elif lead == before and lead in _STANDALONE:
            text = f"{text} and {part if lead == 'whose' else rest}"
        else:
            text = f"{text} {'and ' if lead in _STANDALONE and before in _STANDALONE else ''}{part}"
        before = lead
    return text
