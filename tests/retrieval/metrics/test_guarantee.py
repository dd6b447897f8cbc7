"""A limit on wrong answers is kept by the threshold that calibration finds, or no threshold is found."""

from __future__ import annotations

import random
from dataclasses import asdict

import pytest

from retrieval.errors import ConfigError
from retrieval.metrics.guarantee import (
    CalibrationAnswer,
    Guarantee,
    compute_bounds,
    find_guarantee,
    verify_guarantee,
)


def repeat(count, confidence, *, right):
    return [CalibrationAnswer(confidence, right)] * count


def draw(count, seed):
    """Answers that are as often right as they are confident, most of them sure: of density 5 x^4."""
    rng = random.Random(seed)
    return [CalibrationAnswer(sure := rng.random() ** 0.2, rng.random() < sure) for _ in range(count)]


def compute_risk(threshold):
    """Share of wrong answers from a threshold on, of those that :func:`draw` draws: one less their mean confidence."""
    return 1 - 5 / 6 * (1 - threshold**6) / (1 - threshold**5)


@pytest.mark.parametrize("limit", [0, 51, -5])
def test_a_limit_out_of_range_is_refused(limit):
    with pytest.raises(ConfigError, match="cannot be guaranteed") as error:
        find_guarantee([], limit)
    assert "from 1 to 50" in error.value.hint


def test_without_questions_nothing_is_guaranteed():
    found = find_guarantee([], 5)
    assert (found.threshold, found.questions, found.needed, found.too_few) == (None, 0, 45, True)


def test_answers_that_are_all_right_need_45_tests_of_a_limit_of_5():
    """0.95 to the power of 45 is less than 0.1, and to the power of 44 it is not."""
    assert find_guarantee(repeat(90, 0.4, right=True), 5).threshold == 0.4
    too_few = find_guarantee(repeat(89, 0.4, right=True), 5)
    assert (too_few.threshold, too_few.tested, too_few.too_few) == (None, 44, True)


def test_answers_that_are_all_wrong_keep_no_limit():
    found = find_guarantee(repeat(500, 0.9, right=False), 50)
    assert (found.threshold, found.answered, found.wrong, found.too_few) == (None, 0, 0, False)


def test_silence_is_no_answer():
    found = find_guarantee(repeat(500, None, right=False), 10)
    assert (found.threshold, found.questions, found.answered) == (None, 500, 0)


def test_ties_are_answered_together():
    """Right and wrong answers of one confidence cannot be told apart."""
    tied = [CalibrationAnswer(0.5, i % 4 < 2) for i in range(400)]
    assert find_guarantee(tied, 20).threshold is None
    sure = [CalibrationAnswer(0.9, True, reviewed=True)] * 400
    found = find_guarantee(
        [one for pair in zip(tied, sure, strict=True) for one in (pair[0], pair[0], pair[1], pair[1])], 20
    )
    assert (found.threshold, found.answered, found.wrong, found.reviewed) == (0.9, 400, 0, 800)


@pytest.mark.parametrize(("limit", "found_at_least"), [(5, 30), (10, 90), (20, 100)])
def test_the_limit_is_broken_no_more_often_than_promised(limit, found_at_least):
    thresholds = [find_guarantee(draw(1000, seed), limit).threshold for seed in range(100)]
    found = [threshold for threshold in thresholds if threshold is not None]
    assert sum(compute_risk(threshold) > limit / 100 for threshold in found) <= 10
    assert len(found) >= found_at_least


def test_the_interval_of_a_share():
    assert compute_bounds(0, 0) == (0.0, 1.0)
    assert compute_bounds(0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert compute_bounds(10, 10) == (pytest.approx(0.025**0.1), 1.0)
    assert compute_bounds(5, 100) == (pytest.approx(0.01643, abs=1e-5), pytest.approx(0.11283, abs=1e-5))


@pytest.mark.parametrize(
    ("right", "wrong", "held", "interval"),
    [
        (20, 2, "kept", (0.0112, 0.2916)),
        (8, 2, "unclear", (0.0252, 0.5561)),
        (10, 10, "broken", (0.272, 0.728)),
        (0, 0, "nothing answered", (0.0, 1.0)),
    ],
)
def test_a_report_tells_whether_the_limit_was_kept(right, wrong, held, interval):
    guarantee = Guarantee(10, 0.5, questions=100, reviewed=0, tested=50, answered=40, wrong=1, needed=22)
    sure = [CalibrationAnswer(0.5, number < right) for number in range(right + wrong)]
    unsure = [CalibrationAnswer(0.49, False), CalibrationAnswer(None, False)]
    verified = verify_guarantee(guarantee, [*sure, *unsure])
    measured = verified.pop("measured")
    assert verified == {**asdict(guarantee), "too_few": False}
    assert (measured["n"], measured["answered"], measured["wrong"]) == (right + wrong + 2, right + wrong, wrong)
    assert measured["share"] == (pytest.approx(wrong / (right + wrong)) if right else None)
    assert (measured["low"], measured["high"]) == pytest.approx(interval, abs=1e-4)
    assert measured["held"] == held


def test_without_a_threshold_no_limit_is_kept():
    guarantee = Guarantee(1, None, questions=20, reviewed=0, tested=10, answered=0, wrong=0, needed=230)
    verified = verify_guarantee(guarantee, [CalibrationAnswer(1.0, True)])
    assert (verified["too_few"], verified["measured"]["n"], verified["measured"]["held"]) == (
        True,
        1,
        "nothing answered",
    )
