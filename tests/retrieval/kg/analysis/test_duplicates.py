"""Suggested duplicates: the same thing under two names is suggested, similar names of different things are not."""

from retrieval.kg.analysis.duplicates import find_duplicates
from retrieval.kg.analysis.fact_agreement import Comparison
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable

CITIES = ["Armonk", "Ulm", "Bonn", "Oslo", "Lima", "Cork", "Pisa", "Bath", "Kiel", "Nice"]


def describe(kind, rows):
    """Facts of a kind: ``{label: {relation: value}}``."""
    facts = []
    for label, values in rows.items():
        facts += [(label, "type", kind), *((label, relation, value) for relation, value in values.items())]
    return facts


def make_filler():
    """Companies that are nobody's duplicates, so that values have frequencies."""
    return {
        f"{a}{b}": {"city": CITIES[i], "phone": f"+49 {7 * i + j}00{i}{j}"}
        for i, a in enumerate(["Velt", "Orbi", "Quan", "Zeph", "Lumi", "Brix", "Nord", "Faro", "Mira", "Tolk"])
        for j, b in enumerate(["works", "max", "hart", "silk"])
    }


def find_pairs(tmp_path, facts):
    graph = build_snapshot(TripleTable.from_facts(facts), tmp_path / "graph")
    found = find_duplicates(graph)
    return graph, [(graph.get_entity_label(c.first), graph.get_entity_label(c.second)) for c in found], found


def test_one_thing_under_two_names_is_suggested(tmp_path):
    companies = make_filler() | {
        "IBM": {"city": "Armonk", "phone": "914-499"},
        "IBM Corp": {"city": "Armonk", "phone": "914-499"},
        "Alfreds Futterkiste": {"city": "Ulm", "phone": "030-007"},
        "Futterkiste, Alfreds": {"city": "Ulm", "phone": "030-007"},
        "Müller & Söhne": {"city": "Bonn", "phone": "228-1"},
        "muller & sohne": {"city": "Bonn", "phone": "228-10"},
        "Contoso Ltd": {"city": "Pisa", "phone": "050-1234567"},
        "Contosso Ltd": {"city": "Pisa", "phone": "050-1234567"},
    }
    graph, pairs, found = find_pairs(tmp_path, describe("company", companies))
    assert sorted(pairs) == [
        ("Alfreds Futterkiste", "Futterkiste, Alfreds"),
        ("Contoso Ltd", "Contosso Ltd"),
        ("IBM", "IBM Corp"),
        ("Müller & Söhne", "muller & sohne"),
    ]
    best = next(c for c in found if graph.get_entity_label(c.first) == "IBM")
    assert best.comparisons == (
        Comparison("phone", False, "equal", "914-499", "914-499"),
        Comparison("city", False, "equal", "Armonk", "Armonk"),
    )


def test_similar_names_of_different_things_are_not_suggested(tmp_path):
    facts = [
        *describe("company", make_filler()),
        *describe("mission", {f"Apollo {n}": {"launched from": "Cape Canaveral"} for n in range(8, 18)}),
        *describe("queen", {f"Elizabeth {n}": {"country": "England"} for n in ("I", "II")}),
        *describe("planet", {"Mercury (planet)": {"orbits": "Sun"}}),
        *describe("element", {"Mercury (element)": {"symbol": "Hg"}}),
        *describe("film", {"Dune (1984)": {"director": "Lynch", "year": "1984"}}),
        *describe("film", {"Dune (2021)": {"director": "Villeneuve", "year": "2021"}}),
        *describe("person", {"Alexandre Dumas (father)": {"born": "1802"}, "Alexandre Dumas (son)": {"born": "1824"}}),
        ("Alexandre Dumas (father)", "child", "Alexandre Dumas (son)"),
    ]
    assert find_pairs(tmp_path, facts)[1] == []


def test_equal_names_with_other_keys_are_not_suggested(tmp_path):
    people = {
        f"{a} {b}": {"passport": f"P{i}{j}77"} for i, a in enumerate(CITIES) for j, b in enumerate(("Orr", "Ito"))
    }
    people |= {
        "Ann Smith": {"passport": "P-1"},
        "ann smith": {"passport": "X-9"},
        "Ben Jones": {"passport": "P-55"},
        "ben jones": {"passport": "P-55"},
    }
    _, pairs, found = find_pairs(tmp_path, describe("person", people))
    assert pairs == [("Ben Jones", "ben jones")]
    assert found[0].score == 0.9861


def test_graphs_without_names_or_facts_have_no_duplicates(tmp_path):
    assert find_pairs(tmp_path, [("1", "2", "3"), ("m.01", "r", "m.02")])[1] == []
    assert find_pairs(tmp_path / "more", [("Ann", "knows", "Ann")])[1] == []


def test_misspelt_names_are_compared_where_a_rare_value_is_shared(tmp_path):
    people = make_filler() | {
        "Gudoger Gurin": {"city": "Ulm", "phone": "1-1"},
        "Gurni Gudomger": {"city": "Ulm", "phone": "1-1"},  # typing errors in both words, swapped
        "Maroton Lester": {"city": "Bonn", "phone": "2-2"},
        "M Lester": {"city": "Bonn", "phone": "2-2"},  # an initial
        "Anna Berg": {"city": "Lima", "phone": "3-3"},
        "Jonas Berg": {"city": "Lima", "phone": "3-3"},  # shares a phone
        "Tusirman Olger": {"city": "Kiel", "phone": "4-4"},
        "Tuserman Yolger": {"city": "Kiel", "phone": "5-5"},  # shares nothing rare
    }
    _, pairs, _ = find_pairs(tmp_path, describe("person", people))
    assert sorted(tuple(sorted(pair)) for pair in pairs) == [
        ("Gudoger Gurin", "Gurni Gudomger"),
        ("M Lester", "Maroton Lester"),
    ]
