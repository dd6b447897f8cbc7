"""English that schemas are written in: verbs with who does it to what, nouns with other words for them.

Written from common sense and the demo graph; no question of any set was read for it. What it lacks is made by
morphology (:mod:`.phrases`).
"""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.lexicon import get_pairs, get_sequence, get_table, get_words


@dataclass(frozen=True, slots=True)
class Verb:
    """A transitive verb.

    Attributes:
        base, past, participle: its forms.
        agents: who does it.
        things: what it is done to.
        also: other participles that say the same with "by".
    """

    base: str
    past: str
    participle: str
    agents: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


VERBS: dict[str, Verb] = {
    participle: Verb(
        base,
        past,
        participle,
        get_table("verb_agents").get(participle, ()),
        get_table("verb_things").get(participle, ()),
        get_table("verb_alternatives").get(participle, ()),
    )
    for participle, (base, past) in get_table("verb_forms").items()
}
"""Verbs by participle."""

NOUNS = get_table("noun_synonyms")
"""Other words for a noun, in the singular."""

PEOPLE = get_words("kind_nouns_of_people")
PLACES = get_words("kind_nouns_of_places")
TIMES = get_words("kind_nouns_of_times")

EVENTS = get_table("events_as_verbs")
"""What happens, as a verb, with its auxiliary."""

PAST = get_pairs("past_by_base")

HEADS = get_table("kinds_by_relation_word")
"""What things are that have something of that name."""

PREPOSITIONS = get_words("relation_prepositions")

OPENINGS = get_sequence("question_openings")
