"""Questions taken apart over a corpus of five passages, with the encoder and the reader that come with Clew."""

import pytest

from retrieval.answering.loading import load_encoder
from retrieval.errors import Cancelled
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking import passage_index
from retrieval.linking.passage_index import PassageIndex
from retrieval.reasoning import span_reader
from retrieval.reasoning.decomposition import Decomposer, StepWeights
from retrieval.reasoning.reading import make_weigher, read_passages, score_answer_spans
from retrieval.types import Passage, RetrievedPassage

TEXTS = [
    ("Bubye River", "The Bubye River is a river in Zimbabwe. It flows into the Limpopo."),
    ("Victoria Falls", "Victoria Falls is a waterfall in Zimbabwe. It lies on the Zambezi River."),
    ("Blawith", "Blawith is a waterfall in England. Walkers like it."),
    ("Red Fist", "Red Fist is an album by the singer Ida Vey. It was made in 1990."),
    ("Ida Vey", "Ida Vey was born in Harare. Harare is the capital of Zimbabwe."),
]
TWO_STEPS = "What is the waterfall in the country where the Bubye River is found?"
THREE_STEPS = "What is the waterfall in the country whose capital is the birthplace of Red Fist's singer?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    passages = [Passage(i, f"p{i}", title, text) for i, (title, text) in enumerate(TEXTS)]
    graph = build_snapshot(TripleTable.from_facts([], passages=passages), tmp_path_factory.mktemp("d") / "corpus")
    encoder = load_encoder()
    passage_index.build(graph, encoder)
    return PassageIndex.open(graph, encoder)


def decomposer_of(index, **weights):
    reader = span_reader.get_reader(index.encoder)
    assert reader is not None
    return Decomposer(index, reader, weights=StepWeights(**weights))


def taken_apart(decomposer, question, check=lambda: None):
    steps, asking = [], decomposer.ask_descriptions(Question(question), check)
    while True:
        try:
            steps.append(next(asking))
        except StopIteration as end:
            return steps, end.value


def test_what_is_described_is_asked_for_and_its_answer_put_in(index):
    steps, ways = taken_apart(decomposer_of(index), TWO_STEPS)
    assert [(step.description, step.question) for step in steps] == [
        ("the country where the Bubye River is found", "What is the country where the Bubye River is found?")
    ]
    assert steps[0].bridges[0].label == "Zimbabwe"
    assert steps[0].bridges[0].sentence.text == "The Bubye River is a river in Zimbabwe."
    assert sum(each.share for each in steps[0].bridges) == pytest.approx(1)
    assert ways[0].question.text == "What is the waterfall in Zimbabwe?"
    assert [way.worth for way in ways] == sorted((way.worth for way in ways), reverse=True)
    assert len(ways) == len(steps[0].bridges)


def test_descriptions_within_descriptions_take_further_steps(index):
    steps, ways = taken_apart(decomposer_of(index, width=1), THREE_STEPS)
    assert [(step.question, step.bridges[0].label) for step in steps] == [
        ("Who is Red Fist's singer?", "Ida Vey"),
        ("Where was Ida Vey born?", "Harare"),
        ("What is the country whose capital is Harare?", "Zimbabwe"),
    ]
    assert [way.question.text for way in ways] == ["What is the waterfall in Zimbabwe?"]
    assert [each.label for each in ways[0].bridges] == ["Ida Vey", "Harare", "Zimbabwe"]


def test_no_more_steps_are_taken_than_are_allowed(index):
    steps, ways = taken_apart(decomposer_of(index, width=1, steps=1), THREE_STEPS)
    assert [step.question for step in steps] == ["Who is Red Fist's singer?"]
    assert [way.question.text for way in ways] == [
        "What is the waterfall in the country whose capital is the birthplace of Ida Vey?"
    ]


def test_a_question_that_describes_nothing_has_no_ways(index):
    assert taken_apart(decomposer_of(index), "What is the waterfall in Zimbabwe?") == ([], [])


def test_what_is_read_in_steps_stands_beside_what_is_read_at_once(index):
    decomposer = decomposer_of(index, width=1)
    _, ways = taken_apart(decomposer, TWO_STEPS)
    found = [RetrievedPassage(index.table.get_passage(i), score) for i, score in index.search(TWO_STEPS, 5)]
    read = read_passages(index, Question(TWO_STEPS), found)
    reader = span_reader.get_reader(index.encoder)
    plain = score_answer_spans(Question(TWO_STEPS), read, make_weigher(index), reader)
    both = decomposer.find_step_answers(ways, plain)
    assert both[0].label == "Victoria Falls"
    assert both[0].sentence.text == "Victoria Falls is a waterfall in Zimbabwe."
    assert [each.text for each in both[0].through] == ["The Bubye River is a river in Zimbabwe."]
    assert len({each.label.casefold() for each in both}) == len(both)
    assert {each.label.casefold() for each in plain} <= {each.label.casefold() for each in both}
    assert decomposer.find_step_answers([], plain) == plain


def test_the_passages_of_all_steps_are_found_the_first_of_each_first(index):
    decomposer = decomposer_of(index, width=1)
    _, ways = taken_apart(decomposer, TWO_STEPS)
    plain = [RetrievedPassage(index.table.get_passage(2), 0.9, facts=4)]
    assert [each.passage.title for each in decomposer.merge_passages(plain, ways, 2)] == [
        "Bubye River",
        "Blawith",
        "Victoria Falls",  # it was read, and is given beside the two
    ]
    assert decomposer.merge_passages(plain, ways, 2)[1].facts == 4
    assert decomposer.merge_passages(plain, [], 2) == tuple(plain)


def test_taking_apart_stops_before_the_next_step(index):
    def check():
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        taken_apart(decomposer_of(index), TWO_STEPS, check)
