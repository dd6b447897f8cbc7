"""What strangers asked first of graphs of their own: words for states, things that rows are of, ways over two facts."""

import numpy as np
import pytest

from retrieval.answering.loading import load_encoder
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.language.words import get_stem, is_object_question, read
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader

WORK = [
    ("Anna Berg", "works_for", "Volvo"), ("Lars Holm", "works_for", "Volvo"), ("Kim Lee", "works_for", "Samsung"),
    ("Volvo", "located_in", "Gothenburg"), ("Samsung", "located_in", "Seoul"), ("Gothenburg", "country", "Sweden"),
    ("Seoul", "country", "South Korea"), ("Volvo", "founded", "1927"), ("Samsung", "founded", "1938"),
    ("Anna Berg", "born", "1980"), ("Lars Holm", "born", "1971"), ("Kim Lee", "born", "1985"),
]  # fmt: skip
ORDERS = [
    *((f"ORD-{n}", "customer", who) for n, who in ((1, "John Reed"), (2, "Ida Moss"), (3, "John Reed"))),
    *((f"ORD-{n}", "product", what) for n, what in ((1, "Lamp"), (1, "Chair"), (2, "Lamp"), (3, "Desk"))),
    *((f"ORD-{n}", "date", day) for n, day in ((1, "2024-03-01"), (2, "2024-04-11"), (3, "2024-05-20"))),
    *((f"ORD-{n}", "type", "order") for n in (1, 2, 3)),
    ("Lamp", "price", "30"), ("Chair", "price", "80"), ("Desk", "price", "250"),
]  # fmt: skip
QUESTS = [
    *((name, "type", "quest") for name in ("Bell", "Reeds", "Ledger")),
    ("Bell", "status", "completed"), ("Reeds", "status", "completed"), ("Ledger", "status", "open"),
    ("Bell", "reward", "300 gold"), ("Reeds", "reward", "120 gold"),
    *((name, "type", "hero") for name in ("Brin", "Tazz", "Ilva", "Hob")),
    ("Brin", "level", "7"), ("Tazz", "level", "6"), ("Ilva", "level", "8"), ("Hob", "level", "4"),
    ("Brin", "home town", "Lorn"), ("Tazz", "home town", "Deep"), ("Ilva", "trained by", "Hob"), ("Hob", "race", "elf"),
    ("Tazz", "race", "elf"), ("Lorn", "type", "town"), ("Deep", "type", "town"),
]  # fmt: skip

CABLES = [
    *((cable, "length km", km) for cable, km in
      (("Aurelia", "4200"), ("Borea", "900"), ("Coral", "2600"), ("Dune", "300"))),
    *((cable, "lands at", place) for cable, place in
      (("Aurelia", "Cabo Verano"), ("Borea", "Cabo Verano"), ("Coral", "Hvalsnes"), ("Dune", "Port Selby"))),
    *((cable, "ready", year) for cable, year in
      (("Aurelia", "2019"), ("Borea", "2014"), ("Coral", "2021"), ("Dune", "1999"))),
    ("Heller Marine Cable", "founded", "1951"), ("Selby Wire", "founded", "1970"),
    *((place, "country", land) for place, land in
      (("Cabo Verano", "Spain"), ("Hvalsnes", "Iceland"), ("Port Selby", "Ireland"))),
]  # fmt: skip

YARN = [
    *((name, "type", "yarn") for name in ("Aurora", "Foxtrot", "Kelp")),
    *((name, "price each", price) for name, price in (("Aurora", "14"), ("Foxtrot", "9"), ("Kelp", "5"))),
    *((name, "metres per skein", length) for name, length in (("Aurora", "400"), ("Foxtrot", "90"), ("Kelp", "180"))),
    *((name, "skeins", number) for name, number in (("Aurora", "2"), ("Foxtrot", "6"), ("Kelp", "6"))),
    *((f"LN00{n}", "yarn lent", name) for n, name in ((1, "Aurora"), (2, "Kelp"), (3, "Aurora"))),
    *((f"LN00{n}", "type", "loan") for n in (1, 2, 3)),
]  # fmt: skip


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    encode = load_encoder().encode
    return {
        name: ProgramReader(
            build_snapshot(
                TripleTable.from_facts([list(fact) for fact in facts]),
                tmp_path_factory.mktemp(name) / "graph",
            ),
            encode,
            PROGRAMS,
        )
        for name, facts in (
            ("work", WORK),
            ("orders", ORDERS),
            ("quests", QUESTS),
            ("cables", CABLES),
            ("yarn", YARN),
        )
    }


def asked(reader, question):
    result = reader.read(Question(question)).best.result
    label = reader.snapshot.get_entity_label
    return {label(node) for node in result.tolist()} if isinstance(result, np.ndarray) else result


@pytest.mark.parametrize(
    ("graph", "question", "answers"),
    [
        ("work", "Who works in Sweden?", {"Anna Berg", "Lars Holm"}),
        ("work", "youngest employee", {"Kim Lee"}),
        ("work", "oldest company", {"Volvo"}),
        ("orders", "What did John Reed order?", {"Lamp", "Chair", "Desk"}),
        ("orders", "What is the latest order?", {"ORD-3"}),
        ("orders", "How many orders did John Reed place?", 2.0),
        ("quests", "number of quests that are finished", 2.0),
        ("quests", "Which quests are still active?", {"Ledger"}),
        ("quests", "Which heroes are below level 7?", {"Tazz", "Hob"}),
        ("quests", "How many quests have no reward?", 1.0),
        ("cables", "How many cables land in Cabo Verano?", 2.0),
        ("cables", "cables with a landing in Cabo Verano or Hvalsnes", {"Aurelia", "Borea", "Coral"}),
        ("cables", "longest cable", {"Aurelia"}),
        ("yarn", "How often was Aurora lent?", 2.0),
        ("yarn", "How many times was Kelp lent out?", 1.0),
        ("yarn", "most expensive yarn per skein", {"Aurora"}),
        ("yarn", "How many euros does Aurora cost more than Kelp?", 9.0),
        ("yarn", "By how much is the price of Aurora higher than that of Foxtrot?", 5.0),
        ("yarn", "By how many skeins is Foxtrot bigger than Aurora?", 4.0),
        ("work", "By how many years is Lars Holm older than Kim Lee?", 14.0),
        ("work", "how many years older is Anna Berg than Kim Lee", 5.0),
        ("quests", "list all heroes that come from Lorn or are trained by Hob", {"Brin", "Ilva"}),
    ],
)
def test_first_questions_of_strangers(readers, graph, question, answers):
    assert asked(readers[graph], question) == answers


def test_sorts_of_things_of_a_graph_without_kinds(readers):
    schema = readers["cables"].parser.schema
    assert [schema.relations[relation].label for relation in schema.sorts] == [
        "lands at",
        "country",
        "founded",
    ]
    assert readers["orders"].parser.schema.sorts == []  # it says its kinds


def test_a_year_is_no_number_of_things(readers):
    assert readers["work"].read(Question("How many people founded Volvo?")).confidence == 0.0


def test_what_somebody_did_is_told_from_what_is_called_so():
    assert is_object_question(read("What did Tom order?"))
    assert not is_object_question(read("What is the order of Tom?"))
    assert not is_object_question(read("Which orders did Tom place?"))


@pytest.mark.parametrize(("plural", "one"), [("elves", "elf"), ("wolves", "wolf"), ("mice", "mouse"), ("feet", "foot")])
def test_plurals_that_change_the_word(plural, one):
    assert get_stem(plural) == get_stem(one)
