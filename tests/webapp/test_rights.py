"""Who may stop, change and delete what somebody made, and whose runs and jobs people see."""

import pytest
from django.contrib.auth.models import AnonymousUser

from webapp.accounts import rights
from webapp.accounts.models import Role, User
from webapp.answers import services as answers
from webapp.api.errors import ForbiddenError
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind


@pytest.fixture
def ann(users):
    """A second analyst, to whom nothing belongs."""
    return User.objects.create_user("ann", password="correct-horse-battery", role="analyst")


def test_what_somebody_made_is_for_them_for_who_owns_the_graph_and_for_administrators(
    tiny_graph, question_set, users, ann
):
    tiny_graph.owner = ann
    tiny_graph.save()
    job = jobs.create(kind=JobKind.INDEX, title="Index", graph=tiny_graph, user=users["analyst"])
    bob = User.objects.create_user("bob", role="analyst")
    for thing in (question_set, job):
        may = {user.username: rights.may_manage(user, thing) for user in [*users.values(), ann, bob]}
        assert may == {"viewer": False, "analyst": True, "admin": True, "ann": True, "bob": False}, thing
        with pytest.raises(ForbiddenError) as caught:
            rights.require_manager(bob, thing)
        assert "somebody else's" in caught.value.message
        assert not rights.may_manage(AnonymousUser(), thing)


def test_a_run_is_for_who_asked_and_for_administrators_only(tiny_graph, users, ann):
    tiny_graph.owner = ann
    tiny_graph.save()
    run = answers.create_run(graph=tiny_graph, ask=answers.Ask("What borders Germany?"), user=users["viewer"])
    may = {user.username: rights.may_manage(user, run) for user in [*users.values(), ann]}
    assert may == {"viewer": True, "analyst": False, "admin": True, "ann": False}


def test_owning_counts_only_for_who_is_there_and_still_may_change_graphs(tiny_graph, question_set, ann):
    tiny_graph.owner = ann
    tiny_graph.save()
    assert rights.may_manage(ann, tiny_graph)
    ann.role = Role.VIEWER
    assert not rights.may_manage(ann, tiny_graph)
    assert not rights.may_manage(ann, question_set)
    ann.role, ann.is_active = Role.ADMIN, False
    assert not rights.may_manage(ann, tiny_graph)
    assert not rights.may_manage(User(), Graph(name="nobody's")), "no owner is not an owner without a number"


def test_a_checkpoint_is_for_who_trained_it(checkpoint, tiny_graph, users, ann):
    job = jobs.create(kind=JobKind.TRAIN, title="Train", graph=tiny_graph, user=ann)
    trained = checkpoint(job=job)
    assert rights.may_manage(ann, trained)
    assert not rights.may_manage(users["analyst"], trained)
    assert not rights.may_manage(ann, checkpoint()), "of one without a job, nobody knows who"
