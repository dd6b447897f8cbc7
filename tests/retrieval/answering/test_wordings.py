"""Synonyms of relations and kinds are read as their labels are."""

from __future__ import annotations

import pytest

from retrieval.answering.loading import AnswererCache, load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.answering.wordings import WordingSelector
from retrieval.events import AnswerFinal, ChainsBuilt
from retrieval.kg.snapshot.renaming import RenamedSnapshot, Renaming
from retrieval.kg.snapshot.vocabulary import Term, Vocabulary, load_vocabulary, save_vocabulary
from retrieval.language.question import Question
from retrieval.linking.wordings import restore_labels
from retrieval.types import Turn
from tests.retrieval.world import build, ids

KINDS = {"airport": ("Oslo", "Bergen", "Paris", "Rome"), "state": ("Norway", "France", "Italy")}
FACTS = [
    ("Oslo", "route", "Bergen"),
    ("Oslo", "route", "Paris"),
    ("Paris", "route", "Rome"),
    ("Bergen", "route", "Oslo"),
    ("Oslo", "country", "Norway"),
    ("Bergen", "country", "Norway"),
    ("Paris", "country", "France"),
    ("Rome", "country", "Italy"),
    ("Oslo", "pax", "28,000,000"),
    ("Paris", "pax", "70,000,000"),
    ("Bergen", "pax", "6,000,000"),
    ("Rome", "pax", "40,000,000"),
    *((name, "type", kind) for kind, names in KINDS.items() for name in names),
]
FLIES = Term("relation", "route", synonyms=("flies to",))
VOCABULARY = Vocabulary(
    (
        FLIES,
        Term("relation", "pax", synonyms=("passengers", "annual traffic")),
        Term("kind", "airport", synonyms=("aerodrome",)),
    )
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return build(tmp_path_factory.mktemp("airports") / "graph", FACTS)


def ask(answerer, question, **fields):
    *_, final = answerer.run(AskRequest(Question(question), **fields))
    assert isinstance(final, AnswerFinal), final
    return [answer.label for answer in final.answers]


@pytest.mark.parametrize("method", ["rel-rag-path", "reg-triple", "graph-s3"])
def test_a_synonym_answers_what_the_label_alone_does_not(graph, method):
    spec, parts = AnswererSpec(graph.path, method=method), load_parts(graph, load_encoder())
    plain, worded = (load_answerer(spec, parts, vocabulary=known) for known in (Vocabulary(), VOCABULARY))
    question = "Which airport has the most passengers?"
    assert ask(plain, question) != ["Paris"]
    assert ask(worded, question) == ["Paris"]
    assert ask(worded, "Which airport has the highest annual traffic?") == ["Paris"]


def test_a_synonym_counts_as_much_as_a_label(graph, tmp_path):
    """The answers and confidences are those of a graph whose relation is called so."""
    renames = {"pax": "annual_traffic", "airport": "aerodrome"}
    called = build(tmp_path / "called", [tuple(renames.get(part, part) for part in fact) for fact in FACTS])
    encoder = load_encoder()
    worded = load_answerer(AnswererSpec(graph.path), load_parts(graph, encoder), vocabulary=VOCABULARY)
    labelled = load_answerer(AnswererSpec(called.path), load_parts(called, encoder))
    for question in (
        "Which aerodrome has the highest annual traffic?",
        "What is the annual traffic of aerodrome Rome?",
    ):
        *_, first = worded.run(AskRequest(Question(question)))
        *_, second = labelled.run(AskRequest(Question(question)))
        assert [answer.label for answer in first.answers] == [answer.label for answer in second.answers] != []
        scores = [answer.score for answer in second.answers]
        assert [answer.score for answer in first.answers] == pytest.approx(scores, abs=0.02)  # ids differ


def test_the_next_question_uses_a_new_vocabulary_without_opening_the_graph_again(graph):
    cache, spec = AnswererCache(), AnswererSpec(graph.path)
    before = cache.get(spec, vocabulary=Vocabulary())
    after = cache.get(spec, vocabulary=VOCABULARY)
    assert ask(before, "Which airport has the most passengers?") != ["Paris"]
    assert ask(after, "Which airport has the most passengers?") == ["Paris"]
    assert after.snapshot is before.snapshot
    assert cache.get(spec, vocabulary=Vocabulary()) is before


def test_evidence_keeps_the_label(graph):
    answerer = load_answerer(AnswererSpec(graph.path), load_parts(graph, load_encoder()), vocabulary=VOCABULARY)
    events = list(answerer.run(AskRequest(Question("Where can you fly to from Oslo?"))))
    labels = {hop.step.label for e in events if isinstance(e, ChainsBuilt) for c in e.chains for hop in c.hops}
    assert labels == {"route"}


def test_a_follow_up_keeps_the_synonym_of_the_question_before(graph):
    answerer = load_answerer(AnswererSpec(graph.path), load_parts(graph, load_encoder()), vocabulary=VOCABULARY)
    turn = Turn("What is the annual traffic of Rome?", topics=tuple(ids(graph, "Rome")))
    assert ask(answerer, "And of Paris?", follows=turn) == ["70,000,000"]


def test_wordings_are_selected_by_the_words_of_the_question(graph):
    selector = WordingSelector(VOCABULARY, graph)
    route, pax = graph.find_relation("route"), graph.find_relation("pax")
    selected = {
        "Which cities does Oslo fly to?": Renaming(((route, "flies to"),)),
        "Which routes fly to Oslo?": Renaming(),  # the label is there, too
        "How many passengers use aerodromes?": Renaming(((pax, "passengers"),), (("airport", "aerodrome"),)),
        "What is the annual budget?": Renaming(),  # half of "annual traffic"
        "Which country is Rome in?": Renaming(),
    }
    assert {question: selector.select([Question(question)]) for question in selected} == selected


def test_terms_that_a_graph_lacks_and_terms_without_synonyms_change_nothing(graph):
    terms = (Term("relation", "shipping", synonyms=("sails to",)), Term("relation", "route", "Lines."))
    assert WordingSelector(Vocabulary(terms), graph).select([Question("Who sails to Oslo?")]) == Renaming()


def test_words_of_a_like_meaning_select_no_synonym(graph):
    """What the question does not say is left to the label: people who work somewhere are no headcount."""
    staff = Vocabulary((Term("relation", "pax", synonyms=("headcount",)),))
    selector = WordingSelector(staff, graph)
    assert selector.select([Question("How many people work at Oslo?")]) == Renaming()
    assert selector.select([Question("What is the headcount of Oslo?")]).relations[0][1] == "headcount"


def test_two_relations_may_share_a_synonym(graph):
    both = Vocabulary(tuple(Term("relation", name, synonyms=("place",)) for name in ("country", "route")))
    renamed = WordingSelector(both, graph).select([Question("What is the place of Rome?")])
    assert dict(renamed.relations) == {graph.find_relation(n): "place" for n in ("country", "route")}
    answerer = load_answerer(AnswererSpec(graph.path), load_parts(graph, load_encoder()), vocabulary=both)
    assert set(ask(answerer, "What is the place of Rome?")) <= {"Italy", "Paris"}


def test_a_trained_retriever_reads_the_labels_that_it_was_trained_with(graph):
    renaming = Renaming(((graph.find_relation("pax"), "annual traffic"),), (("airport", "aerodrome"),))
    renamed = RenamedSnapshot(graph, renaming)
    assert restore_labels("What annual traffic has the aerodrome of Oslo?", renamed) == (
        "What pax has the airport of Oslo?"
    )


def test_a_thousand_synonyms_are_read_in_order(graph):
    many = Vocabulary((Term("relation", "pax", synonyms=(*(f"figure{n}" for n in range(1000)), "throughput")),))
    selected = WordingSelector(many, graph).select([Question("Which airport has the highest throughput?")])
    assert selected == Renaming(((graph.find_relation("pax"), "throughput"),))


def test_the_vocabulary_is_kept_beside_the_snapshot_and_edited_terms_win(tmp_path):
    known = Vocabulary((Term("relation", "route", "A line.", ("line",), domain=("airport",)),))
    save_vocabulary(tmp_path, known)
    assert load_vocabulary(tmp_path) == known
    edited = known.override([Term("relation", "route", "", ("flies to",)), Term("kind", "airport", "A field.")])
    assert edited == Vocabulary(
        (Term("kind", "airport", "A field."), Term("relation", "route", "", ("flies to",), domain=("airport",)))
    )
    save_vocabulary(tmp_path / "none", Vocabulary())
    assert load_vocabulary(tmp_path / "none") == Vocabulary()
