"""What the web application says of the engine's parts is true."""

from retrieval.engines.spec import REASONERS as ENGINE_REASONERS
from retrieval.supervision.prompting import PROMPTS as ENGINE_PROMPTS
from retrieval.supervision.rationalizers import RATIONALIZERS
from retrieval.types import Method
from webapp.experiments.labelling import PROMPTS, STRATEGIES
from webapp.experiments.methods import METHODS, REASONERS


def test_every_strategy_that_the_engine_has_is_offered():
    assert set(RATIONALIZERS) == set(STRATEGIES)
    assert PROMPTS == ENGINE_PROMPTS


def test_every_method_and_reasoner_is_described():
    assert set(METHODS) == set(Method)
    assert set(REASONERS) == set(ENGINE_REASONERS)
