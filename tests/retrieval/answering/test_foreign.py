"""A checkpoint of another graph: used where the graph has what it learned, and else no worse than none."""

from __future__ import annotations

import pytest

from retrieval.answering.agent import open_answerer as open_agent
from retrieval.answering.parts import GraphParts, Opening
from retrieval.answering.paths import PathAnswerer, open_answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.errors import CheckpointError, ConfigError
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.methods import registry, retriever_loading
from retrieval.methods.graph_s3.agent.small_policy import make_model
from retrieval.methods.paths.model import PathModel
from retrieval.methods.rel_rag_path.retriever import RelRagPathRetriever
from retrieval.methods.retriever_loading import FOREIGN
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.supervision.distribution_shift import TrainingCoverage
from retrieval.training import checkpoint as checkpoints
from retrieval.training.manifest import read_manifest
from tests.retrieval.films import WordEncoder
from tests.retrieval.world import LabelLinker

METHOD = "rel-rag-path"
PLAYERS = [
    ("Ann Lee", "plays position", "Midfielder"),
    ("Ann Lee", "plays for country", "Portugal"),
    ("Bob Ray", "plays position", "Midfielder"),
    ("Bob Ray", "plays for country", "Spain"),
    ("Cid Fox", "plays position", "Keeper"),
    ("Cid Fox", "plays for country", "Portugal"),
]
FILMS = [("Jaws", "directed by", "Spielberg"), ("Jaws", "in genre", "Horror")]
QUESTION = "who plays position Midfielder for country Portugal"


def build(path, facts):
    return build_snapshot(TripleTable.from_facts(facts), path)


@pytest.fixture
def players(tmp_path):
    return build(tmp_path / "players", PLAYERS)


@pytest.fixture
def checkpoint(tmp_path):
    """``checkpoint(graph, paths)`` is an untrained one that says it learned these relation paths on the graph."""

    def make(graph, paths):
        config = registry.parse(METHOD, {"hidden": 8, "entity_texts": "no"})
        encoder = WordEncoder()
        weights = PathModel(config, encoder.dim).state_dict()
        described = checkpoints.describe(
            weights,
            config,
            method=METHOD,
            snapshot=graph.hash,
            encoder=encoder.name,
            text_features=encoder.dim,
            entity_texts=False,
            simple=False,
            labels={},
        )
        seen = TrainingCoverage(frozenset(), frozenset(tuple((name, False) for name in path) for path in paths))
        out = tmp_path / f"checkpoint{len(paths)}"
        checkpoints.save(out, described, also=seen.save)
        return out

    return make


def opened(graph, checkpoint, tmp_path, **options):
    return retriever_loading.open_retriever(
        METHOD, checkpoint, graph, WordEncoder(), cache=tmp_path / "cache", options=options
    )


def test_one_of_other_relations_ranks_as_none_does(players, checkpoint, tmp_path):
    films = build(tmp_path / "films", FILMS)
    foreign = checkpoint(films, [("directed by",), ("directed by", "in genre")])
    topics = [players.find_entity(name) for name in ("Midfielder", "Portugal")]
    without = opened(players, None, tmp_path)
    with_it = opened(players, foreign, tmp_path)
    assert with_it.rank_relation_paths(Question(QUESTION), topics) == without.rank_relation_paths(
        Question(QUESTION), topics
    )
    assert with_it.simple is True
    assert with_it.checkpoint == read_manifest(foreign).fingerprint
    with pytest.raises(ConfigError):
        opened(players, foreign, tmp_path, inference="sampled")
    (foreign / "weights.pt").write_bytes(b"broken")
    with pytest.raises(CheckpointError):
        opened(players, foreign, tmp_path)


@pytest.mark.parametrize(
    ("learned", "foreign"),
    [
        ([("plays position",), ("directed by",)], False),
        ([("plays position",), ("directed by",), ("in genre",)], True),
        ([], False),
    ],
)
def test_half_of_what_it_learned_to_follow_must_be_there(players, checkpoint, tmp_path, learned, foreign):
    made = checkpoint(build(tmp_path / "films", FILMS), learned)
    assert retriever_loading.is_foreign(made, players) is foreign
    assert retriever_loading.is_foreign(checkpoint(players, [("directed by",)]), players) is False, "its own graph"


def test_a_run_says_so_and_what_the_question_names_is_no_answer(players, checkpoint, tmp_path):
    foreign = checkpoint(build(tmp_path / "films", FILMS), [("directed by",)])
    parts = GraphParts(players, WordEncoder())
    answerer = open_answerer(Opening(AnswererSpec(players.path, foreign), parts, ExtractiveReasoner()))
    assert isinstance(answerer, PathAnswerer)
    answerer.linker = LabelLinker(players)
    final = list(answerer.run(AskRequest(Question(QUESTION))))[-1]
    assert [answer.label for answer in final.answers] == ["Ann Lee"]
    assert final.warnings == (FOREIGN,)


def test_an_agent_of_another_graph_explores_as_an_untrained_one_does(players, tmp_path):
    films, encoder = build(tmp_path / "films", FILMS), WordEncoder()
    config = registry.parse("graph-s3", {"hidden": 8})
    described = checkpoints.describe(
        make_model(encoder.dim, config.hidden, config.dropout, words=config.words).state_dict(),
        config,
        method="graph-s3",
        snapshot=films.hash,
        encoder=encoder.name,
        text_features=encoder.dim,
        entity_texts=False,
        simple=False,
        labels={},
    )
    made = tmp_path / "agent"
    checkpoints.save(made, described, also=TrainingCoverage(frozenset(), frozenset([(("directed by", False),)])).save)
    for graph, small, warnings in ((players, False, (FOREIGN,)), (films, True, ())):
        spec = AnswererSpec(graph.path, made, "graph-s3")
        answerer = open_agent(Opening(spec, GraphParts(graph, encoder), ExtractiveReasoner()))
        assert (answerer.deciders.trained is not None, answerer.checkpoint) == (
            small,
            described.manifest.fingerprint,
        )
        answerer.linker = LabelLinker(graph)
        assert list(answerer.run(AskRequest(Question("what about Ann Lee or Jaws?"))))[-1].warnings == warnings


def test_asked_for_itself_it_answers_wherever_it_is_asked(players, checkpoint, tmp_path):
    foreign = checkpoint(build(tmp_path / "films", FILMS), [("directed by",)])
    parts = GraphParts(players, WordEncoder())
    spec = AnswererSpec(players.path, foreign, asks_foreign=True)
    answerer = open_answerer(Opening(spec, parts, ExtractiveReasoner()))
    assert isinstance(answerer, PathAnswerer)
    answerer.linker = LabelLinker(players)
    assert isinstance(answerer.retriever, RelRagPathRetriever)
    final = list(answerer.run(AskRequest(Question(QUESTION))))[-1]
    assert final.warnings == ()


@pytest.mark.parametrize(("options", "weighed"), [((), True), ((("text_fit", False),), False)])
def test_the_second_opinion_of_the_texts_can_be_switched_off(players, checkpoint, tmp_path, options, weighed):
    trained = checkpoint(players, [("plays position",)])
    parts = GraphParts(players, WordEncoder())
    answerer = open_answerer(Opening(AnswererSpec(players.path, trained, options=options), parts, ExtractiveReasoner()))
    assert isinstance(answerer, PathAnswerer)
    assert (answerer.text_fit is not None) is weighed
    # Without a checkpoint the texts are all that ranks.
    with pytest.raises(ConfigError, match="zero-shot retriever has no inference setting 'text_fit'"):
        opened(players, None, tmp_path, text_fit=False)


@pytest.mark.parametrize(("joins", "answers"), [(True, ["Ann Lee"]), (False, ["Ann Lee", "Bob Ray"])])
def test_joins_can_be_switched_off(players, joins, answers):
    parts = GraphParts(players, WordEncoder())
    spec = AnswererSpec(players.path, options=(("joins", joins),))
    answerer = open_answerer(Opening(spec, parts, ExtractiveReasoner()))
    assert isinstance(answerer, PathAnswerer)
    answerer.linker, answerer.programs = LabelLinker(players), None
    final = list(answerer.run(AskRequest(Question(QUESTION))))[-1]
    assert [answer.label for answer in final.answers] == answers
