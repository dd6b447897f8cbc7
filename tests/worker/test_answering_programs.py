"""A program that a person edited is run by the worker as it is, in place of reading the question."""

import pytest

from retrieval.events import ProgramExecuted
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.conftest import TINY
from tests.webapp.answers.test_runs import ask
from webapp.answers.models import Run
from webapp.graphs import files, progress
from worker import answering

NEIGHBOURS = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["Switzerland"]},
    "relation": {"name": "borders", "inverse": False},
}
GERMAN = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["German"]},
    "relation": {"name": "official_language", "inverse": True},
}


def answered(client, graph, events, program, **more):
    """The run, answered, and its events by type."""
    asked = ask(client, graph, "How many neighbours speak German?", program=program, **more)
    assert asked.status_code == 201, asked.content
    answering.answer(asked.json()["id"])
    run = Run.objects.get(pk=asked.json()["id"])
    return run, {event["type"]: event for event in events(run)}


def test_an_edited_program_is_run_as_it_is(api, tiny_graph, events):
    both = {"op": "And", "left": NEIGHBOURS, "right": GERMAN}
    run, log = answered(api("viewer"), tiny_graph, events, both)
    assert (run.state, run.answers) == ("done", ["Germany"])
    told = log[ProgramExecuted.type]
    assert (told["by"], told["read"]["program"], told["read"]["score"]) == ("person", both, 1.0)
    edited = {"op": "Count", "source": NEIGHBOURS}
    again, log = answered(api("viewer"), tiny_graph, events, edited, corrects=str(run.pk))
    assert (again.state, again.answers, again.program_before) == ("done", ["2"], both)
    assert (log[ProgramExecuted.type]["steps"][-1]["value"], log["answer.final"]["answers"][0]["label"]) == (
        "2",
        "2",
    )


def test_a_program_that_makes_no_sense_ends_the_run(api, tiny_graph, events):
    of_a_number = {**NEIGHBOURS, "source": {"op": "Count", "source": NEIGHBOURS}}
    run, _ = answered(api("viewer"), tiny_graph, events, of_a_number)
    assert (run.state, run.error_code, run.error_message, run.error_hint) == (
        "failed",
        "bad_program",
        "Count is no set.",
        "Change the step that it is about, or ask the question in words.",
    )


def test_a_graph_that_lost_a_name_since_ends_the_run(api, tiny_graph, events):
    """A run keeps its version; one that was asked by names alone of another is told what is missing."""
    run = Run.objects.get(pk=ask(api("viewer"), tiny_graph, program=NEIGHBOURS).json()["id"])
    name = files.build_snapshot_name(tiny_graph.pk, 2)
    table = TripleTable.from_facts([fact for fact in TINY if fact[1] != "borders"])
    built = build_snapshot(table, files.ensure_local_path(name))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    Run.objects.filter(pk=run.pk).update(snapshot_hash=built.hash)
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert (run.state, run.error_code, run.error_message) == (
        "failed",
        "bad_program",
        "The graph has no relation “borders”.",
    )
    assert run.error_hint == "Nothing there is like it."


@pytest.mark.parametrize("method", ["rel-rag-triple", "reg-path"])
def test_every_method_of_relation_paths_runs_it(api, tiny_graph, events, method):
    run, _ = answered(api("viewer"), tiny_graph, events, GERMAN, method=method)
    assert (run.state, sorted(run.answers), run.method) == ("done", ["Germany", "Switzerland"], method)
