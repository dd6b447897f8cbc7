"""Recorded answers of the engine, so that a refactoring shows every answer that it changes.

``python -m tests.golden record`` writes one file a suite beside this one; ``python -m tests.golden compare`` asks the
same questions again and prints what differs. A change of answers is committed with the files that record it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval import demo
from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import AnswerFinal, ProgramExecuted, to_payload
from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.language.question import Question
from retrieval.methods.registry import DEFAULT

HOME = Path(__file__).parent
_TESTS = HOME.parent
#: Questions of the demo that are recorded, taken at equal distances from all splits.
DEMO_QUESTIONS = 300
_FACTS = (".tsv", ".csv", ".nt", ".ttl", ".json", ".jsonl", ".xlsx", ".graphml")
#: Answers kept of each question, and decimals of their scores; machines differ beyond these.
_ANSWERS, _DECIMALS = 12, 2
#: Fields of answers, steps and ranked values that the digest leaves out.
_WORDING = frozenset({"display", "owner", "operation"})


@dataclass(frozen=True, slots=True)
class Case:
    """Questions that are asked of one graph: its source files, or a snapshot with its checkpoint."""

    name: str
    files: tuple[Path, ...]
    questions: tuple[str, ...]
    checkpoint: Path | None = None
    method: str = DEFAULT


def list_suites() -> list[str]:
    """Return the names of the suites, of which each has its own file of records."""
    newcomers = (path.name for path in sorted((_TESTS / "newcomers").iterdir()) if path.is_dir())
    return ["demo", "own_graphs", *newcomers]


def load_cases(suite: str) -> list[Case]:
    """Return the graphs of a suite with their questions."""
    if suite == "demo":
        rows = [row for file in demo.QUESTIONS.values() for row in _read_rows(file)]
        step = len(rows) / DEMO_QUESTIONS
        questions = tuple(rows[int(n * step)]["question"] for n in range(DEMO_QUESTIONS))
        return [Case("demo", demo.FACTS, questions, demo.CHECKPOINT, demo.METHOD)]
    if suite == "own_graphs":
        folder, by_graph = _TESTS / "own_graphs", dict[str, list[str]]()
        for row in _read_rows(folder / "questions.jsonl"):
            by_graph.setdefault(row["graph"], []).append(row["question"])
        return [
            Case(name, (folder / f"{name.removesuffix('.tsv')}.tsv",), tuple(questions))
            for name, questions in by_graph.items()
        ]
    cases = []
    for file in sorted((_TESTS / "newcomers" / suite).glob("*/questions.jsonl")):
        files = sorted(path for path in file.parent.iterdir() if path.suffix in _FACTS and path != file)
        questions = tuple(row["question"] for row in _read_rows(file))
        cases.append(Case(file.parent.name, tuple(files), questions))
    return cases


def load_case_engine(case: Case, folder: Path) -> Answerer:
    """Build the snapshot of a case in ``folder`` and return the engine that answers its questions."""
    graph = folder / case.name
    build_from_files(list(case.files), graph, problems=lambda _: None)
    spec = AnswererSpec(graph, case.checkpoint, case.method)
    return load_answerer(spec, load_parts(snapshots.open(graph), load_encoder()))


def record_answers(answerer: Answerer, case: Case) -> Iterator[dict[str, Any]]:
    """Ask the questions of a case and yield what is compared of each run."""
    for question in case.questions:
        events = list(answerer.run(AskRequest(Question(question))))
        record: dict[str, Any] = {"graph": case.name, "question": question}
        for event in events:
            if isinstance(event, ProgramExecuted):
                record["program"] = event.read.text
            if isinstance(event, AnswerFinal):
                record["answers"] = [
                    [answer.label, round(answer.score, _DECIMALS)] for answer in event.answers[:_ANSWERS]
                ]
                record["refusal"] = event.no_answer.reason.value if event.no_answer else None
        yield record | {"stream": compute_digest([to_payload(event) for event in events])}


def compute_digest(payloads: Sequence[Mapping[str, Any]]) -> str:
    """Return a short digest of an event stream without its timings and wording, and with rounded numbers."""
    stripped = [_normalise(_remove_wording(payload)) for payload in payloads]
    plain = json.dumps(stripped, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def compare(recorded: Mapping[str, Any], actual: Mapping[str, Any]) -> list[str]:
    """Return which parts of a record changed; ``stream`` alone may differ between machines."""
    return [key for key in ("answers", "refusal", "program", "stream") if recorded.get(key) != actual.get(key)]


def read_records(suite: str) -> list[dict[str, Any]]:
    """Return the records of a suite as they were written."""
    return _read_rows(HOME / f"{suite}.jsonl")


def write_records(suite: str, records: Sequence[Mapping[str, Any]]) -> None:
    """Write the records of a suite, one a line."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (HOME / f"{suite}.jsonl").write_text("".join(lines), encoding="utf-8")


def _read_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _remove_wording(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a payload without the fields that only say in words what its other fields hold."""
    lists = {name: payload[name] for name in ("answers", "steps", "ranked") if isinstance(payload.get(name), list)}
    rows = {
        name: [{key: item for key, item in row.items() if key not in _WORDING} for row in part]
        for name, part in lists.items()
    }
    return {key: item for key, item in payload.items() if key != "sentence"} | rows


def _normalise(value: Any) -> Any:
    """Return a payload without timings, its floats rounded and paths of this machine left out."""
    if isinstance(value, Mapping):
        return {key: _normalise(item) for key, item in value.items() if not key.endswith("_ms") and key != "checkpoint"}
    if isinstance(value, list | tuple):
        return [_normalise(item) for item in value]
    return round(value, _DECIMALS) if isinstance(value, float) else value
