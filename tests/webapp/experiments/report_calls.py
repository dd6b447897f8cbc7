"""What tests of reports share: rows and whole reports as the engine makes them, and the call that starts one."""

URL = "/api/v1/reports"


METRICS = {"hit": 0.75, "exact_set": 0.5, "path_recall": None}


def row(key, outcome, predicted, hops=1):
    """A row of the engine's report, as far as this application reads it."""
    hit, right = float("Berlin" in predicted), float(predicted == ["Berlin"])
    return {
        "id": key,
        "question": f"question {key}?",
        "answers": ["Berlin"],
        "predicted": predicted,
        "hops": hops,
        "outcome": outcome,
        **dict.fromkeys(("hit", "hit_at_1", "precision", "recall", "f1"), hit),
        "exact_set": right,
        "counts": [int(hit), len(predicted), 1],
        "answer_recall": hit,
        "path_recall": None,
        "triples": 5,
    }


ROWS = [
    row("q1", "right", ["Berlin"]),
    row("q2", "partial", ["Berlin", "Bonn"], hops=2),
    row("q3", "wrong", ["Bonn"]),
    row("q4", "no_answer", []),
]


def made(rows, **manifest):
    """An engine's report, as far as this application reads it."""
    counts = dict.fromkeys(("right", "partial", "wrong", "no_answer", "failed"), 0)
    for one in rows:
        counts[one["outcome"]] += 1
    return {
        "n": len(rows),
        "metrics": METRICS,
        "intervals": {"hit": [0.5, 1.0]},
        "breakdowns": {"hops": {"1": {"n": 3, **METRICS}}},
        "outcomes": counts,
        "no_answers": {"unanswerable": 0},
        "latency_ms": {"p50": 2.0, "p95": 9.0},
        "retrieval_ms": {"p50": 1.0, "p95": 4.0},
        "usage": {"llm_calls": 0, "tokens": 0},
        "own_subgraphs": {"questions": 0},
        "coverage": {"questions": len(rows)},
        "manifest": {"questions": "same", "code_version": "1", **manifest},
        "per_question": rows,
    }


def start(client, graph, questions, **fields):
    body = {"graph": graph.pk, "question_set": questions.pk, "split": "dev", **fields}
    return client.post(URL, body, format="json")
