"""The formats of question files: each makes questions of rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from retrieval.kg.readers.documents.records import BadRecord, parse_question
from retrieval.kg.readers.question_files import MARK, BadRow, parse_subgraph, parse_subgraph_name
from retrieval.limits import PROGRAM_LIMIT, QUESTION_LIMIT
from retrieval.types import QuestionRecord

SPLITS = ("train", "dev", "test")
#: What people call the topics and the answers of a question in Clew's own form; the first is how it is written.
TOPIC_KEYS = ("topic_entities", "topics", "topic_entity", "topic")
ANSWER_KEYS = ("answers", "answer")

#: A row, the id it gets when it brings none, and the hops of every question of its file.
Parser = Callable[[Any, str, int | None], QuestionRecord]


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """One format of question files.

    Attributes:
        name: as requests and commands call it.
        label: as lists show it.
        holds: what is in such a file, in a few words.
        parse: makes a question of a row, or raises :class:`BadRow`.
        is_json: its rows are JSON objects; others are lines of text.
        options: which of ``ReadOptions`` beside the format it heeds.
    """

    name: str
    label: str
    holds: str
    parse: Parser
    is_json: bool = True
    options: tuple[str, ...] = ("encoding",)


def validate_question(question: QuestionRecord) -> QuestionRecord:
    """The question, when it can be used.

    Raises:
        BadRow: it cannot.
    """
    if not question.question:
        raise BadRow("the question is empty")
    if len(question.question) > QUESTION_LIMIT:
        raise BadRow(f"the question is longer than {QUESTION_LIMIT} characters")
    texts = (question.id, question.question, *question.topic_entities, *question.answers)
    if any("\0" in text for text in texts):
        raise BadRow("the question, a topic or an answer holds a NUL character")
    _check_program(question.program)
    if question.split is not None and question.split not in SPLITS:
        raise BadRow(f"the split {question.split!r} is not one of {', '.join(SPLITS)}")
    return question


def _check_program(program: dict[str, Any] | None) -> None:
    try:
        text = "" if program is None else json.dumps(program, ensure_ascii=False)
    except RecursionError:
        raise BadRow("the program is nested too deep") from None
    if len(text.encode()) > PROGRAM_LIMIT:
        raise BadRow(f"the program is larger than {PROGRAM_LIMIT:,} bytes")
    if "\\u0000" in text:
        raise BadRow("the program holds a NUL character")


def _read_texts(row: dict[str, Any], key: str) -> tuple[str, ...]:
    """A list of strings (one string is taken as a list of one); trimmed, empty ones and repeats dropped."""
    value = row.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, (str, int, float)) for item in items):
        raise BadRow(f"{key} must be a list of strings")
    return tuple(dict.fromkeys(text for item in items if (text := str(item).strip())))


def _read_first_texts(row: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The strings of the first of these keys that the row has any of."""
    return next((texts for key in keys if (texts := _read_texts(row, key))), ())


def _parse_triples(value: Any, key: str) -> tuple[tuple[str, str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(t, (list, tuple)) and len(t) == 3 for t in value):
        raise BadRow(f"{key} must hold [head, relation, tail] lists")
    return tuple((str(h).strip(), str(r).strip(), str(t).strip()) for h, r, t in value)


def _require_object(row: Any) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise BadRow("not a JSON object")
    if not isinstance(row.get("question"), str):
        raise BadRow("there is no question")
    return row


def _from_json(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    body = _require_object(row)
    paths = body.get("paths") or []
    if not isinstance(paths, list):
        raise BadRow("paths must be a list of lists of [head, relation, tail]")
    own_hops = body.get("hops", hops)
    if own_hops is not None and (not isinstance(own_hops, int) or isinstance(own_hops, bool)):
        raise BadRow("hops must be a number")
    topics, answers = _read_first_texts(body, TOPIC_KEYS), _read_first_texts(body, ANSWER_KEYS)
    plans = _parse_relation_paths(body)
    # Nothing of a question without topic and answers can be measured: it is there to learn from.
    learned_from = "train" if plans and not topics and not answers else None
    return QuestionRecord(
        id=str(body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=topics,
        answers=answers,
        paths=tuple(_parse_triples(path, "paths") for path in paths),
        triples=_parse_triples(body.get("triples"), "triples"),
        relation_paths=plans,
        passages=_read_texts(body, "passages") or _read_texts(body, "supporting_passages"),
        hops=own_hops,
        split=body.get("split", learned_from),
        program=_parse_program(body.get("program")),
        operators=_read_texts(body, "operators"),
        also=_answer_sets(body.get("also")),
    )


def _parse_program(value: Any) -> dict[str, Any] | None:
    """A program by names; one in another language, which has no ``op``, is left out."""
    return value if isinstance(value, dict) and isinstance(value.get("op"), str) else None


def _answer_sets(value: Any) -> tuple[tuple[str, ...], ...]:
    """Other answer sets that count as right; one answer is taken as a set of one."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRow("also must be a list of answer sets")
    return tuple(
        dict.fromkeys(
            _read_texts({"also": [answers] if not isinstance(answers, list) else answers}, "also") for answers in value
        )
    )


def _parse_relation_paths(body: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Lists of relation names; empty ones and repeats dropped."""
    value = body.get("relation_paths") or []
    if not isinstance(value, list) or not all(
        isinstance(path, list) and all(isinstance(name, str) for name in path) for path in value
    ):
        raise BadRow("relation_paths must be a list of lists of relation names")
    return tuple(dict.fromkeys(tuple(path) for path in value if path))


def _from_plans(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """RoG's planning data: a question and its relation paths, neither topic nor answers."""
    question = _from_json(row, default_id, hops)
    if not question.relation_paths:
        raise BadRow("there are no relation_paths")
    return question


def _from_rog(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    body = _require_object(row)
    return QuestionRecord(
        id=str(body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=_read_texts(body, "q_entity"),
        answers=_read_texts(body, "a_entity") or _read_texts(body, "answer"),
        triples=_parse_triples(body.get("graph"), "graph"),
        hops=hops,
    )


def _from_graftnet(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """GraftNet's and NSM's: ``entities`` and ``answers`` as objects, ``subgraph.tuples`` of the same."""
    body = _require_object(row)
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


def _from_grailqa(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """GrailQA: topics and the way to the answer are those of its query graph; literals and classes are no topics."""
    body = _require_object(row)
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


def _from_metaqa(row: str, default_id: str, hops: int | None) -> QuestionRecord:
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


def _from_pathquestion(row: str, default_id: str, hops: int | None) -> QuestionRecord:
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


def _from_passages(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """HotpotQA, 2Wiki and MuSiQue: the passages are named as the corpus made from the same file names them."""
    body = _require_object(row)
    try:
        records = parse_question(row)
    except BadRecord as error:
        raise BadRow(str(error)) from None
    key = str(body.get("_id") or body.get("id") or default_id)
    steps = re.match(r"([2-4])hop", key)
    # MuSiQue's unanswerable questions bring an answer that their passages do not hold.
    answers = _read_texts(body, "answer") + _read_texts(body, "answer_aliases") if body.get("answerable", True) else ()
    return QuestionRecord(
        id=key,
        question=body["question"].strip(),
        answers=tuple(dict.fromkeys(answers)),
        passages=tuple(dict.fromkeys(r.passage.name for r in records if r.supporting)),
        hops=int(steps[1]) if steps else hops,
        split=body["split"] if body.get("split") in SPLITS else None,
    )


def _map_formats(*formats: QuestionFormat) -> Mapping[str, QuestionFormat]:
    return MappingProxyType({question_format.name: question_format for question_format in formats})


FORMATS = _map_formats(
    QuestionFormat("jsonl", "JSONL", "one question object a line", _from_json),
    QuestionFormat("metaqa", "MetaQA", "question with [topic], tab, answers", _from_metaqa, is_json=False),
    QuestionFormat("pathquestion", "PathQuestion", "question, answers and path", _from_pathquestion, is_json=False),
    QuestionFormat("relation-paths", "Relation paths", "RoG's rational paths", _from_plans),
    QuestionFormat("rog", "RoG (WebQSP, CWQ)", "questions with their subgraphs", _from_rog),
    QuestionFormat("grailqa", "GrailQA", "questions with query graphs", _from_grailqa),
    QuestionFormat("graftnet", "GraftNet", "questions with subgraphs of names", _from_graftnet),
    QuestionFormat("hotpotqa", "HotpotQA", "questions with passages", _from_passages),
    QuestionFormat("2wiki", "2WikiMultihopQA", "questions with passages", _from_passages),
    QuestionFormat("musique", "MuSiQue", "questions with passages", _from_passages),
)
"""The formats of question files by name, in the order of lists."""
