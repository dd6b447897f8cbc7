"""Edits change exactly what they say, and an undo restores the version before, byte for byte."""

import filecmp
import random

import pytest

from retrieval.errors import EditError
from retrieval.kg.build import build_snapshot
from retrieval.kg.build.edits import apply_edits, write_edited_version
from retrieval.kg.edits.edited_graph import EditedGraph
from retrieval.kg.edits.effects import Effect
from retrieval.kg.edits.operations import (
    AddFact,
    ChangeFact,
    MergeEntities,
    RemoveFact,
    RenameEntity,
    RevertEffect,
    parse_operation,
    to_json,
)
from retrieval.kg.table import TripleTable
from retrieval.types import Passage
from tests.retrieval.kg.worlds import random_facts

COMPANIES = [
    ("IBM", "based in", "Armonk"),
    ("IBM Corp", "based in", "Armonk"),
    ("IBM Corp", "founded", "1911"),
    ("Ann", "works at", "IBM Corp"),
    ("Ben", "works at", "IBM"),
    ("IBM Corp", "owns", "IBM"),
    ("IBM", "follows", "IBM Corp"),
    ("IBM Corp", "recommends", "IBM Corp"),
]


def build(path, facts=COMPANIES, passages=("p1", "p2")):
    table = TripleTable.from_facts(
        facts,
        passages=[Passage(i, name, "", f"Text {name}.") for i, name in enumerate(passages)],
        fact_passages=[(0, 0), (1, 1), (3, 1)] if passages else (),
        node_attributes=[("IBM", "ticker", "IBM"), ("IBM Corp", "staff", "300000"), ("IBM Corp", "ticker", "IBM")],
        fact_attributes=[(3, "since", "2010"), (4, "since", "2012"), (1, "source", "b")],
    )
    return build_snapshot(table, path)


def list_facts(graph):
    hops = [graph.get_hop(i) for i in range(graph.num_triples)]
    return {(hop.source.label, hop.step.name, hop.target.label) for hop in hops}


def edit(base, path, *operations):
    table, outcomes = apply_edits(base, operations)
    assert [outcome.message for outcome in outcomes] == [""] * len(operations)
    return build_snapshot(table, path), [outcome.effect for outcome in outcomes]


def undo(graph, path, effects):
    return edit(graph, path, *(RevertEffect("", Effect.from_json(e.to_json())) for e in reversed(effects)))[0]


def test_a_merge_moves_facts_and_attributes_and_drops_the_links_between_the_two(tmp_path):
    base = build(tmp_path / "base")
    merged, effects = edit(base, tmp_path / "merged", MergeEntities("IBM", "IBM Corp"))
    assert list_facts(merged) == {
        ("IBM", "based in", "Armonk"),
        ("IBM", "founded", "1911"),
        ("Ann", "works at", "IBM"),
        ("Ben", "works at", "IBM"),
        ("IBM", "recommends", "IBM"),
    }
    entity = merged.find_entity("IBM")
    assert merged.find_entity("IBM Corp") is None
    assert merged.get_entity_attributes(entity) == {"alias": "IBM Corp", "staff": "300000", "ticker": "IBM"}
    assert [match.node.label for match in merged.labels.search("ibm corp", 5)][:1] == ["IBM"]
    fact = merged.find_fact(entity, merged.find_relation("based in"), merged.find_entity("Armonk"))
    assert merged.get_fact_attributes(fact) == {"source": "b"}
    assert merged.passages.get_fact_passages(fact).tolist() == [0, 1]
    split = undo(merged, tmp_path / "split", effects)
    assert split.hash == base.hash
    assert (split.kinds == base.kinds).all()


@pytest.mark.parametrize(
    ("operation", "gone", "new"),
    [
        (AddFact(("Ann", "lives in", "Ulm")), set(), {("Ann", "lives in", "Ulm")}),
        (RemoveFact(("Ann", "works at", "IBM Corp")), {("Ann", "works at", "IBM Corp")}, set()),
        (
            ChangeFact(("IBM Corp", "founded", "1911"), ("IBM Corp", "founded", "1924")),
            {("IBM Corp", "founded", "1911")},
            {("IBM Corp", "founded", "1924")},
        ),
        (RenameEntity("Ben", "Benjamin"), {("Ben", "works at", "IBM")}, {("Benjamin", "works at", "IBM")}),
    ],
)
def test_each_edit_changes_its_facts_and_its_undo_restores_the_version_before(tmp_path, operation, gone, new):
    base = build(tmp_path / "base")
    edited, effects = edit(base, tmp_path / "edited", parse_operation(to_json(operation)))
    assert list_facts(edited) == (set(COMPANIES) - gone) | new
    assert undo(edited, tmp_path / "undone", effects).hash == base.hash


def test_a_changed_fact_keeps_its_attributes_and_passages(tmp_path):
    base = build(tmp_path / "base")
    change = ChangeFact(("Ann", "works at", "IBM Corp"), ("Ann", "works at", "IBM"))
    edited, _ = edit(base, tmp_path / "edited", change)
    fact = edited.find_fact(*(edited.find_entity("Ann"), edited.find_relation("works at"), edited.find_entity("IBM")))
    assert edited.get_fact_attributes(fact) == {"since": "2010"}
    assert edited.passages.get_fact_passages(fact).tolist() == [1]


def test_a_removed_fact_of_an_attribute_stays_removed(tmp_path):
    base = build(tmp_path / "base", passages=())
    fact = ("IBM Corp", "staff", "300000")
    assert fact in list_facts(base)
    edited, effects = edit(base, tmp_path / "edited", RemoveFact(fact))
    assert fact not in list_facts(edited)
    assert edited.get_entity_attributes(edited.find_entity("IBM Corp")) == {"ticker": "IBM"}
    assert undo(edited, tmp_path / "undone", effects).hash == base.hash


def test_an_entity_without_facts_stays_while_something_is_known_of_it(tmp_path):
    table = TripleTable.from_facts(
        [("Ann", "knows", "Ben"), ("Cem", "knows", "Cem")], node_attributes=[("Ann", "description", "A long story.")]
    )
    base = build_snapshot(table, tmp_path / "base")
    edited, effects = edit(base, tmp_path / "edited", RemoveFact(("Ann", "knows", "Ben")))
    assert list(edited.entity_labels) == ["Ann", "Cem"]
    assert undo(edited, tmp_path / "undone", effects).hash == base.hash


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (MergeEntities("IBM", "IBM"), "IBM cannot be merged with itself."),
        (MergeEntities("IBM", "Intel"), "The graph has no Intel."),
        (MergeEntities("IBM", "1911"), "1911 is a value, not an entity."),
        (RenameEntity("IBM", "Ann"), "The graph has Ann already."),
        (AddFact(("Ben", "works at", "IBM")), "The graph holds “Ben · works at · IBM” already."),
        (RemoveFact(("Ben", "works at", "Intel")), "The graph does not hold “Ben · works at · Intel”."),
        (
            ChangeFact(("Ben", "works at", "IBM"), ("Ann", "works at", "IBM Corp")),
            "The graph holds “Ann · works at · IBM Corp” already.",
        ),
    ],
)
def test_an_edit_that_cannot_be_applied_says_why_and_changes_nothing(tmp_path, operation, message):
    base = build(tmp_path / "base")
    table, outcomes = apply_edits(base, [operation])
    assert [outcome.message for outcome in outcomes] == [message]
    assert build_snapshot(table, tmp_path / "same").hash == base.hash


def test_edits_of_a_batch_build_on_each_other_and_the_second_of_one_fact_fails(tmp_path):
    base = build(tmp_path / "base")
    operations = [
        RenameEntity("IBM Corp", "International Business Machines"),
        RemoveFact(("Ann", "works at", "International Business Machines")),
        RemoveFact(("Ann", "works at", "International Business Machines")),
        MergeEntities("IBM", "International Business Machines"),
    ]
    table, outcomes = apply_edits(base, operations)
    assert [outcome.effect is None for outcome in outcomes] == [False, False, True, False]
    assert list_facts(build_snapshot(table, tmp_path / "new")) == {
        ("IBM", "based in", "Armonk"),
        ("IBM", "founded", "1911"),
        ("Ben", "works at", "IBM"),
        ("IBM", "recommends", "IBM"),
    }


def test_an_undo_on_which_a_later_edit_builds_is_refused(tmp_path):
    graph = EditedGraph(build(tmp_path / "base"))
    merge = graph.apply(MergeEntities("IBM", "IBM Corp"))
    graph.apply(RemoveFact(("IBM", "founded", "1911")))
    with pytest.raises(EditError, match="“IBM · founded · 1911” is not in the graph as it was recorded"):
        graph.apply(RevertEffect("", merge))


def test_random_edits_undone_in_reverse_order_give_the_same_graph(tmp_path):
    for seed in range(6):
        rng = random.Random(seed)
        base = build_snapshot(TripleTable.from_facts(random_facts(seed)), tmp_path / f"base{seed}")
        graph, applied = EditedGraph(base), []
        for i in range(12):
            facts = sorted({f.triple for label in base.entity_labels for f in graph.list_facts(label)})
            labels = sorted({end for h, _, t in facts for end in (h, t)})
            choice = rng.choice(["add", "remove", "rename", "merge", "change"])
            operation = {
                "add": AddFact((rng.choice(labels), "r9", f"new{i}")),
                "remove": RemoveFact(rng.choice(facts)),
                "rename": RenameEntity(rng.choice(labels), f"named{i}"),
                "merge": MergeEntities(*rng.sample(labels, 2)),
                "change": ChangeFact(rng.choice(facts), (rng.choice(labels), "r8", rng.choice(labels))),
            }[choice]
            graph.apply(operation)
            applied.append(operation)
        edited, effects = edit(base, tmp_path / f"edited{seed}", *applied)
        assert undo(edited, tmp_path / f"undone{seed}", effects).hash == base.hash


def test_a_version_may_replace_the_one_it_edits(tmp_path):
    base = build(tmp_path / "base")
    outcomes = write_edited_version(base.path, base.path, [RemoveFact(("Ben", "works at", "IBM"))], progress=print)
    assert [outcome.message for outcome in outcomes] == [""]
    assert list_facts(type(base)(base.path)) == set(COMPANIES) - {("Ben", "works at", "IBM")}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"op": "explode"}, "'explode' is not an operation."),
        ({"op": "add_fact", "fact": ["Ann", "knows"]}, "fact is not a fact."),
        ({"op": "add_fact", "fact": ["Ann", " ", "Ben"]}, "The relation is empty."),
        ({"op": "rename_entity", "entity": "Ann", "name": "x" * 5000}, "The name is longer than 4,096 bytes."),
        ({"op": "merge_entities", "entity": "Ann"}, "The other is empty."),
    ],
)
def test_operations_that_make_no_sense_are_refused(value, message):
    with pytest.raises(EditError, match=message):
        parse_operation(value)


@pytest.mark.parametrize("tail", ["Rome", "Lima", "Paris 2"])
def test_indexes_of_an_edited_version_are_those_of_a_fresh_build(tmp_path, tail):
    facts = [("Paris", "twin of", "Rome"), ("Lima", "founded", "1535"), ("Rome", "area", "1285 km2")]
    build_snapshot(TripleTable.from_facts(facts), tmp_path / "base")
    added = ("Lima", "twin of", tail)
    write_edited_version(tmp_path / "base", tmp_path / "edited", [AddFact(added)], progress=lambda _: None)
    build_snapshot(TripleTable.from_facts([*facts, added]), tmp_path / "fresh")
    names = [path.name for path in (tmp_path / "fresh").glob("*.npy") if "source" not in path.name]
    assert {"words_rows.npy", "trigram_rows.npy", "values.npy"} <= set(names)
    assert filecmp.cmpfiles(tmp_path / "fresh", tmp_path / "edited", names, shallow=False)[1:] == ([], [])
