"""Sets of questions that relation paths answer, the public ones and the demo's, as graphs and question files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval import demo
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.readers.options import ReadOptions
from retrieval.questions.files import read_questions, write_questions
from retrieval.questions.splits import assign_splits
from retrieval.studies.plan import DataSet

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.weights.data import TrainingData


@dataclass(frozen=True, slots=True)
class QuestionSetSource:
    """Files of a question set.

    Attributes:
        family: sets of one family are left out of fitting programs together.
        origin: what its graph was taken from; sets of one origin are left out of fitting path scorers together.
        facts, questions: files, below the folder of public sets unless they are absolute.
        form: of the question files.
    """

    family: str
    origin: str
    facts: tuple[str, ...]
    questions: tuple[str, ...]
    form: str


def _describe_path_question(facts: str, questions: str) -> QuestionSetSource:
    files = (f"pathquestion/{facts}.txt.gz",), (f"pathquestion/{questions}.txt.gz",)
    return QuestionSetSource("PathQuestion", "Freebase", *files, "pathquestion")


QUESTION_SETS = {
    "MetaQA": QuestionSetSource(
        "MetaQA",
        "MetaQA",
        ("metaqa/kb.txt.gz",),
        tuple(f"metaqa/{hops}-hop/qa_dev.txt.gz" for hops in (1, 2, 3)),
        "metaqa",
    ),
    "PQ-2H": _describe_path_question("2H-kb", "PQ-2H"),
    "PQ-3H": _describe_path_question("3H-kb", "PQ-3H"),
    "PQL-2H": _describe_path_question("PQL2-KB", "PQL-2H"),
    "PQL-3H": _describe_path_question("PQL3-KB", "PQL-3H"),
    "WebQSP": QuestionSetSource(
        "WebQSP",
        "Freebase",
        ("freebase-piece/triples.tsv.gz",),
        ("freebase-piece/webqsp_half.jsonl.gz", "freebase-piece/webqsp_train_relation_paths.jsonl.gz"),
        "jsonl",
    ),
    "demo": QuestionSetSource(
        "demo", "demo", tuple(map(str, demo.FACTS)), tuple(map(str, demo.QUESTIONS.values())), "jsonl"
    ),
}


def prepare_set(data: TrainingData, name: str) -> DataSet | None:
    """Graph and questions of a set, made once; None where its files are missing.

    Sets without splits are divided by a hash of the ids (80/10/10); the demo brings its own.
    """
    source = QUESTION_SETS[name]
    facts, files = (list(filter(None, map(data.find, paths))) for paths in (source.facts, source.questions))
    if len(facts) < len(source.facts) or len(files) < len(source.questions):
        return None
    home = data.cache / "sets"
    graph, questions = home / f"{name}.graph", home / f"{name}.jsonl"
    home.mkdir(parents=True, exist_ok=True)
    if not graph.is_dir():
        build_from_files(facts, graph, problems=lambda _: None)
    if not questions.is_file():
        _write_question_file(files, questions, source.form)
    return DataSet(graph, questions)


def _write_question_file(files: list[Path], out: Path, form: str) -> None:
    read = [read_questions(file, ReadOptions(format=form), problems=lambda _: None) for file in files]
    write_questions(out, assign_splits(question for questions in read for question in questions))
