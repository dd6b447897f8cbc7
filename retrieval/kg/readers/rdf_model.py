"""The data model of RDF files, before their import: RDF says itself what its kinds, names and relations are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from retrieval.kg.model.data_model import Column, DataModel, Kind
from retrieval.kg.model.describing import find_unit
from retrieval.kg.model.edges import Edge, describe_edges
from retrieval.kg.model.examples import EXAMPLES, NamedThing, write_example
from retrieval.kg.model.source_table import Cell, SourceTable
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.rdf_names import NamedFacts, resolve
from retrieval.kg.snapshot.relation_names import RDF_TYPE, format_relation_name

#: What names things that have a label, and those that have none.
_LABEL, _IRI = "label", "IRI"
_UNTYPED = "thing without a type"


def describe_rdf(files: Sequence[FactFile]) -> DataModel:
    """The kinds of RDF files with their attributes, the relations between them, and the languages of names.

    A thing of several types is described with the rarest; each type counts all of its things.
    """
    named_facts = resolve(files, {})
    literals = set(named_facts.nodes.filter(named_facts.nodes["kind"] == "literal")["label"])
    types, sizes = _find_types(named_facts)
    classes = {kind for kinds in types.values() for kind in kinds}
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    edges: dict[Edge, int] = {}
    rows: list[Edge] = list(named_facts.facts.select("head", "relation", "tail").iter_rows())
    for head, relation, tail in rows:
        if relation == RDF_TYPE or (head in classes and head not in types):
            continue
        shown = named_facts.relation_labels.get(relation) or format_relation_name(relation)
        if tail in literals:
            values[head][shown].append(tail)
        else:
            edges.setdefault((head, shown, tail), len(edges))
            values.setdefault(head, defaultdict(list))
            if tail not in classes:
                values.setdefault(tail, defaultdict(list))
    things: dict[str, list[str]] = defaultdict(list)
    for node in values.keys() | types.keys():
        things[min(types.get(node, [""]), key=lambda kind: (sizes[kind], kind))].append(node)
    annotations = []
    for row, key, value in named_facts.fact_attributes:
        head, relation, tail = rows[row]
        shown = named_facts.relation_labels.get(relation) or format_relation_name(relation)
        if (place := edges.get((head, shown, tail))) is not None:
            annotations.append((place, key, value))
    has_label = any(file.names for file in files)
    kinds = [
        _describe_kind(kind, sorted(nodes), sizes[kind] or len(nodes), values, has_label)
        for kind, nodes in sorted(things.items(), key=lambda item: (-(sizes[item[0]] or len(item[1])), item[0]))
    ]
    tables = {node: kind or _UNTYPED for kind, nodes in things.items() for node in nodes}
    languages = Counter(language for _, language in named_facts.names.select("label", "language").unique().iter_rows())
    return DataModel(
        tuple(kinds),
        is_sampled=any(file.is_cut for file in files),
        edges=describe_edges(edges, annotations, tables),
        languages=tuple(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
    )


def _find_types(named_facts: NamedFacts) -> tuple[dict[str, list[str]], Counter[str]]:
    """The types of each thing, and how many things each type has."""
    types: dict[str, list[str]] = defaultdict(list)
    stated = named_facts.facts.filter(named_facts.facts["relation"] == RDF_TYPE)
    for head, kind in stated.select("head", "tail").unique(maintain_order=True).iter_rows():
        types[head].append(kind)
    return types, Counter(kind for kinds in types.values() for kind in kinds)


def _describe_kind(
    kind: str, nodes: Sequence[str], count: int, values: dict[str, dict[str, list[str]]], has_label: bool
) -> Kind:
    header = tuple(dict.fromkeys(key for node in nodes for key in values[node]))
    table = SourceTable(kind or _UNTYPED, kind, header)
    for node in nodes:
        cells: list[Cell] = []
        for key in header:
            texts = values[node].get(key, [])
            cells.append(texts[0] if len(texts) == 1 else texts or None)
        table.rows.append(cells)
    label = kind or _UNTYPED
    examples = [
        NamedThing(node, [(key, text) for key, texts in values[node].items() for text in texts])
        for node in nodes[:EXAMPLES]
    ]
    return Kind(
        table=label,
        label=label,
        count=count,
        name=(_LABEL if has_label else _IRI,),
        key=None,
        columns=tuple(
            Column(
                profile.heading,
                profile.label,
                profile.type,
                profile.filled,
                profile.distinct,
                profile.first_rows,
                find_unit(profile),
            )
            for profile in table.profiles
        ),
        examples=tuple(write_example(thing, label, Counter()) for thing in examples),
        is_fixed=True,
    )
