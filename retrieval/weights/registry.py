"""The builders of all weights that come with Clew, in the order in which one reads what another has built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from retrieval.errors import ConfigError
from retrieval.weights.answer_confidence import AnswerConfidenceBuilder
from retrieval.weights.builder import WeightBuilder
from retrieval.weights.cross_encoder import CrossEncoderBuilder
from retrieval.weights.demo_checkpoint import DemoCheckpointBuilder
from retrieval.weights.outcome_choice import OutcomeChoiceBuilder
from retrieval.weights.path_scorers import LackingBuilder, PathRankerBuilder
from retrieval.weights.program_judge import ProgramJudgeBuilder
from retrieval.weights.program_ranker import ProgramRankerBuilder
from retrieval.weights.span_reader import SpanReaderBuilder

BUILDERS: dict[str, WeightBuilder[Any, Any]] = {
    builder.name: builder
    for builder in (
        ProgramRankerBuilder(),
        ProgramJudgeBuilder(),
        PathRankerBuilder(),
        LackingBuilder(),
        CrossEncoderBuilder(),
        OutcomeChoiceBuilder(),
        SpanReaderBuilder(),
        AnswerConfidenceBuilder(),
        DemoCheckpointBuilder(),
    )
}


def get_builders(names: Sequence[str] = ()) -> list[WeightBuilder[Any, Any]]:
    """The builders of these names, in the order of the registry; all where none is named.

    Raises:
        ConfigError: a name is unknown.
    """
    unknown = set(names) - set(BUILDERS)
    if unknown:
        raise ConfigError(
            f"There are no weights {', '.join(sorted(unknown))}.", hint=f"There are: {', '.join(BUILDERS)}."
        )
    return [builder for name, builder in BUILDERS.items() if not names or name in names]
