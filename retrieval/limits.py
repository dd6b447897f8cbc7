"""What a question may be and cost, for the engine, the command line and the web application alike."""

QUESTION_LIMIT = 2_000
"""The longest question, in characters."""

DEFAULT_BUDGET = 50
"""Distinct facts retrieved where nothing else is asked for."""

MAX_BUDGET = 1_200
"""The most that may be asked for; the largest that a paper uses (RAPL, Figure 3b)."""

#: Bytes of a program as JSON; nobody's question needs as much.
PROGRAM_LIMIT = 64 * 1024

#: A graph of fewer facts does not train itself.
SELF_TRAINING_FACTS = 50
