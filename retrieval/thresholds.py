"""Confidences in [0, 1] from which something answers, with the figures that they were chosen by where those are known.

The documents refer to these names. Settings that a user may change have their defaults here, too.
"""

from __future__ import annotations

GUESS = 0.3
"""Answers of a lower confidence are marked as guesses; those of an intersection, of a lower one for each topic."""

PROGRAM = 0.15
"""A program answers a question that no relation path can answer: one with an operator, or without a named entity."""

PROGRAM_OVER_PATHS = 0.35
"""A program answers a question that relation paths might answer, where a checkpoint was trained on the graph."""

PROGRAM_OVER_LANGUAGE_MODEL = 0.5
"""A program with an operator answers without a language model being asked; also from which an outcome is preferred to a
description of the entity that the question names."""

PROGRAM_GUESS, PROGRAM_GUESS_WITHOUT_NAME = 0.02, 0.06
"""Without a checkpoint, less likely programs are shown as guesses: of questions with an operator, and of others that
name nothing. One in three of such programs is right."""

WRITTEN_PROGRAM = 0.5
"""Stands for the confidence of a program that a language model wrote: nothing was measured of it."""

LATE_PROGRAM = 0.95
"""A program that is read after a sure relation path answered nothing answers instead; a relation path that is so sure
answers without any program being read."""

SECOND_OPINION = 0.5
"""Probability of a relation path of the zero-shot retriever from which it answers where a trained retriever doubts all
of its own. Of the demo's 300 test questions 0.927 are right so and 3 refused (0.920 and 5 without it), and of 41 that
have no answer 29 are refused (30); of MetaQA's in 564 other wordings 0.745 are right (0.663). Without a limit it is
0.761, but 27 are refused."""

WORDS_FIT = 0.6
"""How well relation paths that their retriever doubts must fit the question's words to answer all the same. Of demo
questions held out of training it refuses 2 in 100 with an answer, none of them answered rightly, instead of 3 with one
right in three; without it 73 in 100 of the unanswerable ones are refused, with it 65."""

OUTCOME = 0.035
"""Least probability of an outcome without a checkpoint; less likely ones are not even shown as guesses. Of 23
between 0.03 and this over all suites, 1 was right, and 8 were of unanswerable questions."""

PATH_WORDS_READ, PATH_PROBABILITY, PATH_SHARE = 0.93, 0.8, 0.02
"""A relation path of several steps goes before likelier outcomes where its words are supported so well, it is so
probable, and it has at least this share of the likeliest outcome's probability: the weights were fitted without any set
of such questions, and underrate it."""

UNUSED_DETAIL, UNREAD_AMOUNT = 0.45, 0.2
"""Highest confidence of an answer that does not use a name of the question, and a number or date of it: a low guess."""

DOUBTFUL = 0.45
"""Highest confidence of an answer that may be the opposite of what was asked, or that mixes what tables say apart."""

DESCRIPTION = 0.95
"""Confidence of an answer that repeats what the graph says of a named entity."""

FOLLOW_UP, LIKELY_FOLLOW_UP = 0.5, 0.15
"""Of several rewritings of a follow-up the first is taken whose program is as likely as the first threshold, else the
first that is as likely as the second, else the likeliest."""

PASSAGE_ANSWER = 0.1
"""Probability of the best span that was read from passages below which the passages are said not to answer."""

SENTENCE = 0.3
"""Likeness to the question, a cosine, below which no sentence of a passage is read."""
