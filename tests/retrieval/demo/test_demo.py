"""The demo graph and its questions hold together: facts against facts, and answers against facts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from retrieval.demo import EXAMPLES, FACTS, QUESTIONS
from retrieval.demo.build_questions import build
from retrieval.demo.wordings import UNKNOWN
from retrieval.demo.world import HEADER, DemoWorld, read_facts

KINDS = {"simple", "multi", "comparison", "unanswerable"}
FUNCTIONAL = (
    "population",
    "area",
    "elevation",
    "length",
    "internet_domain",
    "birth_year",
    "death_year",
    "born_in",
    "died_in",
    "release_year",
    "publication_year",
    "premiere_year",
    "completion_year",
    "flows_into",
    "headquarters",
    "host_city",
    "located_in_city",
    "independence_year",
    "highest_mountain",
)
"""Relations of which an entity has one fact at most."""


@pytest.fixture(scope="module")
def facts():
    return read_facts(FACTS)


@pytest.fixture(scope="module")
def world(facts):
    return DemoWorld(facts)


@pytest.fixture(scope="module")
def questions():
    return {
        split: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for split, file in QUESTIONS.items()
    }


@pytest.fixture(scope="module")
def asked(questions):
    return [row for rows in questions.values() for row in rows]


def kind(row) -> str:
    return row["id"].partition("-")[0]


def relation_path(topic, path) -> str:
    """The relation path of a gold path, read off its facts as walked from the topic."""
    words, at = [], topic
    for head, relation, tail in path:
        words.append(relation if head == at else f"^{relation}")
        at = tail if head == at else head
    return " ".join(words)


# The facts


def test_the_graph_is_large_enough(facts):
    assert len(facts) >= 3000
    assert len({relation for _, relation, _ in facts}) >= 40


@pytest.mark.parametrize("file", FACTS, ids=lambda file: file.stem)
def test_facts_are_sorted_trimmed_and_stated_once(file):
    header, *rows = file.read_text(encoding="utf-8").splitlines()
    assert header == HEADER
    cells = [tuple(row.split("\t")) for row in rows]
    assert cells == sorted(set(cells))
    assert all(cell == cell.strip() and cell for row in cells for cell in row)


def test_no_fact_is_in_two_files(facts):
    assert [fact for fact, times in Counter(facts).items() if times > 1] == []


@pytest.mark.parametrize("relation", ["borders", "spouse", "sibling"])
def test_mutual_relations_are_stated_from_both_sides(world, relation):
    pairs = {(head, tail) for head, name, tail in world.facts if name == relation}
    assert pairs
    assert {(tail, head) for head, tail in pairs} == pairs


def test_no_entity_is_related_to_itself(world):
    assert [fact for fact in world.facts if fact[0] == fact[2]] == []


def test_borders_join_countries(world):
    countries = set(world.find_starts("continent"))
    assert set(world.find_starts("borders")) <= countries
    assert len(countries) == 197


def test_capitals_and_largest_cities_lie_in_their_country(world):
    for country in world.find_starts("continent"):
        for city in (*world.take_step(country, "capital"), *world.take_step(country, "largest_city")):
            assert country in world.take_step(city, "city_in_country"), (country, city)


def test_a_city_lies_in_one_country(world):
    several = {c: world.take_step(c, "city_in_country") for c in world.find_starts("city_in_country")}
    assert {city: lands for city, lands in several.items() if len(lands) > 1} == {}


@pytest.mark.parametrize("relation", FUNCTIONAL)
def test_single_valued_relations_have_one_value(world, relation):
    assert world.find_starts(relation)
    assert {
        e: world.take_step(e, relation) for e in world.find_starts(relation) if len(world.take_step(e, relation)) > 1
    } == {}


def test_nobody_dies_before_being_born_and_nothing_is_made_by_the_unborn(world):
    made = {
        "^directed_by": "release_year",
        "^written_by": "publication_year",
        "^composed_by": "premiere_year",
        "^painted_by": "completion_year",
    }
    for person in world.find_starts("birth_year"):
        born = int(world.take_step(person, "birth_year")[0])
        years = [int(year) for year in world.take_step(person, "death_year")]
        for word, year_of in made.items():
            years += [int(y) for work in world.take_step(person, word) for y in world.take_step(work, year_of)]
        assert all(year > born + 4 for year in years), person


def test_the_highest_mountain_is_in_its_country_and_no_other_there_is_higher(world):
    for country in world.find_starts("highest_mountain"):
        (top,) = world.take_step(country, "highest_mountain")
        inside = world.take_step(country, "^mountain_in_country")
        heights = {m: int(world.take_step(m, "elevation")[0].split()[0]) for m in inside}
        assert heights[top] == max(heights.values()), country


def test_an_alias_names_one_entity_and_is_no_label(world):
    names = defaultdict(set)
    for head, relation, tail in world.facts:
        if relation == "alias":
            names[tail].add(head)
    assert {name: heads for name, heads in names.items() if len(heads) > 1} == {}
    assert set(names) & world.entities == set()


def test_labels_of_different_kinds_do_not_meet(world):
    kinds = {
        "country": set(world.find_starts("continent")),
        "city": set(world.find_starts("city_in_country")),
        "river": set(world.find_starts("flows_into")),
        "mountain": set(world.find_starts("mountain_in_country")),
        "lake": set(world.find_starts("lake_in_country")),
        "language": set(world.find_starts("language_family")),
        "person": set(world.find_starts("occupation")),
        "film": set(world.find_starts("directed_by")) | set(world.find_starts("release_year")),
        "book": set(world.find_starts("written_by")),
        "music": set(world.find_starts("composed_by")),
        "painting": set(world.find_starts("painted_by")),
        "genre": set(world.find_starts("^genre")),
        "character": set(world.find_starts("^character")),
        "year": set(world.find_starts("^birth_year")) | set(world.find_starts("^release_year")),
        "population": set(world.find_starts("^population")),
    }
    owners = defaultdict(list)
    for name, members in kinds.items():
        assert members, name
        for member in members:
            owners[member].append(name)
    assert {label: names for label, names in owners.items() if len(names) > 1} == {}


# The questions


def test_there_are_enough_questions_of_every_kind_and_length_in_every_split(questions):
    assert sum(map(len, questions.values())) >= 500
    for split, rows in questions.items():
        assert {row["split"] for row in rows} == {split}
        assert {kind(row) for row in rows} == KINDS
        assert {row["hops"] for row in rows} == {1, 2, 3}


def test_ids_and_wordings_are_unique_across_splits(asked):
    assert len({row["id"] for row in asked}) == len(asked)
    assert len({row["question"].casefold() for row in asked}) == len(asked)


def test_topics_and_answers_are_in_the_graph(world, asked):
    invented = {name for _, names, _ in UNKNOWN for name in names}
    assert invented & world.entities == set()
    for row in asked:
        assert row["topic_entities"]
        for topic in row["topic_entities"]:
            assert topic in world.entities or (kind(row) == "unanswerable" and topic in invented), row["id"]
        assert set(row["answers"]) <= world.entities, row["id"]
        assert bool(row["answers"]) == (kind(row) != "unanswerable"), row["id"]


def test_gold_paths_are_facts_and_lead_from_a_topic_to_an_answer(world, asked):
    for row in asked:
        for path in row["paths"]:
            assert 1 <= len(path) <= row["hops"]
            assert all(tuple(fact) in world.facts for fact in path), row["id"]
            ends = [{head, tail} for head, _, tail in path]
            assert ends[0] & set(row["topic_entities"]), row["id"]
            assert all(a & b for a, b in pairwise(ends)), row["id"]


def test_the_gold_relation_path_reaches_exactly_the_answers(world, asked):
    for row in asked:
        if kind(row) == "unanswerable":
            assert row["paths"] == []
            continue
        reached = {}
        for topic in row["topic_entities"]:
            mine = [path for path in row["paths"] if topic in (path[0][0], path[0][2])]
            words = {relation_path(topic, path) for path in mine}
            found = [world.find_targets(topic, word) for word in sorted(words)]
            reached[topic] = [ends for ends in found if set(row["answers"]) <= ends or len(words) == 1]
        if is_numeric(row):
            check_numbers(world, row, reached)
            continue
        candidates = [set(ends[0]) for ends in reached.values() if len(ends) == 1]
        assert len(candidates) == len(row["topic_entities"]), row["id"]
        assert set.intersection(*candidates) == set(row["answers"]), row["id"]


def is_numeric(row) -> bool:
    """A comparison whose answer is one of the two topics."""
    return kind(row) == "comparison" and set(row["answers"]) < set(row["topic_entities"])


def check_numbers(world, row, reached) -> None:
    """The named winner has the larger number; for first, older, earlier and smaller the lesser one."""
    numbers = {topic: int(next(iter(ends[0])).split()[0]) for topic, ends in reached.items()}
    (winner,) = row["answers"]
    (loser,) = set(row["topic_entities"]) - {winner}
    lesser = any(word in row["question"] for word in ("first", "older", "earlier", "smaller"))
    assert (numbers[winner] < numbers[loser]) == lesser, row["id"]
    assert numbers[winner] != numbers[loser]


def test_the_committed_questions_are_what_the_generator_makes(world, questions):
    made = build(world)
    assert json.loads(json.dumps(made)) == questions


def test_test_split_has_paths_and_topics_that_train_lacks(questions):
    def shapes(rows):
        return {relation_path(row["topic_entities"][0], row["paths"][0]) for row in rows if kind(row) == "simple"}

    def topics(rows):
        return {topic for row in rows for topic in row["topic_entities"]}

    assert len(shapes(questions["test"]) - shapes(questions["train"])) >= 8
    assert len(topics(questions["test"]) - topics(questions["train"])) >= 100


def test_the_question_on_the_front_page_is_in_the_test_split_and_its_shape_in_the_others(world, questions):
    (row,) = [r for r in questions["test"] if r["question"] == EXAMPLES[0]]
    assert row["answers"] == ["French", "German", "Italian"]
    for split in ("train", "dev"):
        shapes = [relation_path(r["topic_entities"][0], r["paths"][0]) for r in questions[split] if r["paths"]]
        assert "borders official_language" in shapes


@pytest.mark.parametrize(
    ("topics", "answers"),
    [
        ((("Switzerland", "borders official_language"),), {"French", "German", "Italian"}),
        (
            (("Martin Scorsese", "^directed_by"), ("Leonardo DiCaprio", "^starring")),
            {
                "Gangs of New York",
                "Killers of the Flower Moon",
                "Shutter Island",
                "The Aviator",
                "The Departed",
                "The Wolf of Wall Street",
            },
        ),
        ((("Romeo and Juliet", "^based_on composed_by"),), {
            "Charles Gounod", "Leonard Bernstein", "Pyotr Ilyich Tchaikovsky", "Sergei Prokofiev",
        }),
        ((("France", "borders"), ("Germany", "borders")), {"Belgium", "Luxembourg", "Switzerland"}),
        ((("Johannes Vermeer", "^painted_by displayed_in located_in_city"),), {
            "Amsterdam", "Paris", "The Hague", "Vienna",
        }),
        ((("Blade Runner", "based_on written_by born_in"),), {"Chicago"}),
    ],
    ids=EXAMPLES,
)  # fmt: skip
def test_every_example_has_its_answer(world, topics, answers):
    assert set.intersection(*(set(world.find_targets(*topic)) for topic in topics)) == answers
