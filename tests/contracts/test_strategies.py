"""What the web application says of the engine's parts is true."""

from retrieval.answering.spec import REASONERS as ENGINE_REASONERS
from retrieval.supervision.prompting import PROMPTS as ENGINE_PROMPTS
from retrieval.supervision.rationalizers import MAX_HOPS as ENGINE_MAX_HOPS
from retrieval.supervision.rationalizers import RATIONALIZERS
from webapp.experiments.label_sets import MAX_HOPS, PROMPTS, STRATEGIES
from webapp.experiments.methods import REASONERS


def test_every_strategy_that_the_engine_has_is_offered():
    assert set(RATIONALIZERS) == set(STRATEGIES)
    assert PROMPTS == ENGINE_PROMPTS
    assert MAX_HOPS == ENGINE_MAX_HOPS


def test_every_reasoner_is_offered():
    assert set(REASONERS) == set(ENGINE_REASONERS)
