"""A label set, queues that are filled, and a second analyst."""

import pytest

from tests.webapp.review.calls import DRAFTS
from webapp.accounts.models import User
from webapp.experiments import label_sets
from webapp.review.services import queues


@pytest.fixture
def label_set(tiny_graph, question_set, users):
    """A label set that is done."""
    row = label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="One", user=None
    )
    label_sets.save_label_set(label_set=row, questions=2, labels=2)
    row.refresh_from_db()
    return row


@pytest.fixture
def make(tiny_graph, question_set, label_set):
    """``make(overlap=2, drafts=...)`` is a queue that is filled."""

    def made(drafts=DRAFTS, **plan):
        queue = queues.start_queue(
            graph=tiny_graph,
            question_set=question_set,
            label_sets=[label_set],
            plan=queues.Plan(**plan),
            user=None,
        )
        queues.save_items(queue=queue, drafts=drafts)
        queue.refresh_from_db()
        return queue

    return made


@pytest.fixture
def ann(api, users):
    """A client of a second analyst."""
    users["ann"] = User.objects.create_user("ann", role="analyst")
    return api("ann")


@pytest.fixture
def whole(tiny_graph, question_set, label_set):
    """What to post for a queue."""
    return {"graph": tiny_graph.pk, "question_set": question_set.pk, "label_sets": [label_set.pk]}
