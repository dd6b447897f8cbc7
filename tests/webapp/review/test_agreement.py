"""Agreement, by published examples and against scikit-learn."""

import random
from collections import Counter

import pytest
from sklearn.metrics import cohen_kappa_score

from webapp.review.domain import agreement

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def patterns():
    columns = zip(*OBSERVERS, strict=True)
    return Counter(tuple(column.count(value) for value in "12345") for column in columns)


def test_alpha_of_the_published_example():
    assert agreement.compute_krippendorff_alpha(patterns()) == pytest.approx(0.743, abs=0.0005)


def test_alpha_says_nothing_where_nothing_varies():
    assert agreement.compute_krippendorff_alpha({}) is None
    assert agreement.compute_krippendorff_alpha({(3, 0): 5}) is None
    assert agreement.compute_krippendorff_alpha({(1, 0): 5, (0, 1): 5}) is None
    assert agreement.compute_krippendorff_alpha({(2, 0): 2, (0, 2): 2}) == 1.0


def test_kappa_is_scikit_learns():
    drawn = random.Random(7)
    one = [drawn.choice("abc") for _ in range(60)]
    other = [a if drawn.random() < 0.6 else drawn.choice("abc") for a in one]
    counts = Counter(zip(one, other, strict=True))
    assert agreement.compute_cohen_kappa(counts) == pytest.approx(cohen_kappa_score(one, other))


def test_kappa_says_nothing_of_one_category():
    assert agreement.compute_cohen_kappa({("a", "a"): 4}) is None
    assert (agreement.compute_cohen_kappa({}), agreement.compute_percent({})) == (None, None)


def test_fleiss_kappa_is_that_of_its_publication():
    """Fleiss (1971), table 1: 30 patients, six psychiatrists each, five diagnoses; kappa 0.430."""
    table = """
        0 0 0 6 0, 0 3 0 0 3, 0 1 4 0 1, 0 0 0 0 6, 0 3 0 3 0, 2 0 4 0 0, 0 0 4 0 2, 2 0 3 1 0, 2 0 0 4 0, 0 0 0 0 6,
        1 0 0 5 0, 1 1 0 4 0, 0 3 3 0 0, 1 0 0 5 0, 0 2 0 3 1, 0 0 5 0 1, 3 0 0 1 2, 5 1 0 0 0, 0 2 0 4 0, 1 0 2 0 3,
        0 0 0 0 6, 0 1 0 5 0, 0 2 0 1 3, 2 0 0 4 0, 1 0 0 4 1, 0 5 0 1 0, 4 0 0 0 2, 0 2 0 4 0, 1 0 5 0 0, 0 0 0 0 6
    """
    patterns = Counter(tuple(map(int, row.split())) for row in table.split(","))
    assert agreement.find_usual_raters(patterns) == 6
    assert agreement.compute_fleiss_kappa(patterns, 6) == pytest.approx(0.430, abs=0.0005)


def test_fleiss_kappa_is_of_units_with_as_many_raters():
    patterns = {(2, 0): 2, (1, 1): 1, (3, 0): 1, (0, 1): 5}
    assert agreement.find_usual_raters(patterns) == 2
    # Of two raters: two of three units agree; by chance 25/36 + 1/36.
    assert agreement.compute_fleiss_kappa(patterns, 2) == pytest.approx((2 / 3 - 26 / 36) / (1 - 26 / 36))
    assert agreement.compute_fleiss_kappa({(2, 0): 3}, 2) is None
    assert (agreement.find_usual_raters({(1, 0): 3}), agreement.compute_fleiss_kappa({}, None)) == (
        None,
        None,
    )
