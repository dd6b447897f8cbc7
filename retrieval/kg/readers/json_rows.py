"""JSON objects of a file one by one: lines of JSON, or the items of one array, in bounded memory either way."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from typing import Any

from retrieval.errors import SourceError
from retrieval.kg.readers.nesting import DEPTH, is_deep, make_depth_error
from retrieval.kg.readers.sources import LINE_LIMIT, Source

_DEEP = f"JSON that is nested more than {DEPTH} deep"


def read_json_rows(source: Source, bad: Callable[[int, str, str, str], None]) -> Iterator[tuple[int, Any]]:
    """Line and value of each row; rows of an array are numbered by position, from 1.

    Args:
        bad: called with line, message, text and kind (of ``PROBLEM_KINDS``) of a line that is not JSON.

    Raises:
        SourceError: the array is broken, or the file is cut short.
    """
    if source.decode_head().lstrip().startswith("["):
        for number, (value, spelt) in enumerate(_iter_items(source), 1):
            if _is_text(value, spelt):
                yield number, value
            else:
                bad(number, "not Unicode text", ascii(value), "encoding")
        return
    for first, block in source.read_blocks(lambda line, reason, text: bad(line, reason, text, "row")):
        for number, raw in enumerate(block.split(b"\n"), first):
            if not raw.strip():
                continue
            if is_deep(raw):
                bad(number, _DEEP, raw[:200].decode(errors="replace"), "row")
                continue
            try:
                value = json.loads(raw)
            except UnicodeDecodeError as error:
                bad(
                    number,
                    f"not UTF-8 text (byte {error.start + 1} of the line)",
                    repr(raw[:100]),
                    "encoding",
                )
            except RecursionError:
                bad(number, _DEEP, raw[:200].decode(errors="replace"), "row")
            except ValueError as error:
                bad(number, f"not JSON ({error})", raw[:200].decode(errors="replace"), "row")
            else:
                if _is_text(value, raw.decode(errors="replace")):
                    yield number, value
                else:
                    bad(number, "not Unicode text", ascii(value), "encoding")


def _is_text(value: Any, spelt: str) -> bool:
    """Whether all of a value is text: half of a character outside the basic plane, spelt ``\\ud800``, is none."""
    if "\\ud" not in spelt and "\\uD" not in spelt:
        return True
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _iter_items(source: Source) -> Iterator[tuple[Any, str]]:
    """The items of an array, decoded as they come, with how they are spelt."""
    decoder, text = json.JSONDecoder(), _Text(_read_pieces(source))
    text.skip_separators("[")
    while True:
        text.skip_separators(",")
        if text.buffer.startswith("]", text.at):
            return
        start = text.at
        try:
            value, text.at = decoder.raw_decode(text.buffer, start)
        except RecursionError:
            raise make_depth_error(source.name) from None
        except ValueError as error:
            if len(text.buffer) - text.at > LINE_LIMIT:
                raise SourceError(
                    f"An item of {source.name} is longer than {LINE_LIMIT >> 20} MB, or its JSON is broken.",
                    hint="Write one JSON object a line instead.",
                ) from error
            if text.read_more():
                continue
            raise SourceError(
                f"{source.name} is broken JSON ({error}).", hint="Write one JSON object a line instead."
            ) from error
        spelt = text.buffer[start : text.at]
        if is_deep(spelt.encode(errors="replace")):
            raise make_depth_error(source.name)
        yield value, spelt


class _Text:
    """Text as it is read. What is used is left behind at ``at`` and dropped when more is read."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self.buffer = ""
        self.at = 0

    def read_more(self) -> bool:
        """Read at least as much as is held, so that a long item is not tried over and over; False at the end."""
        held = [self.buffer[self.at :]]
        least = len(held[0])
        while sum(map(len, held[1:])) <= least and (piece := next(self._pieces, None)) is not None:
            held.append(piece)
        self.buffer, self.at = "".join(held), 0
        return len(self.buffer) > least

    def skip_separators(self, mark: str) -> None:
        """Leave white space and one ``mark`` behind."""
        while True:
            rest = self.buffer[self.at : self.at + 1]
            if rest and (rest.isspace() or rest == mark):
                self.at += 1
                mark = "" if rest == mark else mark
            elif rest or not self.read_more():
                return


def _read_pieces(source: Source) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        with source.open() as file:
            while data := file.read(1 << 18):
                yield decoder.decode(data)
            yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise SourceError(f"{source.name} is not UTF-8 text.", hint="Save it again as UTF-8.") from error
