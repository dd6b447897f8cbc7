"""One- and two-hop questions about people."""

from __future__ import annotations

from retrieval.demo.wordings.forms import Simple

ONE_HOP = (
    Simple(
        "born_in",
        ("Where was {} born?", "In which city was {} born?", "What is the birthplace of {}?"),
        ("Where did {} come into the world?",),
        count=14,
    ),
    Simple(
        "^born_in",
        ("Who was born in {}?", "Which famous people were born in {}?"),
        ("Who are the natives of {}?",),
        count=10,
    ),
    Simple(
        "died_in",
        ("Where did {} die?", "In which city did {} die?"),
        ("What was the place of death of {}?",),
        count=10,
    ),
    Simple("birth_year", ("When was {} born?", "In what year was {} born?"), count=8),
    Simple("death_year", ("When did {} die?", "In what year did {} die?"), count=8),
    Simple(
        "nationality",
        ("What nationality was {}?", "Which country was {} a citizen of?"),
        ("What country did {} come from?",),
        count=10,
    ),
    Simple(
        "occupation",
        ("What was the occupation of {}?", "What did {} do for a living?"),
        ("What was {} by profession?",),
        count=8,
    ),
    Simple("field_of_work", ("What field did {} work in?", "Which field was {} active in?"), count=8),
    Simple("art_movement", ("Which art movement did {} belong to?", "What style did {} paint in?"), count=8),
    Simple(
        "studied_at",
        ("Where did {} study?", "Which university did {} attend?"),
        ("What was the alma mater of {}?",),
        count=10,
    ),
    Simple("^studied_at", ("Who studied at {}?", "Which famous people went to {}?"), count=8),
    Simple(
        "award_received",
        ("Which awards did {} win?", "What prize did {} receive?"),
        ("What honours did {} get?",),
        count=10,
    ),
    Simple("spouse", ("Who was {} married to?", "Who was the spouse of {}?"), ("Whom did {} marry?",), count=12),
    Simple("child", ("Who were the children of {}?", "Who was a child of {}?"), count=8),
    Simple("^child", ("Who were the parents of {}?", "Who was a parent of {}?"), count=8),
    Simple("student_of", ("Who taught {}?", "Who was the teacher of {}?"), count=8),
    Simple("^student_of", ("Who were the students of {}?", "Whom did {} teach?"), count=6),
    Simple("discovered", ("What did {} discover?", "Which discovery did {} make?"), count=10),
    Simple("^discovered", ("Who discovered {}?",), ("To whom do we owe the discovery of {}?",), count=8),
    Simple("invented", ("What did {} invent?",), count=6),
    Simple("^invented", ("Who invented {}?", "Who was the inventor of {}?"), count=8),
    Simple("position_held", ("Which office did {} hold?", "What position did {} hold?"), count=8),
    Simple("^position_held", ("Who has been {}?", "Who held the office of {}?"), count=8),
)

TWO_HOP = (
    Simple(
        "born_in city_in_country",
        ("In which country was {} born?", "What is the country of birth of {}?"),
        ("What country did {} first see the light in?",),
        count=14,
    ),
    Simple("died_in city_in_country", ("In which country did {} die?",), count=10),
    Simple("nationality capital", ("What is the capital of the country that {} was a citizen of?",), count=8),
    Simple(
        "nationality official_language",
        ("What are the official languages of the home country of {}?",),
        count=6,
    ),
    Simple(
        "studied_at university_in_city",
        ("In which city did {} go to university?", "In what city did {} study?"),
        count=10,
    ),
    Simple(
        "^studied_at field_of_work",
        ("What fields did the people who studied at {} work in?",),
        count=6,
        test_only=True,
    ),
    Simple("spouse born_in", ("Where was the spouse of {} born?",), count=8),
    Simple("spouse occupation", ("What did the husband or wife of {} do for a living?",), count=6),
    Simple("spouse award_received", ("Which awards did the spouse of {} win?",), count=5, test_only=True),
    Simple("child child", ("Who were the grandchildren of {}?",), count=5),
    Simple("^child ^child", ("Who were the grandparents of {}?",), count=5),
    Simple("^discovered born_in", ("Where was the discoverer of {} born?",), count=8),
    Simple("^invented nationality", ("What nationality was the inventor of {}?",), count=8),
    Simple("student_of nationality", ("What nationality was the teacher of {}?",), count=6),
)
