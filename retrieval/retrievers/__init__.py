"""Retrievers: one file a method, one Protocol (``base``), one explicit registry (``registry``)."""
