"""Building: rows of facts, documents and files into the directory of a snapshot. Needs polars."""

from retrieval.kg.build.from_table import build_snapshot

__all__ = ["build_snapshot"]
