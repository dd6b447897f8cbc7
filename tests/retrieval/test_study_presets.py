"""Every preset is a plan that can be read, with settings that its methods have."""

from pathlib import Path

import pytest

from retrieval.methods import registry
from retrieval.studies.plan import list_cells, parse
from retrieval.studies.presets import PRESETS
from retrieval.supervision import rationalizers

DATA = {"a": {"graph": "-", "questions": "-"}, "b": {"graph": "-", "questions": "-"}}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda one: one.id)
def test_a_preset_can_be_run(preset):
    plan = parse({**preset.plan, "data": DATA, "test": ["a", "b"] if preset.cross else []}, Path())
    assert len(list_cells(plan)) >= 2
    for variant in plan.variants.values():
        if variant.trained and variant.method in registry.TRAINED:
            registry.parse(variant.method, dict(variant.config))
        registry.parse_options(variant.method, dict(variant.options))
        if variant.strategy not in (None, "llm"):
            rationalizers.get(variant.strategy, rationalizers.LLMWork(None, Path(), "reg"))
    asks = plan.reasoner == "llm" or any(one.strategy == "llm" for one in plan.variants.values())
    assert asks == ("llm" in preset.needs)


def test_presets_are_told_apart_by_their_names():
    assert len({one.id for one in PRESETS}) == len(PRESETS)
    assert {one.paper for one in PRESETS} == {"", "ReG", "RAPL", "REL-RAG", "INSES", "Graph-S3"}
