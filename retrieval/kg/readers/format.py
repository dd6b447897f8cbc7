"""What a file format is, without loading its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, cast

from retrieval.plugins import import_part

if TYPE_CHECKING:
    from retrieval.kg.readers.file_contents import FactFile
    from retrieval.kg.readers.input_file import InputFile
    from retrieval.kg.readers.problems import ProblemLog


class Certainty(IntEnum):
    """How sure it is that a file is of a format."""

    NO = 0
    #: Nothing speaks against it.
    POSSIBLE = 1
    #: Its first lines look like it.
    LIKELY = 2
    #: Its name ends so.
    NAMED = 3
    #: It begins as nothing else does.
    CERTAIN = 4


def detect_nothing(file: InputFile) -> Certainty:
    """Of formats that only a name or a person tells."""
    del file
    return Certainty.NO


@dataclass(frozen=True, slots=True)
class Format:
    """One file format, as lists, forms, detection and reading know it.

    Attributes:
        name: as requests and commands call it.
        label: as lists show it.
        holds: what is in such a file, in a few words.
        family: which formats it is listed with.
        read: its reader, ``"module:function"``; called with an ``InputFile`` and a ``ProblemLog``, it gives a
            ``FactFile``.
        suffixes: endings of names, in lower case, that tell it.
        detect: how sure its content makes it.
        options: which of ``ReadOptions`` beside the format it heeds; a form asks for these.
        delimiter: the one it has unless another is named.
        alternatives: other formats that such a file may be meant as.
        opens_itself: the reader opens the file as it lies; others get text, decompressed and decoded.
        one_piece: a part of such a file is none; what begins it ends in an error.
    """

    name: str
    label: str
    holds: str
    family: str
    read: str
    suffixes: tuple[str, ...] = ()
    detect: Callable[[InputFile], Certainty] = detect_nothing
    options: tuple[str, ...] = ("encoding",)
    delimiter: str | None = None
    alternatives: tuple[str, ...] = ()
    opens_itself: bool = False
    one_piece: bool = False

    def measure_certainty(self, file: InputFile) -> Certainty:
        """How sure it is that a file is of this format."""
        by_name = Certainty.NAMED if file.suffix in self.suffixes else Certainty.NO
        return max(by_name, self.detect(file))

    def import_reader(self) -> Callable[[InputFile, ProblemLog], FactFile]:
        """Its reader, imported now.

        Raises:
            ConfigError: it cannot be.
        """
        return cast(
            "Callable[[InputFile, ProblemLog], FactFile]",
            import_part(self.read, f"The reader of the format {self.name}"),
        )
