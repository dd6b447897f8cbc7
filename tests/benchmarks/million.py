"""Questions of every kind over a made graph of a million facts, and counting a million things."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.methods.registry import DEFAULT
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks million"
_PEOPLE, _FIRMS, _ORDERS = 160_000, 8_000, 1_000_000
_FIRST = (
    "Ada", "Bo", "Cleo", "Dag", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lea", "Mira", "Nils", "Ora",
    "Pim", "Quin", "Rosa", "Sven", "Tilda", "Uma", "Vito", "Wim",
)  # fmt: skip
_LAST = (
    "Abel", "Berg", "Cruz", "Dahl", "Ek", "Frost", "Grau", "Holm", "Ibsen", "Jansen", "Kurz", "Lind", "Moll",
    "Nagy", "Olsen", "Pohl", "Reyes", "Stahl", "Unger",
)  # fmt: skip
_TRADES = ("Works", "Labs", "Foods", "Motors", "Systems")
_COUNTRIES = ("Arvania", "Belmark", "Corvia", "Drenland", "Estovia")
_BEFORE = ("Nor", "Sud", "Ost", "West", "Alt", "Neu", "Ober", "Unter", "Gross", "Klein")
_BEHIND = (
    "feld", "burg", "stadt", "hausen", "bach", "berg", "tal", "heim", "dorf", "furt", "au", "see", "wald", "brunn",
    "kirchen",
)  # fmt: skip
_CITIES = [f"{one}{other}" for one in _BEFORE for other in _BEHIND]
_WHOLE = (
    "How many people are there?", "Which city has the largest population?", "Which company has the most employees?",
    "average salary of people who live in Norfeld", "people born before 1950 who live in Altsee",
    "How many people speak German?", "Which country has the most cities?", "Is Norfeld in Arvania?",
    "how many companies were founded after 2000", "total population of the cities in Belmark",
    "Which city do most people live in?",
)  # fmt: skip
_COUNTS = (
    "How many orders are there?", "how many orders are open", "number of orders", "How many orders are not open?",
    "count the orders", "how many orders do we have",
)  # fmt: skip


def measure() -> list[Section]:
    """Build both graphs and ask them by the whole engine without a checkpoint, by the clock."""
    section = Section(
        "A million facts",
        COMMAND,
        "A generated graph of people, companies and cities, asked for paths, counts, filters, rankings, averages "
        "and yes or no by the whole engine, without a checkpoint and a language model; and a million orders, "
        "counted.",
        head=("graph", "facts", "questions", "the first", "a question p50 / p95", "goal"),
    )
    drawn = random.Random(7)
    facts = list(_facts(drawn))
    times = _asked(facts, _questions(facts))
    section.add("people, companies, cities", *_row(len(facts), times), "60 / 200 ms")
    orders = [(f"order {n}", "type", "order") for n in range(_ORDERS)]
    orders += [(f"order {7 * n}", "status", "open") for n in range(1000)]
    section.add("orders, counted", *_row(len(orders), _asked(orders, _COUNTS)), "1,000 ms")
    return [section]


def _row(facts: int, times: Sequence[float]) -> tuple[str, ...]:
    p50, p95 = np.percentile(times[1:], [50, 95])
    return f"{facts:,}", f"{len(times)}", f"{times[0]:.0f} ms", f"{p50:.0f} / {p95:.0f} ms"


def _facts(drawn: random.Random) -> Iterator[tuple[str, str, str]]:
    for city in _CITIES:
        yield city, "type", "city"
        yield city, "country", drawn.choice(_COUNTRIES)
        yield city, "population", str(drawn.randrange(5_000, 900_000))
    firms = [f"{drawn.choice(_LAST)} {drawn.choice(_TRADES)} {n}" for n in range(_FIRMS)]
    for firm in firms:
        yield firm, "type", "company"
        yield firm, "based in", drawn.choice(_CITIES)
        yield firm, "founded", str(drawn.randrange(1900, 2024))
        yield firm, "employees", str(drawn.randrange(5, 9_000))
    for n in range(_PEOPLE):
        person = f"{drawn.choice(_FIRST)} {drawn.choice(_LAST)} {n}"
        yield person, "type", "person"
        yield person, "lives in", drawn.choice(_CITIES)
        yield person, "works for", drawn.choice(firms)
        yield person, "born", str(drawn.randrange(1940, 2006))
        yield person, "salary", str(drawn.randrange(20_000, 120_000))
        yield person, "speaks", drawn.choice(("English", "German", "French", "Dutch", "Polish"))


def _questions(facts: Sequence[tuple[str, str, str]]) -> list[str]:
    people = [head for head, relation, _ in facts if relation == "lives in"][:: _PEOPLE // 20]
    firms = [head for head, relation, _ in facts if relation == "based in"][:: _FIRMS // 20]
    named = [
        question
        for person, firm, city in zip(people, firms, _CITIES[::7], strict=False)
        for question in (
            f"Where does {person} live?", f"who works for {firm}", f"How many people live in {city}?",
            f"Which companies are based in {city}?", f"In which country does {person} live?",
        )
    ]  # fmt: skip
    return [*named, *_WHOLE]


def _asked(facts: Sequence[tuple[str, str, str]], questions: Sequence[str]) -> list[float]:
    """Milliseconds of each question, in order; each has to be answered."""
    with tempfile.TemporaryDirectory() as folder:
        file, graph = Path(folder) / "graph.tsv", Path(folder) / "graph"
        file.write_text("".join("\t".join(fact) + "\n" for fact in facts), encoding="utf-8")
        build_from_files([file], graph, problems=print)
        answerer = load_answerer(AnswererSpec(graph, None, DEFAULT), load_parts(snapshots.open(graph), load_encoder()))
        times = []
        for question in questions:
            began = time.perf_counter()
            last = list(answerer.run(AskRequest(question=Question(question))))[-1]
            times.append(1000 * (time.perf_counter() - began))
            assert getattr(last, "answers", ()), question
    return times
