"""English words that ask for an operator, and what they compare; words that carry no meaning of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.language.amounts import Comparison, Folding, TextMatch

STOP = frozenset({
    "anybody", "anyone", "somebody", "someone",
    "a", "about", "all", "also", "am", "among", "an", "and", "any", "are", "as", "at", "available", "be", "been",
    "being", "belong", "belongs", "between", "both", "but", "by", "called", "came", "can", "come", "comes",
    "contain", "containing",
    "contains", "could", "currently", "describe", "did", "different", "display", "distinct", "do", "do's", "does",
    "during", "each", "either", "ever", "every", "exist", "exists", "find", "for", "from", "get", "give", "got",
    "had", "has", "have", "having", "he", "her", "his", "how", "i", "identify", "if", "in", "include", "includes",
    "including", "into", "is", "it", "its", "just", "kind", "know", "let", "like", "list", "located", "many",
    "me", "much", "my", "name", "named", "names", "need", "number-of", "of", "on", "one", "ones", "only", "onto",
    "or", "our", "out", "over", "per", "please", "provide", "respective", "respectively", "return", "s", "she",
    "show", "so", "some", "sort", "such", "tell", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "together", "too", "total-of", "type", "under", "up", "us", "use",
    "used", "uses", "using", "various", "want", "was", "we", "were", "what", "whats", "when", "where", "whether",
    "which", "who", "whom", "whose", "will", "with", "within", "would", "you",
})  # fmt: skip
"""Words that carry no meaning of their own; what stands between two parts is told by ``words.get_gap_class``."""
LIGHT = frozenset({
    "go", "goes", "going", "gone", "made", "make", "makes", "placed", "put", "take", "taken",
    "takes", "took", "went",
})  # fmt: skip
"""Verbs that mean nothing alone: what they are like says nothing of a graph's relations."""
PREPOSITIONS = frozenset({
    "across", "along", "around", "at", "by", "during", "for", "from", "in", "into", "near", "on", "over",
    "through", "to", "under", "within",
})  # fmt: skip
RELATIVE = frozenset({
    "that", "when", "where", "which", "who", "whom", "whose",
})  # fmt: skip
#: Forms that a stemmer does not bring together.
IRREGULAR = {
    "people": "person", "persons": "person", "children": "child", "grandchildren": "grandchild", "men": "man",
    "women": "woman", "wrote": "write", "written": "write", "taught": "teach", "born": "birth", "birthplace":
    "birth", "died": "die", "death": "die", "dead": "die", "bought": "buy", "sold": "sell", "made": "make", "taken":
    "take", "brought": "bring", "laid": "lay", "fed": "feed", "drunk": "drink", "told": "tell", "lent": "lend",
    "took": "take", "led": "lead", "won": "win", "sung": "sing", "sang": "sing", "spoken": "speak", "spoke":
    "speak", "held": "hold", "ran": "run", "built": "build", "drove": "drive", "driven": "drive", "flew": "fly",
    "flown": "fly", "flights": "flight", "gave": "give", "given": "give", "began": "begin", "begun": "begin", "met":
    "meet", "kept": "keep", "left": "leave", "lived": "live", "lives": "live", "gone": "go", "went": "go", "found":
    "find", "founded": "found", "founder": "found", "movies": "movie", "cities": "city", "higest": "highest",
    "bigest": "biggest", "heighest": "highest", "fought": "fight", "ate": "eat", "eaten": "eat", "grew": "grow",
    "grown": "grow", "placed": "put", "chose": "choose", "chosen": "choose",
    "lost": "lose", "sent": "send", "spent": "spend", "elves": "elf", "wolves": "wolf", "wives": "wife",
    "knives": "knife", "shelves": "shelf", "halves": "half", "loaves": "loaf", "thieves": "thief", "calves": "calf",
    "dwarves": "dwarf", "mice": "mouse", "geese": "goose", "feet": "foot", "teeth": "tooth", "oxen": "ox",
    "caught": "catch", "drew": "draw", "drawn": "draw", "threw": "throw", "thrown": "throw", "wore": "wear",
    "worn": "wear", "stole": "steal", "stolen": "steal", "hosted": "host", "swam": "swim", "rode": "ride",
    "ridden": "ride", "broke": "break", "broken": "break", "fell": "fall", "fallen": "fall", "got": "get",
    "knew": "know", "known": "know", "saw": "see", "seen": "see", "shot": "shoot", "stood": "stand",
    "building": "building", "buildings": "building",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Adjective:
    """What a comparative or superlative compares: nouns that name the attribute, best first.

    ``up`` says whether more of the adjective is more of the noun; False for "young" and "age".
    """

    nouns: tuple[tuple[str, bool], ...]


def _make_adjective(up: str, down: str = "") -> Adjective:
    return Adjective((*((n, True) for n in up.split()), *((n, False) for n in down.split())))


_SIZE = _make_adjective("area size population length capacity number volume amount headcount members employees")
_OLD = _make_adjective("age", "birth_year birth_date date_of_birth built founded opened founding_year completion_year "
                  "opening_year independence_year publication_year release_year year date")  # fmt: skip
_NEW = _make_adjective("year date release_year publication_year completion_year founded built model_year", "age")
_EARLY = _make_adjective(
    "",
    "year date time start start_time release_year independence_year founded built completion_year premiere_year",
)
_SINCE = _make_adjective("", "since member_since joined hired start_date started appointed year")
_PRICE = _make_adjective("price unit_price cost rent monthly_rent fee fare salary")
ADJECTIVES: tuple[tuple[str, str, str, Adjective, bool], ...] = (
    ("big", "bigger", "biggest", _SIZE, True),
    ("large", "larger", "largest", _SIZE, True),
    ("great", "greater", "greatest", _make_adjective("size number area amount"), True),
    ("small", "smaller", "smallest", _SIZE, False),
    ("little", "lesser", "littlest", _SIZE, False),
    ("tiny", "tinier", "tiniest", _SIZE, False),
    ("long", "longer", "longest", _make_adjective("length duration time distance runtime"), True),
    ("short", "shorter", "shortest", _make_adjective("length duration time height distance runtime"), False),
    ("tall", "taller", "tallest", _make_adjective("height elevation"), True),
    ("high", "higher", "highest", _make_adjective("elevation height altitude"), True),
    ("low", "lower", "lowest", _make_adjective("elevation height altitude"), False),
    ("deep", "deeper", "deepest", _make_adjective("depth"), True),
    ("wide", "wider", "widest", _make_adjective("width"), True),
    ("old", "older", "oldest", _OLD, True),
    ("young", "younger", "youngest", _OLD, False),
    ("new", "newer", "newest", _NEW, True),
    ("recent", "more recent", "most recent", _NEW, True),
    ("late", "later", "latest", _EARLY, False),
    ("early", "earlier", "earliest", _EARLY, True),
    ("first", "sooner", "first", _EARLY, True),
    ("soon", "more soon", "soonest", _EARLY, True),
    ("last", "last", "last", _EARLY, False),
    ("heavy", "heavier", "heaviest", _make_adjective("weight mass"), True),
    ("light", "lighter", "lightest", _make_adjective("weight mass"), False),
    (
        "quick",
        "quicker",
        "quickest",
        _make_adjective("duration time minutes hours runtime", "speed pace"),
        False,
    ),
    ("fast", "faster", "fastest", _make_adjective("speed acceleration velocity pace", "time"), True),
    ("slow", "slower", "slowest", _make_adjective("speed acceleration velocity pace", "time"), False),
    ("expensive", "more expensive", "most expensive", _PRICE, True),
    ("costly", "costlier", "costliest", _PRICE, True),
    ("dear", "dearer", "dearest", _PRICE, True),
    ("pricey", "pricier", "priciest", _PRICE, True),
    ("cheap", "cheaper", "cheapest", _PRICE, False),
    ("close", "closer", "closest", _make_adjective("distance"), False),
    ("close", "nearer", "nearest", _make_adjective("distance"), False),
    ("distant", "more distant", "most distant", _make_adjective("distance"), True),
    ("far", "further", "farthest", _make_adjective("distance"), True),
    ("rich", "richer", "richest", _make_adjective("wealth gdp income earnings money"), True),
    ("poor", "poorer", "poorest", _make_adjective("wealth gdp income earnings money"), False),
    ("populous", "more populous", "most populous", _make_adjective("population"), True),
    ("populated", "more populated", "most populated", _make_adjective("population"), True),
    ("dense", "denser", "densest", _make_adjective("population_density density"), True),
    (
        "crowded",
        "more crowded",
        "most crowded",
        _make_adjective("population_density density population"),
        True,
    ),
    ("sparse", "sparser", "sparsest", _make_adjective("population_density density population"), False),
    (
        "good",
        "better",
        "best",
        _make_adjective("rating score stars grade", "rank ranking place position"),
        True,
    ),
    (
        "bad",
        "worse",
        "worst",
        _make_adjective("rating score stars grade", "rank ranking place position"),
        False,
    ),
    (
        "paid",
        "better paid",
        "best paid",
        _make_adjective("salary wage pay income compensation earnings"),
        True,
    ),
    (
        "selling",
        "better selling",
        "best selling",
        _make_adjective("copies_sold sales units_sold sold revenue"),
        True,
    ),
    (
        "bestselling",
        "better-selling",
        "bestselling",
        _make_adjective("copies_sold sales units_sold sold revenue"),
        True,
    ),
    ("rated", "better rated", "best rated", _make_adjective("rating score stars grade"), True),
    ("scoring", "better scoring", "best scoring", _make_adjective("score points rating goals"), True),
    ("popular", "more popular", "most popular", _make_adjective("popularity votes rating"), True),
    ("valuable", "more valuable", "most valuable", _make_adjective("value worth price"), True),
    ("standing", "longer standing", "longest standing", _SINCE, True),
    ("serving", "longer serving", "longest serving", _SINCE, True),
    ("thick", "thicker", "thickest", _make_adjective("thickness pages"), True),
    ("thin", "thinner", "thinnest", _make_adjective("thickness pages"), False),
    ("narrow", "narrower", "narrowest", _make_adjective("width"), False),
    ("broad", "broader", "broadest", _make_adjective("width"), True),
    ("shallow", "shallower", "shallowest", _make_adjective("depth"), False),
    ("hot", "hotter", "hottest", _make_adjective("temperature heat"), True),
    ("warm", "warmer", "warmest", _make_adjective("temperature"), True),
    ("cold", "colder", "coldest", _make_adjective("temperature"), False),
    ("strong", "stronger", "strongest", _make_adjective("strength power alcohol abv"), True),
    ("weak", "weaker", "weakest", _make_adjective("strength power alcohol abv"), False),
    ("hard", "harder", "hardest", _make_adjective("difficulty hardness grade"), True),
    ("complicated", "more complicated", "most complicated", _make_adjective("complexity difficulty"), True),
    ("complex", "more complex", "most complex", _make_adjective("complexity difficulty"), True),
    ("difficult", "more difficult", "most difficult", _make_adjective("difficulty grade"), True),
    ("easy", "easier", "easiest", _make_adjective("difficulty grade"), False),
    ("loud", "louder", "loudest", _make_adjective("loudness volume noise"), True),
    ("steep", "steeper", "steepest", _make_adjective("steepness gradient slope"), True),
    ("busy", "busier", "busiest", _make_adjective("passengers traffic visitors bookings"), True),
    ("wealthy", "wealthier", "wealthiest", _make_adjective("wealth net_worth income"), True),
    ("profitable", "more profitable", "most profitable", _make_adjective("profit margin earnings"), True),
    ("powerful", "more powerful", "most powerful", _make_adjective("power horsepower"), True),
    (
        "experienced",
        "more experienced",
        "most experienced",
        _make_adjective("experience years_of_experience"),
        True,
    ),
    ("visited", "more visited", "most visited", _make_adjective("visitors visits attendance"), True),
    ("cited", "more cited", "most cited", _make_adjective("citations"), True),
    ("spacious", "more spacious", "most spacious", _make_adjective("area size"), True),
    ("northern", "more northern", "northernmost", _make_adjective("latitude"), True),
    ("southern", "more southern", "southernmost", _make_adjective("latitude"), False),
    ("eastern", "more eastern", "easternmost", _make_adjective("longitude"), True),
    ("western", "more western", "westernmost", _make_adjective("longitude"), False),
)
"""Positive, comparative, superlative, what it measures, whether it is the large end of that."""
BASES = {
    word: base
    for base, comparative, superlative, _, _ in ADJECTIVES
    for word in (comparative, superlative)
    if base not in ("first", "last", "good", "bad", "late") and " " not in word
}
"""Comparatives and superlatives of one word, and their adjective."""
_ENDS = ("first", "last")
_ANY_MORE, _ANY_LESS = Adjective(()), Adjective(())
SUPERLATIVES: dict[str, tuple[Adjective, bool]] = {
    **{superlative: (adjective, up) for _, _, superlative, adjective, up in ADJECTIVES},
    **{"most " + base: (adjective, up) for base, _, _, adjective, up in ADJECTIVES if base not in _ENDS},
    **{"least " + base: (adjective, not up) for base, _, _, adjective, up in ADJECTIVES if base not in _ENDS},
    "most": (_ANY_MORE, True), "maximum": (_ANY_MORE, True), "max": (_ANY_MORE, True), "top": (_ANY_MORE, True),
    "least": (_ANY_LESS, False), "fewest": (_ANY_LESS, False), "minimum": (_ANY_LESS, False),
    "min": (_ANY_LESS, False), "smallest number": (_ANY_LESS, False), "largest number": (_ANY_MORE, True),
    "greatest number": (_ANY_MORE, True), "highest number": (_ANY_MORE, True), "lowest number": (_ANY_LESS, False),
    "least number": (_ANY_LESS, False), "most number": (_ANY_MORE, True), "maximum number": (_ANY_MORE, True),
    "minimum number": (_ANY_LESS, False), "least amount": (_ANY_LESS, False), "most amount": (_ANY_MORE, True),
    "fewest amount": (_ANY_LESS, False), "highest amount": (_ANY_MORE, True), "largest amount": (_ANY_MORE, True),
    "fewest number": (_ANY_LESS, False), "smallest amount": (_ANY_LESS, False), "small amount": (_ANY_LESS, False),
    "largest count": (_ANY_MORE, True), "largest quantity": (_ANY_MORE, True),
    **{f"most {word}": (_ANY_MORE, True) for word in ("common", "commonly", "frequent", "frequently", "often", "used",
                                                       "commonly used", "frequently used")},
    **{f"least {word}": (_ANY_LESS, False) for word in ("common", "frequent", "used")},
    **{
        f"{end} {word}": (adjective, end != "lowest")
        for base, _, _, adjective, _ in ADJECTIVES
        if base in ("rated", "paid", "selling", "scoring")
        for end in ("highest", "top", "lowest")
        for word in (base, {"paid": "earning"}.get(base, base))
    },
    "commonest": (_ANY_MORE, True), "rarest": (_ANY_LESS, False),
}  # fmt: skip
"""By their words: what is compared (without nouns: what follows says it) and whether the largest is meant."""
MET = frozenset(
    word
    for word in SUPERLATIVES
    if re.search(r"(?:common(?:ly|est)?|frequent(?:ly)?|often|used|rarest|popular)$", word)
)
"""Those that compare how often something is met."""
EXTREMES = frozenset({"maximum", "minimum", "max", "min", "maximum number", "minimum number"})
"""Those that ask for a value more often than for what has it."""
COMPARATIVES: dict[str, tuple[Adjective, bool]] = {
    **{comparative: (adjective, up) for _, comparative, _, adjective, up in ADJECTIVES if comparative != "last"},
    "more": (_ANY_MORE, True), "less": (_ANY_LESS, False), "fewer": (_ANY_LESS, False),
}  # fmt: skip
"""By their words, like :data:`SUPERLATIVES`."""
POSITIVES: dict[str, Adjective] = {
    **{base: adjective for base, _, _, adjective, _ in ADJECTIVES},
    "much": _make_adjective("price cost amount rent salary"), "far": _make_adjective("distance"),
    "big": _make_adjective("area size population"),
}  # fmt: skip
"""What "how <adjective>" asks for."""
_UP, _DOWN, _EQUAL, _NOT_EQUAL = Comparison.MORE, Comparison.LESS, Comparison.EQUAL, Comparison.NOT_EQUAL
_AT_LEAST, _AT_MOST = Comparison.AT_LEAST, Comparison.AT_MOST
COMPARISONS: dict[str, Comparison] = {
    "more than": _UP, "greater than": _UP, "larger than": _UP, "higher than": _UP, "bigger than": _UP,
    "over": _UP, "above": _UP, "exceeding": _UP, "exceeds": _UP, "exceed": _UP, "after": _UP, "later than": _UP,
    "since": _AT_LEAST, "beyond": _UP, "upwards of": _AT_LEAST, "newer than": _UP, "heavier than": _UP,
    "longer than": _UP, "less than": _DOWN, "fewer than": _DOWN, "lower than": _DOWN, "smaller than": _DOWN,
    "under": _DOWN, "below": _DOWN, "before": _DOWN, "earlier than": _DOWN, "prior to": _DOWN, "until": _AT_MOST,
    "up to": _AT_MOST, "shorter than": _DOWN, "cheaper than": _DOWN, "older than": _UP, "younger than": _DOWN,
    "lighter than": _DOWN, "at least": _AT_LEAST, "no less than": _AT_LEAST, "no fewer than": _AT_LEAST,
    "not less than": _AT_LEAST, "minimum of": _AT_LEAST, "no earlier than": _AT_LEAST, "at most": _AT_MOST,
    "no more than": _AT_MOST, "not more than": _AT_MOST, "maximum of": _AT_MOST, "no later than": _AT_MOST,
    "by the latest": _AT_MOST, "greater than or equal to": _AT_LEAST, "less than or equal to": _AT_MOST,
    "equal to": _EQUAL, "equals": _EQUAL, "exactly": _EQUAL, "not equal to": _NOT_EQUAL,
    "not exceeding": _AT_MOST, "at or before": _AT_MOST, "at or after": _AT_LEAST, "no smaller than": _AT_LEAST,
    "no larger than": _AT_MOST, "larger": _UP, "in or after": _AT_LEAST, "on or after": _AT_LEAST,
    "at or below": _AT_MOST, "at or under": _AT_MOST, "at or above": _AT_LEAST, "at or over": _AT_LEAST,
    "below or at": _AT_MOST, "above or at": _AT_LEAST, "in or before": _AT_MOST, "on or before": _AT_MOST,
    "during or after": _AT_LEAST, "during or before": _AT_MOST,
}  # fmt: skip
"""What stands before a number."""
LIKENESS = re.compile(
    r"(?:(?P<how>at least|at most) )?(?:just )?as (?P<adjective>\w+) as|(?:no|not) (?P<comparative>[\w ]+) than"
)
"""What compares with something without a comparative: "at least as long as", "no longer than"."""
PARTICLE_VERBS = frozenset({"look", "name", "call", "take", "run"})
"""Stems of verbs whose "after", "over" and the like compare nothing."""
OTHER_NAMES = frozenset({
    "call sign", "callsign", "code name", "codename", "cover name", "known as", "nickname", "pen name", "pseudonym",
    "stage name",
})  # fmt: skip
"""What relations are called that lead to another name of somebody."""
PERIODICAL = {
    "hour": "hourly", "day": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly",
    "annum": "annual",
}  # fmt: skip
"""Periods, and what is paid or happens once in each."""
TEMPORAL = frozenset({"after", "before", "earlier than", "later than", "prior to", "since", "until"})
"""Comparisons of when something was."""
POSTFIXES: dict[str, Comparison] = {
    "or more": _AT_LEAST, "or greater": _AT_LEAST, "or later": _AT_LEAST, "or higher": _AT_LEAST,
    "or above": _AT_LEAST, "or over": _AT_LEAST, "or after": _AT_LEAST, "and above": _AT_LEAST,
    "or larger": _AT_LEAST, "and up": _AT_LEAST, "or longer": _AT_LEAST, "and later": _AT_LEAST,
    "or less": _AT_MOST, "or fewer": _AT_MOST, "or earlier": _AT_MOST, "or lower": _AT_MOST, "or below": _AT_MOST,
    "or before": _AT_MOST, "or under": _AT_MOST, "or smaller": _AT_MOST, "or shorter": _AT_MOST,
    "and below": _AT_MOST, "or sooner": _AT_MOST, "or newer": _AT_LEAST, "or better": _AT_LEAST, "or taller": _AT_LEAST,
    "or heavier": _AT_LEAST, "or cheaper": _AT_MOST, "and newer": _AT_LEAST, "or younger": _AT_MOST,
    "onwards": _AT_LEAST, "onward": _AT_LEAST, "and onwards": _AT_LEAST, "and onward": _AT_LEAST,
    "and after": _AT_LEAST, "and beyond": _AT_LEAST, "and younger": _AT_MOST, "or older": _AT_LEAST,
    "and older": _AT_LEAST,
}  # fmt: skip
"""What stands behind a number."""
COUNTS = (
    "how many", "number of", "count of", "count", "total number of", "the number of", "quantity of", "amount of",
    "numbers of", "how many different", "number", "total amount of", "how often", "how many times",
)  # fmt: skip
FOLDINGS: dict[str, Folding] = {
    "average": Folding.AVERAGE, "mean": Folding.AVERAGE, "avg": Folding.AVERAGE, "total": Folding.SUM,
    "sum": Folding.SUM, "combined": Folding.SUM, "sum of": Folding.SUM, "total of": Folding.SUM,
}  # fmt: skip
NEGATIONS = frozenset({
    "apart from", "aren", "aren't", "arent", "aren’t", "besides", "cannot", "didn", "didn't", "didnt", "didn’t",
    "doesn", "doesn't", "doesnt", "doesn’t", "don", "don't", "dont", "don’t", "except", "except for", "excluded",
    "excluding", "hasn", "hasn't", "hasnt", "hasn’t", "haven", "haven't", "havent", "haven’t", "isn", "isn't",
    "isnt", "isn’t", "lack", "lacking", "neither", "never", "no", "no longer", "no one", "nobody", "non", "none",
    "nor", "not",
    "other than", "outside", "outside of", "wasn", "wasn't", "wasnt", "wasn’t", "weren", "weren't", "werent", "weren’t",
    "without", "zero",
})  # fmt: skip
EACH = {
    "each": 0.5, "every": 0.5, "per": 0.6, "for each": 0.6, "for every": 0.6, "by": 0.6, "grouped by": 1.0,
    "group by": 1.0, "broken down by": 1.0, "split by": 1.0, "by each": 0.5,
}  # fmt: skip
"""What says that a number is asked of each of some things, and how much it says it."""
MONEY_VERBS = frozenset({
    "spend", "spends", "spent", "spending", "pay", "pays", "paid", "donate", "donates", "donated", "raise", "raises",
    "raised", "invest", "invests", "invested", "earn", "earns", "earned", "owe", "owes", "owed", "charge", "charged",
    "collect", "collected", "receive", "received",
})  # fmt: skip
NUMBERING = frozenset({"id", "ids", "number", "numbers", "identifier", "identifiers", "no"})
"""What asks for the number of a row of a table."""
QUANTITY_VERBS = frozenset({
    "sold", "ordered", "bought", "purchased", "shipped", "delivered", "produced", "returned", "sell", "order",
    "buy", "ship",
})  # fmt: skip
QUANTITIES = ("quantity", "qty", "units", "copies", "pieces")
"""Words that relations of how many of something there were are named with."""
MONEY_NOUNS = frozenset({"money", "spending", "spendings", "expenditure", "expenditures", "outlay"})
AMOUNTS = (
    "amount",
    "total",
    "sum",
    "cost",
    "price",
    "spend",
    "value",
    "payment",
    "fee",
    "revenue",
    "bill",
    "gross",
    "net",
)
"""Words that relations of money are named with, the surest of what is summed first."""
DIFFERENCES = frozenset({"difference", "difference in", "differ", "gap"})
SAME = frozenset({"same", "same as", "equal", "identical", "similar"})
WAYS = {
    "to": ("to", "destination", "arrival", "arrives", "target", "dest"),
    "from": ("from", "origin", "source", "departure", "departs", "start"),
}
"""Prepositions, and the first words of relations that lead to what stands behind them."""
RELATED = (
    "child kid son daughter offspring parent mother father",
    "husband wife spouse partner marry married marriage wedding",
    "parent mother father child", "boss manager manage supervisor supervise head leader lead report chief coach",
    "job profession occupation work career position role title living",
    "pay paid", "wrong fault problem issue defect trouble", "salary wage pay earn income compensation earnings money",
    "price cost fee charge rent budget spend worth pay",
    "worth value total amount", "cite citation", "work affiliation employer workplace",
    "birth birthday", "author writer write pen", "actor actress star cast act play appear role",
    "locate location situate base place lie city address town village",
    "live reside residence home house dwell inhabit population inhabitant citizen resident people address city town "
    "village",
    "own owner belong possess property", "found founder founding establish establishment create creator creation start",
    "build construct construction completion", "open opening",
    "start begin beginning commence", "end finish ending cease", "ceo head chief executive",
    "maker make manufacturer manufacture produce producer build builder brand",
    "teach teacher instructor lecturer professor", "study student enrol enroll major minor",
    "attend attendee participant guest join", "keeper keep care caretaker look tend",
    "buy purchase customer order", "sell seller vendor supplier supply sales revenue profit turnover",
    "weight weigh mass heavy", "height tall high elevation altitude", "depth deep", "width wide", "speed fast",
    "length long duration runtime last time", "age old birth", "speak language spoken tongue",
    "eat food diet feed meal cuisine", "cook cooking preparation time",
    "border neighbour neighbor adjacent touch", "flow run pass traverse cross", "size area square large",
    "density dense population", "temperature hot cold warm", "coast coastline sea", "flag anthem",
    "release publish publisher publication issue premiere", "record label",
    "channel network broadcast broadcaster station air aired", "genre style category type",
    "nationality citizen citizenship country origin", "team club play",
    "artist performer perform performance band musician act lineup play", "coach trainer train",
    "member belong part join", "grade score mark rating result point review star stars", "rank ranking place position",
    "award prize win", "win winner victor victory victorious champion conqueror beat defeat", "lose loser defeat",
    "command commander", "phone telephone mobile", "email mail", "website url homepage web", "isbn",
    "sex gender", "color colour", "hair eye", "wing leg tail", "religion faith", "hobby interest like",
    "university college school education graduate study",
    "employ employee employer worker staff company hire", "employee work worker",
    "assignee assign work responsible handle", "hire join start",
    "illness disease condition diagnosis suffer",
    "allergy allergic", "die death", "kill killer murder", "invent inventor invention", "discover discoverer discovery",
    "compose composer song", "sing singer vocal vocals", "paint painter", "direct director",
    "architect design designer", "drive driver", "capital seat", "currency money",
    "president king queen ruler mayor governor", "abbreviation short code", "stock inventory",
    "departure depart leave source", "arrive arrival destination", "allow permit", "photo picture image",
    "capacity seats hold seat", "goal score scorer", "stadium ground arena venue", "office headquarters site base",
    "headcount members staff people",
)  # fmt: skip
"""Words that relations of one meaning are named with, from either side of it: a boss is whom somebody reports to."""
EVENTS = tuple(frozenset(group.split()) for group in (
    "match game fixture play", "expense spend pay purchase buy", "order buy purchase place", "flight fly",
    "loan borrow lend",
    "visit treat see", "appointment see meet", "meeting attend hold", "song sing", "race run", "booking book reserve",
    "sale sell", "trip travel go", "shift work", "timesheet work", "concert play hold", "exam take pass", "vote cast",
    "delivery deliver", "payment pay", "review write", "accident happen", "election hold", "event happen hold",
))  # fmt: skip
"""Things that happen, and verbs of them that say no more: matches are played, meetings held."""
STATES = tuple(frozenset(group.split(", ")) for group in (
    "finished, done, complete, completed, closed, concluded, ended, resolved, over",
    "active, ongoing, running, current, in progress, open, underway, started, unfinished",
    "cancelled, canceled, called off, abandoned, dropped",
    "broken, defective, faulty, out of order, out of service, damaged",
    "working, operational, functional, in service, in use, functioning",
    "paid, settled", "unpaid, outstanding, overdue", "waiting, pending, queued", "planned, scheduled, upcoming",
    "retired, inactive, former, decommissioned", "single, unmarried", "hurt, injured",
    "automated, automatic", "sold, sold out", "free, available, vacant", "rejected, declined, refused",
    "approved, accepted, granted", "female, woman, women, girl, girls", "male, man, men, boy, boys",
    "full time, full-time", "part time, part-time",
))  # fmt: skip
"""What graphs write for one state of things, and people say for it."""
OPPOSITES = {
    "alive": "die",
    "offline": "online",
    "living": "die",
    "unmarried": "marry",
    "childless": "child",
    "landlocked": "coast",
    "jobless": "employer",
    "unemployed": "employer",
    "homeless": "home",
    "vacant": "tenant",
    "empty": "tenant",
    "unlet": "tenant",
    "anonymous": "author",
    "open": "paid",
    "outstanding": "paid",
    "owed": "paid",
    "owes": "paid",
    "owe": "paid",
    "owing": "paid",
    "broken": "working",
    "defective": "working",
    "faulty": "working",
}
"""Adjectives of what lacks something, and what that is; words with "un" before a participle are another such."""
KIN = {
    "parent": ("parent",), "child": ("child",), "kid": ("child",), "sibl": ("sibling",), "spous": ("spouse",),
    "husband": ("spouse",), "wife": ("spouse",), "grandpar": ("parent", "parent"),
    "grandmoth": ("parent", "mother"), "grandfath": ("parent", "father"), "grandchild": ("child", "child"),
    "grandson": ("child", "son"), "granddaught": ("child", "daughter"), "aunt": ("parent", "sister"),
    "uncl": ("parent", "brother"), "cousin": ("parent", "sibling", "child"), "nephew": ("sibling", "son"),
    "niec": ("sibling", "daughter"),
}  # fmt: skip
"""Stems of words for relatives, and the steps that lead to them."""
TEXT_MATCHES: tuple[tuple[str, TextMatch], ...] = (
    (
        r"(?:that\s+)?(?:contain(?:s|ing)?|includ(?:es?|ing)|mention(?:s|ing)?|"
        r"(?:ha(?:s|ve|ving)|with)(?=\s+(?:the|a)\s+(?:\w+\s+)?(?:words?|substring|string|phrase|letters?)\s))",
        TextMatch.CONTAINS,
    ),
    (r"(?:start(?:s|ing)?|begin(?:s|ning)?)(?:\s+with)", TextMatch.STARTS),
    (r"end(?:s|ing)?\s+(?:with|in)", TextMatch.ENDS),
)
"""What says that a text is looked into, before a quoted text or letter."""
DEMONYMS = {
    "french": "france", "dutch": "netherlands", "british": "united kingdom", "english": "england", "spanish": "spain",
    "welsh": "wales", "greek": "greece", "swiss": "switzerland", "american": "united states", "danish": "denmark",
    "irish": "ireland", "scottish": "scotland", "polish": "poland", "finnish": "finland", "czech": "czech republic",
    "filipino": "philippines", "thai": "thailand", "iraqi": "iraq", "israeli": "israel", "peruvian": "peru",
    "norwegian": "norway", "turkish": "turkey", "portuguese": "portugal", "chinese": "china", "belgian": "belgium",
    "swedish": "sweden", "icelandic": "iceland", "lebanese": "lebanon", "cypriot": "cyprus", "afghan": "afghanistan",
    "kazakh": "kazakhstan", "pakistani": "pakistan", "argentine": "argentina", "ukrainian": "ukraine",
    "slovak": "slovakia", "croat": "croatia", "serb": "serbia",
    "bavarian": "bavaria", "parisian": "paris", "londoner": "london",
    "viennese": "vienna", "venetian": "venice", "flemish": "flanders", "catalan": "catalonia",
    "basque": "basque country",
    "emirati": "united arab emirates", "saudi": "saudi arabia", "korean": "south korea", "taiwanese": "taiwan",
}  # fmt: skip
"""Adjectives of places whose letters do not lead to them."""
ABBREVIATIONS = {
    "uk": "united kingdom", "britain": "united kingdom", "great britain": "united kingdom", "us": "united states",
    "usa": "united states", "america": "united states", "uae": "united arab emirates", "holland": "netherlands",
    "nyc": "new york", "la": "los angeles", "sf": "san francisco", "dc": "washington", "eu": "european union",
    "nz": "new zealand", "drc": "democratic republic of the congo", "czechia": "czech republic",
    "united kingdom": "uk", "united states": "usa", "new york city": "new york",
}  # fmt: skip
"""Other names of places, where a graph lacks the name that was given."""
SEXES = {
    "man": "male", "men": "male", "boy": "male", "boys": "male", "woman": "female", "women": "female",
    "girl": "female", "girls": "female",
}  # fmt: skip
"""What people are called by their sex, as tables have it."""
ORDINALS = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "2nd": 2, "3rd": 3, **{f"{n}th": n for n in range(4, 31)},
}  # fmt: skip
NUMBER_WORDS: dict[str, int] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12, "hundred": 100, "once": 1, "twice": 2,
}  # fmt: skip
