"""Which eight-bit encoding a text is in, told by the letters that its language writes beside ASCII.

General detectors take short German or French texts for DOS code pages and Baltic ones. A text of one language has few
such letters, and in any other encoding their bytes mean signs, or letters that no one language has together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

#: Marks that every language writes: they speak for no encoding, and against none.
_MARKS = frozenset("„“”‚‘’«»‹›–—…·•°§©®™€£¥¢¶†‡‰×÷±¹²³½¼¾ªº´¨¸¡¿№\xa0\xad")
_WESTERN = (
    "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúüñ", "ãõáéíóúâêôàçü", "àèéìíòóùú", "åäöé", "æøåéèêóòâô", "áðéíóúýþæö", "ëïéèóüöá",
    "àçèéíïòóúü",
)  # fmt: skip
_CENTRAL = (
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţșț", "čćđšž", "çë", "äöüß",
)  # fmt: skip
_RUSSIAN, _UKRAINIAN = "оеаинтсрвлкмдпуяыьзбгчйхжшюцщэёфъ", "оаніивертслкумдпзяьбгчйхцжїюєщґшф'"
_SERBIAN = "аеиондтрсвјклмпузбгћчхцжшђфљњџ"
_CYRILLIC = (_RUSSIAN, _UKRAINIAN, _SERBIAN)
_GREEK = "αοιετσνηυρπκμλωςάίόήέύώδγχθφβξζψϊϋΐΰ"
#: Encodings from the likeliest to the rarest, with the letters of languages that are written in them.
_ENCODINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cp1252", _WESTERN),
    ("cp1251", _CYRILLIC),
    ("cp1250", _CENTRAL),
    ("iso8859-2", _CENTRAL),
    ("iso8859-7", (_GREEK,)),
    ("cp1253", (_GREEK,)),
    ("cp1254", ("çğıöşüâîû",)),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")),
    ("cp1255", ("יוהלאמרתבשנעםדקחפסטגכזצןךףץ",)),
    ("cp1256", ("اليمنرتوبةعدسفهكحقأجشصطخئىضءذزإغثظآؤ",)),
    ("koi8-r", _CYRILLIC),
    ("koi8-u", _CYRILLIC),
    ("iso8859-5", _CYRILLIC),
    ("cp866", _CYRILLIC),
    ("cp850", _WESTERN),
    ("cp437", _WESTERN),
    ("cp852", _CENTRAL),
    ("mac_roman", _WESTERN),
)
#: A text that fits an encoding less than that fits none.
_ENOUGH = 0.8
#: A rarer encoding must fit better by so much.
_BETTER = 0.05
#: The last letter of the Latin script that any of these encodings has.
_LATIN = "\u024f"
#: Bytes that are looked at, of lines that are not ASCII alone.
_LOOKED_AT = 16 * 1024
#: The most common letters of an alphabet of its own make up most of a text, and few of one that is read wrongly.
_COMMON, _SHARE = 12, 0.55


def eight_bit(data: bytes) -> str | None:
    """The encoding whose letters fit best; None where none fits.

    Args:
        data: the beginning of a text that is not UTF-8.
    """
    data = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_LOOKED_AT]
    best, best_fit = None, 0.0
    for encoding, languages in _ENCODINGS:
        fit = max(_fits(data, encoding, languages), default=0.0)
        if fit >= _ENOUGH and fit > best_fit + (_BETTER if best else 0.0):
            best, best_fit = encoding, fit
    return best


def _fits(data: bytes, encoding: str, languages: tuple[str, ...]) -> Iterator[float]:
    """For each language, which share of the characters beside ASCII is what it writes where it writes it."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return
    total = marks = misplaced = 0
    letters: Counter[str] = Counter()
    before = " "
    for char in text:
        if before.isalpha() and char.isalpha() and max(before, char) > _LATIN and min(before, char).isascii():
            misplaced += 1  # two scripts in one word
        if not char.isascii():
            total += 1
            if char in _MARKS:
                marks += 1
                # A mark between two letters is a letter of another encoding.
                misplaced += before.isalpha() and char not in "’·\xad´"
            elif char.isupper() and before.islower():
                misplaced += 1
            else:
                letters[char.lower()] += 1
        before = char
    if not total:
        return
    for language in languages:
        own = sum(letters[letter] for letter in set(language))
        if len(language) > 20 and own and sum(letters[c] for c in language[:_COMMON]) < _SHARE * own:
            continue
        yield (own + marks - misplaced) / total
