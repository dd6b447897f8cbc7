"""Answer sets, their cuts and their probabilities; comparisons and the values they compare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.errors import ConfigError
from retrieval.language.question import Question
from retrieval.reasoning.comparison import detect_side, is_comparison, parse_value
from retrieval.reasoning.extractive import ExtractiveReasoner, ExtractiveSettings
from retrieval.reasoning.gather import GatherSettings, collect_evidence
from retrieval.reasoning.no_answers import explain_no_path
from retrieval.results import NoAnswerReason
from retrieval.types import LinkedEntity, Node
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build, ids


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def decide(graph, question, script, *, extractive=None, kept=None, coverage=1.0, **more):
    linked = LabelLinker(graph).link(Question(question))
    topics = [entity.entity.id for entity in linked.entities]
    evidence = collect_evidence(
        graph,
        Question(question),
        linked.entities,
        (),
        ScriptedRetriever(graph, script).rank_relation_paths(Question(question), topics),
        simple=True,
        settings=kept or GatherSettings(),
        cancelled=lambda: False,
        coverage=coverage,
    )
    return ExtractiveReasoner(extractive or ExtractiveSettings()).draw_conclusion(replace(evidence, **more))


def scored(verdict):
    return [(a.label, a.score, a.chains) for a in verdict.answers]


def test_sets_answer_together_when_neither_is_likely_enough_alone(graph):
    """Alone the likelier set (3 languages) has an expected F1 of p, with the other 6/7 p + 2/5 (1 - p)."""
    paths = ("borders official_language", "official_language")
    f1_alone = ExtractiveSettings(hit=0)
    likely = {"Switzerland": list(zip(paths, (0.8, 0.2), strict=True))}
    alone = decide(graph, "Switzerland?", likely, extractive=f1_alone)
    assert scored(alone) == [("French", 0.8, (0,)), ("German", 0.8, (0,)), ("Italian", 0.8, (0,))]
    open_ = {"Switzerland": list(zip(paths, (0.5, 0.3), strict=True))}
    together = decide(graph, "Switzerland?", open_, extractive=f1_alone)
    assert scored(together)[-1] == ("Romansh", 0.3, (1,))
    # That some answer is right counts too: 1.4 p against 6/7 p + 2/5 (1 - p) + 0.4.
    surer = decide(graph, "Switzerland?", likely, extractive=ExtractiveSettings(hit=0.4))
    assert scored(surer)[-1] == ("Romansh", 0.2, (1,))


def test_answers_are_as_likely_as_was_learned_of_paths_so_likely(graph):
    """Log-odds of 0.9, 2.1972, become 1.3329 or 0.7913; those of 0.1 become -0.7149 or 0.3285, no guess any more."""
    odds = (0.466, 0.309)
    sure = decide(graph, "Germany?", {"Germany": [("population", 0.9)]}, odds=odds)
    assert [answer.score for answer in sure.answers] == [pytest.approx(0.7913, abs=1e-4)]
    doubtful = decide(graph, "Germany?", {"Germany": [("population", 0.1)]}, odds=odds)
    assert [(a.score, a.guess) for a in doubtful.answers] == [(pytest.approx(0.3285, abs=1e-4), False)]


def test_answers_are_as_sure_as_is_known_otherwise_in_proportion(graph):
    script = {"Switzerland": [("borders official_language", 0.5), ("official_language", 0.3)]}
    known = decide(graph, "Switzerland?", script, sure=0.8)
    assert sorted({(a.label, a.score, a.guess) for a in known.answers})[:1] == [("French", 0.8, False)]
    assert ("Romansh", 0.48, False) in {(a.label, a.score, a.guess) for a in known.answers}
    doubted = decide(graph, "Germany?", {"Germany": [("population", 0.9)]}, sure=0.2)
    assert [(a.score, a.guess) for a in doubted.answers] == [(0.2, True)]


def test_what_the_question_names_is_not_its_answer_unless_it_offers_a_choice(graph):
    script = {"Switzerland": [("borders", 0.9)], "Germany": [("population", 0.1)]}
    open_ = decide(graph, "Switzerland and Germany?", script)
    assert [answer.label for answer in open_.answers] == ["Austria", "France", "Italy"]
    choice = decide(graph, "Switzerland: is it Germany or Spain?", script)
    assert [answer.label for answer in choice.answers] == ["Austria", "France", "Germany", "Italy"]


def test_a_set_that_the_others_bear_out_beats_a_likelier_one(tmp_path):
    """Expected F1: r 0.34; s 0.332 + 4/5 * 0.328 = 0.594; r and s together 0.584, r and u 0.592."""
    sets = {"r": "6789", "s": "23", "u": "235"}
    graph = build(tmp_path / "sets", [("A", name, end) for name, ends in sets.items() for end in ends])
    script = {"A": [("r", 0.34), ("s", 0.332), ("u", 0.328)]}
    found = decide(graph, "A?", script, extractive=ExtractiveSettings(hit=0))
    assert [(a.label, a.score) for a in found.answers] == [("2", 0.66), ("3", 0.66)]


def test_relation_paths_that_reach_the_same_set_add_up(tmp_path):
    graph = build(
        tmp_path / "twice",
        [("Jaws", "scored_by", "Williams"), ("Jaws", "music", "Williams"), ("Jaws", "by", "Spielberg")],
    )
    script = {"Jaws": [("by", 0.36), ("scored_by", 0.34), ("music", 0.3)]}
    found = decide(graph, "Jaws?", script, extractive=ExtractiveSettings(hit=0, floor=0))
    assert scored(found) == [("Williams", 0.64, (1, 2)), ("Spielberg", 0.36, (0,))]
    script = {"Jaws": [("by", 0.32), ("scored_by", 0.35), ("music", 0.33)]}
    found = decide(graph, "Jaws?", script, extractive=ExtractiveSettings(hit=0))
    assert scored(found) == [("Williams", 0.68, (0, 1))]


def test_relation_paths_that_are_inverses_answer_together(tmp_path):
    """Neither end has all films, and alone the likelier set would do: 0.35 + 2/3 * 0.25 against 6/7 * 0.6."""
    facts = [(film, "directed_by", "Spielberg") for film in ("Jaws", "Munich", "Lincoln")]
    facts += [("Spielberg", "directed", film) for film in ("Jaws", "Munich", "Duel")]
    script = {"Spielberg": [("directed", 0.35), ("-directed_by", 0.25)]}
    found = decide(build(tmp_path / "ends", facts), "Spielberg?", script, extractive=ExtractiveSettings(hit=0))
    assert scored(found) == [
        ("Jaws", 0.6, (0, 1)), ("Munich", 0.6, (0, 1)), ("Duel", 0.35, (0,)), ("Lincoln", 0.25, (1,))
    ]  # fmt: skip


def test_a_relation_path_that_reaches_nothing_does_not_count(graph):
    script = {"Germany": [("borders official_language", 0.9), ("official_language", 0.05)]}
    assert scored(decide(graph, "Germany?", script)) == [("German", 0.05, (0,))]


def test_below_the_floor_the_graph_is_said_not_to_hold_it(graph):
    script = {"Germany": [("official_language", 0.05)]}
    settings = ExtractiveSettings(floor=0.1)
    refused = decide(graph, "who rules Germany?", script, extractive=settings, coverage=0.09)
    assert refused.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH
    assert "Germany" in refused.no_answer.message
    assert decide(graph, "who rules Germany?", script, extractive=settings, coverage=0.1).answers


def test_an_intersection_multiplies_probabilities(graph):
    script = {"Austria": [("borders", 0.5), ("official_language", 0.4)], "France": [("borders", 0.8)]}
    assert scored(decide(graph, "what do Austria and France border?", script)) == [("Italy", 0.4, (0, 1))]


def test_an_intersection_prefers_what_is_one_hop_from_each_topic(tmp_path):
    countries = {"France": ("Belgium", "Spain"), "Germany": ("Belgium", "Poland")}
    facts = [fact for c, others in countries.items() for o in others
             for fact in ((c, "borders", o), (o, "borders", c))]  # fmt: skip
    graph = build(tmp_path / "borders", [*facts, ("Belgium", "independent_from", "Netherlands")])
    unsure = [("borders independent_from", 0.2), ("borders", 0.14), ("-borders", 0.1)]
    script = {"France": unsure, "Germany": unsure}
    verdict = decide(graph, "which countries border both France and Germany?", script)
    assert scored(verdict) == [("Belgium", 0.0576, (0, 1, 4, 5))]
    sure = [("borders independent_from", 0.9), ("borders", 0.05)]
    verdict = decide(graph, "France and Germany?", {"France": sure, "Germany": sure})
    assert [a.label for a in verdict.answers] == ["Netherlands"]


def test_an_improbable_intersection_is_not_taken(graph):
    script = {"Austria": [("official_language", 0.9), ("borders", 0.01)], "France": [("borders", 0.8)]}
    kept = GatherSettings(join_share=0.1)
    verdict = decide(graph, "what do Austria and France border?", script, kept=kept)
    assert [a.label for a in verdict.answers] == ["German"]
    assert "Austria alone" in verdict.warnings[0]


def test_without_joins_the_surest_topic_answers_by_itself(tmp_path):
    facts = [("Jaws", "by", "Spielberg"), ("Alien", "by", "Scott"), ("E.T.", "by", "Spielberg"),
             ("Jaws", "star", "Scheider"), ("Alien", "star", "Holm")]  # fmt: skip
    graph = build(tmp_path / "films", facts)
    script = {"Spielberg": [("-by", 0.9)], "Scheider": [("-star", 0.8)], "Holm": [("-star", 0.7)]}
    apart = GatherSettings(joins=False)
    assert scored(decide(graph, "by Spielberg with Scheider?", script)) == [("Jaws", 0.72, (0, 1))]
    verdict = decide(graph, "by Spielberg with Scheider?", script, kept=apart)
    assert scored(verdict) == [("E.T.", 0.9, (0,)), ("Jaws", 0.9, (0,))]
    assert verdict.warnings == (
        "What Spielberg and Scheider lead to together was not looked for; these answers follow from Spielberg alone.",
    )
    # An empty intersection is no answer either.
    assert decide(graph, "by Spielberg with Holm?", script).no_answer.reason is NoAnswerReason.NO_PATH
    verdict = decide(graph, "by Spielberg with Holm?", script, kept=apart)
    assert scored(verdict) == [("E.T.", 0.9, (0,)), ("Jaws", 0.9, (0,))]


def test_where_a_search_began_by_itself_competes_and_restricts_nothing(graph):
    """Linked with a score of 0, France takes no part in an intersection that is empty, and is not named."""
    script = {"Austria": [("official_language", 0.9)], "France": [("official_language", 0.5)]}
    found = ScriptedRetriever(graph, script).rank_relation_paths(Question("Austria?"), ids(graph, "Austria", "France"))
    austria, france = LabelLinker(graph).link(Question("Austria France")).entities
    entities = (austria, replace(france, score=0.0, source="vector"))
    settings = GatherSettings()
    evidence = collect_evidence(
        graph, Question("Austria?"), entities, (), found, simple=True, settings=settings, cancelled=lambda: False
    )  # fmt: skip
    verdict = ExtractiveReasoner(ExtractiveSettings()).draw_conclusion(evidence)
    assert [a.label for a in verdict.answers] == ["German"]
    assert verdict.warnings == ()


def test_an_empty_intersection_of_one_kind_is_the_answer(tmp_path):
    facts = [
        ("Jaws", "by", "Spielberg"),
        ("Jaws", "star", "Scheider"),
        ("Alien", "by", "Scott"),
        ("Alien", "star", "Holm"),
    ]
    graph = build(tmp_path / "films", facts)
    script = {"Spielberg": [("-by", 0.9)], "Holm": [("-star", 0.8)], "Alien": [("by", 0.7)]}
    verdict = decide(graph, "which films by Spielberg star Holm?", script)
    assert verdict.no_answer.reason is NoAnswerReason.NO_PATH
    assert "Spielberg and Holm" in verdict.no_answer.message
    mixed = decide(graph, "Spielberg and Alien?", script)
    assert [a.label for a in mixed.answers] == ["Jaws"]
    assert "Spielberg alone" in mixed.warnings[0]


def test_a_comparison_needs_a_value_of_every_topic(graph):
    script = {"Austria": [("population", 0.9)], "France": [("borders", 0.8)]}
    verdict = decide(graph, "which has more people, Austria or France?", script)
    assert [a.label for a in verdict.answers] == ["9,170,000"]


def test_equal_values_win_together(tmp_path):
    graph = build(tmp_path / "twins", [("Ann", "born", "1990-05-01"), ("Bea", "born", "1990-05-01")])
    script = {"Ann": [("born", 0.9)], "Bea": [("born", 0.7)]}
    verdict = decide(graph, "who is older, Ann or Bea?", script)
    assert scored(verdict) == [("Ann", 0.7, (0, 1)), ("Bea", 0.7, (0, 1))]


@pytest.mark.parametrize(
    ("question", "relation", "values", "winner"),
    [
        ("who is older, Ann or Bea?", "birth_year", ("1990", "1985"), "Bea"),
        ("who is older, Ann or Bea?", "age", ("34", "39"), "Bea"),
        ("which has more people, Ann or Bea?", "population", ("1990", "2,000,000"), "Bea"),
        ("which came out first, Ann or Bea?", "release_year", ("1990", "1985"), "Bea"),
        ("which is deeper, Ann or Bea?", "depth", ("-12", "3.5 m"), "Bea"),
    ],
)
def test_the_relation_says_whether_a_bare_number_is_a_year(tmp_path, question, relation, values, winner):
    facts = [("Ann", relation, values[0]), ("Bea", relation, values[1])]
    graph = build(tmp_path / "two", facts)
    script = {"Ann": [(relation, 0.9)], "Bea": [(relation, 0.8)]}
    assert [a.label for a in decide(graph, question, script).answers] == [winner]


def test_every_answer_is_an_entity_of_the_graph(graph):
    verdict = decide(graph, "Jaws?", {"Jaws": [("directed_by -directed_by", 1.0)]})
    assert [a.entity.id for a in verdict.answers] == ids(graph, "Lincoln", "Munich")
    assert all(a.verified for a in verdict.answers)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("9,170,000", (9170000.0, False)),
        ("8848.86 m", (8848.86, False)),
        ("41 285 km²", (41285.0, False)),
        ("1.4 billion", (1.4e9, False)),
        ("-12", (-12.0, False)),
        ("$300", (300.0, False)),
        ("1879", (1879.0, False)),
        ("44 BC", (-44.0, True)),
        ("1879-01-01", (1879.0, True)),
        ("1990-07", (1990.5, True)),
        ("Bern", None),
        ("7 Samurai and more of them", None),
        ("", None),
    ],
)
def test_literals_become_values(label, value):
    found = parse_value(label)
    assert found == value if value is None else found == (pytest.approx(value[0]), value[1])


@pytest.mark.parametrize(
    ("question", "dates", "expected"),
    [
        ("which is larger, A or B?", False, "max"),
        ("which has fewer people, A or B?", False, "min"),
        ("who is older, A or B?", True, "min"),
        ("who is older, A or B?", False, "max"),
        ("who is younger, A or B?", True, "max"),
        ("who was born first, A or B?", True, "min"),
        ("was A or B later?", True, "max"),
        ("is A like B?", True, None),
    ],
)
def test_the_comparative_word_says_which_side_wins(question, dates, expected):
    assert detect_side(Question(question), dates=dates) == expected


def test_a_question_without_a_choice_compares_nothing():
    assert not is_comparison(Question("what is the longest river of France?"))
    assert is_comparison(Question("is the Rhine longer than the Aare?"))


@pytest.mark.parametrize("wrong", [{"hit": -0.1}, {"floor": -0.1}, {"floor": 2}, {"kinship": -1}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ConfigError):
        ExtractiveSettings(**wrong)


def test_a_message_names_three_topics_and_counts_the_others():
    linked = [LinkedEntity(Node(i, f"T{i}"), f"T{i}", -1, -1, 1.0, "given") for i in range(5)]
    assert explain_no_path(linked).message == "No path leads from T0 and T1 and T2 and 2 others to an answer."
    assert explain_no_path(linked[:2]).message == "No path leads from T0 and T1 to an answer."
