"""The atlas of :mod:`tests.retrieval.programs.land` as RDF with typed literals, as endpoints hold it."""

from retrieval.kg.values import compute_month_day, parse
from tests.retrieval.programs.land import FACTS

_PREFIXES = """@prefix : <http://land/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_KILOMETRES = {"110 mi": "177.02784 km"}


def turtle() -> str:
    """The facts, every entity and kind with a label."""
    lines, names = [_PREFIXES], {}
    for head, relation, tail in FACTS:
        names[head] = f':{head} rdfs:label "{head}"@en .'
        predicate = "rdf:type" if relation == "type" else f":{relation.replace(' ', '_')}"
        lines.append(f":{head} {predicate} {_object(tail, names)} .")
    return "\n".join([*lines, *names.values()])


def _object(text: str, names: dict[str, str]) -> str:
    value = parse(text)
    if value is None:
        names[text] = f':{text} rdfs:label "{text}"@en .'
        return f":{text}"
    if value.kind == "date":
        month, day = compute_month_day(value.value)
        return f'"{int(value.value):04}-{month:02}-{day:02}"^^xsd:date'
    if value.kind == "time":
        return f'"{int(value.value) // 60:02}:{int(value.value) % 60:02}:00"^^xsd:time'
    return f'"{_KILOMETRES.get(text, text)}"' if value.unit else str(int(value.value))
