"""Settings are typed, and a slip of the pen is met with the name that was meant."""

import pytest

from retrieval import config
from retrieval.errors import ConfigError, MethodError
from retrieval.methods import registry
from retrieval.methods.rel_rag_path.spec import RelRagPathConfig


def test_defaults_and_plain_json():
    assert registry.parse("rel-rag-path") == RelRagPathConfig()
    found = registry.parse("rel-rag-path", {"hidden": 32, "learning_rate": 1, "entity_texts": "no"})
    assert (found.hidden, found.learning_rate, found.entity_texts) == (32, 1.0, "no")
    assert registry.parse("rel-rag-path", config.export_settings(found)) == found


def test_an_unknown_key_is_refused_with_the_nearest_known_one():
    with pytest.raises(ConfigError, match=r"'hiden'.*'hidden'"):
        registry.parse("rel-rag-path", {"hiden": 32})


def test_a_preset_is_a_start_that_single_settings_change():
    found = registry.parse("rel-rag-path", {"preset": "paper", "hidden": 8})
    switched = (found.history, found.words, found.texts, found.skip, found.norm)
    assert switched == (False,) * 5
    assert (found.hidden, found.stop, found.batch_size) == (8, "sum", 10)
    assert registry.parse("rel-rag-path", config.export_settings(found)) == found
    with pytest.raises(ConfigError, match=r"'papers'.*paper"):
        registry.parse("rel-rag-path", {"preset": "papers"})


def test_every_preset_is_of_a_trained_method_and_can_be_parsed():
    presets = [(method, name) for method, spec in registry.METHODS.items() for name in spec.presets]
    assert {method for method, _ in presets} == registry.TRAINED
    for method, name in presets:
        assert registry.parse(method, {"preset": name}) != registry.parse(method)


def test_every_method_of_a_paper_can_be_asked_as_the_paper_does():
    asked = {method for method, spec in registry.METHODS.items() if "paper" in spec.asking}
    assert asked == registry.TRAINED | {"inses", "text-rag"}
    for method in asked - {"router", "text-rag"}:
        found = registry.parse_options(method, {"preset": "paper", "characters_read": 9})
        assert isinstance(found, config.EvidenceOptions)
        assert (found.evidence != "auto", found.characters_read) == (True, 9)
    assert registry.parse_options("reg-triple", {"preset": "paper"}).chain_length == 2
    router = registry.parse_options("router", {"preset": "paper"})
    assert (router.decider, router.text, router.graph) == ("llm", "preset=paper", "preset=paper")
    with pytest.raises(ConfigError, match="llm-only has no preset 'paper'"):
        registry.parse_options("llm-only", {"preset": "paper"})


@pytest.mark.parametrize(
    ("key", "value"),
    [("hidden", "32"), ("hidden", True), ("hidden", 0), ("dropout", 1.0), ("skip", 1),
     ("entity_texts", "maybe"), ("learning_rate", -1.0)],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_name(key, value):
    with pytest.raises(ConfigError, match=key):
        registry.parse("rel-rag-path", {key: value})


def test_a_layer_is_one_of_those_listed_and_of_those_that_the_installation_names(monkeypatch):
    (listed,) = (setting for setting in registry.describe("rel-rag-path") if setting.name == "conv")
    assert (listed.type, listed.default, listed.choices[:2]) == ("choice", "line-gcn", ("line-gcn", "entity-gcn"))
    with pytest.raises(ConfigError, match=r"conv is 'my_layers:Gate'"):
        registry.parse("rel-rag-path", {"conv": "my_layers:Gate"})
    monkeypatch.setenv("CLEW_LAYERS", "my_layers:Gate, other.layers:Conv")
    assert registry.parse("reg-entity", {"conv": "my_layers:Gate"}).conv == "my_layers:Gate"
    (listed,) = (setting for setting in registry.describe("rel-rag-path") if setting.name == "conv")
    assert listed.choices[-2:] == ("my_layers:Gate", "other.layers:Conv")


def test_an_untrainable_method_is_refused():
    with pytest.raises(MethodError, match="inses"):
        registry.parse("inses")


@pytest.mark.parametrize("method", registry.METHODS)
def test_every_part_that_a_method_names_is_there(method):
    spec = registry.get_method(method)
    named = {part for part in ("answerer", "retriever", "task", "train") if getattr(spec, part)}
    trains = {"train"} if method == "router" else {"retriever", "task"}  # the router finds nothing itself
    assert named == {"answerer"} | (trains if spec.trained else set())
    assert all(callable(spec.load_part(part)) for part in named)
    assert method.replace("-", "_") in registry.FOLDERS


def test_settings_are_described_for_people():
    found = {setting.name: setting for setting in registry.describe("rel-rag-path")}
    assert found["dropout"].type == "float"
    assert (found["dropout"].default, found["dropout"].least, found["dropout"].below) == (0.2, 0, 1)
    assert (found["entity_texts"].type, found["entity_texts"].choices) == ("choice", ("auto", "yes", "no"))
    assert all(setting.about.endswith(".") for setting in found.values())
