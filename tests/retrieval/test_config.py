"""Settings are typed, and a slip of the pen is met with the name that was meant."""

import pytest

from retrieval import config
from retrieval.config import RelRagPathConfig
from retrieval.errors import ConfigError, MethodError


def test_defaults_and_plain_json():
    assert config.parse("rel-rag-path") == RelRagPathConfig()
    found = config.parse("rel-rag-path", {"hidden": 32, "learning_rate": 1, "entity_texts": "no"})
    assert (found.hidden, found.learning_rate, found.entity_texts) == (32, 1.0, "no")
    assert config.parse("rel-rag-path", config.as_json(found)) == found


def test_an_unknown_key_is_refused_with_the_nearest_known_one():
    with pytest.raises(ConfigError, match=r"'hiden'.*'hidden'"):
        config.parse("rel-rag-path", {"hiden": 32})


@pytest.mark.parametrize(
    ("key", "value"),
    [("hidden", "32"), ("hidden", True), ("hidden", 0), ("dropout", 1.0), ("skip", 1),
     ("entity_texts", "maybe"), ("learning_rate", -1.0)],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_name(key, value):
    with pytest.raises(ConfigError, match=key):
        config.parse("rel-rag-path", {key: value})


def test_an_untrainable_method_is_refused():
    with pytest.raises(MethodError, match="inses"):
        config.parse("inses")
