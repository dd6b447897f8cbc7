"""Edits by hand in a graph of a million entities, and suggested duplicates among misspelt records of persons."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from retrieval.kg.analysis.duplicates import SUGGESTED, find_duplicates
from retrieval.kg.build.edits import write_edited_version
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.edits.edited_graph import EditedGraph
from retrieval.kg.edits.effects import Effect
from retrieval.kg.edits.operations import (
    AddFact,
    ChangeFact,
    MergeEntities,
    Operation,
    RemoveFact,
    RenameEntity,
    RevertEffect,
)
from retrieval.kg.snapshot import Snapshot
from tests.benchmarks import person_records
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks edits"
ENTITIES = 1_000_000
TUNING_SEED, HELD_SEED = 1, 2
THRESHOLDS = (SUGGESTED, 0.9, 0.99)


def measure() -> list[Section]:
    """Time each kind of edit, and count right and wrong suggestions."""
    return [_time_edits(), _score_duplicates()]


def _time_edits() -> Section:
    section = Section(
        f"Edits of {ENTITIES:,} entities",
        COMMAND,
        f"A generated graph of {ENTITIES:,} persons with three facts each: the seconds of the preview of an edit, "
        "and those of writing the next version with its index of names.",
        head=("edit", "preview", "next version", "goal"),
    )
    drawn = random.Random(HELD_SEED)
    with tempfile.TemporaryDirectory() as folder:
        file, graph = Path(folder) / "persons.tsv", Path(folder) / "0"
        with file.open("w", encoding="utf-8") as out:
            for number in range(ENTITIES):
                person = _name_person(number)
                out.write(f"{person}\tlives in\tTown {drawn.randrange(5_000)}\n")
                out.write(f"{person}\tworks for\tFirm {drawn.randrange(20_000)}\n")
                out.write(f"{person}\tborn\t{drawn.randrange(1940, 2006)}\n")
        began = time.perf_counter()
        build_from_files([file], graph, problems=print)
        section.add("(first import)", "", f"{time.perf_counter() - began:.1f} s", "")
        _add_rows(section, Path(folder), graph)
    return section


def _add_rows(section: Section, folder: Path, graph: Path) -> None:
    facts = EditedGraph(Snapshot(graph)).list_facts("Person 7")
    [before] = [fact.triple for fact in facts if fact.relation == "lives in"]
    steps: list[tuple[str, Operation | None]] = [
        ("add a fact", AddFact(("Person 5", "knows", "Person 6"))),
        ("change a fact", ChangeFact(before, ("Person 7", "lives in", "Town 1"))),
        ("remove a fact", RemoveFact(("Person 7", "lives in", "Town 1"))),
        ("rename", RenameEntity("Person 8", "Person Eight")),
        ("merge", MergeEntities("Person 9", "Person 10")),
        ("undo the merge", None),
    ]
    effect = Effect()
    for number, (name, step) in enumerate(steps, 1):
        operation = step or RevertEffect("merge", effect)
        began = time.perf_counter()
        EditedGraph(Snapshot(graph)).apply(operation)
        previewed = time.perf_counter()
        out = folder / str(number)
        [outcome] = write_edited_version(graph, out, [operation], [number], progress=lambda _: None)
        assert outcome.effect is not None, outcome.message
        took = time.perf_counter() - previewed
        section.add(name, f"{previewed - began:.2f} s", f"{took:.1f} s", "5 s")
        graph, effect = out, outcome.effect


def _name_person(number: int) -> str:
    return f"Person {number}"


def _score_duplicates() -> Section:
    section = Section(
        "Suggested duplicates of misspelt records",
        COMMAND,
        "1,000 persons with name, street, suburb, postcode and year of birth, and 500 copies of them with one to four "
        "faults (typing errors, swapped names, initials, missing or changed values). Pairs from a probability on.",
        head=("records", "from", "suggested", "precision", "recall"),
        headline="",
    )
    for seed, title in ((TUNING_SEED, "for choosing weights"), (HELD_SEED, "for measuring")):
        suggested, pairs = _suggest(seed)
        for threshold in THRESHOLDS:
            section.add(title, f"{threshold:g}", *_count(suggested, pairs, threshold))
    return section


def _suggest(seed: int) -> tuple[list[tuple[float, frozenset[str]]], set[frozenset[str]]]:
    facts, pairs = person_records.make_records(seed)
    with tempfile.TemporaryDirectory() as folder:
        file, graph = Path(folder) / "persons.tsv", Path(folder) / "graph"
        file.write_text("".join("\t".join(fact) + "\n" for fact in facts), encoding="utf-8")
        build_from_files([file], graph, problems=print)
        snapshot = Snapshot(graph)
        found = [
            (pair.score, frozenset(map(snapshot.get_entity_label, (pair.first, pair.second))))
            for pair in find_duplicates(snapshot, limit=len(facts))
        ]
    return found, pairs


def _count(
    suggested: Sequence[tuple[float, frozenset[str]]], pairs: set[frozenset[str]], threshold: float
) -> tuple[str, str, str]:
    chosen = {pair for score, pair in suggested if score >= threshold}
    right = len(chosen & pairs)
    return f"{len(chosen)}", f"{right / max(len(chosen), 1):.1%}", f"{right / len(pairs):.1%}"
