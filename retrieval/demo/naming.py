"""How an entity is named in a question: with its article, without its bracket, now and then by an alias."""

from __future__ import annotations

import random

from retrieval.demo.world import DemoWorld

ALIAS_SHARE = 0.12
"""How often an entity that has aliases is called by one of them."""

_WITH_ARTICLE = frozenset(
    (
        "African Union", "Alhambra", "Alps", "Andes", "Arab League", "Arc de Triomphe",
        "Art Institute of Chicago", "Atomium", "Bahamas", "Bay of Bengal", "Brandenburg Gate",
        "Brooklyn Bridge", "Caribbean Community", "Carpathian Mountains", "Caucasus Mountains",
        "Central African Republic", "Centre Pompidou", "Colosseum", "Conservatoire de Paris",
        "Czech Republic", "Dead Sea", "Democratic Republic of the Congo", "Dominican Republic",
        "Eiffel Tower", "Eiger", "Empire State Building", "European Central Bank",
        "European Free Trade Association", "European Space Agency", "European Union",
        "Federated States of Micronesia", "Forbidden City", "Galápagos Islands", "Gambia",
        "Golden Gate Bridge", "Gulf Cooperation Council", "Gulf of Mexico", "Hermitage Museum", "Himalayas",
        "International Atomic Energy Agency", "International Committee of the Red Cross",
        "International Court of Justice", "International Monetary Fund", "International Olympic Committee",
        "Jungfrau", "Kunsthistorisches Museum", "Louvre", "Maldives", "Marshall Islands", "Matterhorn",
        "Mauritshuis", "Metropolitan Museum of Art", "Museum of Modern Art", "Musée d'Orsay",
        "National Gallery", "Netherlands", "Nordic Council", "Pantheon", "Persian Gulf", "Philippines",
        "Prado Museum", "Pyrenees", "Republic of the Congo", "Rijksmuseum", "Solomon Islands",
        "Statue of Liberty", "Taj Mahal", "Tretyakov Gallery", "Uffizi Gallery", "United Arab Emirates",
        "United Kingdom", "United Nations", "United States", "Van Gogh Museum", "Visegrád Group",
        "White House", "World Bank", "World Health Organization", "World Trade Organization", "Zugspitze",
    )
)  # fmt: skip
_ARTICLE_ENDINGS = (
    " Sea",
    " Ocean",
    " River",
    " Mountains",
    " Range",
    " Museum",
    " Museums",
    " Gallery",
    " Theatre",
)
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
    return is_listed or entity.endswith(_ARTICLE_ENDINGS)
