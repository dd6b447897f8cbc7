"""Programs as SPARQL mean over the export what the executor makes of them."""

import math
from pathlib import Path

import numpy as np
import pyoxigraph as ox
import pytest

from retrieval.errors import ProgramError
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    Constant,
    Entities,
    Exists,
    Filter,
    Having,
    Holds,
    Program,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.rendering.rdf import export, get_entity_iri
from retrieval.programs.rendering.sparql import write_sparql

from .land import Land, build, programs


@pytest.fixture(scope="module")
def land(tmp_path_factory: pytest.TempPathFactory) -> Land:
    return Land(build(tmp_path_factory.mktemp("land") / "s"))


@pytest.fixture(scope="module")
def store(land: Land) -> ox.Store:
    return exported(land.snapshot)


def exported(snapshot: Snapshot) -> ox.Store:
    store = ox.Store()
    store.load("".join(export(snapshot)).encode(), format=ox.RdfFormat.N_TRIPLES)
    return store


def asked(store: ox.Store, snapshot: Snapshot, program: Program) -> object:
    """What the query gives: sorted ids, a number or a truth."""
    found = store.query(write_sparql(snapshot, program))
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    assert isinstance(found, ox.QuerySolutions)
    rows = list(found)
    if [variable.value for variable in found.variables] == ["number"]:
        return float(rows[0]["number"].value) if rows else math.nan
    ids = {get_entity_iri(snapshot, node): node for node in range(snapshot.num_entities)}
    return sorted(ids[row["node"].value] for row in rows)


def run(snapshot: Snapshot, program: Program) -> object:
    found = Executor(snapshot).run(program)
    return found.tolist() if isinstance(found, np.ndarray) else found


def labels(snapshot: Snapshot, ids: object) -> list[str]:
    return [snapshot.get_entity_label(node) for node in ids]  # type: ignore[attr-defined]


def test_every_operation_gives_what_the_executor_gives(land: Land, store: ox.Store) -> None:
    for asks, program in programs(land).items():
        expected, found = run(land.snapshot, program), asked(store, land.snapshot, program)
        assert str(found) == str(expected), f"{asks}: {found}, not {expected}\n{write_sparql(land.snapshot, program)}"


def test_some_answers(land: Land, store: ox.Store) -> None:
    every = programs(land)

    def answers(asks: str) -> object:
        found = asked(store, land.snapshot, every[asks])
        return sorted(labels(land.snapshot, found)) if isinstance(found, list) else found

    assert answers("second largest") == ["Kenya"]
    assert answers("three largest, shared") == ["Chad", "Egypt", "Kenya", "Togo"]
    assert answers("rivers below 4000 km") == ["Egypt", "France"]
    assert answers("rivers below 4000 km together") == ["France"]
    assert answers("independent on 12 December") == ["Kenya"]
    assert answers("without a language") == ["Kenya"]
    assert answers("average") == 50_250_000
    assert math.isnan(float(str(answers("average of nothing"))))
    assert answers("as many people as") is True


def test_the_text_of_a_query(land: Land) -> None:
    assert write_sparql(land.snapshot, programs(land)["over 50 million"]) == (
        "PREFIX e: <urn:clew:e:>\n"
        "PREFIX r: <urn:clew:r:>\n"
        "PREFIX c: <urn:clew:>\n"
        "SELECT DISTINCT ?node WHERE {\n"
        "  ?node r:type e:country .\n"
        "  ?node r:population ?literal1 .\n"
        '  ?literal1 c:value ?key1 ; c:kind "number" .\n'
        "  FILTER(?key1 > 50000000)\n"
        "}\n"
    )
    assert write_sparql(land.snapshot, programs(land)["second largest"]) == (
        "PREFIX e: <urn:clew:e:>\n"
        "PREFIX r: <urn:clew:r:>\n"
        "PREFIX c: <urn:clew:>\n"
        "SELECT DISTINCT ?node WHERE {\n"
        "  {\n"
        "    SELECT ?node (MAX(?value1) AS ?key1) WHERE {\n"
        "      ?node r:type e:country .\n"
        "      ?node r:continent e:Africa .\n"
        "      ?node r:population ?literal1 .\n"
        '      ?literal1 c:value ?value1 ; c:kind "number" .\n'
        "    } GROUP BY ?node\n"
        "  }\n"
        "  {\n"
        "    SELECT DISTINCT ?key2 WHERE {\n"
        "      {\n"
        "        SELECT ?x1 (MAX(?value2) AS ?key2) WHERE {\n"
        "          ?x1 r:type e:country .\n"
        "          ?x1 r:continent e:Africa .\n"
        "          ?x1 r:population ?literal2 .\n"
        '          ?literal2 c:value ?value2 ; c:kind "number" .\n'
        "        } GROUP BY ?x1\n"
        "      }\n"
        "    } ORDER BY DESC(?key2) LIMIT 1 OFFSET 1\n"
        "  }\n"
        "  FILTER(?key1 = ?key2)\n"
        "}\n"
    )


def test_names_that_are_hard_to_write(tmp_path: Path) -> None:
    hard = 'A "hard" <name>\n{of} 50% – straße.'
    relation, same = "has part/1~", "http://www.w3.org/2000/01/rdf-schema#label"
    iri = "http://example.org/p#part"
    facts = [(hard, relation, "b"), (hard, same, "c"), ("b", iri, "1e300 km"), ("c", "urn:clew:value", "7")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "s")
    land, store = Land(snapshot), exported(snapshot)
    assert len(store) == 4 + 5 + 2 * 2
    for program in (
        land.walk(land.e(hard), relation),
        land.walk(land.e(hard), same),
        land.walk(land.e("b"), f"-{relation}"),
        land.walk(land.e("b"), iri),
        land.walk(land.e("c"), "urn:clew:value"),
        TextFilter(land.e(hard, "b"), None, TextMatch.CONTAINS, "STRASSE"),
        TextFilter(land.e(hard, "b"), None, TextMatch.STARTS, 'a "HARD"'),
        Filter(Having(land.r(iri)), land.key(iri), Comparison.MORE, Constant(1e299)),
    ):
        found = asked(store, snapshot, program)
        assert found == run(snapshot, program)
        assert found != []


def test_values_that_nearly_are_equal_are(tmp_path: Path) -> None:
    facts = [("a", "n", "1000000000"), ("b", "n", "1000000000.4"), ("c", "n", "1000000002"), ("d", "n", "7")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "s")
    land, store = Land(snapshot), exported(snapshot)
    kept = {}
    for comparison in Comparison:
        program = Filter(Having(land.r("n")), land.key("n"), comparison, Constant(1e9))
        found = asked(store, snapshot, program)
        assert found == run(snapshot, program)
        kept[comparison.value] = "".join(labels(snapshot, found))
        total = land.key("n", folding=Folding.SUM)
        folded = Filter(Having(land.r("n")), total, comparison, Constant(1e9))
        assert asked(store, snapshot, folded) == found
    assert kept == {"<": "d", "<=": "abd", "=": "ab", "!=": "cd", ">=": "abc", ">": "c"}


def test_what_cannot_be_asked_is_said(land: Land) -> None:
    snapshot, key = land.snapshot, land.key("independence", folding=Folding.AVERAGE)
    day = Constant(228, ValueKind.MONTH_DAY)
    for program, message in (
        (Entities((999,)), "no entity 999"),
        (Walk(land.countries, 99), "no relation 99"),
        (Top(Exists(land.countries), land.key("population"), largest=True), "Exists is no set"),
        (Holds(Exists(land.countries), Comparison.MORE, Constant(1)), "Exists is no number"),
        (Filter(land.countries, key, Comparison.EQUAL, day), "sum or average of dates"),
    ):
        with pytest.raises(ProgramError, match=message):
            write_sparql(snapshot, program)
