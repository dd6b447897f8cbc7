"""Questions that are offered to who opens a graph: made of it, and asked before they are offered."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from retrieval.errors import Cancelled, ClewError
from webapp.graphs import services
from webapp.jobs.models import Job, JobKind, JobState
from worker import imports, indexing, suggestions

EMPLOYEES = b"""name,department,manager,salary,hired
Maria Lopez,Engineering,,180000,2012-03-01
John Smith,Engineering,Maria Lopez,120000,2016-05-10
Aiko Tanaka,Engineering,John Smith,95000,2020-09-01
Lucy Chen,Sales,,150000,2014-07-20
Omar Farouk,Sales,Lucy Chen,80000,2019-11-11
Nina Petrova,Sales,Lucy Chen,82000,2018-01-08
"""


def imported(users, content=EMPLOYEES, name=""):
    graph, job = services.create_graph(
        name="Staff",
        description="",
        visibility="public",
        files=[SimpleUploadedFile(name or ("employees.csv" if content == EMPLOYEES else "plants.csv"), content)],
        options=services.ReadOptions(),
        user=users["admin"],
    )
    imports.import_graph(job.pk)
    graph.refresh_from_db()
    return graph


def index(graph):
    job = Job.objects.get(graph=graph, kind=JobKind.INDEX)
    indexing.index_graph(job.pk)
    job.refresh_from_db()
    graph.refresh_from_db()
    return job


@pytest.mark.django_db
def test_a_table_is_offered_with_questions_that_it_answers(users):
    graph = imported(users)
    index(graph)
    assert len(graph.examples) == suggestions.SHOWN == len(set(graph.examples))
    assert {
        "How many employees are there?",
        "Which employee has the largest salary?",
        "Which employees have the department Engineering?",
    } <= set(graph.examples)
    assert not [question for question in graph.examples if "table" in question or "row" in question]


PLANTS = b"""plant,colour,price (gbp),hardy
Dahlia,red,4.50,no
Aster,blue,3.20,yes
Peony,red,7.10,yes
Lupin,blue,2.80,yes
Canna,red,5.40,no
"""


@pytest.mark.django_db
def test_of_yes_and_no_is_asked_what_is_so_and_of_measures_without_their_unit(users):
    graph = imported(users, PLANTS)
    index(graph)
    assert {"Which plants are hardy?", "Which plant has the largest price?"} <= set(graph.examples)
    assert not [question for question in graph.examples if "the hardy" in question or "gbp" in question]


RAILWAY = b"""# Alder Valley Railway

The Alder Valley Railway was opened on 3 May 1871. Its engineer was paid little. The Alder Tunnel was designed by
Edith Marlow. Ruth Okafor proposed a second track in 1902.

## Later

The Station Hotel was built in Marston. It was closed on 1 June 1954 by the council. Tobias Lund is the chairman of the
society.
"""


@pytest.mark.django_db
def test_a_text_is_offered_with_questions_that_it_answers(users):
    graph = imported(users, RAILWAY, "railway.md")
    index(graph)
    assert set(graph.examples) == {
        "When was the Alder Valley Railway opened?",
        "Who proposed a second track?",
        "Where was the Station Hotel built?",
        "Who is the chairman of the society?",
        "Who was the Alder Tunnel designed by?",
    }
    assert not [question for question in graph.examples if " it " in question or "Its" in question]


@pytest.mark.django_db
def test_what_is_answered_otherwise_is_not_offered(users, monkeypatch):
    wrong = suggestions.Suggestion("How many employees are there?", frozenset({"7"}))
    right = suggestions.Suggestion("Who is the manager of Omar Farouk?", frozenset({"Lucy Chen"}))
    monkeypatch.setattr(suggestions, "generate_candidates", lambda snapshot: iter([wrong, right]))
    graph = imported(users)
    index(graph)
    assert graph.examples == ["Who is the manager of Omar Farouk?"]


@pytest.mark.django_db
def test_a_graph_is_indexed_though_nothing_can_be_suggested(users, monkeypatch):
    def broken(*_):
        raise ClewError("The weights are damaged.")

    monkeypatch.setattr(suggestions, "_list_sure_names", broken)
    graph = imported(users)
    assert index(graph).state == JobState.DONE
    assert graph.examples == []


@pytest.mark.django_db
def test_a_job_that_is_stopped_stops_suggesting(users, monkeypatch):
    def stopped(*_):
        raise Cancelled("The job was stopped.")

    monkeypatch.setattr(suggestions, "_list_sure_names", stopped)
    graph = imported(users)
    assert index(graph).state == JobState.CANCELLED
    assert graph.examples == []
