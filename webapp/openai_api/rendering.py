"""A run's answer as a chat shows it: text, citations, and everything else in the extension ``clew``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.events import AnswerFinal, PassagesRetrieved, ProgramExecuted, QuestionRewritten
from webapp.answers.evidence_sources import list_evidence_sources
from webapp.answers.models import Run

ANSWERS_LISTED, ROWS_LISTED, CITED = 20, 50, 50
Wire = Mapping[str, Any]
"""An event in wire form, or a part of one."""


def render_text(final: Wire) -> str:
    """The answer of ``answer.final`` as text, with its table in Markdown."""
    return "\n\n".join(part for part in (_render_answer(final), _render_table(final["table"])) if part)


def _render_answer(final: Wire) -> str:
    if final["text"] or final["sentence"]:
        return str(final["text"] or final["sentence"])
    if final["no_answer"]:
        return f"{final['no_answer']['message']} {final['no_answer']['hint']}".strip()
    labels = [answer["display"] or answer["label"] for answer in final["answers"]]
    listed = ", ".join(labels[:ANSWERS_LISTED])
    more = f" and {len(labels) - ANSWERS_LISTED} more" if len(labels) > ANSWERS_LISTED else ""
    return f"{'Best guess: ' if final['answers'][0]['guess'] else ''}{listed}{more}"


def _render_table(table: Wire | None) -> str:
    if table is None:
        return ""
    rows = [[column["label"] for column in table["columns"]], ["---"] * len(table["columns"])]
    rows += [[cell["text"] for cell in row] for row in table["rows"][:ROWS_LISTED]]
    lines = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in rows]
    left = table["total"] - min(len(table["rows"]), ROWS_LISTED)
    return "\n".join(lines) + (f"\n\n{left} more rows." if left else "")


def render_usage(final: Wire) -> dict[str, int]:
    """Tokens of the language model; 0 where none was asked."""
    prompt, completion = final["usage"]["prompt_tokens"], final["usage"]["completion_tokens"]
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def render_extension(run: Run, events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """``citations``, the proof in lines, and ``clew``, of a run by all its events."""
    last = {event["type"]: event for event in events}
    final, program = last[AnswerFinal.type], last.get(ProgramExecuted.type)
    facts = list_evidence_sources(run, events)
    passages = _list_cited_passages(final, last.get(PassagesRetrieved.type))
    citations = [_render_fact(fact) for fact in facts] + [
        f"{passage['title'] or passage['name']}: {passage['sentence']}" for passage in passages
    ]
    rewritten = last.get(QuestionRewritten.type)
    return {
        "citations": citations[:CITED],
        "clew": {
            "run": str(run.pk),
            "url": f"/runs/{run.pk}",
            "question": rewritten["shown"] if rewritten else run.question,
            "method": run.method,
            "answers": final["answers"],
            "no_answer": final["no_answer"],
            "confidence": max((answer["score"] for answer in final["answers"]), default=None),
            "table": final["table"],
            "program": program and {key: program[key] for key in ("read", "steps", "sparql", "cypher")},
            "evidence": facts[:CITED],
            "evidence_total": len(facts),
            "passages": passages,
            "warnings": final["warnings"],
        },
    }


def _render_fact(fact: Wire) -> str:
    text, source = f"{fact['head']} – {fact['relation']} – {fact['tail']}", fact["source"]
    if source is None:
        return text
    row = f", row {source['row']}" if source["row"] else ""
    return f"{text} ({source['name']}{row})"


def _list_cited_passages(final: Wire, retrieved: Wire | None) -> list[dict[str, Any]]:
    """The sentences that answers were read from, each once, with where they stand."""
    if retrieved is None:
        return []
    passages = {each["passage"]["id"]: each["passage"] for each in retrieved["passages"]}
    cited = {
        (citation["passage"], citation["start"], citation["end"])
        for answer in final["answers"]
        for citation in answer["citations"]
    }
    return [
        {
            **{key: passages[number][key] for key in ("name", "title", "document", "url")},
            "sentence": passages[number]["text"][start:end],
        }
        for number, start, end in sorted(cited)
        if number in passages
    ]
