"""Agreement, by published examples and against scikit-learn."""

import random
from collections import Counter

import pytest
from sklearn.metrics import cohen_kappa_score

from webapp.review import agreement

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers, twelve units.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def patterns():
    columns = zip(*OBSERVERS, strict=True)
    return Counter(tuple(column.count(value) for value in "12345") for column in columns)


def test_alpha_of_the_published_example():
    assert agreement.krippendorff_alpha(patterns()) == pytest.approx(0.743, abs=0.0005)


def test_alpha_says_nothing_where_nothing_varies():
    assert agreement.krippendorff_alpha({}) is None
    assert agreement.krippendorff_alpha({(3, 0): 5}) is None
    assert agreement.krippendorff_alpha({(1, 0): 5, (0, 1): 5}) is None
    assert agreement.krippendorff_alpha({(2, 0): 2, (0, 2): 2}) == 1.0


def test_kappa_is_scikit_learns():
    drawn = random.Random(7)
    one = [drawn.choice("abc") for _ in range(60)]
    other = [a if drawn.random() < 0.6 else drawn.choice("abc") for a in one]
    counts = Counter(zip(one, other, strict=True))
    assert agreement.cohen_kappa(counts) == pytest.approx(cohen_kappa_score(one, other))


def test_kappa_says_nothing_of_one_category():
    assert agreement.cohen_kappa({("a", "a"): 4}) is None
    assert (agreement.cohen_kappa({}), agreement.percent({})) == (None, None)
