"""A widget for notebooks that draws the graph of an answer: ``pip install clew[notebook]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from clew.answer import Answer
from clew.types import Event


class AnswerGraph(anywidget.AnyWidget):
    """The evidence of an answer as the page of the run draws it: topics, paths and answers.

    Args:
        answer: what a client returned.
        height: of the drawing, in pixels.
        theme: ``light`` or ``dark``.
    """

    _esm = Path(__file__).with_name("widget.js")
    events: traitlets.List[Event] = traitlets.List().tag(sync=True)
    height = traitlets.Int(420, min=100).tag(sync=True)
    theme = traitlets.Enum(["light", "dark"], "light").tag(sync=True)

    def __init__(self, answer: Answer, **settings: Any) -> None:
        super().__init__(events=answer.events, **settings)
