"""Answers that are tables: as files, and the facts behind their cells."""

import csv
import io

import pytest

from retrieval.events import AnswerFinal, ProgramExecuted
from retrieval.results import Answer, AnswerTable, ProgramReading, TableCell, TableColumn
from retrieval.types import Usage
from tests.webapp.answers.test_runs import ask
from webapp.answers import log, services
from webapp.answers.models import Run, RunState

SPEAKERS = {"name": "official_language", "inverse": False}
PER_LANGUAGE = {
    "op": "Table",
    "source": {"op": "Having", "relation": SPEAKERS},
    "columns": [{"op": "Tally"}],
    "groups": [{"op": "Grouping", "path": [SPEAKERS]}],
    "order": [{"op": "Ordering", "column": 1, "descending": True}, {"op": "Ordering", "column": 0}],
}
TABLE = AnswerTable(
    (TableColumn("language"), TableColumn("share & more", "number", "%")),
    ((TableCell("German"), TableCell("1,250", 1250.0)), (TableCell("=French"), TableCell(""))),
    7,
)


def finish(run, table):
    """End a run as a worker does."""
    run = Run.objects.get(pk=run["id"])
    told = ProgramExecuted(ProgramReading("languages", PER_LANGUAGE, 0.8), (), (), (), "", "", 1.0)
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    log.append(run.pk, after=0, events=[told])
    final = AnswerFinal((Answer("German", 0.9),), None, "", (), Usage(), 2.0, table=table)
    services.close_run(run_id=run.pk, after=1, event=final)
    return f"/api/v1/runs/{run.pk}/table"


def test_a_table_is_downloaded_in_three_formats(api, tiny_graph):
    viewer = api("viewer")
    address = finish(ask(viewer, tiny_graph, "Countries per language?").json(), TABLE)
    answer = viewer.get(address)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert list(csv.reader(io.StringIO(answer.content.decode()))) == [
        ["language", "share & more (%)"],
        ["German", "1,250"],
        ["'=French", ""],
    ]
    assert viewer.get(f"{address}?as=json").json() == {
        "columns": [
            {"label": "language", "kind": "text", "unit": ""},
            {"label": "share & more", "kind": "number", "unit": "%"},
        ],
        "rows": [
            [
                {"text": "German", "value": None, "entities": []},
                {"text": "1,250", "value": 1250.0, "entities": []},
            ],
            [{"text": "=French", "value": None, "entities": []}, {"text": "", "value": None, "entities": []}],
        ],
        "total": 7,
    }
    latex = viewer.get(f"{address}?as=latex").content.decode()
    assert r"\caption{Countries per language? The first 2 of 7 rows.}" in latex
    assert r"language & share \& more (\%) \\" in latex
    assert r"=French & -- \\" in latex
    assert viewer.get(f"{address}?as=xls").json()["error"]["code"] == "invalid"


def test_the_facts_of_a_cell(api, tiny_graph):
    viewer = api("viewer")
    address = finish(ask(viewer, tiny_graph, "Countries per language?").json(), TABLE)
    found = viewer.get(f"{address}/cell?row=0&column=1").json()
    assert found["total"] == len(found["facts"])
    assert {(fact["step"]["name"], fact["step"]["inverse"], fact["verified"]) for fact in found["facts"]} == {
        ("official_language", False, True)
    }
    assert len({fact["target"]["label"] for fact in found["facts"]}) == 1
    assert len({fact["source"]["label"] for fact in found["facts"]}) == found["total"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("row=2&column=0", "The table has no such cell: it has 2 rows and 2 columns"),
        ("row=0&column=2", "The table has no such cell"),
        ("row=-1&column=0", "row is not a number"),
        ("row=0", "Say which cell"),
    ],
)
def test_a_cell_that_is_not_there(api, tiny_graph, query, message):
    viewer = api("viewer")
    address = finish(ask(viewer, tiny_graph, "Countries per language?").json(), TABLE)
    answer = viewer.get(f"{address}/cell?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert answer.json()["error"]["message"].startswith(message)


def test_an_answer_that_is_no_table(api, tiny_graph):
    viewer = api("viewer")
    address = finish(ask(viewer, tiny_graph, "Countries per language?").json(), None)
    for path in (address, f"{address}/cell?row=0&column=0"):
        answer = viewer.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
        assert answer.json()["error"]["message"] == "The answer of this run is no table."
