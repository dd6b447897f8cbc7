"""What people corrected in a graph is learned when a training is started there."""

import pytest

from retrieval.types import QuestionRecord
from webapp.answers import services as answers
from webapp.experiments import services as experiments
from webapp.jobs.models import JobState
from webapp.questions.services import save_question_set
from worker import answering, training

BORDERS = {
    "op": "Walk",
    "source": {"op": "Entities", "ids": ["Switzerland"]},
    "relation": {"name": "borders", "inverse": False},
}


@pytest.fixture
def questions(tiny_graph, users):
    asked = [
        QuestionRecord("q1", "what is the capital of Germany?", ("Germany",), ("Berlin",), split="train"),
        QuestionRecord("q2", "what is spoken in France?", ("France",), ("French",), split="train"),
        QuestionRecord("q3", "What is spoken in Germany?", ("Germany",), ("German",), split="dev"),
    ]
    return save_question_set(name="Three", graph=tiny_graph, questions=asked, format="jsonl", user=users["analyst"])


def ran(graph, user, question, program, **more):
    ask = answers.Ask(question, program=program, **more)
    run = answers.create_run(graph=graph, ask=ask, user=user)
    answering.answer(str(run.pk))
    return run


def trained(graph, questions, user, **how):
    asked = experiments.Training("rel-rag-path", config={"epochs": 1}, **how)
    job = experiments.start_training(graph=graph, question_set=questions, training=asked, user=user)
    training.train(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == (JobState.DONE, "")
    return job.result


def test_corrections_are_learned_unless_a_training_leaves_them_out(tiny_graph, questions, users):
    wrong = ran(tiny_graph, users["viewer"], "Who are the neighbours?", {"op": "Count", "source": BORDERS})
    ran(tiny_graph, users["viewer"], "Who are the neighbours?", BORDERS, corrects=wrong)
    ran(tiny_graph, users["viewer"], "what is spoken in germany?", BORDERS)  # measured by: it is no label
    result = trained(tiny_graph, questions, users["analyst"])
    assert result["corrections"] == 1
    assert result["notes"][-1].startswith("Programs that were given: 1; read as such ")
    result = trained(tiny_graph, questions, users["analyst"], corrections=False)
    assert "corrections" not in result
    assert not any("Programs that were given" in note for note in result["notes"])
