"""Answers of several graphs that mean the same thing."""

from retrieval.kg.analysis.joining import Joined, Member, Named, join


def test_answers_join_by_iri_before_name():
    a = [Named("Germany", 0.9, "http://x/de"), Named("Berlin", 0.8, "http://x/b")]
    b = [Named("Deutschland", 0.95, "http://x/de"), Named("  berlin ", 0.4)]
    assert join([a, b]) == [
        Joined("Germany", 0.95, False, (Member(0, 0), Member(1, 0, "iri"))),
        Joined("Berlin", 0.8, False, (Member(0, 1), Member(1, 1, "name"))),
    ]


def test_iris_of_one_site_tell_names_apart_and_others_do_not():
    jaws = Named("Jaws", 0.5, "http://x/1")
    assert len(join([[jaws], [Named("Jaws", 0.5, "http://x/2")]])) == 2
    assert len(join([[jaws], [Named("Jaws", 0.5, "http://y/2")]])) == 1
    # A third that may be either joins the first that nothing speaks against.
    both = join([[jaws], [Named("Jaws", 0.5, "http://x/2")], [Named("jaws", 0.7)]])
    assert [one.members for one in both] == [(Member(0, 0), Member(2, 0, "name")), (Member(1, 0),)]


def test_answers_of_one_graph_stay_apart():
    twins = [Named("Springfield", 0.6), Named("Springfield", 0.5)]
    assert [one.members for one in join([twins, [Named("SPRINGFIELD", 0.1)]])] == [
        (Member(0, 0), Member(1, 0, "name")),
        (Member(0, 1),),
    ]


def test_best_first_then_those_of_more_graphs():
    a = [Named("a", 0.5), Named("b", 0.5), Named("c", 0.2, guess=True)]
    b = [Named("b", 0.5), Named("c", 0.1, guess=True), Named("d", 0.9)]
    found = join([a, b])
    assert [(one.label, one.score, one.guess) for one in found] == [
        ("d", 0.9, False),
        ("b", 0.5, False),
        ("a", 0.5, False),
        ("c", 0.2, True),
    ]
    assert join([]) == [] == join([[], []])
