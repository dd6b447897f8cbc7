"""How much a heading says that its column refers to a column of another table.

The best that holds:

| the heading | evidence |
|---|---|
| is that of the target's column, and names the target's kind or role: ``supplierID`` of both | 3 |
| is the target's kind, with or without a word for numbers: ``customer``, ``home team id`` | 3 |
| is short for the kind: ``cust no`` | 2.5 |
| begins as the kind and ends in a preposition: ``ship via`` a shipper | 2 |
| is the kind, and the target's column is neither its key nor its name | 2 |
| is that of what numbers the target, and is met several times here: ``Gyle`` of a ``Gyle no.`` | 2 |
| says that another row of the same table is meant: ``manager id``, ``parent``, ``reports to`` | 2 |
| is the kind of its own rows, and its values lead to others of them: ``court`` of a court | 1.9 |
| is who did something, and the target is the only table of people that nothing else refers to | 1.5 |
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.kg.model.naming import ID_WORDS, NAME_WORDS
from retrieval.kg.model.profile import ColumnProfile
from retrieval.kg.model.table_schema import TableSchema, is_kind_name
from retrieval.lexicon import get_words

_PREPOSITIONS = get_words("reference_prepositions")
_FELLOWS = get_words("fellow_headings")
#: Letters of what is short for a kind.
_SHORT = 3
FELLOW = 1.9
"""Evidence of a heading that is the kind of its own rows."""


def measure_heading(profile: ColumnProfile, schema: TableSchema, other: TableSchema, position: int) -> float:
    """How much a heading says that its column refers to a column of another table, see the module."""
    words, target = profile.heading_words, other.table.profiles[position]
    if not words:
        return 0.0
    numbered = len(words) > 1 and words[-1] in ID_WORDS
    role = _remove_id_word(profile)
    is_identity = position in (other.key, other.number, *other.names)
    theirs = target.heading_words
    their_role = theirs[:-1] if len(theirs) > 1 and theirs[-1] in ID_WORDS else theirs
    is_own = profile.position in (schema.key, schema.number)
    if other is schema:
        is_fellow = " ".join(role) in _FELLOWS or profile.label.split()[-1].casefold() in _PREPOSITIONS
        if not is_identity or is_own:
            return 0.0
        return 2.0 if is_fellow else FELLOW if is_kind_name(role, [schema.table.noun]) else 0.0
    if (
        is_identity
        and is_kind_name(role, other.inferred_nouns)
        and not (is_own and is_kind_name(role, schema.inferred_nouns))
    ):
        return 3.0
    if is_own:
        return 0.0
    if words == theirs and is_identity and len(words) > 1 and words[0] not in NAME_WORDS:
        return 3.0
    if is_identity and numbered and _is_short_for(role[-1], other.inferred_nouns):
        return 2.5
    if is_identity and words[-1] in _PREPOSITIONS and _is_short_for(words[0], other.inferred_nouns):
        return 2.0
    if is_kind_name(role, other.inferred_nouns) and not is_own:
        return 2.0
    some_number = {words[-1], theirs[-1]} & ID_WORDS if theirs else set()
    if role == their_role and some_number and profile.uniqueness < 1 and profile.heading_words != ("id",):
        return 2.0
    return 0.0


def _remove_id_word(profile: ColumnProfile) -> tuple[str, ...]:
    """The words of a heading without a last one for numbers."""
    words = profile.heading_words
    return words[:-1] if len(words) > 1 and words[-1] in ID_WORDS else words


def _is_short_for(word: str, nouns: Sequence[str]) -> bool:
    """Whether a word is the beginning of one of the nouns: ``cust`` of a customer."""
    return len(word) >= _SHORT and any(noun.startswith(word) and noun != word for noun in nouns)
