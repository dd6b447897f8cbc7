"""Which workers are alive, told by heartbeats in Redis. A worker that misses a few is gone."""

from __future__ import annotations

import functools
import time

import redis
from django.conf import settings

ANSWERS = "answers"
JOBS = "jobs"
BEAT_S = 2.0
LOST_AFTER_S = 12.0


@functools.cache
def client() -> redis.Redis:
    """This process's connection pool to Redis."""
    return redis.Redis.from_url(settings.REDIS_URL, decode_responses=True, socket_timeout=5)


def beat(queue: str, worker: str) -> None:
    """Say that a worker of a queue is alive."""
    client().zadd(_key(queue), {worker: time.time()})


def leave(queue: str, worker: str) -> None:
    """Say that a worker is gone."""
    client().zrem(_key(queue), worker)


def count(queue: str) -> int:
    """How many workers of a queue are alive."""
    return client().zcount(_key(queue), time.time() - LOST_AFTER_S, "+inf")


def is_alive(queue: str, worker: str) -> bool:
    """Whether this worker has given a sign of life lately."""
    seen = client().zscore(_key(queue), worker)
    return seen is not None and seen > time.time() - LOST_AFTER_S


def _key(queue: str) -> str:
    return f"clew:workers:{queue}"
