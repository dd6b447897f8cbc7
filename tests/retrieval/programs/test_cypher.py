"""Programs as Cypher, word for word."""

from pathlib import Path

import pytest

from retrieval.errors import ProgramError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Entities,
    Exists,
    Filter,
    Having,
    Holds,
    Or,
    TextFilter,
    Top,
    Walk,
)
from retrieval.programs.rendering.cypher import write_cypher

from .land import Land, build, programs

QUERIES = {
    "entities": """
MATCH (node1:Entity) WHERE node1.name IN ["Chad", "Egypt"]
RETURN DISTINCT node1.name AS node
""",
    "capital of Egypt": """
MATCH (:Entity {name: "Egypt"})-[:`capital`]->(node1)
RETURN DISTINCT node1.name AS node
""",
    "countries in Africa": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
RETURN DISTINCT node1.name AS node
""",
    "whose capital has a coast": """
MATCH (node2:Entity)-[:`coast`]->()
MATCH (node2)<-[:`capital`]-(node1)
RETURN DISTINCT node1.name AS node
""",
    "what is a language": """
MATCH (node1:Entity)<-[:`language`]-()
RETURN DISTINCT node1.name AS node
""",
    "in Europe or speaking Arabic": """
CALL {
  MATCH (:Entity {name: "Europe"})<-[:`continent`]-(node2)
  RETURN DISTINCT node2 AS node1
  UNION
  MATCH (:Entity {name: "Arabic"})<-[:`language`]-(node3)
  RETURN DISTINCT node3 AS node1
}
RETURN DISTINCT node1.name AS node
""",
    "in Africa without Arabic": """
CALL {
  MATCH (:Entity {name: "Arabic"})<-[:`language`]-(node2)
  RETURN collect(DISTINCT node2) AS nodes1
}
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
WITH * WHERE NOT node1 IN nodes1
RETURN DISTINCT node1.name AS node
""",
    "over 50 million": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number" AND value1.value > 50000000
RETURN DISTINCT node1.name AS node
""",
    "more than Kenya": """
CALL {
  MATCH (node2:Entity {name: "Kenya"})
  MATCH (node2)-[:`population`]->(value2) WHERE value2.kind = "number"
  WITH node2, max(value2.value) AS key1
  RETURN max(key1) AS number1
}
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
  AND (value1.value > number1 AND abs(value1.value - number1) > abs(number1) * 1e-09)
RETURN DISTINCT node1.name AS node
""",
    "at least France's": """
CALL {
  MATCH (:Entity {name: "France"})-[:`population`]->(node2)
  WITH collect(DISTINCT node2) AS nodes1
  RETURN CASE WHEN size(nodes1) = 1 THEN head(nodes1).value END AS number1
}
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
  AND (value1.value > number1 OR abs(value1.value - number1) <= abs(number1) * 1e-09)
RETURN DISTINCT node1.name AS node
""",
    "with two languages": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
OPTIONAL MATCH (node2)-[:`language`]->(end1)
WITH node2, count(DISTINCT end1) AS key1
WHERE key1 >= 2
RETURN DISTINCT node2.name AS node
""",
    "rivers below 4000 km together": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`river length`]->(value1) WHERE value1.kind = "number"
WITH DISTINCT node2, value1
WITH node2, sum(value1.value) AS key1
WHERE (key1 < 4000000 AND abs(key1 - 4000000) > 0.004)
RETURN DISTINCT node2.name AS node
""",
    "capital 110 mi from the coast": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`capital`]->(via1)
MATCH (via1)-[:`coast`]->(value1) WHERE value1.kind = "number" AND value1.value = 177027.84
RETURN DISTINCT node1.name AS node
""",
    "independent in 1960": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`independence`]->(value1) WHERE value1.kind = "date" AND value1.year = 1960
RETURN DISTINCT node1.name AS node
""",
    "first independence on 28 February": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`independence`]->(value1) WHERE value1.kind = "date"
WITH node2, min(value1.value) AS key1
MATCH (date1:Entity {kind: "date"}) WHERE date1.value = key1 AND date1.monthDay = 228
RETURN DISTINCT node2.name AS node
""",
    "named with an a": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
WITH * WHERE toLower(node1.name) CONTAINS "a"
RETURN DISTINCT node1.name AS node
""",
    "speaking Ara...": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`language`]->(text1) WHERE toLower(text1.name) STARTS WITH "ara"
RETURN DISTINCT node1.name AS node
""",
    "second largest": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`continent`]->(:Entity {name: "Africa"})
MATCH (node2)-[:`population`]->(value1) WHERE value1.kind = "number"
WITH node2, max(value1.value) AS key1 ORDER BY key1 DESC
WITH collect({node: node2, key: key1}) AS ranked1, collect(DISTINCT key1) AS places1
UNWIND [row IN ranked1 WHERE row.key = places1[1]] AS row1
RETURN DISTINCT row1.node.name AS node
""",
    "three largest, shared": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`continent`]->(:Entity {name: "Africa"})
MATCH (node2)-[:`population`]->(value1) WHERE value1.kind = "number"
WITH node2, max(value1.value) AS key1 ORDER BY key1 DESC
WITH collect({node: node2, key: key1}) AS ranked1
WITH ranked1, ranked1[0..3] AS places1
UNWIND [row IN ranked1 WHERE row.key >= last(places1).key AND row.key <= head(places1).key] AS row1
RETURN DISTINCT row1.node.name AS node
""",
    "fewest countries": """
CALL {
  MATCH (:Entity {name: "country"})<-[:`type`]-(node3)
  MATCH (node3)-[:`continent`]->(:Entity {name: "Africa"})
  RETURN collect(DISTINCT node3) AS nodes1
}
MATCH (node2:Entity)<-[:`language`]-()
OPTIONAL MATCH (node2)<-[:`language`]-(end1) WHERE end1 IN nodes1
WITH node2, count(DISTINCT end1) AS key1 ORDER BY key1
WITH collect({node: node2, key: key1}) AS ranked1, collect(DISTINCT key1) AS places1
UNWIND [row IN ranked1 WHERE row.key = places1[0]] AS row1
RETURN DISTINCT row1.node.name AS node
""",
    "longest river on average": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`river length`]->(value1) WHERE value1.kind = "number"
WITH DISTINCT node2, value1
WITH node2, avg(value1.value) AS key1 ORDER BY key1 DESC
WITH collect({node: node2, key: key1}) AS ranked1, collect(DISTINCT key1) AS places1
UNWIND [row IN ranked1 WHERE row.key = places1[0]] AS row1
RETURN DISTINCT row1.node.name AS node
""",
    "largest that has a capital": """
CALL {
  CALL {
    MATCH (:Entity {name: "country"})<-[:`type`]-(node4)
    MATCH (node4)-[:`population`]->(value1) WHERE value1.kind = "number"
    WITH node4, max(value1.value) AS key1 ORDER BY key1 DESC
    WITH collect({node: node4, key: key1}) AS ranked1, collect(DISTINCT key1) AS places1
    UNWIND [row IN ranked1 WHERE row.key = places1[0]] AS row1
    RETURN DISTINCT row1.node AS node2
  }
  RETURN collect(DISTINCT node2) AS nodes1
}
MATCH (node1:Entity)-[:`capital`]->()
WITH * WHERE node1 IN nodes1
RETURN DISTINCT node1.name AS node
""",
    "how many": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
RETURN count(DISTINCT node1) AS number
""",
    "population of many": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
MATCH (node2)-[:`continent`]->(:Entity {name: "Africa"})
WITH collect(DISTINCT node2) AS nodes1
WHERE size(nodes1) = 1
UNWIND nodes1 AS node1
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
WITH node1, max(value1.value) AS key1
RETURN max(key1) AS number
""",
    "sum": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
WITH DISTINCT node1, value1
RETURN sum(value1.value) AS number
""",
    "average number of languages": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
OPTIONAL MATCH (node1)-[:`language`]->(end1)
WITH node1, count(DISTINCT end1) AS key1
RETURN avg(key1) AS number
""",
    "three times": """
CALL {
  MATCH (node1:Entity {name: "Kenya"})
  MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
  WITH node1, max(value1.value) AS key1
  RETURN max(key1) AS number1
}
RETURN number1 * 3 AS number
""",
    "share": """
CALL {
  MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
  MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
  RETURN count(DISTINCT node1) AS number1
}
CALL {
  MATCH (:Entity {name: "country"})<-[:`type`]-(node2)
  RETURN count(DISTINCT node2) AS number2
}
RETURN CASE WHEN number2 <> 0 THEN toFloat(number1) / number2 END AS number
""",
    "difference": """
CALL {
  MATCH (node1:Entity {name: "Kenya"})
  MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
  WITH node1, max(value1.value) AS key1
  RETURN max(key1) AS number1
}
CALL {
  MATCH (node2:Entity {name: "Egypt"})
  MATCH (node2)-[:`population`]->(value2) WHERE value2.kind = "number"
  WITH node2, max(value2.value) AS key2
  RETURN max(key2) AS number2
}
RETURN abs(number1 - number2) AS number
""",
    "are there any": """
MATCH (:Entity {name: "country"})<-[:`type`]-(node1)
MATCH (node1)-[:`continent`]->(:Entity {name: "Africa"})
MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number" AND value1.value > 100000000
RETURN count(node1) > 0 AS truth
""",
    "more people than": """
CALL {
  MATCH (node1:Entity {name: "Egypt"})
  MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number"
  WITH node1, max(value1.value) AS key1
  RETURN max(key1) AS number1
}
CALL {
  MATCH (node2:Entity {name: "Kenya"})
  MATCH (node2)-[:`population`]->(value2) WHERE value2.kind = "number"
  WITH node2, max(value2.value) AS key2
  RETURN max(key2) AS number2
}
RETURN coalesce(number1 > number2 AND abs(number1 - number2) > abs(number2) * 1e-09, false) AS truth
""",
}


@pytest.fixture(scope="module")
def land(tmp_path_factory: pytest.TempPathFactory) -> Land:
    return Land(build(tmp_path_factory.mktemp("land") / "s"))


def test_a_query_of_every_operation(land: Land) -> None:
    every = programs(land)
    assert {asks: f"\n{write_cypher(land.snapshot, every[asks])}" for asks in QUERIES} == QUERIES


def test_every_program_can_be_written(land: Land) -> None:
    for asks, program in programs(land).items():
        query = write_cypher(land.snapshot, program)
        assert query.splitlines()[-1].startswith("RETURN "), asks
        assert query.count("{") == query.count("}"), asks


def test_names_that_are_hard_to_write(tmp_path: Path) -> None:
    snapshot = build_snapshot(TripleTable.from_facts([('a "b"\n\\', "part `of` it", "Straße")]), tmp_path / "s")
    land = Land(snapshot)
    assert write_cypher(snapshot, land.walk(land.e('a "b"\n\\'), "part `of` it")) == (
        'MATCH (:Entity {name: "a \\"b\\"\\n\\\\"})-[:`part ``of`` it`]->(node1)\nRETURN DISTINCT node1.name AS node\n'
    )
    assert write_cypher(snapshot, TextFilter(land.e("Straße"), None, TextMatch.ENDS, "STRASSE")) == (
        'MATCH (node1:Entity {name: "Straße"})\n'
        'WITH * WHERE replace(toLower(node1.name), "ß", "ss") ENDS WITH "strasse"\n'
        "RETURN DISTINCT node1.name AS node\n"
    )


def test_what_is_kept_of_nodes_that_are_matched(land: Land) -> None:
    """The right side of a conjunction narrows what the left one matched, in clauses of its own where that can be."""
    egypt, arabic = land.e("Egypt"), land.walk(land.e("Arabic"), "-language")
    populous = Filter(arabic, land.key("population"), Comparison.MORE, Constant(1e8))
    named = TextFilter(Having(land.r("capital")), None, TextMatch.STARTS, "e")
    either = Or(egypt, And(arabic, named))
    assert write_cypher(land.snapshot, And(land.countries, And(populous, And(named, And(either, egypt))))) == (
        "CALL {\n"
        "  CALL {\n"
        '    MATCH (node3:Entity {name: "Egypt"})\n'
        "    RETURN DISTINCT node3 AS node2\n"
        "    UNION\n"
        '    MATCH (:Entity {name: "Arabic"})<-[:`language`]-(node4)\n'
        "    MATCH (node4)-[:`capital`]->()\n"
        '    WITH * WHERE toLower(node4.name) STARTS WITH "e"\n'
        "    RETURN DISTINCT node4 AS node2\n"
        "  }\n"
        "  RETURN collect(DISTINCT node2) AS nodes1\n"
        "}\n"
        'MATCH (:Entity {name: "country"})<-[:`type`]-(node1)\n'
        'MATCH (node1)-[:`language`]->(:Entity {name: "Arabic"})\n'
        'MATCH (node1)-[:`population`]->(value1) WHERE value1.kind = "number" AND value1.value > 100000000\n'
        "MATCH (node1)-[:`capital`]->()\n"
        'WITH * WHERE toLower(node1.name) STARTS WITH "e"\n'
        "WITH * WHERE node1 IN nodes1\n"
        'WITH * WHERE node1.name IN ["Egypt"]\n'
        "RETURN DISTINCT node1.name AS node\n"
    )


def test_what_cannot_be_asked_is_said(land: Land) -> None:
    key = land.key("independence", folding=Folding.AVERAGE)
    day = Constant(228, ValueKind.MONTH_DAY)
    for program, message in (
        (Entities((999,)), "no entity 999"),
        (Walk(land.countries, 99), "no relation 99"),
        (Top(Exists(land.countries), land.key("population"), largest=True), "Exists is no set"),
        (Holds(Exists(land.countries), Comparison.MORE, Constant(1)), "Exists is no number"),
        (Filter(land.countries, key, Comparison.EQUAL, day), "sum or average of dates"),
    ):
        with pytest.raises(ProgramError, match=message):
            write_cypher(land.snapshot, program)
