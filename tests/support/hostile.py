"""Every operation of the API with values that nobody would send by mistake, made from the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from drf_spectacular.generators import SchemaGenerator

HUGE = 10**30
#: What is written into addresses, percent-encoded where it is not already.
TEXTS = [
    *("[" * 50_000, "x" * 10_000, "9" * 5000, str(2**63), str(-HUGE), "-1", "1e309", "NaN", "[[null,0]]"),
    *("%ED%A0%80%E2%80%AE%07%1B", "'\"\\;--%25s{0}", "٣", '{"a":1}'),
]
#: Those that paths may tell from one another.
IN_PATHS = ["9" * 5000, str(2**63), "-1", "%ED%A0%80", "x" * 300]
#: What is written into bodies.
VALUES = [
    *(None, [], {"a": {"b": 1}}, [[["a"]]], "a\0b", "\ud800", "x" * 5000, "AAA", "'\"\\;--{0}%s"),
    *(
        -1,
        1.5,
        1e308,
        2**31,
        2**63,
        HUGE,
        ["\ud800"],
        ["a\0"],
        [HUGE],
        [["a", True]],
        ["a"] * 300,
        {"head": "\0"},
    ),
    *("http://[::1", "http://a\tb/\n"),
]
#: The same, as JSON does not allow it, or as no number is.
RAW = ["NaN", "1e999", "1" * 5000, "[" * 900 + "]" * 900]
BODIES = [b"", b"null", b"[]", b'"a"', b"{", b"\xff\xfe", b"[" * 5000, b'{"a":' * 3000]


@dataclass(frozen=True)
class Operation:
    """One method of one address."""

    method: str
    path: str
    inside: tuple[str, ...]
    query: tuple[str, ...]
    headers: tuple[str, ...]
    kind: str | None
    properties: dict[str, Any] = field(default_factory=dict)
    required: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True)
class Request:
    """What is sent: ``body`` as bytes of ``kind``, or as fields of a form."""

    operation: Operation
    address: str
    said: str
    body: bytes | dict[str, Any] | None = None
    kind: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def operations() -> list[Operation]:
    """All there are, by the schema."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    components = schema["components"]["schemas"]
    found = []
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            named = {place: [] for place in ("path", "query", "header")}
            for parameter in one.get("parameters", []):
                named[parameter["in"]].append(parameter["name"])
            content = one.get("requestBody", {}).get("content", {})
            kind = "application/json" if "application/json" in content else next(iter(content), None)
            shape = _resolved(content.get(kind, {}).get("schema", {}), components)
            found.append(
                Operation(
                    method.upper(),
                    path,
                    tuple(named["path"]),
                    tuple(named["query"]),
                    tuple(named["header"]),
                    kind,
                    {name: _resolved(p, components) for name, p in shape.get("properties", {}).items()},
                    tuple(shape.get("required", ())),
                )
            )
    return found


def requests(operation: Operation, known: dict[str, Any]) -> Iterator[Request]:
    """Each parameter, property and body of an operation with each value, the others as they should be.

    Args:
        operation: what is called.
        known: good values by name; of what an address holds by ``PATH`` up to it and its name.
    """
    good = {name: str(_in_path(operation.path, name, known)) for name in operation.inside}
    queries = {name: _text(known.get(name, "")) for name in operation.query}
    usual = _body(operation, known)
    for name in operation.inside:
        for text in IN_PATHS:
            yield _request(operation, {**good, name: text}, {}, f"{name} in the address", usual)
    for name in operation.query:
        # Pages are counted in one place for all lists.
        paged = name in ("page", "page_size") and operation.path != "/api/v1/graphs"
        for text in TEXTS[2:5] if paged else TEXTS:
            others = {other: value for other, value in queries.items() if other != name and value}
            yield _request(operation, good, {**others, name: text}, f"?{name}", usual)
    for name in operation.headers:
        for text in (*(t for t in TEXTS if t.isprintable() and t.isascii()), "filename AAA", "a b,c d"):
            base = _request(operation, good, {}, f"{name}:", usual)
            yield Request(operation, base.address, base.said, b"x", operation.kind, {**_HEADERS, name: text[:4000]})
    if operation.kind is None:
        return
    for body in BODIES:
        yield Request(operation, _address(operation, good, {}), f"body {body[:20]!r}", body, operation.kind)
    for name in operation.properties:
        for value in VALUES:
            yield _request(operation, good, {}, f"{name}={value!r:.40}", {**usual, name: value})
        if operation.kind == "application/json":
            for raw in RAW:
                text = json.dumps({**usual, name: "@@"}).replace('"@@"', raw)
                said = f"{name}={raw:.40}"
                yield Request(operation, _address(operation, good, {}), said, text.encode(), operation.kind)


_HEADERS = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Upload-Length": "3"}


def _request(
    operation: Operation, inside: dict[str, str], query: dict[str, str], said: str, body: dict[str, Any]
) -> Request:
    address = _address(operation, inside, query)
    if operation.kind is None:
        return Request(operation, address, said, headers=_HEADERS if operation.headers else {})
    if operation.kind == "application/json":
        return Request(operation, address, said, json.dumps(body).encode(), operation.kind)
    return Request(operation, address, said, body, operation.kind)


def _address(operation: Operation, inside: dict[str, str], query: dict[str, str]) -> str:
    path = operation.path
    for name, text in inside.items():
        path = path.replace("{" + name + "}", quote(text, safe="%"))
    return f"{path}?" + "&".join(f"{name}={quote(text, safe='%')}" for name, text in query.items())


def _in_path(path: str, name: str, known: dict[str, Any]) -> Any:
    folder = path.split("{", maxsplit=1)[0].removeprefix("/api/v1/").strip("/")
    return known.get(f"{folder} {name}", known.get(name, 1))


def _body(operation: Operation, known: dict[str, Any]) -> dict[str, Any]:
    wanted = set(operation.required) | ({*operation.properties} & known.get(str(operation), {}).keys())
    own = known.get(str(operation), {})
    return {name: own.get(name, known.get(name, _example(operation.properties.get(name, {})))) for name in wanted}


def _example(shape: dict[str, Any]) -> Any:
    if "enum" in shape:
        return shape["enum"][0]
    kinds = {"integer": 1, "number": 0.5, "boolean": True, "array": [], "object": {}}
    if shape.get("format") == "uuid":
        return "0b8f9c1e-58a5-4a40-9a6c-6f0f6b3c7a11"
    kind = shape.get("type", "")
    return kinds.get(kind[0] if isinstance(kind, list) else kind, "text")  # a list where it may be null


def _resolved(shape: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    for key in ("allOf", "oneOf", "anyOf"):
        if key in shape:
            return _resolved(shape[key][0], components)
    if "$ref" in shape:
        return _resolved(components[shape["$ref"].split("/")[-1]], components)
    return shape


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
