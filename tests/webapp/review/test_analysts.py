"""Synthetic analysts over real HTTP: what they say arrives, once, and agreement is what it must be by hand."""

from collections import Counter

import pytest

from tests.support import analysts
from tests.support.analysts import Analyst, Team, among, fits
from webapp.accounts.models import User
from webapp.accounts.services import create_token
from webapp.experiments import label_sets
from webapp.review.models import CurrentAnnotation, Item, Submission, Verdict
from webapp.review.services import queues

CAPITAL, BORDERS = (("capital", False),), (("borders", False),)
ITEMS = 6
RIGHT = among({f"q{i}": {CAPITAL} for i in range(ITEMS)})


def candidate(path, precision, recall):
    steps = [{"name": name, "label": name, "inverse": inverse} for name, inverse in path]
    sources = [{"source": "answer-set", "label_set": 1, "name": "One", "score": 1.0, "explanation": ""}]
    return queues.DraftCandidate("Germany", path, steps, sources, 2, 1, precision, recall)


@pytest.fixture
def queue(tiny_graph, question_set):
    """``queue(overlap=3)``: six questions with a right path and a wrong one."""
    labels = label_sets.start_labelling(
        graph=tiny_graph, question_set=question_set, strategy="answer-set", name="One", user=None
    )
    label_sets.save_label_set(label_set=labels, questions=2, labels=2)
    labels.refresh_from_db()

    def made(overlap):
        row = queues.start_queue(
            graph=tiny_graph,
            question_set=question_set,
            label_sets=[labels],
            plan=queues.Plan(overlap=overlap),
            user=None,
        )
        drafts = [
            queues.DraftItem(
                f"q{i}",
                f"question {i}?",
                ["Germany"],
                ["Berlin"],
                0.0,
                "why",
                [candidate(CAPITAL, 1.0, 1.0), candidate(BORDERS, 0.5, 0.25)],
            )
            for i in range(ITEMS)
        ]
        queues.save_items(queue=row, drafts=drafts)
        row.refresh_from_db()
        return row

    return made


@pytest.fixture
def team(live_server, stored):
    """``team(queue, {"ann": 0.0})``: analysts by name with how often they are wrong."""

    def made(queue, errors):
        people = [User.objects.create_user(name, role="analyst") for name in errors]
        return Team(
            [
                Analyst(live_server.url, create_token(user=user), queue.pk, RIGHT, error, seed)
                for seed, (user, error) in enumerate(zip(people, errors.values(), strict=True))
            ]
        )

    return made


def kept():
    """What the database holds: submission id to item and verdicts."""
    found = {}
    for verdict in Verdict.objects.select_related("submission"):
        _, kinds = found.setdefault(str(verdict.submission_id), (verdict.submission.item_id, {}))
        kinds[verdict.candidate_id] = verdict.kind
    return found


def test_agreement_of_two_who_are_right_and_one_who_never_is(queue, team, api):
    row = queue(3)
    with team(row, {"ann": 0.0, "ben": 0.0, "cat": 1.0}) as people:
        people.join()
    assert kept() == people.said()
    assert Counter(Verdict.objects.values_list("submission__analyst_name", "kind")) == {
        (name, kind): ITEMS for name in ("ann", "ben", "cat") for kind in ("rational", "not-rational")
    }
    found = api("analyst").get(f"/api/v1/review/queues/{row.pk}/statistics").json()
    assert (found["progress"]["open"], found["progress"]["done"]) == (0, ITEMS)
    assert {one["analyst"]: one["judged"] for one in found["people"]} == {"ann": 6, "ben": 6, "cat": 6}
    # Of three pairs of people one agrees. Alpha: 12 paths with verdicts 2:1 or 1:2, so 36 verdicts, 18 of each kind:
    # observed 12 * 2 * 1 * 2 / 2 = 24, expected 2 * 18 * 18 = 648, 1 - 35 * 24 / 648.
    assert found["agreement"]["paths"] == 2 * ITEMS
    assert found["agreement"]["percent"] == pytest.approx(1 / 3)
    assert found["agreement"]["alpha"] == pytest.approx(1 - 35 * 24 / 648)
    pairs = {tuple(one["analysts"]): (one["paths"], one["percent"], one["kappa"]) for one in found["pairs"]}
    # Everybody calls half of the paths rational, so that half would agree by chance.
    assert pairs == {
        ("ann", "ben"): (12, 1.0, pytest.approx(1.0)),
        ("ann", "cat"): (12, 0.0, pytest.approx(-1.0)),
        ("ben", "cat"): (12, 0.0, pytest.approx(-1.0)),
    }


def test_many_share_the_items_and_none_is_judged_more_often_than_asked(queue, team):
    row = queue(2)
    with team(row, dict.fromkeys(("ann", "ben", "cat", "dan"), 0.0)) as people:
        people.join()
    assert kept() == people.said()
    assert list(Item.objects.order_by().values_list("submitted", "state").distinct()) == [(2, "done")]
    assert CurrentAnnotation.objects.count() == Submission.objects.count() == 2 * ITEMS
    assert sum(one.beaten for one in people.analysts) == 0


def test_errors_are_as_often_as_told_and_the_same_each_time(queue, team):
    row = queue(1)
    with team(row, {"ann": 0.4}) as people:
        people.join()
    (ann,) = people.analysts
    verdicts = Verdict.objects.select_related("submission__item", "candidate")
    found = {(v.submission.item.key, v.candidate.path[0][0]) for v in verdicts if _is_wrong(v)}
    again = Analyst("", "", 0, RIGHT, 0.4, ann.seed)
    expected = set()
    for item in Item.objects.all():
        for one in item.candidates.all():
            shown = {"topic": one.topic, "path": one.path}
            asked = {"key": item.key}
            if (again.verdict(asked, shown) == "rational") != RIGHT(asked, shown):
                expected.add((item.key, one.path[0][0]))
    assert found == expected
    assert 0 < len(expected) < 2 * ITEMS


def _is_wrong(verdict):
    return (verdict.kind == "rational") != (verdict.candidate.path == [["capital", False]])


def test_truth_by_what_a_path_reaches():
    right = fits(0.5)
    assert [right({}, {"precision": p, "recall": r}) for p, r in ((0.5, 0.5), (0.5, 0.25), (0, 0))] == [
        True,
        False,
        False,
    ]


def test_an_answer_that_was_lost_is_asked_for_again_and_counts_once(queue, team, monkeypatch):
    row = queue(1)
    real, sent = Analyst._post, []

    def losing(self, path, body):
        answer = real(self, path, body)
        if path.endswith("submit"):
            sent.append(body)
            if sent.count(body) == 1:
                raise ConnectionResetError("the answer was lost")
        return answer

    monkeypatch.setattr(Analyst, "_post", losing)
    monkeypatch.setattr(analysts, "RETRY_S", 0.01)
    with team(row, {"ann": 0.0}) as people:
        people.join()
    (ann,) = people.analysts
    assert kept() == people.said()
    assert (len(people.said()), len(sent), ann.resent) == (ITEMS, 2 * ITEMS, ITEMS)
    assert ann.waits == [], "an answer that was lost says nothing of how long it took"
