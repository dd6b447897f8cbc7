"""Every format of the catalog says what lists, forms, detection and the documentation need, and has a reader."""

from collections import Counter
from itertools import groupby
from pathlib import Path

from retrieval.kg.readers.catalog import FORMATS
from retrieval.kg.readers.options import OPTIONS

DOCS = Path(__file__).parents[4] / "docs"


def test_every_format_has_a_reader_and_options_that_there_are():
    for one in FORMATS.values():
        assert callable(one.import_reader()), one.name
        assert set(one.options) <= {*OPTIONS} - {"format"}, one.name
        assert set(one.alternatives) <= FORMATS.keys(), one.name
        assert one.label, one.name


def test_no_two_formats_have_a_name_or_an_ending_in_common():
    assert len({one.label for one in FORMATS.values()}) == len(FORMATS)
    endings = Counter(ending for one in FORMATS.values() for ending in one.suffixes)
    assert set(endings.values()) == {1}


def test_the_documentation_lists_the_catalog():
    grouped = groupby(FORMATS.values(), key=lambda one: one.holds)
    rows = [f"| {', '.join(f'`{one.name}`' for one in group)} | {holds} |" for holds, group in grouped]
    assert "| format | what it holds |\n|---|---|\n" + "\n".join(rows) + "\n\n" in (DOCS / "formats.md").read_text()
