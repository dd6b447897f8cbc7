"""One table of several files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from retrieval.kg.model.data_model import NO_CHOICES, ModelChoices
from retrieval.kg.readers.file_contents import (
    FACT_SCHEMA,
    LINK_SCHEMA,
    NAME_SCHEMA,
    NODE_SCHEMA,
    PASSAGE_SCHEMA,
    FactFile,
    FactSink,
    locate_rows,
    number_sources,
)
from retrieval.kg.readers.modelling import resolve_properties
from retrieval.kg.readers.property_facts import PropertyFacts
from retrieval.kg.snapshot.vocabulary import Vocabulary
from retrieval.kg.table import ORIGIN, TripleTable, build_frame


def merge_files(
    files: Sequence[FactFile], sink: FactSink | None = None, choices: ModelChoices = NO_CHOICES
) -> TripleTable:
    """One table of several files, without the rows that went to a sink.

    RDF files share their names, property graphs their ids; tables refer to each other as the data model says; all meet
    by label.

    Args:
        files: what was read of each.
        sink: took the rows that are not in the files.
    """
    files, sources = list(files), number_sources(files)
    fact_attributes: list[tuple[int, str, str]] = []
    node_attributes: list[tuple[str, str, str]] = []
    nodes, relation_labels, model, vocabulary = [], None, None, Vocabulary()
    names = [pl.DataFrame(schema=NAME_SCHEMA)]
    facts = [locate_rows(f.facts, sources.get(f.name, 0)) for f in files if f.facts is not None]
    attribute_origins = np.zeros(0, np.int64)
    if any(f.properties is not None or f.table is not None for f in files):
        first = sum(rows.height for rows in facts)
        property_facts, model = resolve_properties(files, choices)
        fact_attributes = [(first + fact, key, value) for fact, key, value in property_facts.fact_attributes]
        node_attributes = property_facts.node_attributes
        nodes.append(pl.DataFrame(property_facts.nodes, schema=NODE_SCHEMA, orient="row"))
        attribute_origins = property_facts.attribute_origins
        names.append(pl.DataFrame(property_facts.names, schema=NAME_SCHEMA, orient="row"))
        properties = _convert_to_file(property_facts)
        files.append(properties)
        if properties.facts is not None:
            facts.append(properties.facts.with_columns(pl.Series(ORIGIN, property_facts.fact_origins)))
    if any(f.terms is not None for f in files):
        from retrieval.kg.readers.rdf_names import resolve  # noqa: PLC0415 - of RDF only

        before = sum(rows.height for rows in facts)
        named_facts = resolve(files, sources, sink)
        facts.append(named_facts.facts)
        nodes.append(named_facts.nodes)
        relation_labels, vocabulary = named_facts.relation_labels, named_facts.vocabulary
        node_attributes = node_attributes + named_facts.node_attributes
        attribute_origins = np.concatenate([attribute_origins, np.zeros(len(named_facts.node_attributes), np.int64)])
        names.append(named_facts.names)
        fact_attributes += [(before + row, key, value) for row, key, value in named_facts.fact_attributes]
    passages, fact_passages = None, None
    if any(f.passages is not None for f in files):
        from retrieval.kg.readers.documents.reading import merge_documents  # noqa: PLC0415 - loads the readers of documents

        passages, fact_passages = merge_documents(files)
    pairs = {"key": str, "value": str}
    located = pl.concat(facts) if facts else pl.DataFrame(schema={**FACT_SCHEMA, ORIGIN: pl.Int64})
    return TripleTable(
        facts=located.drop(ORIGIN),
        nodes=pl.concat(nodes) if nodes else None,
        relation_labels=relation_labels,
        sources=tuple(f.name for f in files if f.name),
        problems=sum(f.problems for f in files),
        node_attributes=build_frame(node_attributes, label=str, **pairs) if node_attributes else None,
        fact_attributes=build_frame(fact_attributes, fact=int, **pairs) if fact_attributes else None,
        passages=passages,
        fact_passages=fact_passages,
        model=model,
        vocabulary=vocabulary,
        fact_origins=located[ORIGIN],
        attribute_origins=pl.Series(ORIGIN, attribute_origins) if node_attributes else None,
        names=called if (called := pl.concat(names)).height else None,
    )


def _convert_to_file(property_facts: PropertyFacts) -> FactFile:
    """The facts of all property graphs as if one more file held them; its problems are those found on the way."""
    passages, links = None, None
    if property_facts.documents:
        rows = [(label, title, text, "", "") for label, title, text in property_facts.documents]
        passages = pl.DataFrame(rows, schema=PASSAGE_SCHEMA, orient="row")
        positions = {row[0]: i for i, row in enumerate(rows)}
        touching = [
            (fact, positions[end])
            for fact, (head, _, tail) in enumerate(property_facts.facts)
            for end in sorted({head, tail} & positions.keys())
        ]
        links = pl.DataFrame(touching, schema=LINK_SCHEMA, orient="row")
    facts = pl.DataFrame(property_facts.facts, schema=FACT_SCHEMA, orient="row")
    return FactFile("", facts, property_facts.problems, passages=passages, fact_passages=links)
