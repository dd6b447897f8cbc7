"""Questions of published sets, each read from a row of its files."""

from __future__ import annotations

import re
from typing import Any

from retrieval.kg.readers.documents.records import BadRecord, parse_question
from retrieval.kg.readers.question_files import MARK, BadRow, parse_subgraph, parse_subgraph_name
from retrieval.questions.rows import parse_triples, read_texts, require_object
from retrieval.questions.splits import SPLITS
from retrieval.types import QuestionRecord


def from_rog(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """RoG's WebQSP and CWQ: topics, answers, and the subgraph as triples."""
    body = require_object(row)
    return QuestionRecord(
        id=str(body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=read_texts(body, "q_entity"),
        answers=read_texts(body, "a_entity") or read_texts(body, "answer"),
        triples=parse_triples(body.get("graph"), "graph"),
        hops=hops,
    )


def from_graftnet(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """GraftNet's and NSM's: ``entities`` and ``answers`` as objects, ``subgraph.tuples`` of the same."""
    body = require_object(row)
    return QuestionRecord(
        id=str(body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=tuple(dict.fromkeys(parse_subgraph_name(node) for node in body.get("entities") or [])),
        answers=tuple(dict.fromkeys(parse_subgraph_name(node) for node in body.get("answers") or [])),
        triples=tuple(parse_subgraph(row)),
        hops=hops,
    )


def _parse_records(value: Any) -> list[dict[str, Any]]:
    """Objects in a list, or, as Hugging Face keeps them, lists in an object."""
    if isinstance(value, dict):
        columns = [(key, items) for key, items in value.items() if isinstance(items, list)]
        return [
            dict(zip((key for key, _ in columns), row, strict=True))
            for row in zip(*(items for _, items in columns), strict=False)
        ]
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadRow("the answers or the query graph are not lists of objects")
    return value


def from_grailqa(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """GrailQA: topics and the way to the answer are those of its query graph; literals and classes are no topics."""
    body = require_object(row)
    query = body.get("graph_query") or {}
    if not isinstance(query, dict):
        raise BadRow("graph_query must be an object")
    nodes, edges = _parse_records(query.get("nodes")), _parse_records(query.get("edges"))
    shown = {str(node.get("nid")): str(node.get("friendly_name") or node.get("id") or "").strip() for node in nodes}
    topics = [str(node.get("nid")) for node in nodes if node.get("node_type") == "entity"]
    sought = next((str(node.get("nid")) for node in nodes if node.get("question_node")), "")
    ways = [way for topic in topics if (way := _find_path(edges, topic, sought))]
    answers = [
        str(answer.get("entity_name") or answer.get("answer_argument") or "").strip()
        for answer in _parse_records(body.get("answer"))
    ]
    return QuestionRecord(
        id=str(body.get("qid") or body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=tuple(dict.fromkeys(filter(None, (shown[topic] for topic in topics)))),
        answers=tuple(dict.fromkeys(filter(None, answers))),
        relation_paths=tuple(dict.fromkeys(ways)),
        hops=max(map(len, ways), default=hops),
    )


def _find_path(edges: list[dict[str, Any]], start: str, end: str) -> tuple[str, ...]:
    """The relations on the shortest way between two nodes of a query graph, in either direction; empty without one."""
    ways: dict[str, tuple[str, ...]] = {start: ()}
    front = [start]
    while front and end not in ways:
        reached = []
        for edge in edges:
            name = str(edge.get("relation") or "")
            ends = str(edge.get("start")), str(edge.get("end"))
            for source, target in (ends, ends[::-1]):
                if name and source in front and target not in ways:
                    ways[target] = (*ways[source], name)
                    reached.append(target)
        front = reached
    return ways.get(end, ())


def from_metaqa(row: str, default_id: str, hops: int | None) -> QuestionRecord:
    """``question with [topic]<TAB>answer|answer``; the marks are taken out of the question."""
    text, tab, answers = row.partition("\t")
    if not tab:
        raise BadRow("there is no tab between question and answers")
    question, topics = _remove_marks(text)
    return QuestionRecord(
        id=f"{hops}-hop-{default_id}" if hops else default_id,
        question=question,
        topic_entities=topics,
        answers=tuple(dict.fromkeys(a for part in answers.split("|") if (a := part.strip()))),
        hops=hops,
    )


def _remove_marks(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its ``[marks]``, and what they mark. A marked name may itself have brackets."""
    nested = re.search(r"\[(\[.*\]|[^\[\]]*\[[^\[\]]*\][^\[\]]*)\]", text)
    if nested:
        topics: tuple[str, ...] = (nested[1].strip(),)
        text = text[: nested.start()] + nested[1] + text[nested.end() :]
    else:
        topics = tuple(dict.fromkeys(m.strip() for m in MARK.findall(text) if m.strip()))
        text = MARK.sub(r"\1", text)
    return " ".join(text.split()), topics


def from_pathquestion(row: str, default_id: str, hops: int | None) -> QuestionRecord:
    """``question<TAB>answer(answer/other/)<TAB>e#r#e#r#e#<end>#e``; the path may be missing or lack its end."""
    cells = row.split("\t")
    if len(cells) < 2:
        raise BadRow("there is no tab between question and answers")
    path = _parse_gold_path(cells[2]) if len(cells) > 2 and cells[2].strip() else ()
    return QuestionRecord(
        id=default_id,
        question=" ".join(cells[0].split()),
        topic_entities=(path[0][0],) if path else (),
        answers=_answer_set(cells[1].strip()),
        paths=(path,) if path else (),
        hops=len(path) or hops,
    )


def _parse_gold_path(text: str) -> tuple[tuple[str, str, str], ...]:
    names = text.strip().partition("#<end>")[0].split("#")
    if len(names) < 3 or len(names) % 2 == 0 or not all(names):
        raise BadRow("the path is not entity#relation#entity#...")
    return tuple((names[i], names[i + 1], names[i + 2]) for i in range(0, len(names) - 2, 2))


def _answer_set(text: str) -> tuple[str, ...]:
    """``a(a/b/)`` -> a, b. The name before the parenthesis may hold parentheses of its own."""
    if not text.endswith("/)"):
        return (text,) if text else ()
    openings = [i for i, c in enumerate(text) if c == "("]
    if not openings:
        raise BadRow("the answers are not of the form answer(answer/answer/)")
    listed = {i: tuple(dict.fromkeys(filter(None, text[i + 1 : -2].split("/")))) for i in openings}
    fitting = [i for i in openings if text[:i] in listed[i]]
    return listed[fitting[0] if fitting else openings[0]]


def from_passages(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """HotpotQA, 2Wiki and MuSiQue: the passages are named as the corpus made from the same file names them."""
    body = require_object(row)
    try:
        records = parse_question(row)
    except BadRecord as error:
        raise BadRow(str(error)) from None
    key = str(body.get("_id") or body.get("id") or default_id)
    steps = re.match(r"([2-4])hop", key)
    # MuSiQue's unanswerable questions bring an answer that their passages do not hold.
    answers = read_texts(body, "answer") + read_texts(body, "answer_aliases") if body.get("answerable", True) else ()
    return QuestionRecord(
        id=key,
        question=body["question"].strip(),
        answers=tuple(dict.fromkeys(answers)),
        passages=tuple(dict.fromkeys(r.passage.name for r in records if r.supporting)),
        hops=int(steps[1]) if steps else hops,
        split=body["split"] if body.get("split") in SPLITS else None,
    )
