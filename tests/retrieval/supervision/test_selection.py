"""Replies as models write them: what they select, and what is no selection."""

import pytest

from retrieval.supervision.selection import EXPLANATION_LIMIT, NoSelectionError, read_selection

PATHS = [
    "boeing → [rockets_manufactured] → saturn v → [manufacturer] → North American",
    "boeing → [industry] → Aerospace → [companies] → North American",
    "Little Joe → [manufacturer] → North American",
    "saturn v → [mass] → 3038500.0",
    "boeing → [rockets_manufactured] → saturn v",
]

REPLIES = {
    "as asked": ("Path 0 is valid. Path 3 is irrelevant.\nans: Path 0\nans: Path 2", (0, 2)),
    "on one line": ("Therefore: ans: Path 0 ans: Path 2 ans: Path 3", (0, 2, 3)),
    "a list after one prefix": ("ans: Path 0, Path 2 and Path 3", (0, 2, 3)),
    "numbers only": ("ans: 0, 2", (0, 2)),
    "a range": ("ans: Paths 1-3", (1, 2, 3)),
    "hashes, brackets and bold": ("**ans:** Path #2\nans: [Path 3]\n- **ans: path 1**", (2, 3, 1)),
    "leading zeros": ("ans: Path 002.", (2,)),
    "lines below the prefix": ("ans:\nPath 0\n2", (0, 2)),
    "the path itself": ("ans: Little Joe -> [manufacturer] -> North American", (2,)),
    "the path itself, misnumbered": ("ans: 1. Path 7. Little Joe → manufacturer → North American", (2,)),
    "number and path": ("ans: Path 4. boeing → [rockets_manufactured] → saturn v", (4,)),
    "the longer of two that begin alike": (
        "ans: boeing → [rockets_manufactured] → saturn v → [manufacturer] → North American",
        (0,),
    ),
    "an enumeration of paths": (
        "The rational paths are:\n1. Path 0. x\n2) Path 3\n\nExplanation\nPath 1 no",
        (0, 3),
    ),
    "a heading": ("The rational paths are:\nPath 2. Little Joe\n\nExplanation\nPath 0: not rational.", (2,)),
    "a bold heading": (
        "**The relevant paths are:**\n- Path 3\n- Path 1\n\n**Explanations**\nPath 0 no.",
        (3, 1),
    ),
    "no heading": ("Path 2\nPath 3", (2, 3)),
    "no heading, then reasons": (
        "Path 2. Little Joe → [manufacturer] → North American\n\nExplanation: Path 0 names Boeing only.",
        (2,),
    ),
    "thinking first": ("<think>ans: Path 1? no.</think>\nans: Path 3", (3,)),
    "numbers that do not exist": ("ans: Path 2\nans: Path 19", (2,)),
    "the same twice": ("ans: Path 2\nans: Path 2", (2,)),
    "a year in an entity": ("ans: Path 3 (built 2)", (3,)),
    "none": ("None of these paths is about mass. ans: none", ()),
    "none under a heading": ("The rational paths are:\nnone\n\nExplanation\nPath 0 is indirect.", ()),
    "none in prose": ("There are no relevant paths here.", ()),
}


@pytest.mark.parametrize("name", REPLIES)
def test_what_a_reply_selects(name):
    reply, chosen = REPLIES[name]
    assert read_selection(reply, PATHS).chosen == chosen


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "I'm sorry, but I cannot help with that.",
        "Path 0 shows the manufacturer, while Path 1 is about industry.",
        "Path 0: not rational.\nPath 2: rational.",
        "ans: North American Aviation",
        "ans: Path 99",
        "<think>ans: Path 1",
    ],
)
def test_what_is_no_selection(reply):
    with pytest.raises(NoSelectionError):
        read_selection(reply, PATHS)


def test_reasons_are_kept_and_shortened():
    assert read_selection("Path 0 proves it.\nans: Path 0", PATHS).explanation == "Path 0 proves it."
    listed = "The rational paths are:\nPath 2\n\nExplanation\nIt names\nthe maker."
    assert read_selection(listed, PATHS).explanation == "It names the maker."
    assert len(read_selection("why " * 1000 + "\nans: Path 0", PATHS).explanation) == EXPLANATION_LIMIT
