"""Names for the terms of RDF files: labels of nodes, their descriptions, and what is said of statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import polars as pl

from retrieval.kg.readers.file_contents import NAME_SCHEMA, NODE_SCHEMA, TERM_SCHEMA, FactFile, FactSink, locate_rows
from retrieval.kg.readers.rdf_schema import build_vocabulary
from retrieval.kg.readers.rdf_structures import Row
from retrieval.kg.snapshot.relation_names import get_local_name
from retrieval.kg.snapshot.vocabulary import Vocabulary

DESCRIPTION = "description"


@dataclass(frozen=True, slots=True)
class NamedFacts:
    """The statements of RDF files by label.

    Attributes:
        facts: heads, relations, tails and origins, those of annotated facts that a sink has taken once more.
        nodes: label, kind and IRI.
        node_attributes: (label, key, value): of a node described in several languages, its descriptions without one or
            else in English.
        fact_attributes: (row of ``facts``, key, value).
        vocabulary: what ontologies say of classes and properties.
        names: what nodes are called in languages, see :class:`~retrieval.kg.table.TripleTable`.
    """

    facts: pl.DataFrame
    nodes: pl.DataFrame
    relation_labels: dict[str, str]
    node_attributes: list[tuple[str, str, str]]
    fact_attributes: list[tuple[int, str, str]]
    vocabulary: Vocabulary
    names: pl.DataFrame


def resolve(files: Sequence[FactFile], sources: Mapping[str, int], sink: FactSink | None = None) -> NamedFacts:
    """Name the terms of all RDF files together, those of the rows that a sink has taken too.

    The statements of a schema are facts only where nothing else is.

    Args:
        files: what was read of each.
        sources: the origin of each by its name.
        sink: has taken the rows that are not in the files.
    """
    rows = pl.concat([locate_rows(f.terms, sources.get(f.name, 0)) for f in files if f.terms is not None])
    schema = [row for file in files for row in file.schema]
    if schema and not any(file.rows - len(file.schema) - len(file.described) - len(file.labels) for file in files):
        stated = [(pl.DataFrame(file.schema, schema=TERM_SCHEMA, orient="row"), file.name) for file in files]
        rows, schema = pl.concat([locate_rows(terms, sources.get(name, 0)) for terms, name in stated]), []
    names: dict[str, tuple[int, str]] = {}
    for file in files:
        for key, offer in file.names.items():
            if key not in names or offer[0] < names[key][0]:
                names[key] = offer
    taken = (rows["head"].clear(), rows["relation"].clear()) if sink is None else sink.list_terms()
    annotated = _find_stated(files, rows, sink)
    annotations = [annotation for file in files for annotation in file.annotations if annotation.fact in annotated]
    keys = {key for annotation in annotations for key in annotation.keys}
    relations = {*rows["relation"].unique(), *taken[1], *keys}
    described_terms = [row for file in files for row in file.described]
    in_languages = [row for file in files for row in file.labels]
    vocabulary = build_vocabulary(schema, names, described_terms, in_languages)
    by_schema = {"<" + term.name for term in vocabulary.terms}
    described = _collect_descriptions([row for row in described_terms if row[0] not in by_schema], relations)
    labelled = dict.fromkeys(row[0] for row in in_languages)
    unused = [key for key in {**names, **described, **labelled} if key[1:] not in relations and key not in by_schema]
    terms = (
        pl.concat([rows["head"], rows["tail"], taken[0].alias("head"), pl.Series("head", unused, pl.String)])
        .unique()
        .sort()
        .to_list()
    )
    labels = _assign_labels(terms, names)
    kinds = ["literal" if t[0] == '"' else "cvt" if t[0] == "_" and t not in names else "entity" for t in terms]
    nodes = pl.DataFrame(
        {"label": labels, "kind": kinds, "iri": [t[1:] if t[0] == "<" else None for t in terms]},
        schema=NODE_SCHEMA,
    )
    lookup = pl.DataFrame({"term": terms, "label": labels})
    if sink is not None:
        sink.assign_labels(lookup["term"], lookup["label"])
    rows = pl.concat([rows, locate_rows(pl.DataFrame([*annotated], schema=TERM_SCHEMA, orient="row"), 0)])
    facts = rows.with_columns(_map_labels(rows["head"], lookup), _map_labels(rows["tail"], lookup))
    shown = dict(zip(terms, labels, strict=True)) if described or annotations else {}
    relation_labels = {r: names["<" + r][1] for r in relations if "<" + r in names}
    places = {fact: rows.height - len(annotated) + place for place, fact in enumerate(annotated)}
    fact_attributes = [
        (
            places[annotation.fact],
            " ".join(relation_labels.get(key) or get_local_name(key) for key in annotation.keys),
            shown.get(annotation.value) or _make_plain_label(annotation.value, names),
        )
        for annotation in annotations
    ]
    attributes = [(shown[term], DESCRIPTION, text) for term, texts in described.items() for text in texts]
    called = pl.DataFrame(in_languages, schema=NAME_SCHEMA, orient="row")
    called = called.with_columns(_map_labels(called["label"], lookup)).drop_nulls("label")
    return NamedFacts(facts, nodes, relation_labels, attributes, fact_attributes, vocabulary, called)


def _find_stated(files: Sequence[FactFile], rows: pl.DataFrame, sink: FactSink | None) -> dict[Row, None]:
    """The facts that something is said of, if any file states them; a problem names those that none does."""
    facts = list(dict.fromkeys(annotation.fact for file in files for annotation in file.annotations))
    if not facts:
        return {}
    annotated = pl.DataFrame(facts, schema=TERM_SCHEMA, orient="row")
    stated = set(rows.select(*TERM_SCHEMA).join(annotated, on=list(TERM_SCHEMA), how="semi").iter_rows())
    if sink is not None:
        stated.update(annotated.filter(sink.find_terms(annotated)).iter_rows())
    for file in files:
        lacking = {annotation.fact: None for annotation in file.annotations if annotation.fact not in stated}
        if file.log is None or not lacking:
            continue
        for head, relation, tail in lacking:
            statement = f"{head[1:]} {relation} {tail[1:]}"
            file.log.add(0, "something is said of a fact that no file states; it is left out", statement)
        file.log.close()
    return {fact: None for fact in facts if fact in stated}


def _collect_descriptions(rows: Sequence[tuple[str, int, str]], relations: set[str]) -> dict[str, list[str]]:
    """The descriptions of each term in its best language; those of relations are left out."""
    texts_by_rank: dict[str, tuple[int, list[str]]] = {}
    for term, rank, text in rows:
        if term[1:] in relations:
            continue
        best = texts_by_rank.get(term)
        if best is None or rank < best[0]:
            texts_by_rank[term] = (rank, [text])
        elif rank == best[0]:
            best[1].append(text)
    return {term: texts for term, (_, texts) in texts_by_rank.items()}


def _map_labels(column: pl.Series, lookup: pl.DataFrame) -> pl.Series:
    frame = pl.DataFrame({"term": column}).join(lookup, on="term", how="left", maintain_order="left")
    return frame["label"].alias(column.name)


def _assign_labels(terms: list[str], names: dict[str, tuple[int, str]]) -> list[str]:
    """One label per term, no two alike."""
    plain = [_make_plain_label(term, names) for term in terms]
    shared = Counter(label for term, label in zip(terms, plain, strict=True) if term[0] != '"')
    labels = []
    for term, label in zip(terms, plain, strict=True):
        if term[0] == '"':
            labels.append(f'"{label}"' if label in shared else label)
        elif shared[label] > 1:
            short_name = get_local_name(term[1:]) if term[0] == "<" else term
            labels.append(f"{label} ({short_name})" if short_name != label else f"{label} ({term.lstrip('<')})")
        else:
            labels.append(label)
    counts = Counter(labels)
    return [
        f"{label} [{term.lstrip('<')}]" if counts[label] > 1 and term[0] != '"' else label
        for term, label in zip(terms, labels, strict=True)
    ]


def _make_plain_label(term: str, names: dict[str, tuple[int, str]]) -> str:
    if term in names:
        return names[term][1]
    if term[0] == "<":
        local = unquote(get_local_name(term[1:])).replace("_", " ").strip()
        return local or term[1:]
    return term[1:] if term[0] == '"' else term
