"""What every retriever of the registry must do, trained or zero-shot."""

from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from retrieval.errors import Cancelled, CheckpointError, ConfigError, MethodError
from retrieval.kg.build import build_snapshot
from retrieval.kg.search.walks import get_arc_ends
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.methods.registry import RETRIEVERS
from retrieval.methods.retriever_loading import open_retriever
from retrieval.validation import predict
from tests.retrieval.films import WordEncoder, questions, walk

QUESTION, TOPIC = "which languages are films by the director of Film 01 in", "Film 01"


@pytest.fixture(params=[(m, t) for m in sorted(RETRIEVERS) for t in (True, False)], ids=str)
def retriever(request, trained):
    method, with_checkpoint = request.param
    return open_retriever(
        method,
        trained.checkpoint(method) if with_checkpoint else None,
        trained.graph,
        trained.encoder,
        cache=trained.cache,
    )


@pytest.fixture
def topic(trained):
    return trained.graph.find_entity(TOPIC)


def test_paths_are_distinct_connected_and_within_the_budget(retriever, trained, topic):
    for budget in (1, 5, 30):
        found = list(retriever.retrieve(Question(QUESTION), [topic], budget=budget))
        assert len({path.arcs for path in found}) == len(found)
        assert len({arc % trained.graph.num_triples for path in found for arc in path.arcs}) <= budget
        for path in found:
            sources, _, targets = get_arc_ends(trained.graph, np.array(path.arcs))
            assert sources[0] == path.topic == topic
            assert sources[1:].tolist() == targets[:-1].tolist()
            assert 0 < path.score <= 1
            if retriever.simple:
                assert topic not in targets


def test_the_most_probable_relation_path_comes_first(retriever, trained, topic):
    first = next(iter(retriever.retrieve(Question(QUESTION), [topic], budget=20)))
    best = retriever.rank_relation_paths(Question(QUESTION), [topic])[0]
    _, relations, _ = get_arc_ends(trained.graph, np.array(first.arcs))
    assert tuple(relations.tolist()) == best.relations
    assert first.score <= best.score


def test_relation_paths_are_probabilities_ranked_per_topic(retriever, trained, topic):
    topics = [topic, trained.graph.find_entity("Kurosawa")]
    found = retriever.rank_relation_paths(Question("which films does Film 01 share with Kurosawa"), topics, limit=3)
    assert [one for one, _ in groupby(path.topic for path in found)] == topics
    for one in topics:
        mine = [path.score for path in found if path.topic == one]
        assert len(mine) <= 3
        assert mine == sorted(mine, reverse=True)
        assert 0 < sum(mine) <= 1 + 1e-6


def test_the_same_seed_gives_the_same_stream(retriever, topic):
    first = list(retriever.retrieve(Question(QUESTION), [topic], budget=12, seed=3))
    assert list(retriever.retrieve(Question(QUESTION), [topic], budget=12, seed=3)) == first


def test_a_topic_without_triples_and_no_topic_give_nothing(retriever, trained, tmp_path):
    assert list(retriever.retrieve(Question(QUESTION), [])) == []
    assert retriever.rank_relation_paths(Question(QUESTION), []) == []


def test_stop_is_heard(retriever, topic):
    with pytest.raises(Cancelled):
        list(retriever.retrieve(Question("a question not asked before"), [topic], cancelled=lambda: True))


def named_paths(retriever, graph, topic):
    total = graph.num_relations
    if getattr(retriever.options, "inference", "ranked") != "ranked":  # probabilities, not shares of draws
        retriever = retriever.apply_options(replace(retriever.options, inference="ranked"))
    return {
        tuple((graph.get_relation_name(r % total), r >= total) for r in path.relations): path.score
        for path in retriever.rank_relation_paths(Question(QUESTION), [topic], limit=99)
    }


def test_on_a_restriction_it_answers_as_on_a_graph_built_from_those_facts(retriever, trained, topic, tmp_path):
    """A question's own subgraph: nothing of the whole graph shows through but ids and labels."""
    whole = trained.graph
    chosen = [i for i in range(whole.num_triples) if i % 5]
    restricted = RestrictedSnapshot(whole, chosen)
    built = build_snapshot(
        TripleTable.from_facts(
            [
                (whole.get_entity_label(int(whole.heads[i])), whole.get_relation_name(int(whole.relations[i])),
                 whole.get_entity_label(int(whole.tails[i])))
                for i in chosen
            ]
        ),
        tmp_path / "built",
    )  # fmt: skip
    checkpoint = trained.checkpoint(retriever.method) if retriever.checkpoint else None
    own = open_retriever(retriever.method, checkpoint, built, trained.encoder, cache=tmp_path)
    small = retriever.apply_restriction(restricted)
    mine = named_paths(small, restricted, topic)
    theirs = named_paths(own, built, built.find_entity(TOPIC))
    # Rounded states (fp16) of differently ordered sums may differ in the last place.
    assert mine == pytest.approx(theirs, rel=2e-2)
    walked = {a % whole.num_triples for p in retriever.retrieve(Question(QUESTION), [topic], budget=30) for a in p.arcs}
    assert walked - set(chosen), "the whole graph's paths use facts that the restriction lacks"
    for path in small.retrieve(Question(QUESTION), [topic], budget=30):
        sources, _, _ = get_arc_ends(restricted, np.array(path.arcs))
        assert sources[0] == topic
    assert small.checkpoint == retriever.checkpoint


def test_an_unknown_inference_setting_is_refused(trained, tmp_path):
    for checkpoint in (None, trained.checkpoint()):
        with pytest.raises(ConfigError, match="no inference setting 'beems'"):
            open_retriever(
                "rel-rag-path", checkpoint, trained.graph, trained.encoder, cache=tmp_path,
                options={"beems": 3},
            )  # fmt: skip


def test_every_method_says_what_it_is(retriever, trained):
    assert retriever.method in RETRIEVERS
    assert retriever.checkpoint is None or len(retriever.checkpoint) == 64


def test_an_unknown_method_is_refused(trained):
    with pytest.raises(MethodError, match="gnn-rag"):
        open_retriever("gnn-rag", None, trained.graph, trained.encoder, cache=trained.cache)


def test_the_trained_retriever_answers_unseen_questions_with_exact_sets(trained):
    retriever = open_retriever(
        "rel-rag-path", trained.checkpoint(), trained.graph, trained.encoder, cache=trained.cache
    )
    graph = trained.graph
    for question in questions():
        if question.split == "test":
            topic = graph.find_entity(question.topic_entities[0])
            found = predict(retriever, graph, Question(question.question), [topic])
            assert {graph.get_entity_label(e) for e in found} == set(question.answers), question.question


def test_a_checkpoint_answers_another_graph(trained, tmp_path):
    facts = [
        ("Alpha", "directed_by", "Ozu"),
        ("Beta", "directed_by", "Ozu"),
        ("Beta", "in_language", "Ainu"),
        ("Alpha", "in_language", "Japanese"),
        ("Gamma", "directed_by", "Tati"),
        ("Alpha", "has_genre", "Drama"),
        ("Beta", "starred_actors", "Ryu"),
    ]
    other = build_snapshot(TripleTable.from_facts(facts), tmp_path / "other")
    retriever = open_retriever("rel-rag-path", trained.checkpoint(), other, trained.encoder, cache=tmp_path)
    found = predict(retriever, other, Question("who directed Alpha"), [other.find_entity("Alpha")])
    assert [other.get_entity_label(e) for e in found] == ["Ozu"]


def test_an_encoder_or_method_that_does_not_fit_is_named(trained, tmp_path):
    with pytest.raises(CheckpointError, match=r"words.*letters"):
        open_retriever("rel-rag-path", trained.checkpoint(), trained.graph, WordEncoder("letters"), cache=tmp_path)
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        open_retriever("rel-rag-path", tmp_path, trained.graph, trained.encoder, cache=tmp_path)


def test_a_damaged_checkpoint_is_refused(trained, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in trained.checkpoint().iterdir():
        (broken / file.name).write_bytes(file.read_bytes()[:200] if file.suffix == ".pt" else file.read_bytes())
    with pytest.raises(CheckpointError, match="damaged"):
        open_retriever("rel-rag-path", broken, trained.graph, trained.encoder, cache=tmp_path)


def test_the_world_is_what_the_questions_say():
    assert walk("Film 01", ("directed_by", "-directed_by", "in_language")) == {"Japanese", "English"}
