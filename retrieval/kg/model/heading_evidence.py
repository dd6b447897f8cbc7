"""How much a heading says that its column refers to a column of another table.

The best that holds:

| the heading | evidence |
|---|---|
| is the target's kind, with or without a word for numbers: ``customer``, ``team id`` | 3 |
| is the target's kind behind its role: ``home team id`` | 2.9 |
| is that of the target's column, and no other kind: ``supplierID`` of both | 2.8 |
| is short for the kind: ``cust no`` | 2.5 |
| begins as the kind and ends in a preposition: ``ship via`` a shipper | 2 |
| is the kind, and the target's column is neither its key nor its name | 2 |
| is that of what numbers the target, and is met several times here: ``Gyle`` of a ``Gyle no.`` | 2 |
| says that another row of the same table is meant: ``manager id``, ``parent``, ``reports to`` | 2 |
| is the kind of its own rows, or numbers it in a role, and its values lead to others of them: ``court`` of a court,
  ``made from part id`` of a part | 1.9 |
| is who did something, and the target is the only table of people that nothing else refers to | 1.5 |
"""

from __future__ import annotations

from retrieval.kg.model.kind_nouns import make_singular
from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.table_schema import TableSchema, is_kind_name, is_short_for, split_id_word
from retrieval.lexicon import get_words

_PREPOSITIONS = get_words("reference_prepositions")
_FELLOWS = get_words("fellow_headings")
EXACT, FELLOW = 3.0, 1.9
"""Evidence of a heading that is the target's kind, and of one that is the kind of its own rows."""


def measure_heading(profile: ColumnProfile, schema: TableSchema, other: TableSchema, position: int) -> float:
    """How much a heading says that its column refers to a column of another table, see the module."""
    nouns, target = other.inferred_nouns, other.table.profiles[position]
    words, theirs = split_id_word(profile.heading_words, nouns), split_id_word(target.heading_words, nouns)
    if not words:
        return 0.0
    numbered = len(words) > 1 and words[-1] in ID_WORDS
    role, their_role = _remove_id_word(words), _remove_id_word(theirs)
    is_identity = position in (other.key, other.number, *other.names)
    is_own = profile.position in (schema.key, schema.number)
    if other is schema:
        is_fellow = (
            " ".join(role) in _FELLOWS
            or (role[0] in _FELLOWS and (len(role) > 1 or profile.numbers < 0.5))
            or (role[-1] in _FELLOWS and (profile.numbers < 0.5 or is_kind_name(role[:-1], nouns)))
            or profile.label.split()[-1].casefold() in _PREPOSITIONS
        )
        if not is_identity or is_own:
            return 0.0
        is_role = len(role) > 1 and is_short_for(role[-1], nouns) and make_singular(role) not in nouns
        is_kind = is_kind_name(role, [schema.table.noun]) if words == role else is_role
        return 2.0 if is_fellow else FELLOW if is_kind else 0.0
    if is_identity and is_kind_name(role, nouns) and not (is_own and is_kind_name(role, schema.inferred_nouns)):
        return EXACT if make_singular(role) in nouns else 2.9
    if is_own and (not is_identity or is_kind_name(role, [schema.table.noun])):
        return 0.0
    if words == theirs and is_identity and not is_own and len(words) > 1 and words[0] not in NAME_WORDS:
        return 2.8
    if is_identity and numbered and is_short_for(role[-1], nouns):
        return 2.5
    if is_own:
        return 0.0
    if is_identity and words[-1] in _PREPOSITIONS and is_short_for(words[0], nouns):
        return 2.0
    if is_kind_name(role, nouns):
        return 2.0
    some_number = {words[-1], theirs[-1]} & ID_WORDS if theirs else set()
    is_bare = words == ("id",) or ({*role} <= ID_WORDS and position != other.key)  # some number of something
    if role == their_role and some_number and profile.uniqueness < 1 and not is_bare:
        return 2.0
    return 0.0


def _remove_id_word(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a heading without a last one for numbers."""
    return words[:-1] if len(words) > 1 and words[-1] in ID_WORDS else words
