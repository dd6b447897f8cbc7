"""A question as words: stems, quotes, quantities, and what stands between its parts. English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from retrieval.kg.heading_units import parse_unit
from retrieval.kg.snapshot.labels import NAME_SIGNS
from retrieval.kg.snapshot.relation_names import IN_FULL
from retrieval.language import quantities
from retrieval.language.adjectives import BASES, POSITIVES
from retrieval.language.amounts import Amount, Comparison
from retrieval.language.english import IRREGULAR, MONEY_VERBS, RELATION_PREPOSITIONS, STOP
from retrieval.language.spelling import MANY, resolve_operator_word
from retrieval.language.stemming import stem_word
from retrieval.lexicon import get_groups, get_words
from retrieval.lexicon.nouns import IRREGULAR_SINGULARS

_RELATED = get_groups("related_words")
"""Words that relations of one meaning are named with, from either side of it: a boss is whom somebody reports to."""
_RELATIVE = get_words("relative_words")

_TOKEN = re.compile(rf"[^\W_]+(?:['’](?!s\b)[^\W_]+)*{NAME_SIGNS}?|['’]s\b")
_UNIT = re.compile(r"(.*\S)\s*[(\[]([^)\]]{1,15})[)\]]")
_FIELD = re.compile(r"[a-z]{2,}(?:[A-Z][a-z]+)+")
_HUMP = re.compile(r"[A-Z]?[a-z]+")
_CAPITALS = re.compile(r"[A-Z]{2,}s")
_QUOTED = re.compile(r"[\"“«](.+?)[\"”»]|(?<!\w)['‘](.+?)['’](?!\w)")
_WAY = r"(?:ascending|descending|decreasing|increasing|reversed?|alphabetical|lexicographical|chronological)"
_END = r"(?:the\s+)?(?:\w+est|(?:most|least)\s+\w+|high|low|large|small)"
_SORTED = (
    r"(?:sort(?:ed|s|ing)?|order(?:ed|ing)?|rank(?:ed|s|ing)?|arranged?)(?:\s+(?:them|the\s+\w+|results?))?\s+(?:by"
    r"|in(?=\s+(?:the\s+)?(?:\w+\s+)?(?:order|sequence|ascending|descending|reversed?)\b)|from|based|according)\b"
)
_ORDERING = re.compile(
    rf"[,.;]?\s+(?:and\s+)?(?:{_SORTED}|(?:by|in|from)\s+(?:(?:the\s+)?{_WAY}\s+)+(?:order|sequence)\b"
    rf"|by\s+(?:a|de)scending\s|by\s+(?:in|de)creasing\s|(?:by\s+[\w ]+?\s+)?from\s+{_END}\s+to\s+{_END}\b"
    rf"|{_END}\s+first(?=\s*[?.!]?\s*$)"
    r"|listed\s+(?:by|in\s+(?!(?:the\s+)?(?:(?:early|mid|late)\s+)?\d))\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""In which order answers are wanted, at the end of a question."""
_ORDERED_BY = re.compile(r"\b(?:is|are|was|were|been|being)\s+ordered\s+by\b|\bordered\s+by\s+(?:the\s+)?[A-Z]")
"""What somebody ordered is in no order."""
_BEHIND_ORDER = re.compile(r"(?<=order|uence)\s+(?:that|who|which|whose|with|where)\s.*$", re.IGNORECASE | re.DOTALL)
"""A condition that follows the words for an order."""
_WE_HAVE = re.compile(
    r"(?<=\w)\s(?:do|can) (?:we|you|i) (?:have|sell|offer|stock|carry|own|keep|find|get|know|know of)"
    r"(?=\s*(?:[?.!]|$|in\b|from\b|with\b))",
    re.IGNORECASE,
)
"""What says no more than that there are such things: "how many pastries do we sell"."""
_MUCH_MONEY = re.compile(
    rf"(?<=\b(?:much|most|more|less)) money(?=\s.*\b(?:{'|'.join(sorted(MONEY_VERBS))})\b)", re.IGNORECASE
)
"""Of "how much money did we spend" the verb says it already."""
_LIVING = re.compile(r"\b(?:for|as) an? living\b", re.IGNORECASE)
_YES_NO = get_words("yes_no_openings")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question: as it stands in lower case, its stem, characters [start, end)."""

    text: str
    stem: str
    start: int
    end: int
    capital: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, date or range of the question, words [first, last).

    ``upper`` is the other end of a range, its end included or not; ``comparison`` stands beside it ("10 or more").
    """

    first: int
    last: int
    amount: Amount
    upper: Amount | None = None
    upper_included: bool = True
    comparison: Comparison | None = None


@dataclass(frozen=True)
class QuestionWords:
    """A question in words.

    Attributes:
        words: in order.
        quantities: numbers, dates and ranges, outermost first.
        quoted: word spans [first, last) in quotes.
        order: the words that say in which order answers are wanted; they are no part of ``words``.
    """

    text: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...] = ()
    quoted: tuple[tuple[int, int], ...] = ()
    order: str = ""

    @cached_property
    def kind(self) -> str:
        """What sort of answer the question asks for, see :func:`detect_question_kind`."""
        return detect_question_kind([word.text for word in self.words])

    def get_span_text(self, first: int, last: int) -> str:
        """What stands from one word to another, as asked."""
        return self.text[self.words[first].start : self.words[last - 1].end]


@lru_cache(maxsize=50_000)
def get_stem(word: str) -> str:
    """What the forms of a word have in common."""
    return stem_word(BASES.get(word) or IRREGULAR.get(word) or IN_FULL.get(word) or IRREGULAR_SINGULARS.get(word, word))


@lru_cache(maxsize=50_000)
def get_label_stems(label: str) -> tuple[str, ...]:
    """The stems of a name's words, stop words left out unless there is nothing else."""
    words = [w.casefold() for w in _TOKEN.findall(label.replace("_", " "))]
    kept = [w for w in words if w not in STOP or w in ("name", "number", "type", "kind")]
    return tuple(get_stem(w) for w in (kept or words))


def remove_unit(label: str) -> str:
    """A relation's name without the unit behind it: ``Price (EUR)``, ``weight [kg]``, ``Jars (12oz)``."""
    match = _UNIT.fullmatch(label)
    if match is None:
        return label
    value = parse_unit(match[2])
    marked = any(not (c.isalpha() or c in " -'’") for c in match[2])
    return match[1] if marked or (value is not None and (value.unit or value.value > 1.0)) else label


def generate_agent_stems(verb_stem: str) -> frozenset[str]:
    """Stems of who does what a verb's stem says, and the other way round: ``rule`` and ``ruler``, ``direct`` and
    ``director``, ``win`` and ``winner``.
    """
    stems = {
        verb_stem + "er",
        verb_stem + "or",
        verb_stem.removesuffix("e") + "or",
        verb_stem + "r" if verb_stem.endswith("e") else verb_stem + "er",
        verb_stem + verb_stem[-1:] + "er",
    }
    if verb_stem.endswith(("er", "or")) and len(verb_stem) > 4:
        stems |= {verb_stem[:-2], verb_stem[:-1]}
        if verb_stem[-3] == verb_stem[-4]:
            stems.add(verb_stem[:-3])
    return frozenset(stems)


@lru_cache(maxsize=1)
def get_related_stems() -> dict[str, frozenset[str]]:
    """By stem, the stems of words that relations of the same meaning are named with."""
    by_stem: dict[str, set[str]] = {}
    for group in _RELATED:
        stems = {get_stem(word) for word in group}
        for word_stem in stems:
            by_stem.setdefault(word_stem, set()).update(stems - {word_stem})
    return {word_stem: frozenset(others) for word_stem, others in by_stem.items()}


def read(text: str) -> QuestionWords:
    """The words, quantities and quotes of a question; in which order answers are wanted is left out."""
    ordering = _ORDERING.search(text)
    if ordering is not None and _ORDERED_BY.search(text[: ordering.end()]):
        ordering = None
    order = ordering[0] if ordering is not None else ""
    if ordering is not None:
        condition = _BEHIND_ORDER.search(order)  # in alphabetical order that have more than ten
        text = text[: ordering.start()] + (condition[0] if condition else "")
        order = order[: condition.start()] if condition else order
    text = (
        _LIVING.sub("as profession", _MUCH_MONEY.sub("", _WE_HAVE.sub("", text)))
        .replace("``", ' "')
        .replace("''", '" ')
    )
    found = [word for match in _TOKEN.finditer(text) for word in _split_words(match)]
    words = tuple(_normalize_word(word, found[n - 1].text if n else "") for n, word in enumerate(found))
    quoted = []
    for match in _QUOTED.finditer(text):
        start, end = match.span(1 if match[1] else 2)
        inside = [n for n, word in enumerate(words) if word.start >= start and word.end <= end]
        if inside:
            quoted.append((inside[0], inside[-1] + 1))
    question = QuestionWords(text, words, quoted=tuple(quoted), order=order)
    return replace(question, quantities=tuple(_find_quantities(question)))


def _find_quantities(question: QuestionWords) -> Iterator[Quantity]:
    """Numbers, dates and ranges that are no part of a quoted name."""
    names = {n for low, high in question.quoted if not _is_value(question, low, high) for n in range(low, high)}
    for spelt in quantities.find(question.text):
        inside = [n for n, word in enumerate(question.words) if word.start < spelt.end and word.end > spelt.start]
        if inside and not names.intersection(inside):
            yield Quantity(inside[0], inside[-1] + 1, spelt.amount, spelt.upper, spelt.upper_included, spelt.comparison)


def _split_words(match: re.Match[str]) -> Iterator[Word]:
    """A word; the words of a name of a field: ``unitPrice`` is "unit price"."""
    spans = [match.span()]
    if _FIELD.fullmatch(match[0]):
        spans = [(match.start() + hump.start(), match.start() + hump.end()) for hump in _HUMP.finditer(match[0])]
    for start, end in spans:
        text = match.string[start:end].casefold().replace("’", "'")
        singular = text[:-1] if _CAPITALS.fullmatch(match[0]) else text  # WBCs
        yield Word(text, get_stem(singular), start, end, capital=len(spans) == 1 and match[0][0].isupper())


def _normalize_word(word: Word, before: str) -> Word:
    """A word that asks for an operator as it is written rightly."""
    text = "many" if before == "how" and word.text in MANY else resolve_operator_word(word.text)
    return word if text == word.text else Word(text, get_stem(text), word.start, word.end, word.capital)


def _is_value(question: QuestionWords, first: int, last: int) -> bool:
    return quantities.parse_amount(question.get_span_text(first, last)) is not None


def list_phrases(question: QuestionWords, first: int, longest: int = 5) -> list[tuple[int, str]]:
    """What begins with a word: (end, the words joined), longest first."""
    last = min(len(question.words), first + longest)
    return [(end, " ".join(word.text for word in question.words[first:end])) for end in range(last, first, -1)]


def detect_question_kind(texts: Sequence[str]) -> str:
    """What sort of answer a question of some words asks for, by its first telling ones."""
    if not texts:
        return "list"
    folded = " ".join(texts)
    request = re.match(r"(?:can|could|will|would) (?:you|u|i|we)\b", folded)
    if texts[0] in _YES_NO and "or" not in texts and request is None:
        return "yes/no"
    if re.search(r"how (?:many|often)|number of|^count", folded):
        return "how many"
    for index, text in enumerate(texts[:6]):
        if text not in STOP:  # what follows is said of it: "students who", "the year when"
            break
        if text == "how":
            follows = texts[index + 1] if index + 1 < len(texts) else ""
            return "how much" if follows in POSITIVES else "how"
        if text in ("who", "whom", "whose"):
            return "which" if text == "whose" and not index else "who"
        if text in ("where", "when"):
            return text
        if text in ("what", "which", "whats", "what's"):
            follows = texts[index + 1] if index + 1 < len(texts) else ""
            if follows in ("is", "was", "'s") or text in ("whats", "what's"):
                return "what is"
            return "what are" if follows in ("are", "were") else "which"
    return "list"


def join_words(question: QuestionWords) -> tuple[str, list[int]]:
    """The words of a question with a space between them, and where in that each begins; last, where one more would."""
    texts, starts = [word.text for word in question.words], [0]
    for text in texts:
        starts.append(starts[-1] + len(text) + 1)
    return " ".join(texts), starts


def is_object_question(question: QuestionWords) -> bool:
    """Whether a question asks what somebody did things to, "what did Tom order": the bread, not the order."""
    texts = [word.text for word in question.words[:2]]
    return texts[:1] == ["what"] and texts[1:] in (["did"], ["does"], ["do"], ["has"], ["have"])


def find_target_words(question: QuestionWords) -> set[int]:
    """Words right behind "which", "what" or "how many", or behind a number there: they say what kind is asked for."""
    texts = ["", *(word.text for word in question.words)]
    positions = {n for n in range(len(question.words)) if texts[n] in ("which", "what", "many")}
    numbers = {quantity.first: quantity.last for quantity in question.quantities if quantity.upper is None}
    behind = {n: numbers.get(n, n) for n in positions}
    return {last if last < len(question.words) else n for n, last in behind.items()}


def get_gap_class(between: list[str]) -> str:
    """What the words between two parts say of how they belong together."""
    texts = set(between)
    for name, members in (
        ("or", {"or", "vs", "versus"}), ("and", {"and", "both", "but", "also"}), ("than", {"than", "as"}),
        ("of", {"of", "'s", "s"}),
        ("have", {"has", "have", "had", "with", "having"}), ("relative", _RELATIVE), ("by", {"by"}),
        ("preposition", RELATION_PREPOSITIONS), ("be", {"is", "are", "was", "were", "be", "been"}),
        ("do", {"do", "does", "did"}),
    ):  # fmt: skip
        if texts & members:
            return name
    return "other" if texts - {"the", "a", "an"} else "none"
