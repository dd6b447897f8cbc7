"""Two-turn dialogues over the demo graph and small graphs of one's own, by the engine as people ask it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import demo
from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import AnswerFinal, ProgramExecuted, QuestionLinked, QuestionRewritten
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.types import Turn
from tests.retrieval.programs.test_own_graphs import alike

OWN, DIALOGUES = (Path(__file__).parents[2] / name for name in ("own_graphs", "dialogues"))
#: What is not answered rightly yet, of each graph by id. The first hundred were written while this was made, the second
#: before anything of them had been asked: of these 86 were right then.
WRONG: dict[str, set[str]] = {
    "demo": {"development-4", "development-5", "development-27", "development-50"},
    "office": {"development-74", "development-85"},
    "music": {"held-40"},
    "library": {"held-63"},
    "family": {"held-88"},
}  # fmt: skip


def dialogues(graph):
    rows = map(json.loads, (DIALOGUES / "follow_ups.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["graph"] == graph]


def facts(graph) -> Iterator[list[str]]:
    places = demo.FACTS if graph == "demo" else [OWN / f"{graph}.tsv"]
    for place in places:
        lines = place.read_text(encoding="utf-8").splitlines()
        yield from (line.split("\t") for line in (lines[1:] if graph == "demo" else lines))


def engine_of(graph, out):
    snapshot = build_snapshot(TripleTable.from_facts(list(facts(graph))), out / "graph")
    checkpoint = demo.CHECKPOINT if graph == "demo" else None
    spec = AnswererSpec(out / "graph", checkpoint=checkpoint, method=demo.METHOD, reasoner="extractive")
    return load_answerer(spec, load_parts(snapshot, load_encoder()))


def ask(answerer, question, follows=None):
    """The answers, and the turn that a follow-up leans on."""
    log = {type(event): event for event in answerer.run(AskRequest(Question(question), follows=follows))}
    read, linked, program = log.get(QuestionRewritten), log.get(QuestionLinked), log.get(ProgramExecuted)
    answers = log[AnswerFinal].answers
    turn = Turn(
        read.question if read else question,
        tuple(dict.fromkeys(each.entity.id for each in linked.entities)) if linked else (),
        tuple(answer.entity.id for answer in answers if answer.entity),
        program.read.program if program else None,
        read.denoted if read else (),
    )
    return [answer.label for answer in answers], turn


@pytest.mark.parametrize("graph", [pytest.param("demo", marks=pytest.mark.slow), *sorted(WRONG.keys() - {"demo"})])
def test_two_turns(tmp_path, graph):
    answerer = engine_of(graph, tmp_path)
    wrong = set()
    for row in dialogues(graph):
        _, turn = ask(answerer, row["questions"][0])
        answers, _ = ask(answerer, row["questions"][1], turn)
        if not alike(answers, row["answers"]):
            wrong.add(row["id"])
    assert wrong == WRONG[graph]


def test_there_are_two_hundred():
    assert sum(len(dialogues(graph)) for graph in WRONG) == 200
