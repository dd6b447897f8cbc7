"""Nouns and verbs of the sentences: number, articles, and the verb "to be" with participles."""

from __future__ import annotations

import re

from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular
from retrieval.programs.rendering.sentences.values import lower_capitals
from retrieval.programs.rendering.wording import make_plural

STARRING = "starring"
#: Endings of nouns that look like plurals and are none.
_SINGULAR_END = re.compile(r"(ss|us|is)$")
_UNCOUNTED = re.compile(r"(us|is|headquarters|species|series|news)$")
_VERBS = get_words("sentence_verbs")
_PREPOSITIONS = get_words("trailing_prepositions")
#: What was done and is over: "built by".
_DONE = get_words("completed_participles")
#: What somebody did: "served at".
_DID = get_words("intransitive_past_forms")
_PARTICIPLES = get_words("irregular_participles")
#: A participle that is regular: "inhabited".
_REGULAR_PARTICIPLE = re.compile(r"\w*[^\We]ed")
#: "represented a party in"
_ACTIVE_PAST = re.compile(r"\w+ed (a|an|the) ")
#: "member of": a noun, and no participle.
_ROLE = re.compile(r"(?!part |made |\w+ed )([a-z]+) (of\b.*)")
#: A thing has one of these, so that a sentence says what has it: "Berlin is the capital of Germany.".
_SINGLE_ROLES = get_words("single_roles")
_PARTICIPLES_OF_PAST = {"wrote": "written", "sang": "sung"}
_AUXILIARY = re.compile(r"(is|was|has) (.+)")
_PLURAL_AUXILIARY = {"is": "are", "was": "were", "has": "have"}


def make_singular(noun: str) -> str:
    """The singular of a noun phrase: of ``points of interest``, ``point of interest``."""
    if re.search(", | or ", noun):  # essays, novels or poems
        return "".join(part if part in (", ", " or ") else make_singular(part) for part in re.split("(, | or )", noun))
    head, of, rest = noun.partition(" of ")
    before, space, word = head.rpartition(" ")
    return f"{before}{space}{word if _UNCOUNTED.search(word) else to_singular(word)}{of}{rest}"


def is_plural(noun: str) -> bool:
    """Tell whether a noun looks like a plural."""
    return bool(re.search("[^s]s$", noun)) and not re.search("(us|is)$", noun)


def add_indefinite_article(noun: str) -> str:
    """The noun with ``a`` or ``an``; a plural as it is."""
    return noun if is_plural(noun) else f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def apply_count(count: int, noun: str) -> str:
    """The noun in the number of a count: ``1 country``, ``9 countries``."""
    return make_singular(noun) if count == 1 else noun if is_plural(noun) else make_plural(noun)


def is_countable(noun: str) -> bool:
    """Tell whether a noun is the plural of what is counted: ``pages``, and not ``mass``."""
    return bool(re.search(r"^\w+s$", noun)) and not _SINGULAR_END.search(noun)


def get_copula(noun: str) -> str:
    """``is`` or ``are``, after a noun."""
    return "are" if re.search("[^s]s$", noun) and not _UNCOUNTED.search(noun) else "is"


def capitalise(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def is_prepositional(label: str) -> bool:
    """Tell whether a relation asks for what comes next: ``directed by``."""
    return " " in label and label.rpartition(" ")[2] in _PREPOSITIONS


def is_verb_word(label: str) -> bool:
    """Tell whether a relation is a verb in one word: ``owns``."""
    return label == STARRING or label in _VERBS


def is_verb(label: str) -> bool:
    """Tell whether a relation is an active verb: ``works at``, ``owns``."""
    verbal = is_prepositional(label) and re.match("[a-z]+[^su]s ", label) and not re.match("(is|was|has) ", label)
    return is_verb_word(label) or bool(verbal)


def is_single_role(noun: str) -> bool:
    """Tell whether a thing has one of these: ``capital``."""
    return noun in _SINGLE_ROLES or noun.startswith("chief ")


def split_role(text: str) -> tuple[str, str] | None:
    """A text that begins with a role, as the role and of whom: ``member``, ``of the club``; None of other texts."""
    role = _ROLE.match(text)
    return None if role is None else (role[1], role[2])


def is_participle(text: str) -> bool:
    """Tell whether a text begins with a participle: ``made from``."""
    word = get_first_word(text)
    return word in _PARTICIPLES or bool(_REGULAR_PARTICIPLE.fullmatch(word))


def get_noun(label: str) -> str:
    """The noun of a relation: of ``has genre``, ``genre``."""
    return re.sub("^(has|is|was|in) (?=.)", "", lower_capitals(label))


def conjugate_plural(label: str) -> str:
    """``lives in`` is ``live in``."""
    verb, space, rest = label.partition(" ")
    if verb == "has":
        verb = "have"
    elif verb.endswith("ies"):
        verb = f"{verb[:-3]}y"
    elif re.search("(ch|sh|ss|x|o)es$", verb):
        verb = verb[:-2]
    elif re.search("[^s]s$", verb):
        verb = verb[:-1]
    return f"{verb}{space}{rest}"


def get_past_participle(past: str) -> str:
    """The participle of a verb in the past: of ``wrote``, ``written``."""
    return _PARTICIPLES_OF_PAST.get(past, past)


def write_being(text: str, *, several: bool) -> str:
    """``is part of``, ``was born in``, ``served at``, ``is a member of``; of several ``are part of``."""
    if get_first_word(text) in _DID or _ACTIVE_PAST.match(text):
        return text
    role = _ROLE.match(text)
    if role is not None:
        noun, rest = role.groups()
        article = "the" if is_single_role(noun) else "an" if noun[0] in "aeiou" else "a"
        return f"are {make_plural(noun)} {rest}" if several else f"is {article} {noun} {rest}"
    if get_first_word(text) in _DONE:
        return f"{'were' if several else 'was'} {text}"
    return f"{'are' if several else 'is'} {text}"


def write_past(text: str, *, several: bool) -> str:
    """``was founded``, ``died``; of several ``were founded``."""
    return text if get_first_word(text) in _DID else f"{'were' if several else 'was'} {text}"


def write_predicate(label: str, *, several: bool) -> str:
    """A relation as what things do: ``is directed by``, ``works at``; of several ``are directed by``, ``work at``."""
    if label == STARRING:
        return "star" if several else "stars"
    if is_verb(label):
        return conjugate_plural(label) if several else label
    auxiliary = _AUXILIARY.fullmatch(label)
    if auxiliary:
        return f"{_PLURAL_AUXILIARY[auxiliary[1]]} {auxiliary[2]}" if several else label
    return write_being(label, several=several)


def get_first_word(text: str) -> str:
    """The letters that a text begins with."""
    return re.split(r"\W", text, maxsplit=1)[0]
