"""What tests of reviews share: drafts of items, and calls of the API as an analyst makes them."""

import threading
import uuid

from django.db import connection

from webapp.review.services import queues

URL = "/api/v1/review/queues"
ITEMS = "/api/v1/review/items"
BORDERS, CAPITAL = (("borders", False),), (("capital", False),)


def source(score, **fields):
    return {
        "source": "answer-set",
        "label_set": 1,
        "name": "One",
        "score": score,
        "explanation": "",
        **fields,
    }


def draft(key, topic, answers, *paths):
    candidates = [
        queues.DraftCandidate(
            topic=topic,
            path=path,
            steps=[{"name": name, "label": name, "inverse": inverse} for name, inverse in path],
            sources=[source(score)],
            reached=1,
            hits=1,
            precision=1.0,
            recall=1.0,
        )
        for path, score in paths
    ]
    return queues.DraftItem(key, f"question {key}?", [topic], answers, 0.0, "why", candidates)


DRAFTS = [
    draft("q1", "Germany", ["Berlin"], (CAPITAL, 1.0), (BORDERS, 0.5)),
    draft("q2", "Switzerland", ["Germany", "France"], (BORDERS, 1.0)),
    draft("q3", "=France", ["French"]),
]


def after(client, queue, *holding):
    answer = client.post(f"{URL}/{queue.pk}/next", {"holding": list(holding)}, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()["item"]


def judgement(item, *kinds, **fields):
    candidates = [] if fields.get("broken") else item["candidates"]
    verdicts = [{"candidate": c["id"], "kind": k} for c, k in zip(candidates, kinds, strict=True)]
    known = {"id": str(uuid.uuid4()), "version": item["version"], "shown": item["shown"]}
    return {**known, "verdicts": verdicts, **fields}


def send(client, item, *kinds, **fields):
    return client.post(f"{ITEMS}/{item['id']}/submit", judgement(item, *kinds, **fields), format="json")


def at_once(number, act):
    """Do it in so many threads that begin together; what each returned."""
    barrier, results = threading.Barrier(number), [None] * number

    def run(i):
        try:
            barrier.wait()
            results[i] = act(i)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
