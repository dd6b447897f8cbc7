"""English that schemas are written in: verbs with who does it to what, nouns with other words for them.

Written from common sense and the demo graph; no question of any set was read for it. What it lacks is made by
morphology (:mod:`.phrases`).
"""

from __future__ import annotations

from dataclasses import dataclass


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


def _parse_verbs(*rows: str) -> dict[str, Verb]:
    verbs = {}
    for row in rows:
        forms, *lists = row.split("|")
        base, past, participle = forms.split()
        agents, things, also = (tuple(filter(None, part.split(","))) for part in (*lists, "", "", "")[:3])
        verbs[participle] = Verb(base, past, participle, agents, things, also)
    return verbs


VERBS: dict[str, Verb] = _parse_verbs(
    "direct directed directed|director,filmmaker|film,movie|made",
    "write wrote written|writer,author,screenwriter|book,novel,work|penned,authored",
    "produce produced produced|producer|product,film",
    "compose composed composed|composer|composition,piece,opera|written",
    "paint painted painted|painter,artist|painting,picture|made",
    "sculpt sculpted sculpted|sculptor,artist|sculpture,statue|made",
    "sing sang sung|singer,vocalist|song",
    "perform performed performed|performer,artist|song,piece",
    "record recorded recorded|artist,band|album,song",
    "release released released|label|album,film",
    "publish published published|publisher|book,magazine|put out",
    "edit edited edited|editor|magazine,film",
    "design designed designed|designer,architect|building,product",
    "build built built|builder|building|constructed",
    "create created created|creator|work|made",
    "make made made|maker|product|created",
    "manufacture manufactured manufactured|manufacturer,maker|product|made,built",
    "develop developed developed|developer|software,game|made",
    "found founded founded|founder|company,organisation|started,established",
    "invent invented invented|inventor|invention|made",
    "discover discovered discovered|discoverer|discovery|found",
    "own owned owned|owner|company,property",
    "lead led led|leader|organisation|headed,run",
    "manage managed managed|manager|team,company|run",
    "teach taught taught|teacher,instructor|course,student|given",
    "kill killed killed|killer|person|murdered",
    "employ employed employed|employer|employee",
    "host hosted hosted|host|event,show|held",
    "adapt adapted adapted|adapter|work",
    "narrate narrated narrated|narrator|film,book|told",
    "govern governed governed|governor,ruler|region|ruled",
    "translate translated translated|translator|book",
    "operate operated operated|operator|line,service|run",
    "sponsor sponsored sponsored|sponsor|event",
    "award awarded awarded|giver|prize",
    "review reviewed reviewed|reviewer,critic|film,product",
    "act acted acted|actor|film,movie",
    "serve served served|waiter,server|meal",
    "supply supplied supplied|supplier|product",
)
"""Verbs by participle."""


def _split_words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS: dict[str, tuple[str, ...]] = {
    "genre": ("kind", "type", "sort", "category", "style"),
    "kind": ("type", "sort"),
    "type": ("kind", "sort"),
    "category": ("kind", "type", "group"),
    "language": ("tongue",),
    "actor": ("star", "actress", "cast member", "performer", "cast"),
    "cast": ("actor", "star"),
    "star": ("actor", "actress"),
    "character": ("role", "figure"),
    "film": ("movie",),
    "movie": ("film",),
    "book": ("novel", "work"),
    "writer": ("author",),
    "author": ("writer",),
    "tag": ("keyword", "topic", "subject", "theme", "term"),
    "keyword": ("tag", "topic", "subject"),
    "topic": ("subject", "theme"),
    "subject": ("topic", "theme"),
    "rating": ("score", "mark"),
    "vote": ("rating",),
    "review": ("opinion",),
    "spouse": ("wife", "husband", "partner"),
    "child": ("kid", "son", "daughter", "offspring"),
    "parent": ("father", "mother", "dad", "mom"),
    "sibling": ("brother", "sister"),
    "relative": ("relation", "family member"),
    "gender": ("sex",),
    "profession": ("occupation", "job", "career", "work"),
    "occupation": ("profession", "job", "career", "work"),
    "position": ("post", "office", "job"),
    "nationality": ("citizenship", "country of origin", "home country"),
    "religion": ("faith", "belief"),
    "ethnicity": ("ethnic group", "race", "people"),
    "institution": ("school", "university", "college", "organisation"),
    "university": ("school", "college"),
    "organisation": ("organization", "institution"),
    "company": ("firm", "business"),
    "employer": ("company", "firm"),
    "location": ("place", "whereabouts", "position"),
    "place": ("location", "spot"),
    "city": ("town",),
    "country": ("nation", "state", "land"),
    "population": ("number of people", "number of inhabitants"),
    "currency": ("money",),
    "capital": ("capital city",),
    "area": ("size",),
    "continent": ("part of the world",),
    "award": ("prize", "honour", "honor"),
    "party": ("political party",),
    "team": ("club", "side"),
    "album": ("record",),
    "song": ("track", "tune"),
    "cuisine": ("food", "kind of food"),
    "price": ("cost",),
    "cause": ("reason",),
    "year": ("date",),
    "date": ("day", "time"),
    "elevation": ("height", "altitude"),
    "headquarters": ("head office", "main office"),
    "residence": ("home",),
    "student": ("pupil",),
    "teacher": ("instructor", "professor"),
    "person": ("man", "woman", "individual"),
    "work": ("piece",),
    "shape": ("form",),
    "member": ("participant",),
}
"""Other words for a noun, in the singular."""

PEOPLE = _split_words(
    "person actor actress star director writer author screenwriter composer painter artist sculptor "
    "singer performer producer editor designer architect founder inventor discoverer owner leader manager "
    "teacher student killer player child parent father mother spouse wife husband sibling brother sister "
    "relative member president mayor governor king queen politician scientist filmmaker developer creator "
    "translator narrator host presenter coach people man woman partner kid son daughter employee friend "
    "musician poet critic reviewer instructor professor"
)
PLACES = _split_words(
    "place city town country state region county continent location village island street river lake "
    "mountain birthplace hometown residence venue neighborhood district province"
)
TIMES = _split_words("year date day time month century decade")

EVENTS: dict[str, tuple[str, str]] = {
    "birth": ("was", "born"),
    "death": ("did", "die"),
    "burial": ("was", "buried"),
    "release": ("was", "released"),
    "publication": ("was", "published"),
    "premiere": ("did", "premiere"),
    "completion": ("was", "completed"),
    "construction": ("was", "built"),
    "foundation": ("was", "founded"),
    "founding": ("was", "founded"),
    "inception": ("was", "founded"),
    "independence": ("did", "become independent"),
    "origin": ("did", "come from"),
    "residence": ("did", "live"),
    "marriage": ("did", "marry"),
    "production": ("was", "produced"),
    "filming": ("was", "filmed"),
    "education": ("was", "educated"),
    "start": ("did", "start"),
    "end": ("did", "end"),
    "opening": ("was", "opened"),
}
"""What happens, as a verb, with its auxiliary."""

PAST = {"die": "died", "premiere": "premiered", "become independent": "became independent", "live": "lived",
        "marry": "married", "come from": "came from", "start": "started", "end": "ended"}  # fmt: skip

HEADS: dict[str, tuple[str, ...]] = {
    "release": ("film", "movie", "album"),
    "publication": ("book", "paper"),
    "starring": ("film", "movie"),
    "starred": ("film", "movie"),
    "cast": ("film", "movie"),
    "actor": ("film", "movie"),
    "birth": ("person",), "born": ("person",), "death": ("person",), "died": ("person",), "spouse": ("person",),
    "child": ("person",), "parent": ("person",), "gender": ("person",), "profession": ("person",),
    "occupation": ("person",), "nationality": ("person",), "religion": ("person",), "ethnicity": ("person",),
    "capital": ("country",), "currency": ("country",), "continent": ("country",), "government": ("country",),
    "studied": ("person",), "educated": ("person",), "married": ("person",), "sibling": ("person",),
}  # fmt: skip
"""What things are that have something of that name."""

PREPOSITIONS = _split_words(
    "in at of to from on with for by as into after before against near through during over under between"
)

OPENINGS = (
    "can you tell me {}", "please tell me {}", "do you know {}", "tell me {}", "i want to know {}", "could you list {}",
    "i would like to know {}", "find {}", "show me {}", "give me {}",
)  # fmt: skip
