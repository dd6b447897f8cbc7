"""Models as W3C metadata of CSV files (CSVW), and back.

Kinds are tables with ``rdfs:label``, their names ``rowTitles``; relations are the ``rdfs:label`` of columns, units
their ``schema:unitText``, lists have a ``separator``, and columns left out ``suppressOutput``. Keys and references are
``primaryKey`` and ``foreignKeys``. Notes say what has no word there: no key, and references that are not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from retrieval.kg.model.datatypes import DATATYPES, TYPES

CONTEXT = "http://www.w3.org/ns/csvw"
_NOTE = "urn:clew:model:"
_LABEL, _UNIT, _REFERENCE, _KEYLESS = "rdfs:label", "schema:unitText", f"{_NOTE}unused", f"{_NOTE}keyless"


def is_csvw(value: object) -> bool:
    """Whether JSON is metadata of CSV files."""
    if not isinstance(value, Mapping):
        return False
    context = value.get("@context")
    return (context[0] if isinstance(context, list) and context else context) == CONTEXT


def write_csvw(model: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that says what a model as JSON does; kinds inside tables are left to inference."""
    embedded = {ref["target"] for ref in model.get("references", ()) if ref["target"] == _describe_embedded(ref)}
    tables = [_write_table(kind, model) for kind in model.get("kinds", ()) if kind["table"] not in embedded]
    return {"@context": [CONTEXT, {"@language": "en"}], "tables": tables}


def _describe_embedded(reference: Mapping[str, Any]) -> str:
    """The target of a reference to a kind inside its table."""
    target: str = reference["target"]
    return target if target.startswith(f"{reference['table']}: ") else ""


def _write_table(kind: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, Any]:
    table = kind["table"]
    references = [ref for ref in model.get("references", ()) if ref["table"] == table]
    labels = {ref["column"]: ref["label"] for ref in references if ref.get("label") and ref.get("is_used") is not False}
    described = {column["name"]: column for column in kind.get("columns", ())}
    linked = (
        [ref["column"] for ref in references]
        + list(kind.get("name") or ())
        + ([kind["key"]] if kind.get("key") else [])
    )
    for name in linked:
        described.setdefault(name, {"name": name})
    schema: dict[str, Any] = {
        "columns": [_write_column(column, labels.get(column["name"])) for column in described.values()]
    }
    if kind.get("key"):
        schema["primaryKey"] = _encode(kind["key"])
    if kind.get("name") is not None:
        schema["rowTitles"] = [_encode(name) for name in kind["name"]]
    used = [ref for ref in references if ref.get("is_used") is not False and not _describe_embedded(ref)]
    if used:
        schema["foreignKeys"] = [_write_foreign_key(ref) for ref in used]
    notes: list[dict[str, Any]] = [
        {_REFERENCE: _write_foreign_key(ref)} for ref in references if ref.get("is_used") is False
    ]
    notes += [{_KEYLESS: True}] if "key" in kind and not kind["key"] else []
    return {
        "url": quote(table),
        **({_LABEL: kind["label"]} if kind.get("label") else {}),
        "tableSchema": schema,
        **({"notes": notes} if notes else {}),
    }


def _write_column(column: Mapping[str, Any], label: str | None) -> dict[str, Any]:
    written = {"name": _encode(column["name"]), "titles": column["name"]}
    if label or column.get("label"):
        written[_LABEL] = column.get("label") or label
    if column.get("type") in (*DATATYPES, "list"):
        written["datatype"] = DATATYPES.get(column["type"], "string")
    if column.get("type") == "list":
        written["separator"] = ";"
    if column.get("unit"):
        written[_UNIT] = column["unit"]
    if column.get("is_ignored"):
        written["suppressOutput"] = True
    return written


def _write_foreign_key(reference: Mapping[str, Any]) -> dict[str, Any]:
    written: dict[str, Any] = {
        "columnReference": _encode(reference["column"]),
        "reference": {"resource": quote(reference["target"]), "columnReference": _encode(reference["target_column"])},
    }
    return {**written, _LABEL: reference["label"]} if reference.get("label") else written


def _encode(heading: str) -> str:
    """The name of a column, of letters, digits, ``_`` and percent-encoded characters."""
    return quote(heading, safe="").replace(".", "%2E").replace("-", "%2D").replace("~", "%7E")


def read_csvw(value: Mapping[str, Any]) -> dict[str, Any]:
    """The model as JSON that metadata of CSV files says; what it says beyond a model is passed over."""
    tables = value.get("tables", [value])
    tables = [table for table in tables if isinstance(table, Mapping) and isinstance(table.get("url"), str)]
    schemas = {table["url"]: _get_schema(table, value) for table in tables}
    headings = {url: {_get_name(column): _get_heading(column) for column in _list_columns(schema)}
                for url, schema in schemas.items()}  # fmt: skip
    kinds = [_read_kind(table, schemas[table["url"]], headings[table["url"]]) for table in tables]
    references: list[dict[str, Any]] = []
    for table in tables:
        url = table["url"]
        rows = [(row, True) for row in _list(schemas[url].get("foreignKeys"))]
        rows += [(note[_REFERENCE], False) for note in _list(table.get("notes")) if _REFERENCE in note]
        for row, is_used in rows:
            if reference := _read_foreign_key(url, row, headings, is_used=is_used):
                references.append(reference)
    return {"kinds": kinds, "references": references}


def _get_schema(table: Mapping[str, Any], group: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = table.get("tableSchema", group.get("tableSchema"))
    return schema if isinstance(schema, Mapping) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, Mapping)]


def _list_columns(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [column for column in _list(schema.get("columns")) if not column.get("virtual") and _get_heading(column)]


def _get_text(value: object) -> str:
    """A text, or the first of texts or of texts by language."""
    if isinstance(value, Mapping):
        value = value.get("@value", next(iter(value.values()), ""))
    if isinstance(value, list):
        value = value[0] if value else ""
    return value if isinstance(value, str) else ""


def _get_heading(column: Mapping[str, Any]) -> str:
    return _get_text(column.get("titles")) or unquote(_get_text(column.get("name")))


def _get_name(column: Mapping[str, Any]) -> str:
    return _get_text(column.get("name")) or quote(_get_heading(column), safe="")


def _get_table(url: str) -> str:
    """The name of a file: of an address the last part of its path."""
    parts = urlsplit(url)
    return unquote(parts.path.rpartition("/")[2] if parts.scheme and parts.netloc else url).removeprefix("./")


def _list_references(value: object) -> list[str]:
    return (
        [value]
        if isinstance(value, str)
        else [item for item in value if isinstance(item, str)]
        if isinstance(value, list)
        else []
    )


def _read_kind(table: Mapping[str, Any], schema: Mapping[str, Any], headings: Mapping[str, str]) -> dict[str, Any]:
    kind: dict[str, Any] = {"table": _get_table(table["url"])}
    if label := _get_text(table.get(_LABEL)):
        kind["label"] = label
    if isinstance(schema.get("rowTitles"), (str, list)):
        kind["name"] = [headings.get(name, unquote(name)) for name in _list_references(schema["rowTitles"])]
    keys = _list_references(schema.get("primaryKey"))
    if len(keys) == 1:
        kind["key"] = headings.get(keys[0], unquote(keys[0]))
    elif any(_KEYLESS in note for note in _list(table.get("notes"))):
        kind["key"] = None
    kind["columns"] = [_read_column(column) for column in _list_columns(schema)]
    return kind


def _read_column(column: Mapping[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {"name": _get_heading(column)}
    if label := _get_text(column.get(_LABEL)):
        read["label"] = label
    datatype = column.get("datatype")
    base = datatype.get("base", "string") if isinstance(datatype, Mapping) else datatype
    if column.get("separator"):
        read["type"] = "list"
    elif base is not None:
        read["type"] = TYPES.get(str(base), "text")
    if unit := _get_text(column.get(_UNIT)):
        read["unit"] = unit
    if column.get("suppressOutput"):
        read["is_ignored"] = True
    return read


def _read_foreign_key(
    url: str, row: Mapping[str, Any], headings: Mapping[str, Mapping[str, str]], *, is_used: bool
) -> dict[str, Any] | None:
    """A reference of one column; those of several columns are no references of a model."""
    target = row.get("reference")
    target = target if isinstance(target, Mapping) else {}
    columns, theirs = _list_references(row.get("columnReference")), _list_references(target.get("columnReference"))
    resource = target.get("resource")
    if len(columns) != 1 or len(theirs) != 1 or not isinstance(resource, str):
        return None
    label = _get_text(row.get(_LABEL))
    return {
        "table": _get_table(url),
        "column": headings[url].get(columns[0], unquote(columns[0])),
        "target": _get_table(resource),
        "target_column": headings.get(resource, {}).get(theirs[0], unquote(theirs[0])),
        **({"label": label} if label else {}),
        "is_used": is_used,
    }
