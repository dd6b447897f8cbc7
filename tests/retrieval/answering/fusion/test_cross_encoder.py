"""Outcomes in words, and the transformer that reads them beside the question."""

import numpy as np
import pytest
import torch

from retrieval.answering.fusion.cross_encoder import CrossEncoder, get_cross_encoder
from retrieval.answering.fusion.features import SCORED, QuestionContext, select_scored
from retrieval.answering.fusion.outcomes import CandidateOutcome
from retrieval.answering.fusion.verbalization import OutcomeDescriber
from retrieval.evidence.reach import Reach
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking.encoder import load
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.grounding.schema import Schema
from retrieval.weights.cross_encoder_training import TrainableCrossEncoder

FACTS = [
    ("Chad", "type", "country"), ("Niger", "type", "country"), ("Mali", "type", "country"),
    ("Chad", "capital", "N'Djamena"), ("Niger", "capital", "Niamey"), ("Mali", "capital", "Bamako"),
    ("Chad", "borders", "Niger"), ("Mali", "borders", "Niger"),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return build_snapshot(TripleTable.from_facts([list(row) for row in FACTS]), tmp_path_factory.mktemp("g") / "graph")


def describe(snapshot, topic, path, *targets):
    nodes = np.array(sorted(snapshot.find_entity(name) for name in targets), np.int64)
    columns = Columns(snapshot)
    reaches = [Reach(snapshot.find_entity(topic), path, 0.5, (nodes,))] if path else []
    outcome = CandidateOutcome(nodes, reaches=reaches)
    return OutcomeDescriber(Schema(snapshot, columns), columns).describe(QuestionContext(Question("?"), None), outcome)


def test_a_path_is_put_into_words_with_what_it_gives(snapshot):
    capital, borders = snapshot.find_relation("capital"), snapshot.find_relation("borders")
    inverse = borders + snapshot.num_relations
    assert describe(snapshot, "Chad", (capital,), "N'Djamena") == "the capital of Chad | 1: N'Djamena"
    assert describe(snapshot, "Niger", (inverse,), "Chad", "Mali").endswith("| 2: Chad, Mali")
    assert describe(snapshot, "Niger", (inverse, capital), "N'Djamena", "Bamako").endswith("| 2: Bamako, N'Djamena")
    assert describe(snapshot, "Chad", (), "Mali") == "what these lead to together | 1: Mali"


def test_the_likeliest_outcomes_are_read():
    outcomes = [CandidateOutcome(float(n), reaches=[Reach(0, (1,), n / 20, ())]) for n in range(20)]
    assert select_scored(QuestionContext(Question("?"), None), outcomes) == list(range(19, 19 - SCORED, -1))


def test_the_weights_that_come_with_clew_read_question_and_outcome_together():
    model = get_cross_encoder()
    right, wrong = "the capital of Peru | 1: Lima", "the currency of Peru | 1: sol"
    assert model.score(Question("?"), []).shape == (0,)
    asked = model.score(Question("What is the capital of Peru?"), [right, wrong])
    other = model.score(Question("Which currency does Peru use?"), [right, wrong])
    assert asked[0] > 0 > asked[1]
    assert other[1] > 0 > other[0]


def test_what_training_changed_is_kept_in_8_bits(tmp_path):
    encoder = load()
    model = TrainableCrossEncoder(encoder)
    torch.manual_seed(0)
    with torch.no_grad():
        for part in model.model.parameters():
            if part.requires_grad:
                part.add_(0.01 * torch.randn_like(part))
    model.save(tmp_path / "weights.safetensors")
    pairs = [("who wrote Emma", "the author of Emma | 1: Jane Austen"), ("who wrote Emma", "plays | none")]
    with torch.no_grad():
        expected = model(pairs).numpy()
    scores = CrossEncoder(encoder, tmp_path / "weights.safetensors").score(
        Question("who wrote Emma"), [text for _, text in pairs]
    )
    assert scores == pytest.approx(expected, abs=0.1)
    assert (tmp_path / "weights.safetensors").stat().st_size < 8_000_000
