"""ReG's reorganisation on graphs small enough to write every chain down."""

import numpy as np
import pytest

from retrieval.config import EvidenceOptions
from retrieval.evidence.chains import build_chain
from retrieval.evidence.reach import merge_entities
from retrieval.evidence.reorganise import merge_chains
from retrieval.evidence.verbalise import format_chain, format_merged_chains
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.reasoning.gather import GatherSettings, collect_evidence
from retrieval.reasoning.retrieved import Retrieved, convert_to_chains, prepare_evidence
from retrieval.types import LinkedEntity, RelationPath
from tests.retrieval.world import build, ids, labels, path

FACTS = [
    ("Ann", "directed", "Dawn"),
    ("Ann", "directed", "Dusk"),
    ("Ann", "wrote", "Dawn"),
    ("Ben", "acted_in", "Dawn"),
    ("Ben", "acted_in", "Noon"),
    ("Cid", "scored", "Dawn"),
    ("Cid", "scored", "Dusk"),
    ("Dawn", "in_genre", "Drama"),
    ("Dusk", "in_genre", "Drama"),
]


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "studio", FACTS)


def scores(graph, chosen):
    """Fact ids with scores, from ``(head, relation, tail, score)``."""
    found = {}
    for head, relation, tail, score in chosen:
        fact = graph.find_fact(*ids(graph, head), graph.find_relation(relation), *ids(graph, tail))
        assert fact is not None
        found[fact] = score
    return found


def shown(graph, reaches):
    return [
        (graph.get_entity_label(r.topic), r.path, labels(graph, r.targets), round(r.probability, 3), r.partners)
        for r in reaches
    ]


def test_answers_of_one_relation_path_merge_and_a_chain_is_as_probable_as_its_weakest_triple(graph):
    retrieved = scores(
        graph,
        [
            ("Ann", "directed", "Dawn", 0.9), ("Ann", "directed", "Dusk", 0.8),
            ("Dawn", "in_genre", "Drama", 0.5), ("Cid", "scored", "Dawn", 0.4),
        ],
    )  # fmt: skip
    found = merge_chains(graph, retrieved, ids(graph, "Ann"), max_length=2)
    assert shown(graph, found) == [
        ("Ann", path(graph, "directed"), ["Dawn", "Dusk"], 0.9, ()),
        ("Ann", path(graph, "directed in_genre"), ["Drama"], 0.5, ()),
        ("Ann", path(graph, "directed -scored"), ["Cid"], 0.4, ()),
    ]


def test_a_triple_that_no_chain_holds_stands_for_itself_after_the_chains(graph):
    retrieved = scores(
        graph,
        [
            ("Ann", "directed", "Dawn", 0.3), ("Cid", "scored", "Dusk", 0.4), ("Dawn", "in_genre", "Drama", 0.9),
            ("Ben", "acted_in", "Noon", 0.5),
        ],
    )  # fmt: skip
    assert shown(graph, merge_chains(graph, retrieved, ids(graph, "Ann"), max_length=1)) == [
        ("Ann", path(graph, "directed"), ["Dawn"], 0.3, ()),
        ("Dawn", path(graph, "in_genre"), ["Drama"], 0.9, ()),
        ("Ben", path(graph, "acted_in"), ["Noon"], 0.5, ()),
        ("Cid", path(graph, "scored"), ["Dusk"], 0.4, ()),
    ]


def test_without_a_limit_chains_grow_as_long_as_triples_go(tmp_path):
    line = [(f"n{i}", "next", f"n{i + 1}") for i in range(12)]
    graph = build(tmp_path / "line", line)
    found = merge_chains(graph, dict.fromkeys(range(12), 0.5), ids(graph, "n0"), max_length=None)
    assert [len(r.path) for r in found] == list(range(1, 13))


def test_three_topics_that_meet_stand_side_by_side_with_the_targets_they_share(graph):
    retrieved = scores(
        graph,
        [
            ("Ann", "directed", "Dawn", 0.9), ("Ann", "directed", "Dusk", 0.9), ("Ben", "acted_in", "Noon", 0.8),
            ("Ben", "acted_in", "Dawn", 0.7), ("Cid", "scored", "Dawn", 0.6), ("Cid", "scored", "Dusk", 0.6),
        ],
    )  # fmt: skip
    found = merge_chains(graph, retrieved, ids(graph, "Ann", "Ben", "Cid"), max_length=1)
    assert shown(graph, found) == [
        ("Ann", path(graph, "directed"), ["Dawn"], 0.9, (1, 2)),
        ("Ben", path(graph, "acted_in"), ["Dawn"], 0.8, (0, 2)),
        ("Cid", path(graph, "scored"), ["Dawn"], 0.6, (0, 1)),
    ]


def test_a_topic_that_leads_nowhere_in_common_is_left_out_of_the_group(graph):
    retrieved = scores(
        graph,
        [("Ann", "directed", "Dusk", 0.5), ("Ben", "acted_in", "Noon", 0.9), ("Cid", "scored", "Dusk", 0.4)],
    )
    found = merge_chains(graph, retrieved, ids(graph, "Ann", "Ben", "Cid"), max_length=1)
    assert shown(graph, found) == [
        ("Ben", path(graph, "acted_in"), ["Noon"], 0.9, ()),
        ("Ann", path(graph, "directed"), ["Dusk"], 0.5, (2,)),
        ("Cid", path(graph, "scored"), ["Dusk"], 0.4, (1,)),
    ]
    assert merge_entities([], ids(graph, "Ann")) == []


def test_parallel_relations_are_one_chain_of_text(graph):
    retrieved = scores(
        graph,
        [
            ("Ann", "directed", "Dawn", 0.9), ("Ann", "wrote", "Dawn", 0.8), ("Dawn", "in_genre", "Drama", 0.7),
        ],
    )  # fmt: skip
    kept = RestrictedSnapshot(graph, np.array(list(retrieved)))
    reaches = merge_chains(graph, retrieved, ids(graph, "Ann"), max_length=2)
    chains = [build_chain(kept, reach) for reach in reaches]
    assert [format_chain(chain) for chain in chains] == [
        "Ann → [directed] → Dawn",
        "Ann → [wrote] → Dawn",
        "Ann → [directed] → Dawn → [in genre] → Drama",
    ]
    assert format_merged_chains(chains) == [
        "Ann → [directed ⊕ wrote] → Dawn",
        "Ann → [directed] → Dawn → [in genre] → Drama",
    ]
    assert all(hop.verified for chain in chains for hop in chain.hops)


def test_a_language_model_reads_the_retrieved_triples_and_nothing_else(graph):
    ann, ben = ids(graph, "Ann", "Ben")
    entities = [LinkedEntity(graph.get_node(e), "", -1, -1, 1.0, "given") for e in (ann, ben)]
    evidence = collect_evidence(
        graph, Question("what did Ann direct with Ben"), entities, (),
        [
            RelationPath(ann, path(graph, "directed"), 0.9),
            RelationPath(ben, path(graph, "acted_in"), 0.9),
        ],
        simple=True, settings=GatherSettings(), cancelled=lambda: False,
    )  # fmt: skip
    retrieved = scores(
        graph,
        [
            ("Ann", "directed", "Dawn", 0.9), ("Ann", "directed", "Dusk", 0.9), ("Ben", "acted_in", "Dawn", 0.8),
        ],
    )  # fmt: skip
    read = convert_to_chains(evidence, retrieved, EvidenceOptions())
    assert format_merged_chains(read.chains) == [
        "Ann → [directed] → Dawn",
        "Ben → [acted in] → Dawn",
        "Ann → [directed] → Dawn → [inverse of acted in] → Ben",
        "Ben → [acted in] → Dawn → [inverse of directed] → Ann",
    ]
    assert labels(graph, read.join.targets) == ["Dawn"]
    assert read.join.probability == pytest.approx(0.72)
    # Nothing was retrieved: the evidence stands as it was.
    assert convert_to_chains(evidence, {}, EvidenceOptions()) is evidence


CREDITS = [
    ("Ann", "directed", "Dawn"),
    ("Ann", "wrote", "Dawn"),
    ("Ann", "directed", "Dusk"),
    ("Dawn", "set_in", "Rome"),
    ("Dawn", "shot_in", "Rome"),
    ("Rome", "capital_of", "Italy"),
    ("Ben", "born_in", "Rome"),
]


@pytest.fixture
def credits_graph(tmp_path):
    return build(tmp_path / "credits", CREDITS)


def lines_read(graph, **options):
    """What a language model reads of all facts, asked from Ann."""
    (ann,) = ids(graph, "Ann")
    entities = (LinkedEntity(graph.get_node(ann), "", -1, -1, 1.0, "given"),)
    evidence = collect_evidence(
        graph, Question("where?"), entities, (), [RelationPath(ann, path(graph, "directed"), 0.9)],
        simple=True, settings=GatherSettings(), cancelled=lambda: False,
    )  # fmt: skip
    found = Retrieved(facts={fact: 0.9 - fact / 100 for fact in range(len(CREDITS))})
    settings = EvidenceOptions(**options)
    read = prepare_evidence(evidence, found, settings, settings.evidence, seed=0)
    return read, format_merged_chains(read.chains) if read.read is None else list(read.read)


def test_algorithm_1_keeps_the_direction_of_a_chain(credits_graph):
    _, turning = lines_read(credits_graph, evidence="chains")
    _, straight = lines_read(credits_graph, evidence="chains", turning_chains=False)
    into_rome = "Ann → [directed] → Dawn → [set in] → Rome → [inverse of born in] → Ben"
    assert into_rome in turning
    assert not any("inverse" in line for line in straight)
    assert "Ann → [directed] → Dawn → [set in] → Rome → [capital of] → Italy" in straight
    # Ben was born in Rome: no chain of one direction from Ann holds it, so it stands for itself.
    assert "Ben → [born in] → Rome" in straight


def test_parallel_triples_are_unified_before_chains_grow(credits_graph):
    read, lines = lines_read(credits_graph, evidence="chains", turning_chains=False, merge_parallel=True)
    assert sorted(lines) == [
        "Ann → [directed ⊕ wrote] → Dawn",
        "Ann → [directed ⊕ wrote] → Dawn → [set in ⊕ shot in] → Rome",
        "Ann → [directed ⊕ wrote] → Dawn → [set in ⊕ shot in] → Rome → [capital of] → Italy",
        "Ann → [directed] → Dusk",
        "Ben → [born in] → Rome",
    ]
    # Apart, Algorithm 1 enters Rome once, and what else leads there stands alone.
    _, apart = lines_read(credits_graph, evidence="chains", turning_chains=False)
    assert "Dawn → [shot in] → Rome" in apart
    # People see every fact that was read, each checked against the graph.
    assert all(hop.verified for chain in read.chains for hop in chain.hops)
    shown_facts = {(hop.source.label, hop.step.name, hop.target.label) for c in read.chains for hop in c.hops}
    assert shown_facts == set(CREDITS)


def test_parallel_triples_are_one_line_among_triples(credits_graph):
    _, apart = lines_read(credits_graph, evidence="triples")
    assert len(apart) == len(CREDITS)
    _, lines = lines_read(credits_graph, evidence="triples", merge_parallel=True)
    assert lines == [
        "Ann → [directed ⊕ wrote] → Dawn",
        "Ann → [directed] → Dusk",
        "Ben → [born in] → Rome",
        "Dawn → [set in ⊕ shot in] → Rome",
        "Rome → [capital of] → Italy",
    ]
