"""Which workers are alive, told by heartbeats in Redis. A worker that misses a few is gone.

All times are Redis' own, so that machines need not agree on theirs.
"""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from pathlib import Path

from webapp.api.redis import get_redis_client

ANSWERS = "answers"
JOBS = "jobs"
LONG = "long"
"""Jobs that take minutes to hours: they have a worker of their own, so that short ones never wait behind them."""

JOB_QUEUES = (JOBS, LONG)
BEAT_S = 2.0
LOST_AFTER_S = 12.0
LEFT_KEPT_S = 3600
SETTLED = timedelta(seconds=10)
"""A worker knows by then what it has claimed."""

_BEAT = "return redis.call('ZADD', KEYS[1], redis.call('TIME')[1], ARGV[1])"
_HEARD = "return redis.call('ZRANGEBYSCORE', KEYS[1], redis.call('TIME')[1] - ARGV[1], '+inf')"
_ALIVE = """
local seen = redis.call('ZSCORE', KEYS[1], ARGV[1])
return seen and tonumber(seen) >= redis.call('TIME')[1] - ARGV[2] and 1 or 0
"""


def get_machine_name() -> str:
    """Names the machine, or the container, whose process numbers are this process's."""
    try:
        numbers = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:  # no Linux
        numbers = 0
    return f"{socket.gethostname()}.{numbers}"


def send_beat(queue: str, worker: str) -> None:
    """Say that a worker of a queue is alive."""
    get_redis_client().eval(_BEAT, 1, _build_key(queue), worker)


def mark_left(queue: str, worker: str) -> None:
    """Say that a worker is gone."""
    get_redis_client().zrem(_build_key(queue), worker)
    get_redis_client().set(_build_left_key(worker), "1", ex=LEFT_KEPT_S)


def count(queue: str) -> int:
    """How many workers of a queue are alive."""
    return len(list_alive(queue))


def list_alive(queue: str) -> list[str]:
    """The workers of a queue that are alive; one of this machine whose process has ended is not."""
    heard: list[str] = get_redis_client().eval(_HEARD, 1, _build_key(queue), str(LOST_AFTER_S))
    return [worker for worker in heard if not _has_no_process(worker)]


def is_alive(queue: str, worker: str) -> bool:
    """Whether this worker has given a sign of life lately."""
    return bool(get_redis_client().eval(_ALIVE, 1, _build_key(queue), worker, str(LOST_AFTER_S)))


def is_lost(queue: str, worker: str) -> bool:
    """Whether this worker is certainly gone: it said so, its process is not there, or it is silent for long.

    While Redis itself was away nobody could be heard, so after its start all get the time to speak again.
    """
    if _has_no_process(worker):
        return True
    if is_alive(queue, worker):
        return False
    up: int = get_redis_client().info("server")["uptime_in_seconds"]
    return bool(get_redis_client().exists(_build_left_key(worker))) or up >= LOST_AFTER_S


def _has_no_process(worker: str) -> bool:
    """Whether a worker was on this machine and its process has ended."""
    where, _, rest = worker.partition(":")
    pid, _, _ = rest.partition(":")
    if where != get_machine_name() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _build_key(queue: str) -> str:
    return f"clew:workers:{queue}"


def _build_left_key(worker: str) -> str:
    return f"clew:workers:left:{worker}"
