"""Questions written from a schema, and learning from questions with answers."""

import numpy as np

from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Count, Entities, Walk
from retrieval.programs.grounding.schema import Schema
from retrieval.programs.parser import Parser
from retrieval.programs.rendering.names import to_named_json
from retrieval.programs.weights import Weights
from retrieval.supervision.program_learning import fit_weights, is_right
from retrieval.supervision.program_questions import write
from retrieval.types import QuestionRecord
from tests.retrieval.programs import land


def test_questions_are_written_from_a_schema_and_give_what_their_programs_give(tmp_path):
    snapshot = land.build(tmp_path / "graph")
    schema, executor = Schema(snapshot), Executor(snapshot)
    written = write(schema, executor, 40, seed=3)
    assert len(written) == len({made.question for made in written}) == 40
    assert write(schema, executor, 40, seed=3) == written
    assert len({type(made.program).__name__ for made in written}) >= 5
    counts = [made for made in written if isinstance(made.program, Count)]
    assert counts
    assert all(executor.run(made.program) >= 1 for made in counts)


def test_answers_are_compared_as_people_write_them(tmp_path):
    snapshot = land.build(tmp_path / "graph")
    parser, atlas = Parser(snapshot, None, Weights.load(PROGRAMS)), land.Land(snapshot)
    capital = parser.snapshot.find_relation("capital")
    assert capital is not None
    best = parser.read(Question("What is the capital of Egypt?")).candidates[0]
    assert best.program == Walk(Entities(atlas.e("Egypt").ids), capital)
    assert is_right(parser, best, ["cairo"])
    assert not is_right(parser, best, ["Cairo", "Paris"])
    total = parser.read(Question("What is the total population of the countries in Africa?")).candidates[0]
    assert is_right(parser, total, ["201000000"])


def test_learning_moves_the_weights_and_names_the_graphs_relations(tmp_path):
    snapshot = land.build(tmp_path / "graph")
    base = Weights.load(PROGRAMS)
    questions = [
        QuestionRecord(str(n), f"What is the {relation} of {country}?", answers=(answer,))
        for n, (country, relation, answer) in enumerate(land.FACTS)
        if relation in ("capital", "population", "continent", "independence")
    ]
    few = fit_weights(snapshot, None, questions[:3], base)
    assert (few.weights, few.examples, few.notes) == (None, 3, ())
    learned = fit_weights(snapshot, None, questions * 2, base).weights
    assert learned is not None
    assert any(name.startswith("lex:walk.value>") for name in learned.values)
    assert learned.calibration == base.calibration


def test_a_program_that_is_given_is_learned_and_not_what_gives_the_same(tmp_path):
    snapshot = land.build(tmp_path / "graph")
    base, atlas = Weights.load(PROGRAMS), land.Land(snapshot)
    asked = "Which countries are in Africa?"
    candidates = Parser(snapshot, None, base).read(Question(asked)).candidates
    best = candidates[0]
    same = [other for other in candidates[1:] if np.array_equal(other.result, best.result)]
    assert same
    wanted = same[0].program
    questions = [QuestionRecord(str(n), asked, program=to_named_json(snapshot, wanted)) for n in range(20)]
    learned = fit_weights(snapshot, None, questions, base)
    assert (learned.given, learned.composed, learned.same_answers, learned.unfit) == (20, 20, 0, 0)
    assert learned.weights is not None
    assert Parser(snapshot, None, learned.weights).read(Question(asked)).candidates[0].program is wanted
    # By its answers alone nothing changes: they all give the right ones.
    alone = [QuestionRecord(str(n), asked, answers=("Egypt", "Kenya", "Chad", "Togo")) for n in range(20)]
    unchanged = fit_weights(snapshot, None, alone, base).weights
    assert unchanged is not None
    assert Parser(snapshot, None, unchanged).read(Question(asked)).candidates[0].program is best.program
    # What people rejected is not right, though it gives the answers.
    refused = {one.id: [to_named_json(snapshot, best.program)] for one in alone}
    turned_away = fit_weights(snapshot, None, alone, base, refused=refused).weights
    assert turned_away is not None
    assert Parser(snapshot, None, turned_away).read(Question(asked)).candidates[0].program is not best.program
    turned = And(atlas.african, atlas.countries)
    assert (
        fit_weights(snapshot, None, [QuestionRecord("1", asked, program=to_named_json(snapshot, turned))], base).given
        == 1
    )


def test_a_program_that_cannot_be_read_teaches_by_its_answers_and_one_that_does_not_fit_is_told(tmp_path):
    snapshot = land.build(tmp_path / "graph")
    capital = snapshot.find_relation("capital")
    assert capital is not None
    elsewhere = Walk(Walk(Walk(land.Land(snapshot).e("Cairo"), capital + snapshot.num_relations), capital), 0)
    unfit = {"op": "Entities", "ids": ["?"]}
    questions = [
        QuestionRecord("told", "What is the capital of Egypt?", program=to_named_json(snapshot, elsewhere)),
        QuestionRecord("unfit", "What is the capital of France?", answers=("Paris",), program=unfit),
        QuestionRecord("plain", "What is the capital of France?", answers=("Paris",)),
    ]  # fmt: skip
    learned = fit_weights(snapshot, None, questions, Weights.load(PROGRAMS))
    assert (learned.given, learned.composed, learned.unfit, learned.examples) == (2, 0, 1, 2)
    assert learned.notes == (
        "Programs that were given: 2; read as such 0, by their answers alone 0, not of this graph 1. "
        "2 questions could be read, 20 are needed: programs are ranked as before.",
    )
