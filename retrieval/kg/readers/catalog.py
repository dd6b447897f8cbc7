"""The formats that graphs are read from."""

from __future__ import annotations

from retrieval.kg.readers.documents import DOCUMENT_FORMATS, PASSAGE_FORMATS

DELIMITED_FORMATS = ("delimited", "tsv", "csv", "psv")
RDF_FORMATS = ("ntriples", "turtle", "nquads", "rdfxml", "jsonld")
#: Nodes and edges with attributes.
PROPERTY_FORMATS = ("property-csv", "property-jsonl", "graphml")
#: Every value of ``fmt`` besides None and ``auto``.
FORMATS = (
    *DELIMITED_FORMATS,
    *PROPERTY_FORMATS,
    *RDF_FORMATS,
    "parquet",
    "subgraphs",
    *DOCUMENT_FORMATS,
    *PASSAGE_FORMATS,
)
