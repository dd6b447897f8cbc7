"""Tiny suites, question sets and passages, in the layout of the real data."""

import json
from pathlib import Path

from retrieval.weights.data import TrainingData
from tests.retrieval import films

#: The capital, language and population of the countries of three regions.
COUNTRIES = {
    "north": {
        "Norrland": ("Norrstad", "Norric", 9),
        "Iceholm": ("Frostby", "Holmic", 2),
        "Fjordia": ("Fjordby", "Norric", 5),
    },
    "south": {
        "Sunova": ("Solana", "Sunic", 7),
        "Palmara": ("Palmito", "Sunic", 3),
        "Dunesia": ("Sandara", "Dunic", 8),
    },
    "west": {
        "Westmark": ("Marktown", "Westic", 4),
        "Seacliff": ("Cliffport", "Westic", 6),
        "Moorland": ("Moorby", "Moric", 1),
    },
}


def list_facts(region: str) -> list[tuple[str, str, str]]:
    """Countries with their kind, capital, language and population."""
    return [
        fact
        for country, (capital, language, people) in COUNTRIES[region].items()
        for fact in (
            (country, "type", "country"),
            (country, "capital", capital),
            (country, "language", language),
            (country, "population", str(people)),
        )
    ]


def list_questions(region: str) -> list[tuple[str, list[str], str]]:
    """Questions, right answers and kinds over the countries of a region."""
    countries = COUNTRIES[region]
    largest = max(countries, key=lambda country: countries[country][2])
    rows: list[tuple[str, list[str], str]] = [
        ("How many countries are there?", [str(len(countries))], "count"),
        ("Which country has the largest population?", [largest], "superlative"),
        (f"Who is the king of {largest}?", [], "unanswerable"),
    ]
    for country, (capital, language, _) in countries.items():
        speaking = [other for other, (_, spoken, _) in countries.items() if spoken == language]
        rows += [
            (f"What is the capital of {country}?", [capital], "path"),
            (f"Which countries have the language {language}?", speaking, "path"),
        ]
    return rows


def write_data(folder: Path) -> TrainingData:
    """Suites of three graphs, and two of them again as a newcomer's."""
    suite, lot = folder / "own" / "own_graphs", folder / "own" / "newcomers" / "lot"
    suite.mkdir(parents=True)
    rows = []
    for region in COUNTRIES:
        lines = "".join("\t".join(fact) + "\n" for fact in [("head", "relation", "tail"), *list_facts(region)])
        (suite / f"{region}.tsv").write_text(lines)
        questions = list_questions(region)
        rows += [
            {"id": f"{region}-{n}", "question": text, "answers": answers, "operators": [kind], "graph": region}
            for n, (text, answers, kind) in enumerate(questions)
        ]
        newcomer = lot / region
        newcomer.mkdir(parents=True)
        (newcomer / "facts.tsv").write_text(lines)
        _write_lines(
            newcomer / "questions.jsonl",
            [{"question": text, "answers": answers, "kind": kind} for text, answers, kind in questions],
        )
    _write_lines(suite / "questions.jsonl", rows)
    return TrainingData(folder / "public", folder / "cache", folder / "own")


def write_film_set(folder: Path) -> tuple[tuple[Path, ...], dict[str, Path]]:
    """The files of the film graph, and of its questions by split."""
    folder.mkdir()
    facts = folder / "facts.tsv"
    facts.write_text("".join("\t".join(fact) + "\n" for fact in [("head", "relation", "tail"), *films.facts()]))
    questions = {}
    for split in ("train", "dev", "test"):
        questions[split] = folder / f"{split}.jsonl"
        rows = [
            {"id": q.id, "question": q.question, "topic_entities": list(q.topic_entities), "answers": list(q.answers)}
            for q in films.questions()
            if q.split == split
        ]
        _write_lines(questions[split], rows)
    return (facts,), questions


def write_reading(folder: Path) -> None:
    """Twelve paragraphs as XQuAD has them, each with a question."""
    paragraphs = []
    for n in range(12):
        text = f"The tower of town {n} was built in {1900 + n} by mason {chr(65 + n)}olm. It stands beside the river."
        answer = str(1900 + n)
        asked = {
            "question": f"When was the tower of town {n} built?",
            "answers": [{"text": answer, "answer_start": text.index(answer)}],
        }
        paragraphs.append({"context": text, "qas": [asked]})
    folder.mkdir(parents=True)
    (folder / "xquad.en.json").write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))


def write_unanswerable_reading(folder: Path) -> None:
    """Write ten articles of one paragraph as SQuAD 2.0 has them, each with a question that it answers and one not."""
    articles = []
    for n in range(10):
        text = f"The bridge of village {n} was designed by {chr(75 + n)}ara Stone in {1800 + n}. It crosses a gorge."
        rows = [
            {"question": f"When was the bridge of village {n} designed?", "answers": [{"text": str(1800 + n)}]},
            {"question": f"Who paid for the bridge of village {n}?", "answers": []},
        ]
        articles.append({"title": f"Village_{n}", "paragraphs": [{"context": text, "qas": rows}]})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "squad-v2-dev.json").write_text(json.dumps({"data": articles}))


def _write_lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
