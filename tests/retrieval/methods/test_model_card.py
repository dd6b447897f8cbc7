"""Model cards, read as Hugging Face reads them."""

from dataclasses import replace

from huggingface_hub import ModelCard

from retrieval.methods.checkpoint_origin import Measurement, Origin
from retrieval.methods.model_card import render_card
from retrieval.training.manifest import CheckpointManifest

MANIFEST = CheckpointManifest(
    method="rel-rag-path", fingerprint="f00d", code_version="1.0+ab", seed=3, parent=None, snapshot="cafe",
    encoder="words", text_features=8, entity_texts=False, simple=True, created="2026-01-02T03:04:05+00:00",
    labels={"given": 1990, "analyst": 2}, metrics={"hit": 0.75, "epochs": 14.0},
)  # fmt: skip


def test_a_card_has_the_data_the_figures_and_the_settings():
    origin = Origin("Lakes | of Vo", "Asked", (Measurement("Others: new", "test", {"hit": 0.5, "ece": 0.125}, 1200),))
    card = ModelCard(render_card(MANIFEST, {"epochs": 15, "conv": "line-gcn"}, origin))
    assert (card.data.library_name, card.data.tags) == ("clew", ["knowledge-graph", "rel-rag-path"])
    assert [
        (result.dataset_name, result.dataset_split, result.metric_type, result.metric_value)
        for result in card.data.eval_results
    ] == [("Asked", "dev", "hit", 0.75), ("Others: new", "test", "hit", 0.5)]
    for line in (
        "# Relation paths for Lakes | of Vo",
        "- graph: Lakes | of Vo (content hash `cafe`)",
        "- labels: 1,990 given, 2 analyst",
        "| questions | split | n | hit | epochs | ece |",
        "| Asked | dev |  | 0.75 | 14 |  |",
        "| Others: new | test | 1,200 | 0.5 |  | 0.125 |",
        "| conv | `line-gcn` |",
    ):
        assert line in card.text.splitlines()


def test_a_card_of_a_checkpoint_without_figures_is_read_too():
    card = ModelCard(render_card(replace(MANIFEST, metrics={}), {"epochs": 1}))
    assert card.data.pipeline_tag == "question-answering"
