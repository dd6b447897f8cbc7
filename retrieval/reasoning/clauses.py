"""What a question of several steps asks at its end: "When did the Admiral Twin open in the city where ..." asks when
the Admiral Twin opened. By the shape of English questions; where none is told, the whole question stands."""

from __future__ import annotations

import re

_OPENS = re.compile(
    r"^\W*(?:(?:in|of|at|on|to|from|for|under|by|during|with|besides) )?"
    r"(?:who|what|which|when|where|whose|whom|how)\b",
    re.IGNORECASE,
)
_PLACED = "in|of|at|on|from|to|for|under"
#: What a relative clause describes: " in the city where ...".
_DESCRIBED = re.compile(
    rf",? (?:(?:{_PLACED}|by|with) )?the (?:[\w-]+ ){{1,4}}?(?:(?:{_PLACED}) which|that|which|where|whose|who|whom)\b",
    re.IGNORECASE,
)
#: What another noun describes: "of the director of ...".
_CHAINED = re.compile(
    r"\b(?:of|by|for|from|in|to|at|with) (?=the \w+(?: \w+)?(?:'s)? (?:of|in|for|that|who|where|which|from|to|by)\b)",
    re.IGNORECASE,
)
_OWNER = re.compile(r"(?:[A-Z][\w.’'-]*)(?: (?:of |the |and |in )*[A-Z][\w.’'-]*)*['’]s? (?=[a-z])")
_NAMED = re.compile(r" (?:of|in|by|for) (?=(?:the )?[A-Z])")
_LEAST = 3
"""Words of a clause; shorter ones ask nothing."""


def asking_clause(question: str) -> str:
    """The part of a question that asks, without what only says of whom; the question where it cannot be told."""
    body = question.strip().rstrip("?. ")
    opened = _OPENS.match(body)
    start = opened.end() if opened else 0
    cuts = [found.start() for each in (_DESCRIBED, _CHAINED) if (found := each.search(body, start))]
    if cuts:
        clause = body[: min(cuts)]
    elif owner := _OWNER.search(body, start):
        clause = f"{body[: owner.start()]} {body[owner.end() :].strip()}"
    else:
        named = _NAMED.search(body, start)
        clause = body[: named.start()] if named else body
    clause = " ".join(clause.split())
    return clause if len(clause.split()) >= _LEAST else question
