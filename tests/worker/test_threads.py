"""A thread of questions over the worker: what follow-ups are read as, and what they lean on."""

from retrieval.events import QuestionRewritten
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from tests.conftest import TINY
from tests.webapp.answers.test_runs import ask
from webapp.answers.models import Run
from webapp.graphs import files, progress
from worker import answering


def answered(client, graph, events, question, **more):
    """The run, answered, and what the question was read as."""
    asked = ask(client, graph, question, **more)
    assert asked.status_code == 201, asked.content
    answering.answer(asked.json()["id"])
    run = Run.objects.get(pk=asked.json()["id"])
    read = [event for event in events(run) if event["type"] == QuestionRewritten.type]
    return run, read[0]["shown"] if read else None


def test_a_thread_of_three(api, tiny_graph, events):
    viewer = api("viewer")
    first, read = answered(viewer, tiny_graph, events, "Which countries does Switzerland border?")
    assert (sorted(first.answers), read, first.thread, first.context) == (
        ["France", "Germany"],
        None,
        None,
        None,
    )
    second, read = answered(viewer, tiny_graph, events, "What are their official languages?", follows=str(first.pk))
    assert (sorted(second.answers), read) == (
        ["French", "German"],
        "What are the official languages of these 2 countries?",
    )
    third, read = answered(viewer, tiny_graph, events, "what about Switzerland?", follows=str(second.pk))
    assert third.state == "done"
    first.refresh_from_db()
    assert {first.thread, second.thread, third.thread} == {first.pk}
    shown = viewer.get(f"/api/v1/runs?thread={first.pk}").json()["results"]
    assert [row["id"] for row in shown] == [str(third.pk), str(second.pk), str(first.pk)]
    assert viewer.get(f"/api/v1/runs/{second.pk}").json()["follows"] == str(first.pk)


def test_a_follow_up_outlives_the_run_before_and_a_new_version(api, tiny_graph, events):
    viewer = api("viewer")
    first, _ = answered(viewer, tiny_graph, events, "Which countries does Switzerland border?")
    second = ask(viewer, tiny_graph, "What are their official languages?", follows=str(first.pk)).json()
    assert api("admin").delete(f"/api/v1/runs/{first.pk}").status_code == 204
    answering.answer(second["id"])
    kept = Run.objects.get(pk=second["id"])
    assert (sorted(kept.answers), kept.follows, kept.thread) == (["French", "German"], None, first.pk)
    table = TripleTable.from_facts([("Aare", "flows_through", "Switzerland"), *TINY])
    built = build_snapshot(table, files.ensure_local_path(files.build_snapshot_name(tiny_graph.pk, 2)))
    progress.register_version(graph=tiny_graph, version=2, manifest=built.manifest)
    tiny_graph.refresh_from_db()
    third, read = answered(viewer, tiny_graph, events, "how many of them are there?", follows=str(kept.pk))
    assert (third.snapshot_hash, third.context["answers"]) == (
        built.hash,
        [built.find_entity("French"), built.find_entity("German")],
    )
    assert (third.answers, read) == (["2"], "How many of these 2 official languages are there?")
