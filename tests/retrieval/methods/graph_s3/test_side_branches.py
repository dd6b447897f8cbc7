"""The whole focus graph answers (eq. 3): what was kept beside the last choice restricts it."""

import pytest

from retrieval.answering.agent import AgentAnswerer
from retrieval.answering.run import AskRequest
from retrieval.evidence.verbalise import format_chain
from retrieval.language.question import Question
from retrieval.methods.graph_s3.agent.actions import Choose, Explore, Finish
from retrieval.methods.graph_s3.agent.environment import AgentWorld
from retrieval.methods.graph_s3.agent.frontier import Frontiers
from retrieval.methods.graph_s3.agent.policy import ScoredAction
from retrieval.methods.graph_s3.side_branches import build_focus
from retrieval.methods.graph_s3.spec import GraphS3Options
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.types import Usage
from tests.retrieval.answering.test_agent import answerer
from tests.retrieval.world import build, ids, labels, path

FILMS = [
    ("Ann", "directed", "Dawn"),
    ("Ann", "directed", "Dusk"),
    ("Ann", "directed", "Noon"),
    ("Dawn", "released", "2005"),
    ("Dusk", "released", "2005"),
    ("Noon", "released", "2007"),
    ("Dawn", "in_genre", "Drama"),
    ("Dusk", "in_genre", "Comedy"),
    ("Noon", "in_genre", "Horror"),
]
QUESTION = "Which films by Ann were released in 2005?"


@pytest.fixture
def films(tmp_path):
    return build(tmp_path / "films.graph", FILMS)


def released(graph, *heads):
    """The choice of the facts that say that these films were released."""
    facts = [
        fact for head in heads for fact in graph.get_out_edges(*ids(graph, head))
        if graph.get_relation_name(int(graph.relations[fact])) == "released"
    ]  # fmt: skip
    return Choose(arcs=tuple(facts))


def searched(graph, question, *actions):
    world = AgentWorld(Frontiers(graph))
    state = world.make_initial_state(Question(question), ids(graph, "Ann"))
    for action in actions:
        state, seen = world.apply_action(state, action)
        assert seen.valid, seen.text
    return state


def test_a_choice_that_the_question_names_is_a_condition_on_where_it_left_from(films):
    state = searched(
        films, QUESTION,
        Explore(0), Choose(path(films, "directed")), Explore(1), released(films, "Dawn", "Dusk"),
    )  # fmt: skip
    focus = build_focus(films, state, ())
    assert [(leaf.path, labels(films, leaf.entities)) for leaf in focus.leaves] == [
        (path(films, "directed"), ["Dawn", "Dusk", "Noon"])
    ]
    assert focus.conditioned
    kept = {labels(films, [films.tails[fact]])[0] for fact in focus.graph.facts.tolist()}
    assert kept == {"Dawn", "Dusk", "2005"}


def test_a_condition_holds_for_what_a_later_choice_leads_to(films):
    state = searched(
        films, "What are the genres of Ann's films of 2005?",
        Explore(0), Choose(path(films, "directed")), Explore(1), released(films, "Dawn", "Dusk"),
        Explore(1), Choose(path(films, "in_genre")),
    )  # fmt: skip
    focus = build_focus(films, state, ())
    assert [leaf.path for leaf in focus.leaves] == [path(films, "directed in_genre")]
    kept = {labels(films, [films.tails[fact]])[0] for fact in focus.graph.facts.tolist()}
    assert kept == {"Dawn", "Dusk", "2005", "Drama", "Comedy"}


def test_what_the_question_does_not_name_is_the_answer(films):
    state = searched(
        films, "When were the films by Ann released?",
        Explore(0), Choose(path(films, "directed")), Explore(1), Choose(path(films, "released")),
    )  # fmt: skip
    focus = build_focus(films, state, ())
    assert (focus.graph, focus.conditioned) == (films, False)
    assert [labels(films, leaf.entities) for leaf in focus.leaves] == [["2005", "2007"]]


class Scripted:
    """Does what it was told, then finishes."""

    usage, prompts = Usage(), ()

    def __init__(self, *actions):
        self.actions = actions

    def propose(self, state, *, cancelled=lambda: False):
        return (ScoredAction(self.actions[state.steps], probability=1.0, thought="as told"),)


def asked(graph, reasoner, evidence="auto"):
    actions = (
        Explore(0), Choose(path(graph, "directed")), Explore(1), released(graph, "Dawn", "Dusk"), Finish(),
    )  # fmt: skip
    made = answerer(graph, {}, policy=lambda world: Scripted(*actions))
    agent = AgentAnswerer(graph, made.deciders, made.linker, reasoner, options=GraphS3Options(evidence=evidence))
    return list(agent.run(AskRequest(Question(QUESTION), given=tuple(ids(graph, "Ann")))))


def test_films_of_a_year_are_the_answer_and_not_the_year(films):
    final = asked(films, ExtractiveReasoner())[-1]
    assert [answer.label for answer in final.answers] == ["Dawn", "Dusk"]


class Noting(ExtractiveReasoner):
    name = "llm"

    def answer(self, evidence, *, cancelled):
        self.evidence = evidence
        return super().answer(evidence, cancelled=cancelled)


def test_a_language_model_reads_the_whole_focus_graph(films):
    noting = Noting()
    asked(films, noting)
    assert [format_chain(chain) for chain in noting.evidence.chains] == [
        "Ann → [directed] → Dawn; Dusk; Noon",
        "Ann → [directed] → Dawn; Dusk → [released] → 2005",
        "Ann → [directed] → Dawn; Dusk → [released] → 2005 → [inverse of released] → Dusk",
    ]
    asked(films, noting, "paths")
    assert noting.evidence.read == (
        "Ann → [directed] → Dawn → [released] → 2005",
        "Ann → [directed] → Dusk → [released] → 2005",
        "Ann → [directed] → Noon",
    )
