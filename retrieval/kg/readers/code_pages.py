"""The encoding of a text that is not UTF-8, told by the letters that its language writes beside ASCII.

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
    ("iso8859-15", _WESTERN),
    ("cp1251", _CYRILLIC),
    ("cp1250", _CENTRAL),
    ("iso8859-2", _CENTRAL),
    ("iso8859-7", (_GREEK,)),
    ("cp1253", (_GREEK,)),
    ("cp1254", ("çğıöşüâîûi",)),
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
#: Encodings of two bytes a character, those of fewer characters first: the first bytes of the common ones, and the
#: least second byte of these.
_PAIRS: tuple[tuple[str, tuple[tuple[int, int], ...], int], ...] = (
    ("cp949", ((0xB0, 0xC8),), 0xA1),
    ("euc_jp", ((0xA4, 0xA5), (0xB0, 0xCF)), 0xA1),
    ("cp932", ((0x82, 0x83), (0x88, 0x97)), 0x40),
    ("big5", ((0xA4, 0xC6),), 0x40),
    ("gb18030", ((0xB0, 0xD7),), 0xA1),
)
#: The share of characters that are common in such a text, and how many of them it has at least.
_COMMON_PAIRS, _LEAST = 0.75, 2
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
#: Encodings of alphabets of their own, and lines that are looked at one by one.
_OWN_SCRIPTS = frozenset(
    name for name, languages in _ENCODINGS if all(len(own) > 20 and own[0] > "\u024f" for own in languages)
)
_LINES = 200


def infer_encoding(data: bytes) -> str:
    """Return the likeliest encoding of a text that is not UTF-8.

    Args:
        data: the beginning of the text, or lines of it.
    """
    data = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_LOOKED_AT]
    fits = {pair[0]: share for pair in _PAIRS if (share := _compute_common_share(data, *pair))}
    pairs = max(fits, key=lambda encoding: fits[encoding], default="")
    eight = _infer_single_byte(data)
    if pairs and (eight is None or eight[0] not in _OWN_SCRIPTS or eight[1] < fits[pairs]):
        return pairs
    return eight[0] if eight else "cp1252"


def _compute_common_share(data: bytes, encoding: str, ranges: tuple[tuple[int, int], ...], least: int) -> float:
    """Return which share of the characters beside ASCII are common ones; 0 where a text is not of this encoding."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        cut = data.rfind(b"\n")  # the text may end inside a character
        return (
            _compute_common_share(data[:cut], encoding, ranges, least) if len(data) == _LOOKED_AT and cut > 0 else 0.0
        )
    chars = [char.encode(encoding) for char in text if char.isalpha() and not char.isascii()]
    common = [
        len(char) == 2 and char[1] >= least and any(low <= char[0] <= high for low, high in ranges) for char in chars
    ]
    share = sum(common) / max(len(common), 1)
    return share if len(common) >= _LEAST and share >= _COMMON_PAIRS else 0.0


def _infer_single_byte(data: bytes) -> tuple[str, float] | None:
    """Return the encoding of one byte a character whose letters fit best, and how well; None where none fits."""
    best, best_fit = None, 0.0
    for encoding, languages in _ENCODINGS:
        fit = _fit(data, encoding, languages)
        if fit >= _ENOUGH and fit > best_fit + (_BETTER if best else 0.0):
            best, best_fit = encoding, fit
    return (best, best_fit) if best else None


def _fit(data: bytes, encoding: str, languages: tuple[str, ...]) -> float:
    """Return how well a text fits: as one language, else line by line, as names of many countries do."""
    fit = max(_score_languages(data, encoding, languages), default=0.0)
    lines = data.splitlines()[:_LINES]
    if fit >= _ENOUGH or len(lines) < 2 or encoding in _OWN_SCRIPTS:
        return fit
    return sum(max(_score_languages(line, encoding, languages), default=0.0) for line in lines) / len(lines) - _BETTER


def _score_languages(data: bytes, encoding: str, languages: tuple[str, ...]) -> Iterator[float]:
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
                letters[char.lower()[0]] += 1
        before = char
    if not total:
        return
    for language in languages:
        letter_count = sum(letters[letter] for letter in set(language))
        if len(language) > 20 and letter_count and sum(letters[c] for c in language[:_COMMON]) < _SHARE * letter_count:
            continue
        yield (letter_count + min(marks, letter_count) - misplaced) / total
