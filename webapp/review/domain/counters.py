"""Counters of a queue: what its current annotations say, counted while it changes, so that nobody waits for a count.

The counts of an item are a pure function of its annotations. Whoever changes an item adds the difference under their
own name, so that people who judge at once write different rows; the figures of a queue are sums over names. Keys:

- ``judged, analyst``: items that the analyst has annotated.
- ``pair, one, other, kind, kind``: paths that both judged, names in order, by what they said.
- ``path, rational, refused, unsure``: paths by how many said what, of those that two or more judged.
- ``reason, code``: verdicts that give this reason.
- ``state, done`` or ``broken``; ``accord, unanimous`` or ``split``; ``settled``; ``adjudicated``: items.

All but ``judged`` are of complete items: figures of an open one would tell an analyst what a colleague said of it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

from django.db import connection
from django.db.models import Max, Sum
from django.utils import timezone

from webapp.review.domain.annotation import Annotation
from webapp.review.models import Accord, Item, ItemState, QueueCounter, VerdictKind

Key = tuple[str | int, ...]
CATEGORIES = (VerdictKind.RATIONAL, VerdictKind.NOT_RATIONAL, VerdictKind.UNSURE)

_ADD = """
    INSERT INTO review_tally (queue_id, by, key, n, at) VALUES {rows}
    ON CONFLICT (queue_id, by, key) DO UPDATE SET n = review_tally.n + EXCLUDED.n, at = EXCLUDED.at
"""

_READ = """
    SELECT key, sum(n)::bigint FROM review_tally WHERE queue_id = %s AND key LIKE %s
    GROUP BY key HAVING sum(n) <> 0
"""


def count_item(item: Item, annotations: Sequence[Annotation]) -> Counter[Key]:
    """The counts of one item, from its state and its annotations."""
    counts: Counter[Key] = Counter(("judged", annotation.analyst) for annotation in annotations)
    if item.state != ItemState.OPEN:
        counts.update(_count_annotations(annotations))
        counts["state", item.state] += 1
        if item.accord != Accord.NONE:
            counts["accord", item.accord] += 1
    if item.settled:
        counts["settled",] += 1
    if item.adjudicated_id is not None:
        counts["adjudicated",] += 1
    return counts


def _count_annotations(annotations: Sequence[Annotation]) -> Counter[Key]:
    """The counts of what several analysts say of one item."""
    counts: Counter[Key] = Counter()
    by_path: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for annotation in annotations:
        for verdict in annotation.verdicts:
            counts.update(("reason", code) for code in set(verdict.reasons))
            if verdict.candidate is not None:
                by_path[verdict.candidate].append((annotation.analyst, verdict.kind))
    for verdicts in by_path.values():
        if len(verdicts) > 1:
            kinds = Counter(kind for _, kind in verdicts)
            counts[("path", *(kinds[kind] for kind in CATEGORIES))] += 1
            for (one_name, kind), (other, also) in combinations(sorted(verdicts), 2):
                counts["pair", one_name, other, kind, also] += 1
    return counts


def add(queue_id: int, by: str, before: Counter[Key], after: Counter[Key]) -> None:
    """Add a difference of counts under a name. The last thing before a transaction ends, and in one order of keys."""
    changed = {key: after[key] - before[key] for key in before.keys() | after.keys()}
    rows = sorted((_format_key(key), n) for key, n in changed.items() if n)
    if not rows:
        return
    now = timezone.now()
    values = [value for key, n in rows for value in (queue_id, by, key, n, now)]
    with connection.cursor() as cursor:
        cursor.execute(_ADD.format(rows=", ".join(["(%s, %s, %s, %s, %s)"] * len(rows))), values)


def read(queue_id: int, *, what: str = "") -> Counter[Key]:
    """The counts of a queue over all names, or those whose key begins with ``what``."""
    with connection.cursor() as cursor:
        cursor.execute(_READ, [queue_id, f'["{what}"%' if what else "%"])
        rows = cursor.fetchall()
    # All keys at once: one by one, reading them took longer than all else.
    keys = json.loads(f"[{','.join(key for key, _ in rows)}]")
    return Counter({tuple(key): n for key, (_, n) in zip(keys, rows, strict=True)})


def count_judged(queue_id: int, analyst: str) -> int:
    """How many items an analyst has annotated."""
    rows = QueueCounter.objects.filter(queue=queue_id, key=_format_key(("judged", analyst)))
    return rows.aggregate(n=Sum("n"))["n"] or 0


def get_last_changes(queue_id: int) -> dict[str, datetime]:
    """When each analyst's annotations last changed."""
    rows = QueueCounter.objects.filter(queue=queue_id, key__startswith='["judged", ')
    return {json.loads(key)[1]: changed_at for key, changed_at in rows.values_list("key").annotate(at=Max("at"))}


def _format_key(key: Key) -> str:
    # Codes and names of strategies are plain strings here, whatever class spells them.
    return json.dumps([part if isinstance(part, int) else str(part) for part in key], ensure_ascii=False)
