"""How an entity is named in a question: with its article, without its bracket, now and then by an alias."""

from __future__ import annotations

import random
from pathlib import Path

from retrieval.demo.world import DemoWorld
from retrieval.lexicon import get_words

ALIAS_SHARE = 0.12
"""How often an entity that has aliases is called by one of them."""

_WITH_ARTICLE = frozenset(Path(__file__).with_name("names_with_article.txt").read_text(encoding="utf-8").splitlines())
"""Names of the demo graph that English puts "the" before, where no word of them tells."""
_ARTICLE_NOUNS = get_words("nouns_of_names_with_article")
_ARTICLE_STARTS = ("University of ", "National Museum", "National University of ")
_UNCOUNTED_INVENTIONS = ("Dynamite", "Wireless telegraphy")


def format_name(world: DemoWorld, entity: str, rng: random.Random | None = None) -> str:
    """The words for ``entity`` inside a question. Without ``rng`` it goes by its own name."""
    aliases = world.take_step(entity, "alias")
    bare, bracket, _ = entity.partition(" (")
    if bracket and bare in aliases:
        return bare
    if rng is not None and aliases and rng.random() < ALIAS_SHARE:
        alias = rng.choice(aliases)
        return f"the {alias}" if alias in ("USA", "UK", "UAE", "EU", "U.S.", "U.K.") else alias
    return f"the {entity}" if _has_article(world, entity) else entity


def _has_article(world: DemoWorld, entity: str) -> bool:
    if world.take_step(entity, "^invented"):
        return entity not in _UNCOUNTED_INVENTIONS
    if world.take_step(entity, "flows_into"):
        return True
    is_listed = entity in _WITH_ARTICLE or entity.startswith(_ARTICLE_STARTS)
    return is_listed or (" " in entity and entity.rpartition(" ")[2].lower() in _ARTICLE_NOUNS)
