"""How many questions in a house's own words are answered rightly without and with its synonyms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.kg.build.from_files import build_from_files
from retrieval.kg.snapshot.vocabulary import Term, Vocabulary
from retrieval.language.question import Question

GRAPHS = Path(__file__).parents[2] / "own_graphs"
OTHERS = [json.loads(line) for line in (GRAPHS / "questions.jsonl").read_text().splitlines()]

SYNONYMS = {
    "zoo": {
        "relation keeper": ("case handler",),
        "relation weight": ("gross tonnage", "heft"),
        "relation lives_in": ("compound",),
        "relation species": ("taxon",),
        "relation born": ("intake year",),
    },
    "fleet": {
        "relation captain": ("OIC",),
        "relation lengthInMetres": ("LOA",),
        "relation homePort": ("base",),
        "relation operatedBy": ("principal",),
        "relation visits": ("calls at",),
        "relation carries": ("payload",),
        "kind ship": ("hull",),
    },
    "wine": {
        "relation alcohol content": ("ABV",),
        "relation made from": ("cepage",),
        "relation rating": ("Parker points",),
        "relation number of employees": ("headcount", "FTEs"),
        "relation has owner": ("belongs to",),
        "kind wine": ("label",),
    },
    "library": {
        "relation pages": ("extent",),
        "relation copies": ("holdings",),
        "relation author": ("creator statement",),
        "relation member_since": ("enrolment",),
        "kind reader": ("patron",),
    },
}
QUESTIONS = {
    "zoo": {
        "Who is the case handler of Simba?": {"Luis Ortega"},
        "Which animal has the highest gross tonnage?": {"Tembo"},
        "What is the heft of Kaa?": {"60 kg"},
        "What is the compound of Pingu?": {"Polar Pool"},
        "What is the taxon of Raja?": {"Bengal tiger"},
        "What is the intake year of Nala?": {"2016"},
    },
    "fleet": {
        "Who is the OIC of Dolphin?": {"Ana Pires"},
        "What is the LOA of Borealis?": {"210"},
        "Which ship has the largest LOA?": {"Borealis"},
        "What is the base of Aurora?": {"Bergen"},
        "Who is the principal of Cormorant?": {"Nordline"},
        "Which cities does Borealis call at?": {"Copenhagen", "Tallinn", "Riga"},
        "What is the payload of Eider?": {"cargo"},
        "How many hulls are there?": {"5"},
    },
    "wine": {
        "What is the ABV of Negre Vell?": {"15.0"},
        "Which wine has the highest ABV?": {"Vale Vintage"},
        "What is the cepage of Fels Auslese?": {"Riesling"},
        "Which wine has the most Parker points?": {"Vale Vintage"},
        "What is the headcount of Clos Negre?": {"8"},
        "Which winery has the most FTEs?": {"Quinta do Vale"},
        "Who does Schloss Fels belong to?": {"Greta Lang"},
        "How many labels are there?": {"7"},
    },
    "library": {
        "What is the extent of Walden?": {"352"},
        "Which novel has the most holdings?": {"Emma"},
        "What is the creator statement of Ulysses?": {"James Joyce"},
        "What is the enrolment of Omar?": {"2021"},
        "How many patrons are there?": {"3"},
    },
}


def build_vocabulary(graph):
    terms = []
    for key, synonyms in SYNONYMS[graph].items():
        category, name = key.split(" ", 1)
        terms.append(Term(category, name, synonyms=synonyms))
    return Vocabulary(tuple(terms))


def list_answers(answerer, question):
    *_, final = answerer.run(AskRequest(Question(question)))
    return {answer.label for answer in final.answers}


@pytest.fixture(scope="module")
def answerers(tmp_path_factory):
    """Without and with the synonyms, by graph."""
    opened = {}
    for graph in SYNONYMS:
        snapshot, _ = build_from_files([GRAPHS / f"{graph}.tsv"], tmp_path_factory.mktemp(graph) / "g", problems=print)
        parts, spec = load_parts(snapshot, load_encoder()), AnswererSpec(snapshot.path)
        opened[graph] = tuple(
            load_answerer(spec, parts, vocabulary=known) for known in (Vocabulary(), build_vocabulary(graph))
        )
    return opened


@pytest.mark.slow
def test_synonyms_answer_the_questions_that_they_explain(answerers):
    right = {False: [], True: []}
    for graph, questions in QUESTIONS.items():
        for worded, answerer in enumerate(answerers[graph]):
            right[bool(worded)] += [q for q, gold in questions.items() if list_answers(answerer, q) == gold]
    total = sum(map(len, QUESTIONS.values()))
    print(f"{len(right[False])} of {total} without, {len(right[True])} with")
    wrong = {q for questions in QUESTIONS.values() for q in questions} - set(right[True])
    assert (total, len(right[False])) == (27, 10)
    assert wrong == {"Which cities does Borealis call at?", "Which winery has the most FTEs?"}


@pytest.mark.slow
@pytest.mark.parametrize("graph", list(SYNONYMS))
def test_other_questions_are_answered_as_before(answerers, graph):
    plain, worded = answerers[graph]
    others = [row["question"] for row in OTHERS if row["graph"] == f"{graph}.tsv"]
    changed = {q for q in others if list_answers(plain, q) != list_answers(worded, q)}
    assert (len(others) > 20, changed) == (True, set())
