"""The facts of a proof alone give the answer, and without any of them they do not."""

import numpy as np
import pytest

from retrieval.answering.proofs import build_chains
from retrieval.evidence.chains import get_fact_key
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.kg.table import TripleTable
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Except, Filter, Key, KeyOf, Program, Top, Walk, walk
from tests.retrieval.programs import land

#: Programs that have no answer, so that there is nothing to prove, and an average that one more of its mean leaves.
NO_ANSWER = {"population of many", "divided by nothing", "unlike", "more of none", "average number of languages"}


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> land.Land:
    return land.Land(land.build(tmp_path_factory.mktemp("proofs") / "graph"))


def prove(snapshot: Snapshot, program: Program) -> list[int]:
    """Ids of the facts of a proof, each once."""
    chains = build_chains(Executor(snapshot), program, 1.0)
    keys = {get_fact_key(hop) for chain in chains for hop in chain.hops}
    assert all(hop.verified for chain in chains for hop in chain.hops)
    return sorted(snapshot.find_fact(head, snapshot.find_relation(name), tail) for head, name, tail in keys)


def conclude(snapshot: Snapshot, program: Program, facts: list[int]) -> object:
    """What follows from some facts: the result, and the values that its answers are ranked or kept by."""
    executor = Executor(RestrictedSnapshot(snapshot, facts))
    result = executor.run(program)
    values = []
    for part in walk(program):
        if isinstance(part, Top | Filter):
            keyed = executor.compute_keys(
                executor.compute_nodes(part), part.key, largest=getattr(part, "largest", True)
            )
            values.append((keyed.owners.tolist(), keyed.values.tolist()))
    return result.tolist() if isinstance(result, np.ndarray) else repr(result), values


def test_the_proof_of_each_operation_gives_its_result_and_nothing_is_superfluous(atlas):
    every = list(range(atlas.snapshot.num_triples))
    for name, program in land.programs(atlas).items():
        facts = prove(atlas.snapshot, program)
        proven = conclude(atlas.snapshot, program, facts)
        assert proven[0] == conclude(atlas.snapshot, program, every)[0], name
        for fact in facts if name not in NO_ANSWER else ():
            rest = [other for other in facts if other != fact]
            assert conclude(atlas.snapshot, program, rest) != proven, (name, fact)


def list_facts(snapshot: Snapshot, program: Program) -> set[tuple[str, str, str]]:
    label = snapshot.get_entity_label
    return {
        (label(snapshot.heads[fact]), snapshot.get_relation_name(snapshot.relations[fact]), label(snapshot.tails[fact]))
        for fact in prove(snapshot, program)
    }


def test_what_borders_one_country_needs_no_other_borders(tmp_path):
    names = ["Peru", "Chile", "Brazil", "Guyana", "Bolivia", "Ecuador"]
    facts = [(name, "kind", "country") for name in names]
    facts += [
        (one, "borders", other) for one in names for other in names if one != other and "Peru" not in (one, other)
    ]
    facts += [("Peru", "borders", "Chile"), ("Brazil", "borders", "Peru")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "graph")
    world = land.Land(snapshot)
    countries, borders = world.walk(world.e("country"), "-kind"), world.r("borders")
    # Countries that something borders, of which Peru is one: the others are no part of the proof.
    program = And(countries, Walk(And(countries, world.e("Peru")), borders))
    assert list_facts(snapshot, program) == {
        ("Peru", "borders", "Chile"),
        ("Chile", "kind", "country"),
        ("Peru", "kind", "country"),
    }
    assert list_facts(snapshot, Except(world.e("Peru", "Chile"), Walk(world.e("Brazil"), borders))) == set()


def test_of_many_answers_the_first_are_proven_and_the_rest_counted(tmp_path):
    facts = [(f"City {n:03}", "in", "Peru") for n in range(100)] + [
        (f"City {n:03}", "size", str(n)) for n in range(100)
    ]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "graph")
    world = land.Land(snapshot)
    cities = world.walk(world.e("Peru"), "-in")
    (chain,) = build_chains(Executor(snapshot), cities, 0.5)
    assert (len(chain.levels[0]), chain.level_counts, len(chain.hops)) == (40, (100,), 40)
    chains = build_chains(Executor(snapshot), Top(cities, Key((world.r("size"),)), largest=True, count=100), 0.5)
    assert [(len(chain.levels[0]), chain.level_counts) for chain in chains[:2]] == [(1, (1,)), (23, (100,))]
    assert len(chains) == 24
    assert list_facts(snapshot, KeyOf(world.e("City 007"), Key((world.r("size"),)))) == {("City 007", "size", "7")}
