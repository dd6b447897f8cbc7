"""Questions are read with the vocabulary of their graph, as it is when they are asked."""

from webapp.answers import services as runs
from webapp.vocabulary.services import NewEntry, delete_entry, save_entries
from worker import answering

QUESTION = "What is the Landessprache of France?"


def ask(graph, user):
    run = runs.create_run(graph=graph, ask=runs.Ask(QUESTION), user=user)
    answering.answer(str(run.pk))
    run.refresh_from_db()
    assert run.state == "done", run.error_code
    return run.answers


def test_the_next_question_uses_a_synonym_that_was_just_added(tiny_graph, users):
    admin = users["admin"]
    before = ask(tiny_graph, admin)
    assert before != ["French"]
    entry = NewEntry("relation", "official_language", synonyms=("Landessprache",))
    save_entries(graph=tiny_graph, entries=[entry], user=admin)
    assert ask(tiny_graph, admin) == ["French"]
    delete_entry(graph=tiny_graph, category="relation", name="official_language")
    assert ask(tiny_graph, admin) == before
