"""RDF data checked by SHACL shapes with pyshacl, and shapes proposed from data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from retrieval.errors import EmptySourceError, SourceError
from retrieval.kg.readers.archive_kinds import Unpacked
from retrieval.kg.readers.archives import unpack_files
from retrieval.kg.readers.jsonld_contexts import find_contexts
from retrieval.kg.readers.shapes import SHACL, find_shapes, is_rdf, iter_statements
from retrieval.kg.snapshot.relation_names import RDF_TYPE, get_local_name
from retrieval.types import Problem

STATEMENTS = 200_000
"""Statements of data that are checked; pyshacl holds all of them, at some 1 KB each."""
_XSD = "http://www.w3.org/2001/XMLSchema#"
#: The share of nodes that must keep a proposed constraint; values of a list; and nodes that a class must have.
_KEPT, _LISTED, _FEW = 0.999, 10, 5


def validate_files(
    paths: Sequence[Path], names: Mapping[Path, str] | None = None, *, problems: Callable[[Problem], None]
) -> int:
    """Check the RDF data among some files by the shapes among them.

    Args:
        paths: files of one import, and archives.
        names: what their owners call them.
        problems: takes each result, with the message of the shape.

    Returns:
        How many violations there are; warnings are reported and do not count.
    """
    with unpack_files(paths, [(names or {}).get(path, path.name) for path in paths]) as files:
        places = find_shapes(files)
        if not places:
            return 0
        shapes = [files[place] for place in places]
        name, contexts = shapes[0].name, find_contexts(files)
        named_contexts = {files[place].name: context for place, context in contexts.items()}
        data = [file for place, file in enumerate(files) if place not in {*places, *contexts} and is_rdf(file)]
        try:
            graph = _load_graph(data, named_contexts, STATEMENTS)
            constraints = _load_graph(shapes, named_contexts)
        except SourceError as error:
            problems(Problem(name, 0, f"the data was not checked by these shapes: {error.message}"))
            return 0
        return _validate(graph, constraints, name, problems)


def _load_graph(files: Sequence[Unpacked], contexts: Mapping[str, Any], limit: int | None = None) -> Any:
    """The statements of files as a graph of rdflib, without those about statements.

    Raises:
        SourceError: there are more than ``limit``.
    """
    import rdflib  # noqa: PLC0415 - takes a second, and only shapes need it

    graph = rdflib.Graph()
    for number, file in enumerate(files):
        for quad in iter_statements(file, contexts):
            if isinstance(quad.object, ox.Triple):
                continue
            graph.add(
                tuple(_convert_term(rdflib, term, number) for term in (quad.subject, quad.predicate, quad.object))
            )
            if limit is not None and len(graph) > limit:
                raise SourceError(f"there are more than {limit:,} statements.", hint="Check a part of the data.")
    return graph


def _convert_term(rdflib: Any, term: Any, number: int) -> Any:
    if isinstance(term, ox.NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, ox.BlankNode):
        return rdflib.BNode(f"f{number}{term.value}")
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    is_plain = term.datatype.value == f"{_XSD}string"
    return rdflib.Literal(term.value, datatype=None if is_plain else rdflib.URIRef(term.datatype.value))


def _validate(data: Any, shapes: Any, name: str, problems: Callable[[Problem], None]) -> int:
    from pyshacl import validate  # noqa: PLC0415 - takes a second, and only shapes need it
    from pyshacl.errors import ReportableRuntimeError, ValidationFailure  # noqa: PLC0415
    from rdflib.namespace import SH  # noqa: PLC0415

    for shape in set(shapes.subjects(SH.minCount)):
        least, most = shapes.value(shape, SH.minCount), shapes.value(shape, SH.maxCount)
        if most is not None and _is_more(least, most):
            path = get_local_name(str(shapes.value(shape, SH.path) or shape))
            problems(Problem(name, 0, f"the shape of {path} contradicts itself: minCount {least}, maxCount {most}"))
    try:
        _, report, _ = validate(data, shacl_graph=shapes, allow_infos=True, allow_warnings=True)
    except (ReportableRuntimeError, ValidationFailure, ValueError, TypeError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        problems(Problem(name, 0, f"the data was not checked, because the shapes are no valid SHACL: {reason}"))
        return 0
    if not hasattr(report, "subjects"):
        problems(Problem(name, 0, f"the data was not checked by these shapes: {report}"))
        return 0
    violations = 0
    results = [
        (
            str(report.value(result, SH.focusNode)),
            str(report.value(result, SH.resultPath) or ""),
            str(report.value(result, SH.value) or ""),
            "; ".join(sorted(map(str, report.objects(result, SH.resultMessage)))),
            report.value(result, SH.resultSeverity) == SH.Violation,
        )
        for result in report.objects(None, SH.result)
    ]
    for focus, path, value, message, is_violation in sorted(set(results)):
        violations += is_violation
        text = " ".join(part for part in (get_local_name(focus), path and get_local_name(path), value) if part)
        problems(Problem(name, 0, message if is_violation else f"warning: {message}", text))
    return violations


def _is_more(first: Any, second: Any) -> bool:
    try:
        return bool(int(first) > int(second))
    except ValueError:
        return False


@dataclass
class _Usage:
    """How the nodes of a class use a property: values by node, and what these are like."""

    counts: Counter[str] = field(default_factory=Counter)
    datatypes: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    targets: set[str] = field(default_factory=set)


def propose_shapes(paths: Sequence[Path], names: Mapping[Path, str] | None = None) -> str:
    """Shapes that the RDF data of some files keeps, as Turtle.

    A constraint is proposed if at least 99.9 % of the nodes of a class keep it: how many values a property has, their
    datatype or class, whether they are nodes or literals, and of which values they are if these are few.

    Raises:
        EmptySourceError: no file is RDF with classes.
    """
    types: dict[str, set[str]] = defaultdict(set)
    statements: list[tuple[str, str, Any]] = []
    with unpack_files(paths, [(names or {}).get(path, path.name) for path in paths]) as files:
        contexts = find_contexts(files)
        named_contexts = {files[place].name: context for place, context in contexts.items()}
        left_out = {*find_shapes(files), *contexts}
        for number, file in enumerate(files):
            if number in left_out or not is_rdf(file):
                continue
            for quad in iter_statements(file, named_contexts):
                subject, predicate = _describe_node(quad.subject, number), quad.predicate.value
                if predicate == RDF_TYPE and isinstance(quad.object, ox.NamedNode):
                    types[subject].add(quad.object.value)
                elif not isinstance(quad.object, ox.Triple):
                    value = quad.object
                    statements.append((subject, predicate, value if isinstance(value, ox.Literal) else (value, number)))
    members: dict[str, set[str]] = defaultdict(set)
    for node, classes in types.items():
        for name in classes:
            members[name].add(node)
    if not members:
        raise EmptySourceError(
            "The files are no RDF with classes.", hint="Shapes are proposed from RDF that has rdf:type."
        )
    usage: dict[tuple[str, str], _Usage] = defaultdict(_Usage)
    for subject, predicate, value in statements:
        for name in types.get(subject, ()):
            _count_value(usage[name, predicate], subject, value)
    return _write_turtle(members, usage, types)


def _describe_node(node: Any, number: int) -> str:
    return str(node.value) if isinstance(node, ox.NamedNode) else f"_:{number}.{node.value}"


def _count_value(usage: _Usage, subject: str, value: Any) -> None:
    usage.counts[subject] += 1
    if isinstance(value, ox.Literal):
        usage.datatypes[value.datatype.value] += 1
        if len(usage.values) <= _LISTED:
            usage.values[str(value)] += 1
    else:
        usage.datatypes["" if isinstance(value[0], ox.NamedNode) else "_"] += 1
        usage.targets.add(_describe_node(*value))


def _write_turtle(
    members: Mapping[str, set[str]], usage: Mapping[tuple[str, str], _Usage], types: Mapping[str, set[str]]
) -> str:
    lines = [f"@prefix sh: <{SHACL}> .", f"@prefix xsd: <{_XSD}> .", ""]
    for name, nodes in sorted(members.items()):
        if name.startswith(("http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#")):
            continue
        properties = [
            f"  sh:property [ sh:path <{predicate}> ; {' ; '.join(constraints)} ]"
            for (of, predicate), used in sorted(usage.items())
            if of == name and (constraints := list(_list_constraints(used, len(nodes), types)))
        ]
        separator = "/" if name.endswith(("/", "#")) else ""
        shape = f"<{name}{separator}Shape> a sh:NodeShape ;\n  sh:targetClass <{name}>"
        lines.append(" ;\n".join([shape, *properties]) + " .\n")
    return "\n".join(lines)


def _list_constraints(usage: _Usage, nodes: int, types: Mapping[str, set[str]]) -> Iterable[str]:
    """The constraints on a property that a class keeps."""
    if nodes < _FEW:
        return
    if len(usage.counts) >= _KEPT * nodes:
        yield "sh:minCount 1"
    if sum(count > 1 for count in usage.counts.values()) <= (1 - _KEPT) * nodes:
        yield "sh:maxCount 1"
    (kind, count), total = usage.datatypes.most_common(1)[0], usage.datatypes.total()
    if count < _KEPT * total:
        return
    if kind not in ("", "_"):
        yield f"sh:datatype <{kind}>"
        if len(usage.values) <= _LISTED and usage.values.total() >= _FEW * len(usage.values):
            yield f"sh:in ({' '.join(sorted(usage.values))})"
        return
    yield "sh:nodeKind sh:IRI" if kind == "" else "sh:nodeKind sh:BlankNode"
    classes = Counter(name for target in usage.targets for name in types.get(target, ()))
    if classes and (best := min(classes.items(), key=lambda pair: (-pair[1], pair[0])))[1] == len(usage.targets):
        yield f"sh:class <{best[0]}>"
