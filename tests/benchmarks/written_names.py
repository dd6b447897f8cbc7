"""Names as people write them: how often exactly the entity is linked, and how often another one."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Sequence

import numpy as np

from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.question import Question
from retrieval.linking.linker import Linker
from tests.benchmarks.report import Section
from tests.benchmarks.sets import prepared

COMMAND = "python -m tests.benchmarks written_names"
SETS = ("WebQSP", "demo", "MetaQA")
_ASKED, _SEED, _SURE = 250, 5, 0.75
_TEMPLATES = (
    "Tell me about {}",
    "what do we know about {}?",
    "Who or what is {}?",
    "Who is connected to {}?",
)
_PERSON = re.compile(r"[A-Z][\w'’.-]+( [A-Z][\w'’.-]+){1,2}")
Rule = Callable[[str, random.Random], str]


def _slip(name: str, rng: random.Random) -> str:
    inner = [k for k in range(1, len(name) - 1) if name[k - 1 : k + 2].isalpha()]
    if len(name) < 6 or not inner:
        return name
    k = rng.choice(inner)
    left_out, swapped = name[:k] + name[k + 1 :], name[:k] + name[k + 1] + name[k] + name[k + 2 :]
    twice, another = name[:k] + name[k] + name[k:], name[:k] + rng.choice("aeioust") + name[k + 1 :]
    return rng.choice((left_out, swapped, twice, another))


def _of_person(write: Callable[[Sequence[str]], str]) -> Rule:
    return lambda name, _: write(name.split()) if _PERSON.fullmatch(name) else name


def _plain(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


RULES: dict[str, Rule] = {
    "lower case": lambda name, _: name.lower(),
    "upper case": lambda name, _: name.upper(),
    "slip": _slip,
    "slip, lower case": lambda name, rng: _slip(name, rng).lower(),
    "possessive": lambda name, _: f"{name}'s",
    "plural": lambda name, _: name if name.endswith("s") else f"{name}s",
    "last, first": _of_person(lambda words: f"{words[-1]}, {' '.join(words[:-1])}"),
    "initial": _of_person(lambda words: f"{words[0][0]}. {' '.join(words[1:])}"),
    "last name": _of_person(lambda words: words[-1]),
    "title": _of_person(lambda words: f"Mr. {words[-1]}"),
    "no the": lambda name, _: name.removeprefix("The "),
    "hyphens": lambda name, _: name.replace("-", " ") if "-" in name else name.replace(" ", "-"),
    "no dots": lambda name, _: name.replace(".", ""),
    "and": lambda name, _: name.replace("&", "and") if "&" in name else name.replace(" and ", " & "),
    "no accents": lambda name, _: _plain(name),
}


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Link names written by rules."""
    section = Section(
        "Spellings of names, by rules",
        COMMAND,
        f"{_ASKED} entities of each graph, their names written by rules and put into a question, where that is not "
        "another thing's name. Exactly: the entity, or one of its name, and nothing else; surely another: with a "
        f"score of {_SURE} and more. Linked by names alone, without vectors.",
        theme="Linking and programs",
        head=("graph", "written", "questions", "exactly", "another", "surely another", "none"),
    )
    for name in names or SETS:
        there = prepared(name)
        if there is not None:
            for rule, rows in _linked(snapshots.open(there.graph)).items():
                shares = np.array(rows, float).mean(axis=0) if rows else np.zeros(4)
                section.add(name, rule, f"{len(rows):,}", *(f"{share:.3f}" for share in shares))
    return [section]


def _linked(snapshot: Snapshot) -> dict[str, list[tuple[bool, bool, bool, bool]]]:
    """Of each rule: exactly, another, surely another, none."""
    linker, rng = Linker(snapshot), random.Random(_SEED)
    found: dict[str, list[tuple[bool, bool, bool, bool]]] = {rule: [] for rule in RULES}
    named = [i for i in range(snapshot.num_entities) if _is_name(snapshot, i)]
    for entity in rng.sample(named, min(_ASKED, len(named))):
        name = snapshot.get_entity_label(entity).replace("_", " ")
        for rule, write in RULES.items():
            written, own = write(name, rng), normalize_name(name)
            spelt = normalize_name(written.removesuffix("'s"))
            if written == name or (spelt != own and snapshot.labels.find_exact(spelt)):
                continue
            links = linker.link(Question(rng.choice(_TEMPLATES).format(written))).entities
            others = [link for link in links if normalize_name(link.entity.label) != own]
            sure = any(link.score >= _SURE for link in others)
            found[rule].append((len(others) < len(links) and not others, bool(others), sure, not links))
    return found


def _is_name(snapshot: Snapshot, entity: int) -> bool:
    label = snapshot.get_entity_label(entity)
    return (
        snapshot.get_kind(entity) == "entity" and 3 <= len(label) <= 50 and re.search("[A-Za-z]{3}", label) is not None
    )
