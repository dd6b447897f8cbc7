"""Programs by name, read on the same and on another version of a graph."""

import json
from pathlib import Path

import pytest

from retrieval.errors import ProgramError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.programs.algebra.operations import And, Entities, Having, Top, Walk
from retrieval.programs.rendering.names import from_named_json, to_named_json

from .land import FACTS, Land, build, programs


@pytest.fixture(scope="module")
def land(tmp_path_factory: pytest.TempPathFactory) -> Land:
    return Land(build(tmp_path_factory.mktemp("land") / "s"))


def test_a_program_by_name(land: Land) -> None:
    program = Top(land.african, land.key("population"), largest=True)
    of_kind = {
        "op": "Walk",
        "source": {"op": "Entities", "ids": ["country"]},
        "relation": {"name": "type", "inverse": True},
    }
    in_africa = {
        "op": "Walk",
        "source": {"op": "Entities", "ids": ["Africa"]},
        "relation": {"name": "continent", "inverse": True},
    }
    assert to_named_json(land.snapshot, program) == {
        "op": "Top",
        "source": {"op": "And", "left": of_kind, "right": in_africa},
        "key": {"op": "Key", "path": [{"name": "population", "inverse": False}], "counted": False},
        "largest": True,
        "rank": 1,
        "count": 1,
    }


def test_every_program_comes_back(land: Land) -> None:
    for asks, program in programs(land).items():
        data = json.loads(json.dumps(to_named_json(land.snapshot, program)))
        assert from_named_json(land.snapshot, data) == program, asks


def test_a_program_is_read_on_another_version(land: Land, tmp_path: Path) -> None:
    facts = [("Zaire", "area", "2,345,000 km2"), *reversed(FACTS)]
    other = Land(build_snapshot(TripleTable.from_facts(facts), tmp_path / "s"))
    moved = 0
    for asks, program in programs(land).items():
        found = from_named_json(other.snapshot, to_named_json(land.snapshot, program))
        assert found == programs(other)[asks], asks
        moved += found != program
    assert moved > 50


def test_what_the_graph_lacks_is_named_with_what_is_nearest(land: Land) -> None:
    data = to_named_json(land.snapshot, Walk(land.e("Egypt"), land.r("-population")))
    data["source"]["ids"] = ["Egipt"]
    with pytest.raises(ProgramError, match=r"^The graph has no entity “Egipt”\. The nearest are “Egypt”\.$"):
        from_named_json(land.snapshot, data)
    data["source"]["ids"] = ["Egypt"]
    data["relation"]["name"] = "Populations"
    with pytest.raises(ProgramError, match=r"no relation “Populations”\. The nearest are “population”\.$"):
        from_named_json(land.snapshot, data)
    data["relation"]["name"] = "zzz"
    with pytest.raises(ProgramError, match=r"no relation “zzz”\. Nothing there is like it\.$"):
        from_named_json(land.snapshot, data)


def test_what_is_no_program_by_name(land: Land) -> None:
    for data, message in (
        ([], "program is no object"),
        ({"op": "Entities", "ids": [3]}, "by its label, not as 3"),
        ({"op": "Having", "relation": "type"}, "name and direction, not as 'type'"),
        ({"op": "Having", "relation": {"name": "type", "inverse": 1}}, "name and direction"),
        ({"op": "Sort"}, "no operation 'Sort'"),
        ({"op": "Having", "relation": None}, "relation"),
    ):
        with pytest.raises(ProgramError, match=message):
            from_named_json(land.snapshot, data)
    for program in (Entities((999,)), And(land.countries, Having(99))):
        with pytest.raises(ProgramError, match=r"no (entity 999|relation 99)"):
            to_named_json(land.snapshot, program)
