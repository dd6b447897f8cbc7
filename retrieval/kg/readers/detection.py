"""Content type detection: which format of the catalog a file is of."""

from __future__ import annotations

from retrieval.errors import SourceError
from retrieval.kg.readers import catalog
from retrieval.kg.readers.format import Certainty, Format
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.other_formats import check_xml_root, find_text_format, make_refusal
from retrieval.kg.readers.question_files import is_question_list
from retrieval.plugins import select_usable


def format_of(file: InputFile) -> Format:
    """The format that a file is read as.

    Raises:
        ConfigError: the format that was asked for is unknown.
        SourceError: the file cannot be opened, or holds no graph.
    """
    return resolve_own_format(file) or resolve_text_format(file)


def resolve_own_format(file: InputFile) -> Format | None:
    """The format of a file whose reader opens it itself, asked for or detected; None of files of text."""
    requested = catalog.get_requested_format(file.options)
    detected, certainty = _find_likeliest(file, opens_itself=True)
    if certainty == Certainty.CERTAIN or (requested is None and certainty):
        return detected
    return requested if requested is not None and requested.opens_itself else None


def resolve_text_format(file: InputFile) -> Format:
    """The format of a file of text: what was asked for, else what it looks like."""
    if file.header_line is not None:
        return catalog.FORMATS["property-csv"]
    return catalog.get_requested_format(file.options) or _detect_text_format(file)


def is_plain_text(file: InputFile) -> bool:
    """Whether nothing but its name says that a file is a document: a list of words beside a graph looks the same."""
    detected, certainty = _find_likeliest(file, opens_itself=True)
    return certainty == Certainty.POSSIBLE and detected.family == "documents"


def _detect_text_format(file: InputFile) -> Format:
    detected, certainty = _find_likeliest(file, opens_itself=False)
    is_added = certainty == Certainty.CERTAIN and detected.name in select_usable(catalog.load_plugin_formats())
    if not is_added and (other := find_text_format(file.head)):  # a plug-in may read what Clew does not
        raise make_refusal(other, file.name)
    if certainty == Certainty.POSSIBLE:
        check_xml_root(file.head, file.name)
    if certainty == Certainty.POSSIBLE and file.begins_json:
        raise SourceError(
            f"{file.name} is JSON without a graph in it.",
            hint="A question set is uploaded under its graph; a graph in JSON is nodes and edges, passages or RDF.",
        )
    if is_question_list(file.head):
        raise SourceError(
            f"{file.name} is a question set, not a graph.", hint="Import it under its graph, as questions."
        )
    return detected


def _find_likeliest(file: InputFile, *, opens_itself: bool) -> tuple[Format, Certainty]:
    """The format that a file is most likely of, the first of them in the catalog, and how sure that is."""
    formats = [fmt for fmt in catalog.FORMATS.values() if fmt.opens_itself == opens_itself]
    sure = [fmt.measure_certainty(file) for fmt in formats]
    best = max(sure)
    return formats[sure.index(best)], best
