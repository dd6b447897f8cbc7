"""Documents: text in, passages out. Each reader gives blocks under headings; ``splitting`` makes passages of them."""

from __future__ import annotations

#: Files cut into passages, and files that hold passages already.
DOCUMENT_FORMATS = ("text", "markdown", "html", "pdf")
PASSAGE_FORMATS = ("passages", "hotpotqa", "2wiki", "musique")

__all__ = ["DOCUMENT_FORMATS", "PASSAGE_FORMATS"]
