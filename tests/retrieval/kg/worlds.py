"""Tiny graphs for exact tests."""

import random

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable

#: Two films by one director, one of them in two languages, and an actor who directs.
FILMS = [
    ("Jaws", "directed_by", "Steven Spielberg"),
    ("Hook", "directed_by", "Steven Spielberg"),
    ("Hook", "in_language", "French"),
    ("Jaws", "in_language", "English"),
    ("Hook", "in_language", "English"),
    ("Jaws", "release_year", "1975"),
    ("Hook", "starred_actors", "Robin Williams"),
    ("Hook", "film.performance.role", "m.0abc"),
]


def build(facts, path):
    return build_snapshot(TripleTable.from_facts(facts), path)


def random_facts(seed, entities=12, relations=3, facts=30):
    """A dense little multigraph with self-loops and parallel edges."""
    rng = random.Random(seed)
    return [
        (f"e{rng.randrange(entities):02}", f"r{rng.randrange(relations)}", f"e{rng.randrange(entities):02}")
        for _ in range(facts)
    ]
