"""One- and two-hop questions about films, books, music and pictures."""

from __future__ import annotations

from retrieval.demo.wordings.forms import Simple

ONE_HOP = (
    Simple(
        "directed_by",
        ("Who directed {}?", "Who is the director of {}?", "Who made the film {}?"),
        ("Whose film is {}?",),
        count=14,
    ),
    Simple(
        "^directed_by",
        ("Which films did {} direct?", "What films were directed by {}?"),
        ("What did {} make for the cinema?",),
        count=12,
    ),
    Simple(
        "starring",
        ("Who starred in {}?", "Which actors appear in {}?"),
        ("Who is in the cast of {}?",),
        count=12,
    ),
    Simple(
        "^starring",
        ("Which films did {} appear in?", "What films star {}?"),
        ("In what movies can you see {}?",),
        count=12,
    ),
    Simple("release_year", ("When was {} released?", "In what year did {} come out?"), count=8),
    Simple("genre", ("What genre is {}?", "What kind of work is {}?"), count=8),
    Simple("original_language", ("In what language is {}?", "What is the original language of {}?"), count=8),
    Simple("based_on", ("What is {} based on?", "Which work is {} based on?"), count=10),
    Simple("^based_on", ("Which works are based on {}?", "What was adapted from {}?"), count=8),
    Simple(
        "set_in",
        ("Where is {} set?", "In which place does {} take place?"),
        ("Where does the story of {} happen?",),
        count=10,
    ),
    Simple("^set_in", ("Which works are set in {}?", "What stories take place in {}?"), count=8),
    Simple("music_by", ("Who wrote the music for {}?", "Who scored the film {}?"), count=8),
    Simple("^music_by", ("Which films have music by {}?", "For which films did {} write the score?"), count=5),
    Simple("won_award", ("Which award did {} win?", "What prize was {} given?"), count=8),
    Simple("^won_award", ("What won the {}?", "Which works won the {}?"), count=5),
    Simple(
        "written_by",
        ("Who wrote {}?", "Who is the author of {}?", "By whom was {} written?"),
        ("Whose book is {}?",),
        count=14,
    ),
    Simple(
        "^written_by",
        ("What did {} write?", "Which books did {} write?", "Which works are by the author {}?"),
        count=12,
    ),
    Simple("publication_year", ("When was {} published?", "In what year was {} first published?"), count=8),
    Simple("character", ("Who is a main character in {}?", "Which characters appear in {}?"), count=8),
    Simple("^character", ("In which books does {} appear?", "Which book has the character {}?"), count=8),
    Simple("composed_by", ("Who composed {}?", "Who is the composer of {}?"), ("Whose music is {}?",), count=12),
    Simple("^composed_by", ("What did {} compose?", "Which pieces are by the composer {}?"), count=10),
    Simple("premiered_in", ("Where was {} first performed?", "In which city was the premiere of {}?"), count=8),
    Simple("libretto_by", ("Who wrote the libretto of {}?", "Who is the librettist of {}?"), count=8),
    Simple("painted_by", ("Who painted {}?", "Which artist painted {}?"), ("By whose brush is {}?",), count=12),
    Simple("^painted_by", ("What did {} paint?", "Which paintings are by {}?"), count=10),
    Simple(
        "displayed_in",
        ("Where is {} displayed?", "In which museum can you see {}?"),
        ("Where does {} hang?",),
        where="painted_by",
        count=10,
    ),
    Simple("^displayed_in", ("Which works of art are in {}?", "What can you see in {}?"), count=8),
    Simple("depicts", ("What does {} show?", "What is depicted in {}?"), count=6),
    Simple("followed_by", ("What is the sequel to {}?", "Which work follows {}?"), count=6),
)

TWO_HOP = (
    Simple(
        "directed_by ^directed_by",
        ("Which films share a director with {}?", "What other films did the director of {} make?"),
        ("What else did the maker of {} direct?",),
        count=12,
    ),
    Simple("directed_by born_in", ("Where was the director of {} born?",), count=10),
    Simple(
        "directed_by nationality",
        ("What nationality is the director of {}?", "From which country is the director of {}?"),
        count=10,
    ),
    Simple(
        "starring ^starring",
        ("Which films share an actor with {}?", "What other films have the actors of {} been in?"),
        count=10,
    ),
    Simple(
        "^starring directed_by",
        ("Which directors has {} worked with?", "Who directed the films starring {}?"),
        count=12,
    ),
    Simple(
        "^starring genre",
        ("What genres are the films of {}?", "In what kinds of films did {} appear?"),
        count=8,
    ),
    Simple(
        "^directed_by starring",
        ("Which actors appeared in the films of {}?", "Who starred in films directed by {}?"),
        count=12,
    ),
    Simple("^directed_by original_language", ("In which languages are the films that {} directed?",), count=8),
    Simple("^directed_by set_in", ("Where are the films by {} set?",), count=8),
    Simple("^directed_by won_award", ("Which awards did the films of {} win?",), count=6, test_only=True),
    Simple(
        "based_on written_by",
        ("Who wrote the book that {} is based on?", "Who wrote the work behind {}?"),
        ("Whose writing was {} adapted from?",),
        count=14,
    ),
    Simple("^based_on directed_by", ("Who directed the film based on {}?", "Who filmed {}?"), count=10),
    Simple(
        "^based_on composed_by",
        ("Who composed the music based on {}?", "Which composers based a work on {}?"),
        count=8,
    ),
    Simple(
        "written_by ^written_by",
        ("What other books did the author of {} write?", "What else was written by the author of {}?"),
        count=12,
    ),
    Simple(
        "written_by born_in",
        ("Where was the author of {} born?", "In which city was the writer of {} born?"),
        count=12,
    ),
    Simple(
        "written_by nationality",
        ("What nationality was the author of {}?", "Which country did the writer of {} come from?"),
        count=10,
    ),
    Simple("written_by award_received", ("Which prizes did the author of {} receive?",), count=8),
    Simple(
        "^written_by character",
        ("Which characters appear in the books of {}?", "What characters did {} create?"),
        count=10,
    ),
    Simple(
        "^character written_by",
        ("Who created the character {}?", "Who wrote the book with the character {}?"),
        count=12,
    ),
    Simple("^written_by set_in", ("Where are the books of {} set?",), count=8),
    Simple(
        "^written_by ^based_on",
        ("Which works are based on the books of {}?", "What was adapted from the writings of {}?"),
        count=10,
    ),
    Simple("composed_by born_in", ("Where was the composer of {} born?",), count=10),
    Simple(
        "composed_by ^composed_by",
        ("What else did the composer of {} write?", "Which other works are by the composer of {}?"),
        count=8,
    ),
    Simple("^composed_by premiered_in", ("In which cities were the works of {} first performed?",), count=8),
    Simple(
        "^composed_by libretto_by",
        ("Who wrote libretti for {}?", "Which librettists worked with {}?"),
        count=6,
    ),
    Simple("painted_by art_movement", ("Which art movement does the painter of {} belong to?",), count=10),
    Simple("painted_by born_in", ("Where was the painter of {} born?",), count=10),
    Simple(
        "^painted_by displayed_in",
        ("Which museums show paintings by {}?", "Where can you see the paintings of {}?"),
        count=12,
    ),
    Simple(
        "displayed_in located_in_city",
        ("In which city can you see {}?", "Which city is home to {}?"),
        where="painted_by",
        count=12,
    ),
    Simple(
        "^displayed_in painted_by",
        ("Which painters are shown in {}?", "Whose paintings hang in {}?"),
        count=8,
    ),
    Simple("^art_movement ^painted_by", ("Which pictures belong to {}?",), count=5, test_only=True),
    Simple("^born_in ^directed_by", ("Which films were directed by people born in {}?",), count=6, test_only=True),
    Simple("^born_in ^composed_by", ("What was composed by people born in {}?",), count=6),
)
