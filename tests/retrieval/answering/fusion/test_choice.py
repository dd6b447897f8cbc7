"""What answers a question on a graph without a checkpoint: outcomes, what speaks for each, and which is chosen."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from retrieval.answering.decision import list_doubt_warnings
from retrieval.answering.fusion.features import QuestionContext, compute_signs
from retrieval.answering.fusion.model import OutcomeChoice
from retrieval.answering.fusion.outcomes import CandidateOutcome, collect_outcomes
from retrieval.answering.fusion.selection import Chosen, find_likeliest, select_outcome
from retrieval.answering.programs import ProgramAnswerer
from retrieval.evidence.reach import Reach
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import CHOICE, PROGRAMS
from retrieval.programs.algebra.operations import Count, Entities, Walk
from retrieval.programs.reader import ProgramReader
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.understanding import Meaning, Understanding
from retrieval.reasoning.base import Conclusion
from retrieval.results import Answer, NoAnswer, NoAnswerReason
from retrieval.types import Node, RelationPath

HAMLET, MACBETH = 1, 2
WROTE, PLAYED = Walk(Entities((0,)), 3), Walk(Entities((0,)), 4)


def nodes(*ids):
    return np.array(ids, np.int64)


def meaning(program, result, score, probability, *, named=((0, 0, 4),), **evidence):
    part = SimpleNamespace(parts=(), anchored=None, program=None)
    return Meaning(Candidate(program, result, score, probability, {}, part), evidence, named, False)


def understood(*meanings, confidence=0.4):
    best = meanings[0]
    others = tuple(own.candidate for own in meanings[1:4])
    schema = SimpleNamespace(kinds={})
    return Understanding(best.candidate, confidence, others, None, schema, best.named, meanings=meanings)


def reach(probability, *targets, path=(3,), partners=()):
    return Reach(0, path, probability, (nodes(*targets),), partners=partners)


def answered(*ids, score=0.6):
    given = tuple(Answer(f"n{n}", score, Node(n, f"n{n}", "entity")) for n in ids)
    lacking = None if ids else NoAnswer(NoAnswerReason.NOT_IN_GRAPH, "The graph has no directors.")
    return Conclusion(answers=given, no_answer=lacking)


@pytest.fixture
def read():
    return understood(
        meaning(WROTE, nodes(HAMLET), 2.0, 0.5, unread=0.25),
        meaning(PLAYED, nodes(MACBETH), 1.5, 0.3, named=((0, 0, 4), (9, 8, 12))),
        meaning(Count(WROTE), 1.0, 1.0, 0.2),
    )


def test_what_programs_and_paths_give_alike_is_one_outcome(read):
    reaches = [reach(0.2, MACBETH, path=(4,)), reach(0.7, HAMLET), reach(0.1, HAMLET, MACBETH, path=(5,))]
    found = collect_outcomes(read, (), reaches, answered(HAMLET))
    assert [
        (own.nodes.tolist() if own.nodes is not None else own.result, own.programs, own.by_paths) for own in found
    ] == [([HAMLET], [0], True), ([MACBETH], [1], False), (1.0, [2], False), ([HAMLET, MACBETH], [], False)]
    assert [[own.probability for own in outcome.reaches] for outcome in found] == [[0.7], [0.2], [], [0.1]]


def test_a_truth_is_no_number():
    read = understood(meaning(WROTE, True, 1.0, 0.6), meaning(PLAYED, 1.0, 0.5, 0.4))
    assert [own.result for own in collect_outcomes(read)] == [True, 1.0]
    assert [own.nodes for own in collect_outcomes(read)] == [None, None]


def test_what_is_not_about_picked_entities_answers_nothing(read):
    assert [own.programs for own in collect_outcomes(read, [9])] == [[1]]


def test_what_two_topics_lead_to_together_is_the_verdicts_or_nobodys():
    both = reach(0.7, HAMLET, partners=(1,))
    assert collect_outcomes(None, (), [both]) == []
    assert [own.reaches for own in collect_outcomes(None, (), [both], answered(HAMLET))] == [[both]]


def test_signs_tell_an_outcome_from_the_others(read):
    paths = [
        RelationPath(0, (3,), 0.7, support=0.8, doubted=False),
        RelationPath(0, (4,), 0.2, support=0.8, doubted=False),
    ]
    reaches, verdict = [reach(0.7, HAMLET), reach(0.2, MACBETH, path=(4,))], answered(HAMLET, score=0.7)
    seen = QuestionContext(
        Question("Which plays did Anne write?"),
        read,
        paths,
        verdict,
        unfit={1},
    )
    first, second, third = compute_signs(seen, collect_outcomes(read, (), reaches, verdict), {0: 2.0, 1: 0.0})
    told = ("words", "read", "support", "topics", "no paths", "doubted", "lacking")
    assert [first[name] for name in told] == [5.0, 0.4, 0.8, 1.0, 0.0, 0.0, 0.0]
    assert (first["programs"], first["programs.other"], first["paths"], first["paths.other"]) == (
        0.5, 0.3, 0.7, 0.2,
    )  # fmt: skip
    assert first["paths.odds"] == pytest.approx(math.log(0.7 / 0.3))
    assert (first["program: unread"], first["program.read"], second["program.read"]) == (0.25, 0.4, 0.0)
    assert (second["program.place"], second["program.behind"], second["unfit"]) == (1.0, -0.5, 1.0)
    assert (first["path.by all"], first["path.by all.score"], second["path.by all"]) == (1.0, 0.7, 0.0)
    assert (first["path.place"], second["path.place"], "path.place" in third) == (0.0, 1.0, False)
    assert (first["text.odds"], first["text.best"], first["text.behind"]) == (2.0, 1.0, 0.0)
    assert (second["text.best"], second["text.behind"], third["text.unscored"]) == (0.0, -2.0, 1.0)
    assert second["text.share"] == second["text.none"] == pytest.approx(1 / (2 + math.exp(2)))
    assert (third["gives.number"], third["path"]) == (1.0, 0.0)


def test_paths_of_several_steps_that_are_surely_read_go_first():
    far = {"support": 0.94, "path.by all.score": 0.81, "path.steps": 2.0}
    told = [{"support": 0.94, "path.steps": 1.0}, far]
    assert find_likeliest(told, [0.7, 0.2]) == (1, 0.7)
    for less in ({"support": 0.93}, {"path.by all.score": 0.8}, {"path.steps": 1.0}):
        assert find_likeliest([told[0], far | less], [0.7, 0.2]) == (0, 0.7)
    assert find_likeliest(told, [0.7, 0.013]) == (0, 0.7)  # hopeless by all else


def test_the_likeliest_outcome_is_chosen_where_it_is_likely_enough(read):
    choice = OutcomeChoice({"programs": 2.0, "paths": 3.0, "one": -2.0})
    reaches = [reach(0.7, MACBETH, path=(4,))]
    found = collect_outcomes(read, (), reaches)
    seen = QuestionContext(Question("Which plays did Anne write?"), read)
    chosen = select_outcome(seen, found, choice, {})
    # 2 x 0.3 + 3 x 0.7 - 2 = 0.7 for the second, 2 x 0.5 - 2 = -1 for the first.
    assert (chosen.outcome, chosen.sure) == (found[1], pytest.approx(1 / (1 + math.exp(-0.7)), abs=1e-6))
    assert chosen.read_as(read).best is read.meanings[1].candidate
    assert chosen.read_as(read).confidence == chosen.sure
    assert select_outcome(seen, found, choice, {}, least=0.7) is None
    assert select_outcome(seen, [], choice, {}) is None


def test_a_path_shows_what_a_program_walks_as_well(read):
    choice = OutcomeChoice({"programs": 2.0, "paths": 3.0})
    by_path = select_outcome(
        QuestionContext(Question("?"), read),
        collect_outcomes(read, (), [reach(0.7, HAMLET)], answered(HAMLET)),
        choice,
        {},
    )
    assert (by_path.outcome.by_paths, by_path.is_program(read)) == (True, False)
    in_part = select_outcome(
        QuestionContext(Question("?"), read), collect_outcomes(read, (), [reach(0.7, HAMLET)]), choice, {}
    )
    assert in_part.is_program(read)
    alone = select_outcome(
        QuestionContext(Question("?"), None), collect_outcomes(None, (), [reach(0.7, HAMLET)]), choice, {}
    )
    assert not alone.is_program(read)


def test_a_guess_at_what_the_graph_lacks_is_said_to_be_one():
    assert list_doubt_warnings(0.29, answered()) == ("The graph has no directors. This is the closest to it.",)
    assert list_doubt_warnings(0.3, answered()) == list_doubt_warnings(0.1, answered(HAMLET)) == ()


def test_weights_are_written_as_they_are_read(tmp_path):
    OutcomeChoice({"paths": 1.23456, "one": -0.5, "unfit": 0.0}).save(tmp_path / "choice.json")
    assert OutcomeChoice.load(tmp_path / "choice.json").weights == {"one": -0.5, "paths": 1.2346}


def test_the_weights_that_come_with_clew_prefer_what_both_say():
    choice, read = OutcomeChoice.load(CHOICE), understood(meaning(WROTE, nodes(HAMLET), 2.0, 0.5))
    paths = [RelationPath(0, (3,), 0.7, support=0.9), RelationPath(0, (4,), 0.3, support=0.9)]
    reaches = [reach(0.7, HAMLET), reach(0.3, MACBETH, path=(4,))]
    seen = QuestionContext(Question("Which plays did Anne write?"), read, paths, answered(HAMLET, score=0.7))
    both, other = (
        choice.compute_probability(own)
        for own in compute_signs(
            seen, collect_outcomes(read, (), reaches, answered(HAMLET, score=0.7)), {0: 1.0, 1: -2.0}
        )
    )
    assert both > 0.5 > other


@pytest.mark.parametrize(("more", "is_whole"), [([], True), ([("Italy", "currency", "Euro")], False)])
def test_a_kind_leaves_out_nothing_of_which_nothing_is_said(tmp_path, more, is_whole):
    facts = [
        ("Switzerland", "borders", "France"), ("Switzerland", "borders", "Italy"), ("France", "capital", "Paris"),
    ]  # fmt: skip
    snapshot = build_snapshot(TripleTable.from_facts([*facts, *more]), tmp_path / "borders")
    answerer = ProgramAnswerer(ProgramReader(snapshot, None, PROGRAMS), 0.3)
    france, italy = snapshot.find_entity("France"), snapshot.find_entity("Italy")
    countries, whole = (
        CandidateOutcome(nodes(france), [0]),
        CandidateOutcome(nodes(*sorted((france, italy))), by_paths=True),
    )
    found = answerer.outcomes._allow_untyped(Chosen(countries, 0.7), [countries, whole], None)
    assert (found.outcome is whole, found.sure) == (is_whole, 0.7)


def test_only_a_kind_leaves_things_out_that_relation_paths_lead_to(tmp_path):
    facts = [("Dragon", "hit points", "225"), ("Dragon", "hit points roll", "18d12")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "monsters")
    answerer = ProgramAnswerer(ProgramReader(snapshot, None, PROGRAMS), 0.3)
    points, roll = snapshot.find_entity("225"), snapshot.find_entity("18d12")
    named = CandidateOutcome(nodes(points), [0])
    whole = CandidateOutcome(nodes(*sorted((points, roll))), by_paths=True)
    read = understood(meaning(Walk(Entities((snapshot.find_entity("Dragon"),)), 0), nodes(points), 2.0, 0.9))
    assert answerer.outcomes._allow_untyped(Chosen(named, 0.7), [named, whole], read).outcome is named
