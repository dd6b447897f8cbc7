"""People and their relatives on graphs without kinds, and those who have none."""

import numpy as np
import pytest

from retrieval.answering.loading import load_encoder
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.operations import Entities, Having, Walk
from retrieval.programs.grounding.relation_types import is_personal
from retrieval.programs.parser import Parser
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.steps import describe_program
from retrieval.programs.weights import Weights

from .asking import answers, reader_of

FAMILY = [
    ("Rosa", "mother_of", "Clara"), ("Emil", "father_of", "Clara"), ("Rosa", "mother_of", "Jonas"),
    ("Emil", "father_of", "Jonas"), ("Clara", "mother_of", "Felix"), ("Clara", "mother_of", "Ida"),
    ("Jonas", "father_of", "Paul"), ("Rosa", "married_to", "Emil"), ("Emil", "married_to", "Rosa"),
    *((name, "birth_year", str(year)) for name, year in
      [("Rosa", 1941), ("Emil", 1938), ("Clara", 1965), ("Jonas", 1968), ("Felix", 1992), ("Ida", 1995),
       ("Paul", 1999)]),
]  # fmt: skip
ZOO = [
    ("Leo", "type", "lion"), ("Nala", "type", "lion"), ("Raja", "type", "tiger"), ("Anna", "type", "keeper"),
    ("Leo", "weight", "190 kg"), ("Nala", "weight", "130 kg"), ("Raja", "weight", "220 kg"),
    ("Leo", "keeper", "Anna"), ("Nala", "keeper", "Anna"), ("Raja", "keeper", "Anna"), ("Anna", "age", "31"),
]  # fmt: skip


def reader(tmp_path, facts, encode=None):
    snapshot = build_snapshot(TripleTable.from_facts([list(fact) for fact in facts]), tmp_path / "graph")
    return ProgramReader(snapshot, encode, PROGRAMS)


def asked(reader, question):
    result = reader.read(Question(question)).best.result
    label = reader.snapshot.get_entity_label
    return {label(node) for node in result.tolist()} if isinstance(result, np.ndarray) else result


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who are the parents of Felix?", {"Clara"}),
        ("Who are the parents of Clara?", {"Rosa", "Emil"}),
        ("Who are the children of Clara?", {"Felix", "Ida"}),
        ("Who is the grandmother of Felix?", {"Rosa"}),
        ("Rosa's grandchildren", {"Felix", "Ida", "Paul"}),
        ("Who are Felix's siblings?", {"Ida"}),
        ("Who has no children?", {"Felix", "Ida", "Paul"}),
        ("Who has no husband?", {"Clara", "Jonas", "Felix", "Ida", "Paul"}),
        ("How many people are there?", 7.0),
        ("Who was born before 1960?", {"Rosa", "Emil"}),
    ],
)
def test_relatives_are_found_by_the_relations_that_there_are(tmp_path, question, answers):
    assert asked(reader(tmp_path, FAMILY), question) == answers


def test_relatives_are_told_in_one_step(tmp_path):
    own = reader(tmp_path, FAMILY)
    found = own.read(Question("Rosa's grandchildren"))
    told = describe_program(found.executor, None, found.best.program, found.schema.nouns)
    assert told == "what Rosa is mother of → father of or mother of"


def test_those_who_have_none_are_of_the_sort_of_those_who_have(tmp_path):
    own = Parser(reader(tmp_path, FAMILY).snapshot, None, Weights.load(PROGRAMS))
    relation = {info.label: info.id for info in own.schema.relations}
    assert own.schema.find_peers(relation["married to"]) == Having(relation["birth year"])
    zoo = Parser(reader(tmp_path / "zoo", ZOO).snapshot, None, Weights.load(PROGRAMS))
    weight = next(info.id for info in zoo.schema.relations if info.label == "weight")
    kinds = tuple(sorted(zoo.snapshot.labels.find_exact(name)[0].entity for name in ("lion", "tiger")))
    assert zoo.schema.find_peers(weight) == Walk(Entities(kinds), zoo.schema.get_inverse(zoo.schema.type_relation))


def test_kinds_that_have_the_same_relations_are_described_alike(tmp_path):
    schema = Parser(reader(tmp_path, ZOO).snapshot, None, Weights.load(PROGRAMS)).schema
    lion, tiger, keeper = (schema.snapshot.labels.find_exact(name)[0].entity for name in ("lion", "tiger", "keeper"))
    assert schema.find_similar_kinds(lion) == tuple(sorted((lion, tiger)))
    assert schema.find_similar_kinds(keeper) == (keeper,)


SPACE = [
    ("Moon", "type", "moon"), ("Io", "type", "moon"), ("Titan", "type", "moon"),
    ("Io", "orbits", "Jupiter"), ("Titan", "orbits", "Saturn"), ("Moon", "orbits", "Earth"),
    ("Io", "discovered_by", "Galilei"), ("Titan", "discovered_by", "Huygens"),
    ("Io", "discovery_year", "1610"), ("Titan", "discovery_year", "1655"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which moons orbit Jupiter?", {"Io"}),
        ("How many moons are there?", 3.0),
        ("When was Titan discovered?", {"1655"}),
        ("Who discovered Titan?", {"Huygens"}),
    ],
)
def test_a_plural_is_the_kind_and_when_asks_for_the_date(tmp_path, question, answers):
    assert asked(reader(tmp_path, SPACE), question) == answers


def test_who_does_something_is_of_the_kind_that_is_called_so(tmp_path):
    posts = [
        ("Ida", "type", "keeper"), ("Ida", "post", "Low Island"), ("Ida", "age", "50"), ("Low Island", "type", "light"),
        ("Tom", "type", "keeper"), ("Tom", "post", "Cape Bell"), ("Cape Bell", "type", "light"),
    ]  # fmt: skip
    assert asked(reader(tmp_path, posts), "Who keeps Low Island?") == {"Ida"}


FIRM = [
    ("RosaLind", "title", "Chief Executive Officer"), ("RosaLind", "nationality", "Belgium"),
    ("OleBerg", "title", "Chief Financial Officer"), ("OleBerg", "nationality", "Norway"),
    ("RosaLind", "heightCm", "171"), ("OleBerg", "heightCm", "184"),
    ("OleBerg", "reportsTo", "RosaLind"),
]  # fmt: skip
ORDERS = [
    ("Order 1", "contains", "Lamp"), ("Order 1", "placed by", "Maria Silva"), ("Order 2", "contains", "Desk"),
    ("Order 2", "placed by", "John Reed"), ("Lamp", "price", "30"), ("Desk", "price", "200"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Is Rosa Lind Belgian?", True),
        ("Is Ole Berg Belgian?", False),
        ("Who is the CFO?", {"OleBerg"}),
        ("Is Ole Berg the CEO?", False),
        ("Who is taller than 1.75 meters?", {"OleBerg"}),
    ],
)
def test_names_without_spaces_adjectives_initials_and_units_of_relations(tmp_path, question, answers):
    assert asked(reader(tmp_path, FIRM, load_encoder().encode), question) == answers


def test_who_ordered_something_is_somebody_by_name_alone(tmp_path):
    own = reader(tmp_path, ORDERS, load_encoder().encode)
    assert asked(own, "Who ordered the lamp?") == {"Maria Silva"}
    assert [is_personal(name) for name in ("Maria Silva", "Order 1", "Acme Ltd", "Silva", "Ann B. Lee")] == [
        True, False, False, False, True
    ]  # fmt: skip


FLIGHTS = [
    (name, relation, value)
    for name, start, end, price in (
        ("LX1", "Oslo", "Lisbon", "189"), ("LX2", "Lisbon", "Oslo", "99"), ("LX3", "Rome", "Lisbon", "60")
    )
    for relation, value in (("type", "flight"), ("from", start), ("to", end), ("price", price))
]  # fmt: skip
FLIGHTS += [
    ("LX1", "seats left", "1"), ("LX2", "seats left", "0"), ("LX3", "seats left", "0"),
    ("Solara", "distance", "41"), ("Nix", "distance", "12"), ("Solara", "type", "star"), ("Nix", "type", "star")
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which flights go to Lisbon?", {"LX1", "LX3"}),
        ("Which flights leave from Lisbon?", {"LX2"}),
        ("What is the cheapest flight to Lisbon?", {"LX3"}),
        ("Which star is closest?", {"Nix"}),
        ("Which flights are sold out?", {"LX2", "LX3"}),
    ],
)
def test_to_and_from_are_relations_and_near_is_a_distance(tmp_path, question, answers):
    assert asked(reader(tmp_path, FLIGHTS, load_encoder().encode), question) == answers


def test_those_who_are_something_by_occupation_are_not_only_those_whose_works_are_there(tmp_path):
    people = [("Verro", "1488"), ("Bosch", "1516"), ("Rubens", "1640"), ("Eyck", "1441")]
    facts = [(name, "occupation", "Painter") for name, _ in people]
    facts += [(name, "death year", year) for name, year in people]
    facts += [
        ("The Garden", "painted by", "Bosch"),
        ("The Arch", "painted by", "Eyck"),
        ("Samson", "painted by", "Rubens"),
    ]
    facts += [
        ("Ghiberti", "occupation", "Sculptor"),
        ("Ghiberti", "death year", "1455"),
        ("The Doors", "made by", "Ghiberti"),
    ]
    reader = reader_of(facts, tmp_path)
    assert answers(reader, "painters who died before 1520") == ["Bosch", "Eyck", "Verro"]


def test_who_does_it_is_whom_the_verb_names_and_not_their_staff(tmp_path):
    mills = [("Alder Works", "Ann Bell", "Owner"), ("Birch Mill", "Ben Kato", "Clerk"), ("Cedar Co", "Cy Low", "Owner")]
    seeds = (("Spelt", "Birch Mill"), ("Rye", "Alder Works"), ("Oats", "Alder Works"), ("Millet", "Cedar Co"))
    headings = ("type", "manager", "manager title")
    facts = [(name, relation, value) for name, *values in mills
             for relation, value in zip(headings, ("supplier", *values), strict=True)]  # fmt: skip
    facts += [(name, relation, value) for name, mill in seeds
              for relation, value in (("type", "seed"), ("supplier", mill), ("price", "4"))]  # fmt: skip
    assert asked(reader(tmp_path, facts, load_encoder().encode), "Who supplies Spelt?") == {"Birch Mill"}
