"""A tiny atlas with values of every kind, and programs of every operation over it."""

from pathlib import Path

from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding, TextMatch, ValueKind
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Holds,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    TextFilter,
    Top,
    Walk,
)

FACTS = [
    ("Egypt", "type", "country"),
    ("Kenya", "type", "country"),
    ("Chad", "type", "country"),
    ("Togo", "type", "country"),
    ("France", "type", "country"),
    ("Cairo", "type", "city"),
    ("Paris", "type", "city"),
    ("Egypt", "continent", "Africa"),
    ("Kenya", "continent", "Africa"),
    ("Chad", "continent", "Africa"),
    ("Togo", "continent", "Africa"),
    ("France", "continent", "Europe"),
    ("Egypt", "population", "110,000,000"),
    ("Kenya", "population", "55,000,000"),
    ("Chad", "population", "18,000,000"),
    ("Togo", "population", "18 million"),
    ("France", "population", "68,000,000"),
    ("Egypt", "capital", "Cairo"),
    ("France", "capital", "Paris"),
    ("Egypt", "language", "Arabic"),
    ("Chad", "language", "Arabic"),
    ("Chad", "language", "French"),
    ("Togo", "language", "French"),
    ("France", "language", "French"),
    ("Egypt", "independence", "1922-02-28"),
    ("Kenya", "independence", "12 December 1963"),
    ("Togo", "independence", "27 April 1960"),
    ("Chad", "independence", "1960-08-11"),
    ("Cairo", "coast", "200 km"),
    ("Paris", "coast", "110 mi"),
    ("Egypt", "river length", "1.5 km"),
    ("Egypt", "river length", "6650 km"),
    ("France", "river length", "1006 km"),
    ("Cairo", "opens", "09:30"),
    ("Paris", "opens", "8 am"),
]


def build(path: Path) -> Snapshot:
    """The snapshot of the atlas."""
    return build_snapshot(TripleTable.from_facts(FACTS), path)


class Land:
    """Ids of the atlas by name, and its programs."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def e(self, *labels: str) -> Entities:
        found = [self.snapshot.find_entity(label) for label in labels]
        return Entities(tuple(sorted(node for node in found if node is not None)))

    def r(self, name: str) -> int:
        """A relation; ``-name`` is its inverse."""
        found = self.snapshot.find_relation(name.removeprefix("-"))
        assert found is not None, name
        return found + self.snapshot.num_relations * name.startswith("-")

    def walk(self, source: Program, *names: str) -> Program:
        for name in names:
            source = Walk(source, self.r(name))
        return source

    def key(self, *names: str, **more: object) -> Key:
        return Key(tuple(map(self.r, names)), **more)  # type: ignore[arg-type]

    @property
    def countries(self) -> Program:
        return self.walk(self.e("country"), "-type")

    @property
    def african(self) -> Program:
        return And(self.countries, self.walk(self.e("Africa"), "-continent"))


def programs(land: Land) -> dict[str, Program]:
    """A program of every operation, by what it asks."""
    e, walk, key, countries, african = land.e, land.walk, land.key, land.countries, land.african
    population, lengths, more = key("population"), key("river length"), Comparison.MORE
    languages = key("language", counted=True)
    egypt, kenya = e("Egypt"), e("Kenya")

    def filtered(key: Key, comparison: Comparison, value: Program) -> Program:
        return Filter(countries, key, comparison, value)

    def date(value: float, kind: ValueKind = ValueKind.DATE) -> Constant:
        return Constant(value, kind)

    def of(node: Entities) -> Program:
        return KeyOf(node, population)

    return {
        "entities": e("Egypt", "Chad"),
        "nothing": Entities(()),
        "countries": countries,
        "capital of Egypt": walk(egypt, "capital"),
        "countries in Africa": african,
        "whose capital has a coast": walk(Having(land.r("coast")), "-capital"),
        "what is a language": Having(land.r("-language")),
        "in Europe or speaking Arabic": Or(walk(e("Europe"), "-continent"), walk(e("Arabic"), "-language")),
        "in Africa without Arabic": Except(african, walk(e("Arabic"), "-language")),
        "with a capital, not Egypt": And(Having(land.r("capital")), Except(countries, egypt)),
        "over 50 million": filtered(population, more, Constant(5e7, text="50 million")),
        "at most 18 million": filtered(population, Comparison.AT_MOST, Constant(18e6)),
        "exactly 18 million": filtered(population, Comparison.EQUAL, Constant(18e6)),
        "not 18 million": filtered(population, Comparison.NOT_EQUAL, Constant(18e6)),
        "more than Kenya": filtered(population, more, of(kenya)),
        "at least France's": filtered(population, Comparison.AT_LEAST, walk(e("France"), "population")),
        "with two languages": filtered(languages, Comparison.AT_LEAST, Constant(2)),
        "without a language": filtered(languages, Comparison.EQUAL, Constant(0)),
        "rivers below 4000 km": filtered(lengths, Comparison.LESS, Constant(4e6, dimension="length")),
        "rivers below 4000 km together": filtered(
            key("river length", folding=Folding.SUM), Comparison.LESS, Constant(4e6, dimension="length")
        ),
        "capital 110 mi from the coast": filtered(key("capital", "coast"), Comparison.EQUAL, Constant(110 * 1609.344)),
        "independent in 1960": filtered(key("independence"), Comparison.EQUAL, Constant(1960)),
        "independent after 1960": filtered(key("independence"), more, Constant(1960)),
        "independent on a day": filtered(key("independence"), Comparison.EQUAL, date(1960 + (31 + 29 + 31 + 26) / 366)),
        "independent by a day": filtered(
            key("independence"), Comparison.AT_MOST, date(1960 + (31 + 29 + 31 + 26) / 366)
        ),
        "independent on 12 December": filtered(key("independence"), Comparison.EQUAL, date(1212, ValueKind.MONTH_DAY)),
        "first independence on 28 February": filtered(
            key("independence", folding=Folding.LEAST), Comparison.EQUAL, date(228, ValueKind.MONTH_DAY)
        ),
        "first independence in 1963": filtered(
            key("independence", folding=Folding.LEAST), Comparison.EQUAL, Constant(1963)
        ),
        "opening before 9": Filter(
            Having(land.r("opens")), key("opens"), Comparison.LESS, Constant(540, ValueKind.TIME)
        ),
        "named with an a": TextFilter(countries, None, TextMatch.CONTAINS, "A"),
        "speaking Ara...": TextFilter(countries, land.r("language"), TextMatch.STARTS, "ara"),
        "in a continent on -pe": TextFilter(countries, land.r("continent"), TextMatch.ENDS, "PE"),
        "largest in Africa": Top(african, population, largest=True),
        "second largest": Top(african, population, largest=True, rank=2),
        "smallest, shared": Top(african, population, largest=False),
        "ninth largest": Top(african, population, largest=True, rank=9),
        "three largest, shared": Top(african, population, largest=True, count=3),
        "two from the second": Top(countries, population, largest=True, rank=2, count=2),
        "two from the ninth": Top(countries, population, largest=True, rank=9, count=2),
        "most languages": Top(countries, languages, largest=True),
        "fewest countries": Top(
            Having(land.r("-language")), key("-language", counted=True, among=african), largest=False
        ),
        "first independent": Top(countries, key("independence"), largest=False),
        "longest river on average": Top(countries, key("river length", folding=Folding.AVERAGE), largest=True),
        "second largest of the two largest": Top(
            Top(countries, population, largest=True, count=2), population, largest=True, rank=2
        ),
        "of the largest or Togo the first": Top(
            Or(Top(african, population, largest=True), e("Togo")), key("independence"), largest=False
        ),
        **{
            f"of each continent, {how}": Top(
                countries, population, largest=up, rank=rank, count=count, per=(land.r("continent"),)
            )
            for how, up, rank, count in (
                ("the largest", True, 1, 1),
                ("the second", True, 2, 1),
                ("two smallest", False, 1, 2),
                ("two from the second", True, 2, 2),
                ("the ninth", True, 9, 1),
            )
        },
        "all but the largest": Except(african, Top(african, population, largest=True)),
        "largest that has a capital": And(Having(land.r("capital")), Top(countries, population, largest=True)),
        "language of the largest": walk(Top(african, population, largest=True), "language"),
        "how many": Count(african),
        "how many of none": Count(Except(countries, countries)),
        "population of Egypt": of(egypt),
        "population of Africa": of(e("Africa")),
        "population of many": KeyOf(african, population),
        "rivers of Egypt": KeyOf(egypt, key("river length", folding=Folding.LEAST)),
        "population of the largest": KeyOf(Top(countries, population, largest=True), population),
        "sum": Fold(Folding.SUM, african, population),
        "average": Fold(Folding.AVERAGE, african, population),
        "least": Fold(Folding.LEAST, african, population),
        "most": Fold(Folding.MOST, countries, key("capital", "coast")),
        "average number of languages": Fold(Folding.AVERAGE, countries, languages),
        "people and rivers": Fold(Folding.SUM, african, key("population", times=(land.r("river length"),))),
        "most people by rivers": Top(
            Having(land.r("-continent")),
            key("-continent", "population", folding=Folding.SUM, times=(land.r("river length"),)),
            largest=True,
        ),
        "longest by its capital's coast": Top(
            countries, key("river length", less=(land.r("capital"), land.r("coast"))), largest=True
        ),
        "longer by 1000 km than its capital's coast": filtered(
            key("river length", less=(land.r("capital"), land.r("coast"))),
            more,
            Constant(1e6, dimension="length"),
        ),
        "sum of nothing": Fold(Folding.SUM, Entities(()), population),
        "average of nothing": Fold(Folding.AVERAGE, Entities(()), population),
        "difference": Arithmetic(Operation.DIFFERENCE, of(kenya), of(egypt)),
        "days": Arithmetic(Operation.DAYS, KeyOf(kenya, key("independence")), KeyOf(egypt, key("independence"))),
        "both together": Arithmetic(Operation.SUM, of(kenya), of(egypt)),
        "three times": Arithmetic(Operation.PRODUCT, of(kenya), Constant(3)),
        "how many times as many": Arithmetic(Operation.RATIO, of(egypt), of(kenya)),
        "people of each": Arithmetic(Operation.RATIO, Fold(Folding.SUM, african, population), Count(african)),
        "divided by nothing": Arithmetic(Operation.RATIO, of(egypt), Count(Entities(()))),
        "share": Arithmetic(Operation.SHARE, Count(african), Count(countries)),
        "are there any": Exists(Filter(african, population, more, Constant(1e8))),
        "is there none": Exists(And(countries, e("Paris"))),
        "more people than": Holds(of(egypt), more, of(kenya)),
        "as many people as": Holds(of(e("Chad")), Comparison.EQUAL, of(e("Togo"))),
        "unlike": Holds(of(egypt), Comparison.NOT_EQUAL, Constant(11e7)),
        "more of none": Holds(of(e("Africa")), more, of(kenya)),
        "more countries than": Holds(Count(african), more, Constant(3)),
    }
