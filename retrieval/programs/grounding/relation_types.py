"""What relations look like, of what form their names are, and which words stand for somebody and for somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from retrieval.language.program_words import PREPOSITIONS
from retrieval.language.words import get_stem

Form = Literal["noun", "of", "by", "verb"]
"""Of a relation's label: a noun (``capital``), one with "of" (``mother of``), a participle with "by" (``directed by``),
or a verb or participle with its preposition or none (``depends on``, ``orbits``)."""


def _split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def parse_stems(words: str) -> frozenset[str]:
    """The stems of words with spaces between them."""
    return frozenset(map(get_stem, words.split()))


PERSONAL = parse_stems("birth birthday parent mother father spouse married gender")
"""Words of relations that people alone have, by stem."""
KINDRED = parse_stems("parent mother father spouse husband wife children sibling")
"""Words of relations that lead to people, as they lead from them, by stem."""
SOMEBODY = parse_stems(
    "person people human man woman player employee student teacher author writer actor actress "
    "director customer user member artist singer musician manager keeper patient doctor nurse "
    "engineer scientist politician character owner child driver pilot coach professor researcher "
    "instructor staff worker friend guest client contact scholar seller buyer tenant lawyer judge chef "
    "traveler traveller assignee organizer organiser attendee participant "
    "speaker passenger rider renter borrower lender donor sponsor trainer trainee mentor recipient sender cashier "
    "founder editor producer composer painter designer host inventor ruler king queen president vet "
    "apprentice arborist archivist assistant baker beekeeper botanist breeder brewer builder candidate captain carer "
    "caretaker chairman chairperson cleaner climber collector colleague conductor crew curator dancer delegate dentist "
    "electrician expert farmer groomer grower historian hygienist intern joiner landlord "
    "landowner leader librarian lodger mechanic nominee payee payer plumber potter "
    "pupil ranger recruit roaster sailor sampler secretary sitter skipper soloist stylist "
    "supervisor surveyor "
    "technician therapist treasurer tutor volunteer walker warden winner wizard"
)
"""Kinds of people, by stem."""
SOMEWHERE = parse_stems(
    "city country state region province continent town village place location stadium building "
    "room district county island area airport station museum park office address venue street "
    "shelf floor enclosure warehouse territory municipality"
)
"""Kinds of places, by stem."""
NOWHERE = parse_stems("day job occupation profession rank role title trade weekday")
"""Words of relations that never say where something is, by stem."""
LOCATING = parse_stems(
    "city country state location place located region address continent street town county room "
    "building hometown origin venue headquarters nationality birth ground stadium office site base "
    "home warehouse campus shelf floor district province village island habitat enclosure"
)
"""Words of relations that say where something is, by stem."""
#: What single verbs of relations end in ("borders", "contains", "orbits"), and nouns that end so.
_VERBAL = ("ers", "ains", "its", "ates", "uses", "ches", "ows", "aks", "ays", "ns")
_NOUNS = _split_words(
    "towers members owners answers numbers orders offers causes houses coordinates units credits "
    "deposits persons loans lens days pays coins towns users authors means"
)


#: Words in names of organisations and works, not of people.
_NOT_PERSONAL = _split_words(
    "inc ltd llc gmbh ag corp co company group records studio studios pictures university institute college school "
    "team club society union association foundation bank press party church army ministry department council "
    "agency committee house the of and for city united national international"
)
_NAME_WORDS = range(2, 5)


#: What words for who does something end in, and other words that end so.
_DOERS = ("er", "or", "ist", "ian", "eer")
_NO_DOERS = _split_words(
    "advisor answer buffer cellar center colour color container corner counter cover door drawer factor filter floor "
    "folder gender header layer letter liter litre marker meter metre mirror monitor motor number offer order other "
    "over paper parlor partner power printer quarter register reporter river sector sensor server shoulder summer "
    "supplier timer tower transfer trailer water weather winter"
)


def is_agent_noun(noun: str) -> bool:
    """Whether a noun looks like one for who does something: "sampler", not "number"."""
    return noun.endswith(_DOERS) and noun not in _NO_DOERS


def is_personal(name: str) -> bool:
    """Whether a name is of the form of a person's: "Maria Silva", not "Order 1003" or "Acme Ltd"."""
    words = name.split()
    return (
        len(words) in _NAME_WORDS
        and all(word[0].isupper() and word.replace("-", "").replace("'", "").rstrip(".").isalpha() for word in words)
        and not {word.casefold().rstrip(".") for word in words} & _NOT_PERSONAL
    )


#: What somebody did, where no ending tells.
_PARTICIPLES = _split_words(
    "blown born broken cast chosen cut dug drawn driven flown given grown known laid lit put read seen set shot shown "
    "spoken struck sung sworn taken thrown worn woven written"
)
_PAST = _split_words(
    "beat began bought bred brought built caught chose drew drove fed flew fought found gave grew held kept led lent "
    "lost made met paid ran rang rode sang saw sent sold spoke swam taught threw took won wrote"
)


def is_past(word: str) -> bool:
    """Whether a word says what was done: "opened", "lit"."""
    return word.endswith("ed") or word in _PAST or word in _PARTICIPLES


def detect_form(label: str) -> Form:
    """The form of a relation's label."""
    words = label.casefold().split()
    if len(words) > 1 and words[-1] in PREPOSITIONS | {"of", "to", "with"}:
        return "of" if words[-1] == "of" else "by" if words[-1] == "by" else "verb"
    verbal = words and (words[0] in _PAST or (words[0].endswith(_VERBAL) and words[0] not in _NOUNS))
    return "verb" if len(words) == 1 and verbal else "noun"


@dataclass(frozen=True, slots=True)
class RelationInfo:
    """A relation and what its facts look like.

    Attributes:
        id: forward.
        label: humanised.
        stems: of the label's words.
        facts: how many.
        heads, tails: how many distinct ones.
        leaves: share of its tails from which nothing leads on.
        form: of its label.
    """

    id: int
    label: str
    stems: tuple[str, ...]
    facts: int
    heads: int
    tails: int
    leaves: float
    form: Form = "noun"
