"""Words of English that show how a question is built: closed classes, and common verbs that look like no verb."""

from __future__ import annotations


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _split_words("the a an this these those its his her their")
BE = _split_words("is are was were be been being")
AUXILIARIES = BE | _split_words("has have had does do did can could will would shall should may might must")
PREPOSITIONS = _split_words(
    """
    about above across after against along among around as at before behind below beneath beside besides
    between beyond by despite down during for from in inside into like near of off on onto out outside over
    past per since than through throughout to toward towards under until up upon via with within without
    """
)
RELATIVES = _split_words("where which that who whom whose")
_QUESTIONS = _split_words("who whom whose what which when where why how")
STOPS = (
    DETERMINERS
    | AUXILIARIES
    | PREPOSITIONS
    | RELATIVES
    | _QUESTIONS
    | _split_words("and or but not if because while it he she they we you i there also")
)
"""Words that stand in no noun phrase but before or after it."""

PASTS = _split_words(
    """
    ate beat became began bore broke chose came drank drew drove fell flew forgot froze gave grew hid knew
    lay rode rang ran rose sang sank saw shook spoke stole strove swam swore threw took tore went woke wore
    wrote
    """
)
"""Past forms that are no participles."""

PARTICIPLES = _split_words(
    """
    beaten become begun bitten blown born borne bought bound broken brought built burnt caught chosen come
    cut done drawn driven eaten fallen felt fought found flown forgotten frozen given gone grown heard held
    hidden hit hung kept known laid led left lent lost made meant met overthrown paid put read ridden risen
    run said seen sent set shot shown shut slain sold spent split spoken spread stolen stood struck sung
    sunk sworn taken taught thrown told torn understood won worn written
    """
)
"""Participles that do not end in "ed"; many are past forms too."""

BASES = _split_words(
    """
    abolish adopt air allow appear arrive attend ban become begin believe belong border break bring build
    buy call cause celebrate change choose close come contain control cost create cross cut declare debut
    defeat describe die direct dissolve drain earn elect employ empty end enter erupt establish exist
    explode fall fight finish flow form found gain get give go govern graduate grow handle happen have help
    hold host include increase inherit introduce invade issue join kill land last launch lead leave legalize
    lie live lose make marry mean measure meet merge mine move need observe occupy occur offer open own pass
    perform permit plan play premiere produce promote publish ratify reach receive record refer release
    represent require retire return rise rule run say secede see sell send serve share sign sing sink speak
    split spend stand star start stop study support surrender take teach think train turn use visit vote
    want weigh win withdraw work write
    """
)
"""Common verbs as they stand after "did"."""

NO_ENTITY = _split_words(
    """
    age amount area average basis beginning border capacity cause center centre coast course date day death
    definition depth duration east edge elevation end example extent first form frequency half head height
    history importance impact influence jurisdiction kind last length level lot majority meaning member
    members middle month name names nature north number origin outcome outbreak part parts percent
    percentage piece population position purpose quarter rank ranking rate rest result results role second
    sense shape share side size sort south start status style temperature terms third time tip top total
    type use value version voice volume way weight west width year years
    """
)
"""Nouns whose "of" leads to a share, a measure or a time, and to nothing that has a name."""

APPOSED = _split_words(
    """
    battle borough bureau church city colony commonwealth council county dioceses district duchy empire gulf
    house island islands isle kingdom lake mount municipality nation parish port prefecture province
    republic river state strait temple town township treaty tribe university village war
    """
)
"""Nouns that "of" joins to their own names: "the city of Paris"."""

_PERSONS = _split_words(
    """
    actress ancestor aunt boss boy bride brother businesswoman captain character chief child children coach
    comedian composer consort cousin daughter duke emperor empress father friend girl grandfather
    grandmother grandson guitarist guy heir hero host husband individual king lyricist man mayor mother
    musician nephew niece novelist parent partner patron person playwright poet politician pope president
    prince princess queen secretary sibling singer sister son spouse star uncle widow wife winner woman
    """
)
_NO_PERSONS = _split_words(
    """
    another border chapter chamber charter center color computer corner corridor cover danger dinner error
    factor fever filter finger floor flower former gender harbor honor interior exterior junior larger layer
    letter lower major mater matter meter minor mirror monster motor newspaper number odor older order other
    oyster paper pepper popular power quarter register river rubber sector semester senior silver smaller
    spider summer supper taller tenor theater theatre tower under upper vapor water weather whisper winter
    wonder younger
    """
)
_NO_PASTS = _split_words(
    """
    breed creed deed exceed feed freed greed heed hundred indeed need proceed reed seed shed speed steed
    succeed weed
    """
)
_AGENT = ("er", "or", "ist", "ian", "eer")


def is_person(noun: str) -> bool:
    """Whether a noun names people: one of a few, or written as those who do something are ("performer")."""
    if noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    return noun in _PERSONS or (len(noun) > 4 and noun.endswith(_AGENT) and noun not in _NO_PERSONS)


def is_past(word: str) -> bool:
    """Whether a small word is written as a past form or participle."""
    ends = word.endswith("ed") and len(word) > 3 and word not in _NO_PASTS
    return ends or word in PASTS or word in PARTICIPLES


def is_adverb(word: str) -> bool:
    """Whether a word may stand inside a verb: "is also located"."""
    return word in ("not", "also", "always", "never", "once", "now", "still", "ever", "not") or (
        word.endswith("ly") and len(word) > 4
    )
