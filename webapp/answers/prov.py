"""A run as W3C PROV-O: what it used, who acted, and from which facts and files each answer is derived."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain
from typing import Any

import pyoxigraph
from pyoxigraph import RdfFormat

from retrieval import __version__
from retrieval.events import AnswerFinal, ChainsBuilt, ProgramExecuted, RunStarted
from webapp.answers.evidence_sources import describe_fact

FORMATS = {"turtle": ("text/turtle", "ttl"), "json-ld": ("application/ld+json", "jsonld")}
"""Types of content and endings of files, by format."""

_LINKS = (
    *("used", "wasAssociatedWith", "wasInformedBy", "qualifiedAssociation", "agent", "hadPlan", "actedOnBehalfOf"),
    *("wasGeneratedBy", "wasDerivedFrom", "wasAttributedTo", "hadPrimarySource"),
)
_PREFIXES = {
    "prov": "http://www.w3.org/ns/prov#",
    "clew": "urn:clew:prov:",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_CONTEXT = {
    **_PREFIXES,
    "label": "rdfs:label",
    "value": "prov:value",
    "confidence": {"@id": "clew:confidence", "@type": "xsd:double"},
    **{name: {"@id": f"prov:{name}", "@type": "xsd:dateTime"} for name in ("startedAtTime", "endedAtTime")},
    **{name: {"@id": f"prov:{name}", "@type": "@id"} for name in _LINKS},
}
_SETTINGS = ("method", "reasoner", "budget", "seed", "options")

_Resource = dict[str, Any]


def render_provenance(export: Mapping[str, Any], format: str) -> str:
    """Write the export of a run as RDF.

    Args:
        export: as ``GET runs/{id}/export`` returns it.
        format: one of ``FORMATS``.
    """
    document = json.dumps({"@context": _CONTEXT, "@graph": _build_resources(export)}, ensure_ascii=False, indent=1)
    if format == "json-ld":
        return document + "\n"
    triples = pyoxigraph.parse(document, format=RdfFormat.JSON_LD)
    written = pyoxigraph.serialize((each.triple for each in triples), format=RdfFormat.TURTLE, prefixes=_PREFIXES)
    return (written or b"").decode()


def _build_resources(export: Mapping[str, Any]) -> list[_Resource]:
    run, events = export["run"], {event["type"]: event for event in export["events"]}
    root, started = f"urn:uuid:{run['id']}", events.get(RunStarted.type, {})
    program = events.get(ProgramExecuted.type, {}).get("read")
    settings = {name: run[name] for name in _SETTINGS} | {name: started.get(name) for name in ("encoder", "prompts")}
    snapshot = f"urn:clew:snapshot:{run['snapshot']}" if run["snapshot"] else started.get("endpoint")
    used = {
        f"{root}#question": ("The question", run["question"]),
        snapshot: (run["graph_name"], run["snapshot"]),
        f"urn:clew:checkpoint:{started.get('checkpoint')}": ("Checkpoint", started.get("checkpoint")),
    }
    used = {id: entity for id, entity in used.items() if id and entity[1]}
    agents = [f"{root}#clew", *([f"{root}#model"] if run["llm"] else [])]
    return [
        {
            "@id": root,
            "@type": "prov:Activity",
            "label": run["question"],
            "startedAtTime": run["started_at"],
            "endedAtTime": run["finished_at"],
            "used": [*used],
            "wasAssociatedWith": agents,
            "qualifiedAssociation": f"{root}#association",
        },
        {"@id": f"{root}#association", "@type": "prov:Association", "agent": agents[0], "hadPlan": f"{root}#plan"},
        {
            "@id": f"{root}#plan",
            "@type": ["prov:Entity", "prov:Plan"],
            "label": f"{run['method']}: {program['text']}" if program else run["method"],
            "value": json.dumps({**settings, "program": program and program["program"]}, ensure_ascii=False),
        },
        {"@id": agents[0], **_name_agent("Software", f"Clew {__version__}"), **_name_asker(run, root)},
        *({"@id": agent, **_name_agent("Software", run["llm"])} for agent in agents[1:]),
        *([{"@id": f"{root}#person", **_name_agent("", run["user"])}] if run["user"] else []),
        *({"@id": id, "@type": "prov:Entity", "label": label, "value": value} for id, (label, value) in used.items()),
        *_describe_answers(root, events, export["sources"]),
    ]


def _name_agent(kind: str, label: str) -> _Resource:
    return {"@type": ["prov:Agent", f"prov:{kind}Agent" if kind else "prov:Person"], "label": label}


def _name_asker(run: Mapping[str, Any], root: str) -> _Resource:
    return {"actedOnBehalfOf": f"{root}#person"} if run["user"] else {}


def _describe_answers(root: str, events: Mapping[str, Any], sources: list[Mapping[str, Any]]) -> list[_Resource]:
    final = events.get(AnswerFinal.type, {"answers": [], "no_answer": None})
    chains = [_list_facts(each) for each in events.get(ChainsBuilt.type, {"chains": []})["chains"]]
    numbers = {
        fact: f"{root}#fact-{number}" for number, fact in enumerate(dict.fromkeys(chain.from_iterable(chains)), 1)
    }
    resources = [
        {
            "@id": f"{root}#answer-{number}",
            "@type": "prov:Entity",
            "label": answer.get("display") or answer["label"],
            "value": answer["label"],
            "confidence": answer["score"],
            "wasGeneratedBy": root,
            "wasDerivedFrom": [*dict.fromkeys(numbers[fact] for index in answer["chains"] for fact in chains[index])],
        }
        for number, answer in enumerate(final["answers"], 1)
    ]
    if final["no_answer"]:
        refusal = {"label": "No answer", "value": final["no_answer"]["reason"], "wasGeneratedBy": root}
        resources.append({"@id": f"{root}#no-answer", "@type": "prov:Entity", **refusal})
    origins: dict[tuple[str, ...], Mapping[str, Any]] = {
        (each["head"], each["relation"], each["tail"]): each["source"] for each in sources
    }
    for fact, name in numbers.items():
        entity = {"@id": name, "@type": "prov:Entity", "label": " ".join(fact), "value": json.dumps(fact)}
        if source := origins.get(fact):
            entity["hadPrimarySource"] = f"{name}-source"
            resources.append({"@id": f"{name}-source", "@type": "prov:Entity", **_describe_source(source)})
        resources.append(entity)
    return resources


def _list_facts(chain: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The facts of a chain that are in the graph, as head, relation and tail."""
    return [tuple(describe_fact(hop).values()) for hop in chain["hops"] if hop["verified"]]


def _describe_source(source: Mapping[str, Any]) -> _Resource:
    row = "" if source["row"] is None else f", row {source['row']}"
    author = source["author"]
    return {
        "label": source["name"] + row,
        **({"wasAttributedTo": {**_name_agent("", author["person"])}} if author else {}),
    }
