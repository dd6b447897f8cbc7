"""Exact values on hand-made questions."""

import pytest

from retrieval.metrics.scores import Scored, compute_metrics, compute_quantile, score_question


def scored(**answers):
    return [Scored(answer, score) for answer, score in answers.items()]


def test_a_half_right_answer():
    score = score_question(scored(a=0.9, x=0.5), {"a", "b", "c"})
    assert (score.hit, score.hit_at_1, score.precision, score.recall) == (1.0, 1.0, 0.5, pytest.approx(1 / 3))
    assert score.f1 == pytest.approx(0.4)
    assert score.exact == 0.0


def test_ties_for_the_first_place_share_it():
    assert score_question(scored(a=0.9, x=0.9, y=0.9, b=0.1), {"a", "b"}).hit_at_1 == pytest.approx(1 / 3)


def test_a_repeated_answer_counts_once_with_its_best_score():
    score = score_question([Scored("a", 0.1), Scored("x", 0.5), Scored("a", 0.9)], {"a"})
    assert (score.hit_at_1, score.precision, score.predicted) == (1.0, 0.5, 2)


def test_saying_nothing_is_right_only_when_there_is_no_answer():
    assert score_question([], []).exact == 1.0
    assert score_question([], {"a"}).f1 == 0.0
    assert score_question(scored(a=1.0), []).hit == 0.0


def test_evidence():
    facts = [("f", "by", "d"), ("g", "by", "d")]
    score = score_question(
        scored(g=1.0), {"g", "h"}, retrieved=facts, gold_paths=[facts, [("f", "by", "d"), ("h", "by", "d")]]
    )
    assert (score.answer_recall, score.path_recall, score.triples) == (0.5, 0.5, 2)


def test_macro_and_micro_differ_by_set_sizes():
    one = score_question(scored(a=1.0), {"a"})
    many = score_question(scored(x=1.0), {"p", "q", "r"})
    metrics = compute_metrics([one, many])
    assert metrics["macro_f1"] == 0.5
    assert metrics["micro_f1"] == pytest.approx(2 * 1 / 6)
    assert metrics["exact_set"] == 0.5
    assert "path_recall" not in metrics
    assert compute_metrics([]) == {}


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.5, 0.0),
        ([7.0], 0.01, 7.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0),
        ([4.0, 1.0, 3.0, 2.0], 0.51, 3.0),
        ([3.0, 1.0, 2.0], 0.5, 2.0),
        ([float(i) for i in range(1, 21)], 0.95, 19.0),
        ([float(i) for i in range(1, 21)], 1.0, 20.0),
    ],
)
def test_a_quantile_is_the_smallest_value_that_so_many_do_not_exceed(values, share, expected):
    assert compute_quantile(values, share) == expected
    if values:
        assert sum(value <= expected for value in values) >= share * len(values)
        assert sum(value < expected for value in values) < share * len(values)
