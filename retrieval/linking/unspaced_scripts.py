"""Scripts that are written without spaces: their names are found inside runs of letters, and each letter is a word."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.kg.snapshot.labels import LabelIndex, Match, normalize_name
from retrieval.language.question import Question
from retrieval.linking.mentions import MentionSpan

LETTERS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Chinese characters and kana, as a class of a regular expression."""

FUNCTION = frozenset("的是什么麼谁誰哪里裡在有几幾个個吗嗎呢了多少请請问問和与與のはがをにでともか何")
"""Letters that ask or join, and name nothing alone."""

_RUN = re.compile(rf"[^\W_]*[{LETTERS}][^\W_]*")
_LETTER = re.compile(rf"[{LETTERS}]")
_LONGEST = 24


def find_unspaced_names(question: Question, labels: LabelIndex) -> Iterator[tuple[MentionSpan, list[Match]]]:
    """Names inside runs of such letters, the longest from the left; none of a single letter."""
    for run in _RUN.finditer(question.text):
        start = run.start()
        while start < run.end():
            for end in range(min(run.end(), start + _LONGEST), start + 1, -1):
                text = question.text[start:end]
                if _LETTER.search(text) and (matches := labels.find_exact(normalize_name(text))):
                    yield MentionSpan(start, end, text), matches
                    start = end
                    break
            else:
                start += 1


def is_within(text: str) -> bool:
    """Whether a name is of such a script, so that no space parts it from what stands beside it."""
    return _LETTER.search(text) is not None
