"""Why not: faults are put into the demo graph, its methods and its questions, and the stage that is named is counted.

A fault counts only where it works: the answer was given before and is not given with it.
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.paths import PathAnswerer
from retrieval.answering.pipeline import Answerer
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.demo import CHECKPOINT
from retrieval.diagnosis.case import Tools
from retrieval.diagnosis.findings import LostAt, WhyNot
from retrieval.diagnosis.record import RunRecord, build_record
from retrieval.diagnosis.why_not import explain_missing_answer
from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import indexing
from retrieval.retriever import Retriever
from retrieval.types import EvidenceChain, FoundPath, QuestionRecord, RelationPath
from retrieval.weights.demo_checkpoint import build_demo_graph, read_demo_questions
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks why_not"
SEED = 7
COUNTS = {
    "the answer is taken out of the graph": 30,
    "the topic has another name": 30,
    "a fact of the path is taken out": 45,
    "fewer hops are walked": 25,
    "the right path is ranked lower": 25,
    "the right path is not looked at": 15,
    "the budget is cut": 10,
    "a fact that a program reads is taken out": 20,
}
#: Questions that programs answer, over the demo graph; the relations of which a fact is taken out.
PROGRAMS = (
    ("Which African country has the largest population?", ("population", "continent")),
    ("Which country in South America has the smallest population?", ("population", "continent")),
    ("Which European country has the largest area?", ("area", "area_km2", "continent")),
    ("Which countries in Africa have more than 100 million people?", ("population", "continent")),
    ("Which countries in Europe have more than 60 million people?", ("population", "continent")),
    ("Which countries in Asia have more than 200 million people?", ("population", "continent")),
    ("Which countries in South America have more than 40 million people?", ("population", "continent")),
    ("Which of the countries that border Chad has the largest population?", ("population", "borders")),
    ("Which of the countries that border Germany has the smallest population?", ("population", "borders")),
    ("Which country that borders Brazil has the largest population?", ("population", "borders")),
)
Fact = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault and what was said of it.

    Attributes:
        kind: of ``COUNTS``.
        stages: those that are right.
        about: a name that the remedy or the summary has to have.
    """

    kind: str
    question: Question
    expected: str
    stages: tuple[LostAt, ...]
    about: str = ""


class Demoted:
    """A retriever that puts some relation paths behind the others.

    Args:
        inner: a trained one.
        paths: directed relation ids of each.
        place: from which place on, from 0; None leaves them out.
    """

    def __init__(self, inner: Retriever, paths: set[tuple[int, ...]], place: int | None) -> None:
        self.inner, self.paths, self.place = inner, paths, place
        self.method, self.checkpoint, self.simple = inner.method, inner.checkpoint, inner.simple
        self.options, self.max_hops = inner.options, inner.max_hops

    def rank_relation_paths(
        self, question: Question, topics: Sequence[int], *, limit: int = 16, **more: object
    ) -> list[RelationPath]:
        """The ranking with those paths further down."""
        found: list[RelationPath] = []
        for topic in topics:
            mentions = more.get("mentions") or ()
            own = [m for t, m in zip(topics, mentions, strict=False) if t == topic]  # type: ignore[call-overload]
            ranked = self.inner.rank_relation_paths(question, [topic], limit=64, **{**more, "mentions": own})  # type: ignore[arg-type]
            if self.place is None:
                found += [path for path in ranked if path.relations not in self.paths][:limit]
                continue
            low = [path for path in ranked if path.relations in self.paths]
            high = [path for path in ranked if path.relations not in self.paths]
            least = min((path.score for path in high[: self.place]), default=1.0)
            low = [replace(path, score=min(path.score, least) / 2) for path in low]
            high = [
                path if i < self.place else replace(path, score=min(path.score, least / 4))
                for i, path in enumerate(high)
            ]
            found += [*high[: self.place], *low, *high[self.place :]][:limit]
        return found

    def retrieve(self, question: Question, topics: Sequence[int], **more: object) -> Iterator[FoundPath]:
        """The paths are not what is measured."""
        return self.inner.retrieve(question, topics, **more)  # type: ignore[arg-type]

    def apply_options(self, options: object) -> Demoted:
        """As it is."""
        return self

    def apply_restriction(self, snapshot: object) -> Demoted:
        """As it is."""
        return self


class Bench:
    """The demo graph, its engine, and the graph's facts by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.encoder = load_encoder()
        self.snapshot = build_demo_graph(folder / "whole")
        self.facts = [_triple(self.snapshot, i) for i in range(self.snapshot.num_triples)]
        self.answerer = self.opened(self.snapshot)
        self._built = 0

    def opened(self, snapshot: Snapshot, method: str = "rel-rag-path") -> Answerer:
        """The engine over a graph."""
        checkpoint = CHECKPOINT if method == "rel-rag-path" else None
        spec = AnswererSpec(snapshot.path, checkpoint, method)
        return load_answerer(spec, load_parts(snapshot, self.encoder))

    def built(self, facts: Sequence[Fact]) -> Answerer:
        """The engine over other facts."""
        self._built += 1
        return self.opened(build_snapshot(TripleTable.from_facts(facts), self.folder / f"{self._built}"))

    def asked(self, answerer: Answerer, question: str, **more: int) -> RunRecord:
        """What a run tells."""
        request = AskRequest(Question(question), **more)  # type: ignore[arg-type]
        return build_record(question, answerer.run(request))

    def said(self, answerer: Answerer, question: str, expected: str, **more: int) -> WhyNot:
        """The diagnosis."""
        tools = Tools(self.encoder.encode, self.opened)
        return explain_missing_answer(answerer, AskRequest(Question(question), **more), expected, tools)  # type: ignore[arg-type]


def _triple(snapshot: Snapshot, fact: int) -> Fact:
    label = snapshot.get_entity_label
    relation = snapshot.get_relation_name(int(snapshot.relations[fact]))
    return label(int(snapshot.heads[fact])), relation, label(int(snapshot.tails[fact]))


def measure(kinds: Sequence[str] = (), share: float = 1.0) -> list[Section]:
    """Which stage is named for each fault, and whether what is proposed first brings the answer.

    Args:
        kinds: only faults whose kind has one of these words.
        share: of the faults of each kind.
    """
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        questions = [q for q in read_demo_questions("test", "dev") if q.paths and len(q.topic_entities) == 1]
        random.Random(SEED).shuffle(questions)
        rows: dict[str, list[tuple[Fault, WhyNot]]] = defaultdict(list)
        made: dict[str, Callable[[], Iterator[tuple[Fault, WhyNot]]]] = {
            "the answer is taken out of the graph": partial(_without_answer, bench, questions[:120]),
            "the topic has another name": partial(_renamed, bench, questions[120:240]),
            "a fact of the path is taken out": partial(_without_fact, bench, questions[240:400]),
            "fewer hops are walked": partial(_fewer_hops, bench, questions),
            "the right path is ranked lower": partial(_demoted, bench, questions[400:], 1),
            "the right path is not looked at": partial(_demoted, bench, questions[500:], None),
            "the budget is cut": partial(_budget, bench, questions[:200]),
            "a fact that a program reads is taken out": partial(_program_fact, bench),
        }
        for kind, wanted in COUNTS.items():
            if kinds and not any(word in kind for word in kinds):
                continue
            for fault, found in made[kind]():
                rows[kind].append((fault, found))
                _print(fault, found)
                if len(rows[kind]) >= max(1, round(wanted * share)):
                    break
    return [_section(rows)]


def _section(rows: dict[str, list[tuple[Fault, WhyNot]]]) -> Section:
    section = Section(
        "Diagnosis",
        COMMAND,
        "Faults put into the demo graph, its retriever and its settings, which remove an answer that was given "
        "before. `right`: the stage named is the one at fault. `names it`: where a fact is missing, its relation is "
        "named too. `brings it`: the first proposed remedy was tried and brings the answer.",
        head=("fault", "faults", "right", "names it", "brings it"),
    )
    every = [row for found in rows.values() for row in found]
    for kind, found in [*rows.items(), ("all", every)]:
        right = sum(_is_right(*row) for row in found)
        told = sum(_is_right(*row) and _is_named(*row) for row in found)
        works = sum(bool(one.remedies and one.remedies[0].trial and one.remedies[0].trial.works) for _, one in found)
        section.add(kind, str(len(found)), str(right), str(told), str(works))
    return section


def _is_right(fault: Fault, found: WhyNot) -> bool:
    return found.stage in fault.stages


def _is_named(fault: Fault, found: WhyNot) -> bool:
    return fault.about in " ".join([found.summary, *(remedy.text for remedy in found.remedies)])


def _print(fault: Fault, found: WhyNot) -> None:
    mark = "ok " if _is_right(fault, found) and _is_named(fault, found) else "BAD"
    print(
        mark,
        fault.kind,
        "|",
        fault.question,
        "|",
        fault.expected,
        "|",
        fault.about,
        "|",
        found.stage,
        "|",
        found.summary,
    )
    for remedy in found.remedies:
        print("      ", remedy.text, "" if remedy.trial is None else remedy.trial.works, flush=True)


def _gold(question: QuestionRecord) -> tuple[list[Fact], str]:
    """The first gold path of a question, and the answer that it leads to."""
    path = [(head, relation, tail) for head, relation, tail in question.paths[0]]
    ends = {label for head, _, tail in path[-1:] for label in (head, tail)}
    answer = next(one for one in question.answers if one in ends)
    return path, answer


def _answered(bench: Bench, question: QuestionRecord) -> str | None:
    """An answer of the gold path that the engine gives by relation paths."""
    record = bench.asked(bench.answerer, question.question)
    _, answer = _gold(question)
    given = {one.label for one in record.final.answers}
    right = given == set(question.answers) and record.program is None
    return answer if right else None


def _lost(bench: Bench, answerer: Answerer, question: str, answer: str, **more: int) -> bool:
    record = bench.asked(answerer, question, **more)
    return answer not in {one.label for one in record.final.answers}


def _without_answer(bench: Bench, questions: Sequence[QuestionRecord]) -> Iterator[tuple[Fault, WhyNot]]:
    for question in questions:
        answer = _answered(bench, question)
        if answer is None:
            continue
        answerer = bench.built([fact for fact in bench.facts if answer not in (fact[0], fact[2])])
        if _lost(bench, answerer, question.question, answer):
            fault = Fault("the answer is taken out of the graph", question.question, answer, (LostAt.ENTITY,))
            yield fault, bench.said(answerer, question.question, answer)


def _renamed(bench: Bench, questions: Sequence[QuestionRecord]) -> Iterator[tuple[Fault, WhyNot]]:
    for number, question in enumerate(questions):
        answer = _answered(bench, question)
        topic = question.topic_entities[0]
        if answer is None:
            continue
        other = f"Q{90_000 + number}"
        name = {topic: other}
        answerer = bench.built([(name.get(h, h), r, name.get(t, t)) for h, r, t in bench.facts])
        if _lost(bench, answerer, question.question, answer):
            fault = Fault("the topic has another name", question.question, answer, (LostAt.TOPIC,))
            yield fault, bench.said(answerer, question.question, answer)


def _without_fact(bench: Bench, questions: Sequence[QuestionRecord]) -> Iterator[tuple[Fault, WhyNot]]:
    chance = random.Random(SEED)
    for question in questions:
        answer = _answered(bench, question)
        if answer is None:
            continue
        path, _ = _gold(question)
        gone = chance.choice(path)
        answerer = bench.built([fact for fact in bench.facts if fact != gone])
        known = answerer.snapshot.find_entity(answer) is not None
        if (
            known
            and answerer.snapshot.find_entity(question.topic_entities[0]) is not None
            and _lost(bench, answerer, question.question, answer)
        ):
            about = answerer.snapshot.get_relation_label(_relation(answerer.snapshot, gone[1]))
            fault = Fault("a fact of the path is taken out", question.question, answer, (LostAt.FACT,), about)
            yield fault, bench.said(answerer, question.question, answer)


def _relation(snapshot: Snapshot, name: str) -> int:
    found = snapshot.find_relation(name)
    assert found is not None, name
    return found


def _fewer_hops(bench: Bench, questions: Sequence[QuestionRecord]) -> Iterator[tuple[Fault, WhyNot]]:
    for question in questions:
        if (question.hops or 1) < 2 or _answered(bench, question) is None:
            continue
        answer = _gold(question)[1]
        answerer = _trained(bench)
        retriever = copy(answerer.retriever)
        retriever._kept, retriever.max_hops = type(retriever._kept)(), (question.hops or 2) - 1  # type: ignore[attr-defined]
        retriever.walker = copy(retriever.walker)  # type: ignore[attr-defined]
        retriever.walker.max_hops = retriever.max_hops  # type: ignore[attr-defined]
        answerer.retriever = retriever
        near = _distance(bench.snapshot, question.topic_entities[0], answer)
        if near > retriever.max_hops and _lost(bench, answerer, question.question, answer):
            fault = Fault("fewer hops are walked", question.question, answer, (LostAt.HOPS,))
            yield fault, bench.said(answerer, question.question, answer)


def _distance(snapshot: Snapshot, topic: str, answer: str) -> int:
    from retrieval.kg import search

    ids = [snapshot.find_entity(topic), snapshot.find_entity(answer)]
    assert ids[0] is not None
    assert ids[1] is not None
    return int(search.compute_distances(snapshot, [ids[0]], 6)[ids[1]])


def _trained(bench: Bench) -> PathAnswerer:
    assert isinstance(bench.answerer, PathAnswerer)
    return copy(bench.answerer)


def _demoted(bench: Bench, questions: Sequence[QuestionRecord], place: int | None) -> Iterator[tuple[Fault, WhyNot]]:
    kinds = list(COUNTS)
    for question in questions:
        answer = _answered(bench, question)
        if answer is None:
            continue
        answerer = _trained(bench)
        record = bench.asked(answerer, question.question)
        top = _directed(bench.snapshot, record.chains[0])
        answerer.retriever = Demoted(answerer.retriever, top, place)
        answerer.text_fit = None
        other = bench.asked(answerer, question.question).final.answers
        if other and answer not in {one.label for one in other}:
            kind = kinds[4] if place == 1 else kinds[5]
            stages = (LostAt.RANK,) if place == 1 else (LostAt.WINDOW,)
            yield (
                Fault(kind, question.question, answer, stages),
                bench.said(answerer, question.question, answer),
            )


def _directed(snapshot: Snapshot, chain: EvidenceChain) -> set[tuple[int, ...]]:
    """The relation path of a chain, and those that answer together with it: relations that are each other's inverse."""
    forward, same = snapshot.num_relations, snapshot.inverse_relations
    path = [_relation(snapshot, step.name) + forward * step.inverse for step in chain.steps]
    alike = [[one for one in range(2 * forward) if same[one] == same[relation]] for relation in path]
    return set(product(*alike))


def _budget(bench: Bench, questions: Sequence[QuestionRecord]) -> Iterator[tuple[Fault, WhyNot]]:
    indexing.build(bench.snapshot, bench.encoder)
    answerer = bench.opened(bench.snapshot, "inses")
    for question in questions:
        answer = _gold(question)[1]
        if _lost(bench, answerer, question.question, answer):
            continue
        for budget in (1, 2, 3, 5):
            if _lost(bench, answerer, question.question, answer, budget=budget):
                fault = Fault("the budget is cut", question.question, answer, (LostAt.BUDGET,))
                yield fault, bench.said(answerer, question.question, answer, budget=budget)
                break


def _program_fact(bench: Bench) -> Iterator[tuple[Fault, WhyNot]]:
    for question, relations in PROGRAMS:
        record = bench.asked(bench.answerer, question)
        if record.program is None or not record.final.answers:
            print("not a program:", question)
            continue
        for answer in [one.label for one in record.final.answers[:2]]:
            for relation in relations:
                gone = [fact for fact in bench.facts if fact[1] == relation and answer in (fact[0], fact[2])]
                if relation == "borders":
                    topic = {linked.entity.label for linked in record.linked}
                    gone = [fact for fact in gone if {fact[0], fact[2]} & topic]
                if not gone:
                    continue
                answerer = bench.built([fact for fact in bench.facts if fact not in gone])
                if not _lost(bench, answerer, question, answer):
                    continue
                stages = (LostAt.FACT,) if relation in ("borders", "continent") else (LostAt.STEP,)
                about = bench.snapshot.get_relation_label(_relation(bench.snapshot, relation))
                fault = Fault("a fact that a program reads is taken out", question, answer, stages, about)
                yield fault, bench.said(answerer, question, answer)
