"""Numbers, dates and times of day among the nodes, kept in the snapshot."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from retrieval.errors import DamagedError
from retrieval.kg import snapshot as snapshots
from retrieval.kg.snapshot import integrity
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.kg.typed_values import TypedValues
from retrieval.kg.values import compute_year_fraction
from tests.retrieval.kg.worlds import build

FACTS = [
    ("Ode", "length", "1,200 m"),
    ("Ode", "opened", "2001-03-01"),
    ("Ode", "opens", "9:30"),
    ("Ode", "rooms", "12 rooms"),
    ("Lull", "rooms", "8 rooms"),
    ("Reed", "rooms", "9 rooms"),
    ("Reed", "street", "12 Main Street"),
    ("Reed", "next_to", "Ode"),
]
EXPECTED = {
    "1,200 m": (1200.0, 0),
    "2001-03-01": (compute_year_fraction(2001, 3), 1),
    "9:30": (570.0, 2),
    "12 rooms": (12.0, 0),
    "8 rooms": (8.0, 0),
    "9 rooms": (9.0, 0),
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(FACTS, tmp_path_factory.mktemp("values") / "g")


def spelt(graph, found):
    assert np.array_equal(found.nodes, np.unique(found.nodes))
    return {
        graph.get_entity_label(int(node)): (value, kind)
        for node, value, kind in zip(found.nodes, found.values.tolist(), found.kinds.tolist(), strict=True)
    }


def test_values_are_read_when_a_graph_is_built_and_kept(graph, monkeypatch):
    monkeypatch.setattr(TypedValues, "from_labels", lambda labels: pytest.fail("read again"))
    assert spelt(graph, snapshots.open(graph.path).typed_values) == EXPECTED


def test_values_of_another_length_are_damage(graph, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(graph.path, copy)
    np.save(copy / "values.npy", np.zeros(2))
    integrity.write_checksums(copy)
    with pytest.raises(DamagedError, match=r"values\.npy"):
        _ = snapshots.open(copy).typed_values


def test_a_compact_graph_has_the_values_of_its_own_nodes(graph):
    assert len(graph.typed_values.nodes) == 6
    ends = [graph.get_entity_label(int(tail)) for tail in graph.tails]
    compact = RestrictedSnapshot(graph, np.array([ends.index("12 rooms"), ends.index("9:30")])).compact
    assert spelt(compact, compact.typed_values) == {"12 rooms": (12.0, 0), "9:30": (570.0, 2)}


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (["14/05/2024"], compute_year_fraction(2024, 6, 4)),
        (["05/14/2024"], compute_year_fraction(2024, 4, 6)),
        ([], compute_year_fraction(2024, 4, 6)),
        (["14/05/2024", "05/14/2024"], compute_year_fraction(2024, 4, 6)),
    ],
)
def test_which_of_two_numbers_is_the_day_is_told_by_other_dates(others, expected):
    found = TypedValues.from_labels(dict(enumerate(["04/06/2024", *others])))
    assert found.values[0] == pytest.approx(expected)
