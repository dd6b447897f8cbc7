"""What the papers' tables vary can be set for training or asking: the names that commands, API and forms share."""

import json

import pytest

from retrieval.methods import registry
from retrieval.methods.spec import MethodSpec

NETWORK = {
    "layers": 1, "look_ahead": False, "conv": "entity-gcn", "arcs": "directed", "self_weight": True,
    "readout": "states", "norm": False, "skip": False, "words": False, "texts": False,
    "entity_texts": "no", "neighbours": 4,
}  # fmt: skip
WALKED = {**NETWORK, "stop": "sum", "history": False, "composed": 0.0}
SCORED = {"words": False, "texts": False, "entity_texts": "no", "fan_out": 1, "max_candidates": 100}
EPOCHS = {"draws_per_epoch": 0, "questions_per_epoch": 0}
TRAINED = {
    "rapl": WALKED,
    "rel-rag-path": WALKED,
    "rel-rag-triple": {**NETWORK, **SCORED, "places": False, "states": "own", "negatives": 1},
    "reg-triple": {**SCORED, **EPOCHS, "rounds": 2, "turning_distances": False},
    "reg-entity": {
        **SCORED,
        "conv": "GATv2Conv",
        "turning_distances": False,
        "rounds": 2,
        "layers": 2,
        "walks": False,
        "places": False,
        "norm": False,
    },
    "reg-path": {"backend": "llm", "words": False, "pooling": "all"},
    "graph-s3": {
        "imitation": False,
        "rl_epochs": 0,
        "refinement": "none",
        "reward": "outcome",
        "backend": "llm",
    },
}
READ = {"chain_length": 0, "chains_read": 0, "characters_read": 0, "joins": False}
WEIGHED = {**READ, "text_fit": False}
ASKED = {
    "rapl": {**WEIGHED, "by_words": False, "decompose": False, "inference": "ranked", "draws": "K800-M1200"},
    "rel-rag-path": {**WEIGHED, "by_words": False, "decompose": False, "inference": "sampled"},
    "rel-rag-triple": {**WEIGHED, "top_k": 50},
    "reg-triple": {**WEIGHED, "top_k": 200},
    "reg-entity": {**WEIGHED, "top_k": 700},
    "reg-path": {**READ, "text_fit": True, "by_words": False, "decompose": False, "beam": 5},
    "graph-s3": {**WEIGHED, "interactive": False, "hops": 1, "policy": "llm", "steps": 3},
    "inses": {**READ, "similarity": False, "threshold": 0.5, "stands": 0, "prefilter": 0, "iterations": 2},
    "router": {"decider": "llm", "confidence": 0.9, "text": "ranking=dense", "graph": "beam=5"},
    "text-rag": {"ranking": "dense", "passages": 2},
}
FORMS = ("auto", "chains", "paths", "triples", "shuffled-triples")


def shown(spec: MethodSpec) -> dict[str, set[str]]:
    return {
        "train": {setting.name for setting in registry.describe(spec.name)} if spec.trained else set(),
        "ask": {setting.name for setting in registry.describe_options(spec.name)},
    }


@pytest.mark.parametrize("method", sorted(TRAINED))
def test_what_is_varied_in_training_is_a_setting_with_another_default(method):
    names = shown(registry.get_method(method))["train"]
    plain = registry.parse(method)
    for name, value in json.loads(json.dumps(TRAINED[method])).items():
        assert name in names
        assert getattr(registry.parse(method, {name: value}), name) == value != getattr(plain, name)


@pytest.mark.parametrize("method", sorted(ASKED))
def test_what_is_varied_in_asking_is_an_option_with_another_default(method):
    names = shown(registry.get_method(method))["ask"]
    plain = registry.parse_options(method)
    for name, value in ASKED[method].items():
        assert name in names
        given = getattr(registry.parse_options(method, {name: value}), name)
        assert given == value
        assert given != getattr(plain, name) or (method, name) in {
            ("rapl", "inference"), ("reg-entity", "top_k"), ("graph-s3", "chain_length"), ("rel-rag-path", "inference"),
        }  # fmt: skip


@pytest.mark.parametrize("method", sorted(set(ASKED) - {"router", "text-rag"}))
@pytest.mark.parametrize("form", FORMS)
def test_every_method_has_the_forms_of_evidence(method, form):
    assert registry.parse_options(method, {"evidence": form}).evidence == form


@pytest.mark.parametrize(
    "method",
    [
        *(
            "rapl",
            "rel-rag-path",
            "rel-rag-triple",
            "reg-triple",
            "reg-entity",
            "reg-path",
            "graph-s3",
            "inses",
        ),
        *("router", "text-rag"),
    ],
)
def test_every_method_of_a_paper_can_be_asked_in_its_form(method):
    spec = registry.get_method(method)
    assert "paper" in spec.asking
    assert registry.parse_options(method, {"preset": "paper"}) != registry.parse_options(method)
    asked = registry.parse_options(method, {"preset": "paper"})
    assert not any(getattr(asked, name, False) for name in ("joins", "text_fit", "by_words", "decompose"))
    if spec.trained:
        assert registry.parse(method, {"preset": "paper"}) != registry.parse(method)
