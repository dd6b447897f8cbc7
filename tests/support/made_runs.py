"""Runs that no method answered: streams of events that a page is shown in place of a real run's.

For drawings of a size and names of a kind that no small graph brings. The page, its socket and its reducer are the real
ones; only the request for the run's log and the server's end of its socket are played.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

AT = "2026-01-01T00:00:00Z"
Event = dict[str, Any]


def node(number: int, label: str, kind: str = "entity") -> dict[str, Any]:
    """An entity as events have it."""
    return {"id": number, "label": label, "kind": kind}


def hop(source: dict[str, Any], relation: str, target: dict[str, Any]) -> dict[str, Any]:
    """A fact that was walked forward and is in the graph."""
    step = {"name": relation, "label": relation.replace("_", " "), "inverse": False}
    return {"source": source, "step": step, "target": target, "verified": True}


def events(
    question: str,
    topic: dict[str, Any],
    evidence: Sequence[dict[str, Any]],
    answers: Sequence[dict[str, Any]],
    *,
    explored: Sequence[dict[str, Any]] = (),
    per_path: int = 100,
) -> list[Event]:
    """The stream of a run.

    Args:
        question: as it was asked.
        topic: the entity that it names.
        evidence: hops of the one chain that supports the answers.
        answers: entities; none makes it a run without an answer.
        explored: hops that were found and support nothing.
        per_path: into how many hops a path what was found is cut.
    """
    found = [*evidence, *explored]
    linked = {
        **{"entity": topic, "mention": topic["label"], "start": 0, "end": 1, "score": 1.0},
        **{"source": "exact", "alternatives": []},
    }
    stream: list[Event] = [
        {
            **{
                "type": "run.started",
                "question": question,
                "method": "rel-rag-path",
                "reasoner": "extractive",
            },
            **{"llm": None, "seed": 0, "budget": 50, "encoder": "made", "prompts": {}, "endpoint": None},
            **{"snapshot": "0" * 64, "checkpoint": None},
        },
        {"type": "question.linked", "took_ms": 1.0, "entities": [linked], "unmatched": []},
    ]
    stream += [
        {
            **{"type": "path.retrieved", "hops": list(found[start : start + per_path]), "at_ms": 1.0},
            **{"index": start // per_path + 1, "score": 0.9},
        }
        for start in range(0, len(found), per_path)
    ]
    chain = {
        **{"source": topic, "steps": [one["step"] for one in evidence[:1]], "levels": [list(answers)]},
        **{"level_counts": [len(answers)], "hops": list(evidence), "score": 0.9, "merged_with": []},
    }
    stream.append({"type": "chains.built", "paths": 1, "chains": [chain] if evidence else []})
    usage = {
        **{"cost": None, "triples": len(found), "llm_calls": 0},
        **{"prompt_tokens": 0, "completion_tokens": 0, "reasoning_tokens": 0},
    }
    final: Event = {
        **{
            "type": "answer.final",
            "text": "",
            "usage": usage,
            "took_ms": 2.0,
            "warnings": [],
            "no_answer": None,
            "sentence": None,
        },
        "answers": [
            {
                **{"entity": entity, "label": entity["label"], "score": 0.9, "chains": [0], "guess": False},
                **{"verified": True, "citations": [], "beside": [], "display": "", "owner": ""},
            }
            for entity in answers
        ],
    }
    if not answers:
        message = "No path leads to an answer."
        final["no_answer"] = {
            "reason": "no_path",
            "message": message,
            "hint": "Ask otherwise.",
            "spans": [],
            "near": [],
        }
    return [*stream, final]


def show(page: Page, run: str, stream: Sequence[Event]) -> None:
    """Open a run's page with this stream in place of its own."""
    log = [{"run": run, "seq": seq, "at": AT, **event} for seq, event in enumerate(stream, 1)]

    def play(socket: WebSocketRoute) -> None:
        for event in log:
            socket.send(json.dumps(event))

    page.route(f"**/api/v1/runs/{run}/events", lambda route: route.fulfill(json=log))
    page.route_web_socket(f"**/ws/runs/{run}*", play)
    page.goto(f"/runs/{run}")


def large(nodes: int, edges: int, *, answers: int = 50, on_paths: int = 400) -> list[Event]:
    """A run that found so many entities and facts: a topic, answers, nodes on paths, and the explored rest."""
    all_nodes = [node(i, f"Entity number {i}") for i in range(nodes)]
    topic, paths = all_nodes[0], all_nodes[1 : on_paths + 1]
    ends = all_nodes[on_paths + 1 : on_paths + 1 + answers]
    evidence = [hop(topic, "leads_to", one) for one in paths]
    evidence += [hop(paths[i % len(paths)], "ends_in", end) for i, end in enumerate(ends)]
    rest = all_nodes[on_paths + 1 + answers :]
    explored = [hop(all_nodes[i * 7 % (on_paths + 1)], "touches", one) for i, one in enumerate(rest)]
    pairs = {(one["source"]["id"], one["target"]["id"]) for one in [*evidence, *explored]}
    i = 0
    while len(pairs) < edges:
        pair = (i % nodes, (i * 17 + i // nodes * 13 + 5) % nodes)
        i += 1
        if pair[0] != pair[1] and pair not in pairs:
            pairs.add(pair)
            explored.append(hop(all_nodes[pair[0]], "near", all_nodes[pair[1]]))
    return events("What does entity number 0 lead to?", topic, evidence, ends, explored=explored)
