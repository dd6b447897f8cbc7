"""Words of English that show how a question is built: closed classes, and common verbs that look like no verb."""

from __future__ import annotations

from retrieval.lexicon import get_pairs, get_weights, get_words

DETERMINERS = get_words("noun_phrase_determiners")
BE, DO = get_words("be_forms"), get_words("do_forms")
AUXILIARIES = get_words("auxiliaries")
PREPOSITIONS = get_words("prepositions")
RELATIVES = get_words("relative_words") - {"when"}
STOPS = get_words("words_around_noun_phrases")
"""Words that stand in no noun phrase but before or after it."""

PASTS = get_words("past_forms")
"""Past forms that are no participles."""

PARTICIPLES = get_words("participles")
"""Participles that do not end in "ed"; many are past forms too."""

BASES = get_words("base_forms")
"""Common verbs as they stand after "did"."""

NO_ENTITY = get_words("nouns_of_measures")
"""Nouns whose "of" leads to a share, a measure or a time, and to nothing that has a name."""

APPOSED = get_words("apposed_nouns")
"""Nouns that "of" joins to their own names: "the city of Paris"."""

STOP = get_words("stop_words")
"""Words that carry no meaning of their own; what stands between two parts is told by ``words.get_gap_class``."""
LIGHT = get_words("light_verbs")
"""Verbs that mean nothing alone: what they are like says nothing of a graph's relations."""
RELATION_PREPOSITIONS = get_words("relation_label_prepositions")
"""Prepositions that relations and questions say a place, a time or a direction with."""
IRREGULAR = get_pairs("irregular_forms")
PERIODICAL = get_pairs("periodical_adjectives")
"""Periods, and what is paid or happens once in each."""
TEMPORAL = get_words("temporal_comparisons")
"""Comparisons of when something was."""
NEGATIONS = get_words("negations")
EACH = get_weights("distributive_phrases")
"""What says that a number is asked of each of some things, and how much it says it."""
MONEY_VERBS = get_words("money_verbs")
NUMBERING = get_words("row_number_words")
"""What asks for the number of a row of a table."""
MONEY_NOUNS = get_words("money_nouns")
SEXES = get_pairs("sexes")
"""What people are called by their sex, as tables have it."""

_PERSONS = get_words("persons")
_NO_PERSONS = get_words("agent_like_words")
_NO_PASTS = get_words("past_like_words")
AGENT_ENDINGS = ("er", "or", "ist", "ian", "eer")
"""Endings of nouns for who does something."""


def is_person(noun: str) -> bool:
    """Whether a noun names people: one of a few, or written as those who do something are ("performer")."""
    if noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    return noun in _PERSONS or (len(noun) > 4 and noun.endswith(AGENT_ENDINGS) and noun not in _NO_PERSONS)


def is_past(word: str) -> bool:
    """Whether a small word is written as a past form or participle."""
    ends = word.endswith("ed") and len(word) > 3 and word not in _NO_PASTS
    return ends or word in PASTS or word in PARTICIPLES


def is_adverb(word: str) -> bool:
    """Whether a word may stand inside a verb: "is also located"."""
    return word in ("not", "also", "always", "never", "once", "now", "still", "ever", "not") or (
        word.endswith("ly") and len(word) > 4
    )
