"""Models as RML mappings in Turtle, and back.

A kind is a triples map of a CSV source, with its label as class and its key in the template of subjects; names are
``rdfs:label``, relations the predicates of columns, and references joins of parent triples maps. Properties of
``urn:clew:model:`` say the rest: units, types, columns left out, references that are not used, and no key.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

import pyoxigraph as ox

from retrieval.errors import ConfigError
from retrieval.kg.model.datatypes import DATATYPES, TYPES
from retrieval.kg.snapshot.relation_names import get_local_name

#: Namespaces of RML and R2RML, whose terms have the same local names.
_NAMESPACES = ("http://www.w3.org/ns/r2rml#", "http://semweb.mmlab.be/ns/rml#", "http://w3id.org/rml/")
_CLEW, _RDFS, _XSD = "urn:clew:model:", "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2001/XMLSchema#"
_BASE = "urn:clew:map:"
_NAMING = (
    f"{_RDFS}label",
    "http://xmlns.com/foaf/0.1/name",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
_FIELD = re.compile(r"(?<!\\)\{((?:[^{}\\]|\\.)+)\}")
_PREFIXES = f"""@base <{_BASE}> .
@prefix rr: <{_NAMESPACES[0]}> .
@prefix rml: <{_NAMESPACES[1]}> .
@prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix rdfs: <{_RDFS}> .
@prefix xsd: <{_XSD}> .
@prefix clew: <{_CLEW}> .
"""


def is_rml(text: str) -> bool:
    """Whether a text is Turtle that maps sources to triples."""
    return any(namespace in text for namespace in _NAMESPACES) and bool(re.search(r"logical(Source|Table)\b", text))


def write_rml(model: Mapping[str, Any]) -> str:
    """The mapping that says what a model as JSON does; kinds inside tables are left to inference."""
    references = model.get("references", ())
    inside = {ref["target"] for ref in references if ref["target"].startswith(f"{ref['table']}: ")}
    maps = [
        _write_map(kind, [ref for ref in references if ref["table"] == kind["table"] and ref["target"] not in inside])
        for kind in model.get("kinds", ())
        if kind["table"] not in inside
    ]
    return "\n".join([_PREFIXES, *maps])


def _write_map(kind: Mapping[str, Any], references: list[Mapping[str, Any]]) -> str:
    table, key = kind["table"], kind.get("key")
    template = f"urn:clew:thing:{quote(table, safe='')}/{{{_encode_text(key)}}}" if key else ""
    classes = f" ; rr:class <urn:clew:kind:{quote(kind['label'], safe='')}>" if kind.get("label") else ""
    subject = f"rr:template {_format_text(template)}" if template else "rr:termType rr:BlankNode"
    lines = [
        f"<{quote(table, safe='')}> rml:logicalSource "
        f"[ rml:source {_format_text(table)} ; rml:referenceFormulation ql:CSV ]",
        f"rr:subjectMap [ {subject}{classes} ]",
    ]
    if "key" in kind and not key:
        lines.append("clew:keyless true")
    if kind.get("name"):
        names = " ".join(f"{{{_encode_text(name)}}}" for name in kind["name"])
        lines.append(
            f"rr:predicateObjectMap [ rr:predicate rdfs:label ; rr:objectMap [ rr:template {_format_text(names)} ] ]"
        )
    elif "name" in kind:
        lines.append("clew:nameless true")
    lines += [f"rr:predicateObjectMap [ {_write_column(column)} ]" for column in kind.get("columns", ())]
    lines += [f"{_get_use(ref)} [ {_write_reference(ref)} ]" for ref in references]
    return " ;\n    ".join(lines) + " .\n"


def _write_column(column: Mapping[str, Any]) -> str:
    column_type = column.get("type", "")
    label = column.get("label") or column["name"]
    datatype = f" ; rr:datatype xsd:{DATATYPES[column_type]}" if column_type in DATATYPES else ""
    parts = [
        f"rr:predicate <urn:clew:relation:{quote(label, safe='')}>",
        f"rr:objectMap [ rml:reference {_format_text(column['name'])}{datatype} ]",
    ]
    if column_type and not datatype:
        parts.append(f"clew:type {_format_text(column_type)}")
    if "unit" in column:
        parts.append(f"clew:unit {_format_text(column['unit'])}")
    if "is_ignored" in column:
        parts.append(f"clew:ignored {'true' if column['is_ignored'] else 'false'}")
    return " ; ".join(parts)


def _get_use(reference: Mapping[str, Any]) -> str:
    return "clew:unused" if reference.get("is_used") is False else "rr:predicateObjectMap"


def _write_reference(reference: Mapping[str, Any]) -> str:
    label = reference.get("label") or ""
    predicate = f"urn:clew:relation:{quote(label or reference['column'], safe='')}"
    join = f"rr:child {_format_text(reference['column'])} ; rr:parent {_format_text(reference['target_column'])}"
    target = quote(reference["target"], safe="")
    shown = f" ; clew:label {_format_text(label)}" if label else ""
    return (
        f"rr:predicate <{predicate}>{shown} ; "
        f"rr:objectMap [ rr:parentTriplesMap <{target}> ; rr:joinCondition [ {join} ] ]"
    )


def _format_text(text: str) -> str:
    return str(ox.Literal(text))


def _encode_text(column: str) -> str:
    return re.sub(r"([{}\\])", r"\\\1", column)


def read_rml(text: str) -> dict[str, Any]:
    """The model as JSON that a mapping says; what it says beyond a model is passed over.

    Raises:
        ConfigError: it is not Turtle.
    """
    try:
        return _Mapping(ox.parse(text.encode(), format=ox.RdfFormat.TURTLE, base_iri=_BASE)).read()
    except SyntaxError as error:
        raise ConfigError(
            f"The RML mapping cannot be read: {error.msg}.", hint="RML is Turtle: check it where the message says."
        ) from error


class _Mapping:
    """The statements of a mapping, by subject and local name of the predicate."""

    def __init__(self, quads: Iterator[ox.Quad]) -> None:
        self._values: dict[Any, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for quad in quads:
            self._values[quad.subject][self._format_iri(quad.predicate.value)].append(quad.object)

    @staticmethod
    def _format_iri(iri: str) -> str:
        return next((iri.removeprefix(start) for start in (*_NAMESPACES, _CLEW) if iri.startswith(start)), iri)

    def _list(self, node: Any, name: str) -> list[Any]:
        return self._values[node][name] if node in self._values else []

    def _get_text(self, node: Any, *names: str) -> str:
        values = (value.value for name in names for value in self._list(node, name) if hasattr(value, "value"))
        return next(values, "")

    def _get_source(self, node: Any) -> str:
        """The file of a triples map; a table of a database is called as its rows are."""
        for source in (*self._list(node, "logicalSource"), *self._list(node, "logicalTable")):
            name = self._get_text(source, "source", "tableName")
            if not name or not isinstance(next(iter(self._list(source, "source")), ox.Literal("")), ox.Literal):
                inner = next(iter(self._list(source, "source")), None)
                name = self._get_text(inner, "path", "http://www.w3.org/ns/csvw#url") or name
            if name:
                return unquote(name.rpartition("/")[2]) if "://" in name else name.removeprefix("./")
        return ""

    def read(self) -> dict[str, Any]:
        tables = {node: table for node in list(self._values) if (table := self._get_source(node))}
        kinds: dict[str, dict[str, Any]] = {}
        references: list[dict[str, Any]] = []
        for node, table in tables.items():
            kind = kinds.setdefault(table, {"table": table, "columns": []})
            self._read_subject(node, kind)
            for rule in self._list(node, "predicateObjectMap"):
                self._read_rule(rule, table, kind, references, tables, is_used=True)
            for rule in self._list(node, "unused"):
                self._read_rule(rule, table, kind, references, tables, is_used=False)
        return {"kinds": list(kinds.values()), "references": references}

    def _read_subject(self, node: Any, kind: dict[str, Any]) -> None:
        for subject in self._list(node, "subjectMap"):
            if iri := self._get_text(subject, "class"):
                kind["label"] = unquote(get_local_name(iri))
            fields = _FIELD.findall(self._get_text(subject, "template"))
            key = _decode_text(fields[0]) if len(fields) == 1 else self._get_text(subject, "reference", "column")
            if key:
                kind["key"] = key
        if self._get_text(node, "keyless"):
            kind["key"] = None
        if self._get_text(node, "nameless"):
            kind["name"] = []

    def _read_rule(
        self,
        rule: Any,
        table: str,
        kind: dict[str, Any],
        references: list[dict[str, Any]],
        tables: Mapping[Any, str],
        *,
        is_used: bool,
    ) -> None:
        predicate = self._get_text(rule, "predicate")
        for inner in self._list(rule, "predicateMap"):
            predicate = predicate or self._get_text(inner, "constant")
        for place in self._list(rule, "objectMap"):
            target = next((tables[parent] for parent in self._list(place, "parentTriplesMap") if parent in tables), "")
            joins = self._list(place, "joinCondition")
            if target and len(joins) == 1:
                label = self._get_text(rule, "label") or (
                    "" if predicate.startswith("urn:clew:") else _format_name(predicate)
                )
                references.append(
                    {
                        "table": table,
                        "column": self._get_text(joins[0], "child"),
                        "target": target,
                        "target_column": self._get_text(joins[0], "parent"),
                        **({"label": label} if label else {}),
                        "is_used": is_used,
                    }
                )
                continue
            fields = [_decode_text(field) for field in _FIELD.findall(self._get_text(place, "template"))]
            column = self._get_text(place, "reference", "column")
            if predicate in _NAMING and (fields or column):
                kind["name"] = fields or [column]
            elif column:
                kind["columns"].append(self._read_column(rule, place, column, predicate))

    def _read_column(self, rule: Any, place: Any, column: str, predicate: str) -> dict[str, Any]:
        read: dict[str, Any] = {"name": column, "label": _format_name(predicate)}
        column_type = self._get_text(rule, "type") or TYPES.get(
            get_local_name(self._get_text(place, "datatype") or "-")
        )
        if column_type:
            read["type"] = column_type
        if self._list(rule, "unit"):
            read["unit"] = self._get_text(rule, "unit")
        if self._list(rule, "ignored"):
            read["is_ignored"] = self._get_text(rule, "ignored") == "true"
        return read


def _format_name(predicate: str) -> str:
    if predicate.startswith("urn:clew:relation:"):
        return unquote(predicate.removeprefix("urn:clew:relation:"))
    return unquote(get_local_name(predicate))


def _decode_text(field: str) -> str:
    return re.sub(r"\\(.)", r"\1", field)
