"""Records of persons, some of them copies with faults as people make them while typing (after FEBRL, Christen 2008)."""

from __future__ import annotations

import random
import string
from collections import Counter
from dataclasses import dataclass, replace

PERSONS, COPIES, FAULTS_MAX = 1_000, 500, 4
_BEGINNINGS = (
    "ba",
    "ce",
    "do",
    "fi",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ro",
    "si",
    "tu",
    "ve",
    "wa",
    "yo",
)
_ENDINGS = ("dler", "ger", "kins", "land", "ler", "man", "ner", "rin", "rman", "son", "ster", "ton", "vic", "well")
_STREETS = ("street", "road", "place", "close", "avenue")


@dataclass(frozen=True)
class Person:
    """One record; empty values are missing."""

    given: str
    surname: str
    street: str
    suburb: str
    postcode: str
    born: str


def make_records(seed: int) -> tuple[list[tuple[str, str, str]], set[frozenset[str]]]:
    """Records as facts, and the pairs of labels that are the same person.

    Labels are names; equal names are told apart by a number in brackets.
    """
    drawn = random.Random(seed)
    persons = _draw_persons(drawn)
    chosen = drawn.sample(range(PERSONS), COPIES)
    copies = [_misspell(persons[place], drawn) for place in chosen]
    labels: list[str] = []
    counts: Counter[str] = Counter()
    facts = []
    for person in (*persons, *copies):
        name = f"{person.given} {person.surname}".strip().title()
        counts[name] += 1
        labels.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
        values = (
            ("street", person.street),
            ("suburb", person.suburb),
            ("postcode", person.postcode),
            ("born", person.born),
        )
        facts += [(labels[-1], "type", "person"), *((labels[-1], name, value) for name, value in values if value)]
    return facts, {frozenset((labels[place], labels[PERSONS + i])) for i, place in enumerate(chosen)}


def _draw_persons(drawn: random.Random) -> list[Person]:
    """Persons whose names are shared by several, common ones by many."""
    given = [_make_name(drawn) for _ in range(200)]
    surnames = [_make_name(drawn) for _ in range(400)]
    suburbs = [
        (f"{_make_name(drawn)} {drawn.choice(('hill', 'bay', 'park'))}", str(drawn.randrange(1000, 9999)))
        for _ in range(150)
    ]
    persons = []
    for _ in range(PERSONS):
        suburb, postcode = drawn.choice(suburbs)
        street = f"{drawn.randrange(1, 200)} {_make_name(drawn)} {drawn.choice(_STREETS)}"
        born = str(drawn.randrange(1930, 2006))
        persons.append(Person(_choose(given, drawn), _choose(surnames, drawn), street, suburb, postcode, born))
    return persons


def _make_name(drawn: random.Random) -> str:
    return drawn.choice(_BEGINNINGS) + drawn.choice(("", drawn.choice(_BEGINNINGS))) + drawn.choice(_ENDINGS)


def _choose(names: list[str], drawn: random.Random) -> str:
    """A name, those at the front of the list more often."""
    return names[min(int(drawn.expovariate(4 / len(names))), len(names) - 1)]


def _misspell(person: Person, drawn: random.Random) -> Person:
    for _ in range(drawn.randint(1, FAULTS_MAX)):
        field = drawn.choice(("given", "surname", "given", "surname", "street", "suburb", "postcode", "born", "names"))
        if field == "names":
            person = replace(person, given=person.surname, surname=person.given)
            continue
        value = getattr(person, field)
        faulty = drawn.random()
        if field == "given" and faulty < 0.2:
            value = value[:1]
        elif field in ("given", "surname") or faulty < 0.6:
            value = _mistype(value, drawn)
        elif faulty < 0.8:
            value = ""
        else:
            value = {"born": str(drawn.randrange(1930, 2006)), "postcode": str(drawn.randrange(1000, 9999))}.get(
                field, ""
            )
        person = replace(person, **{field: value})
    return person


def _mistype(value: str, drawn: random.Random) -> str:
    """A value with a character inserted, left out, replaced or swapped with the next one."""
    if len(value) < 2:
        return value
    place = drawn.randrange(len(value) - 1)
    letter = drawn.choice(string.digits if value[place].isdigit() else string.ascii_lowercase)
    return drawn.choice(
        (
            value[:place] + letter + value[place:],
            value[:place] + value[place + 1 :],
            value[:place] + letter + value[place + 1 :],
            value[:place] + value[place + 1] + value[place] + value[place + 2 :],
        )
    )
