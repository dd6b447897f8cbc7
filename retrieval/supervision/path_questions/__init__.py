"""Questions written from a graph's schema alone, with the relation paths they ask for: what a planner trains itself on.

Unlike :mod:`retrieval.questions.sampling`, whose questions are shown to people, these are to be many and varied: every
shape of walk, in many wordings, some of them clumsy.
"""
