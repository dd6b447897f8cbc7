"""Sizes and counts that bound what a request may ask for."""

UPLOAD_MAX_BYTES = 4 * 1024**3
"""Largest request with files."""

BODY_MAX_BYTES = 1024 * 1024
"""Largest request without files, and of anybody who may not upload any. It is never written to the disk."""

BODY_QUIET_S = 20.0
"""A request that sends nothing for this long is given up."""

BODY_PATIENCE_S = 30.0
BODY_LEAST_RATE = 1024.0
"""Bytes a second that a body must bring on the whole, from this many seconds on."""

UPLOADS_AT_ONCE = 8
"""Files that one person may send at once; more may wait."""

UPLOADS_KEPT = 500
"""Uploads that one person may have begun of which nothing was made yet."""

SOURCES_AT_ONCE = 3
"""Files elsewhere that one person may have looked at at once."""

RESUMABLE_MAX_BYTES = 64 * 1024**3
"""Largest file that may arrive in pieces."""

UPLOAD_KEPT_S = 48 * 3600
"""How long an upload is kept after its last piece, unless something is made of it."""

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
"""Largest request without files."""

FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 50

PROBLEMS_KEPT = 20_000
"""Bad rows stored per import; more are counted only."""

LOGIN_FAILURES = 10
"""Wrong passwords from one address for one user name before further tries wait."""

LOGIN_FAILURES_OF_ACCOUNT = 100
"""The same for one user name from all addresses: more of them together guess no faster."""

LOGIN_FAILURES_OF_ADDRESS = 50
"""The same from one address for all user names. People behind one address share it."""

LOGIN_WINDOW_S = 300
OPEN_SNAPSHOTS = 8
"""Snapshots that the web process keeps memory-mapped."""

RUNS_WAITING_MAX = 100
"""Runs that one person may have waiting; those of a comparison count each."""

JOBS_WAITING_MAX = 50
"""Jobs that one person may have waiting."""

LARGE_IMPORT_BYTES = 50 * 1024**2
LARGE_INDEX = 20_000
"""Files of an import, and entities and passages of an index, from which it is done by the worker of long jobs."""

RUN_SECONDS_MAX = 1800.0
"""How long a worker may be at one run, until it ends or pauses."""

JOB_HOURS_MAX = {
    "import": 24.0,
    "index": 72.0,
    "train": 72.0,
    "label": 72.0,
    "evaluate": 72.0,
    "extract": 168.0,
    "synthesise": 72.0,
    "review": 12.0,
    "self-train": 2.0,
    "study": 336.0,
    "test": 12.0,
    "checkpoint": 1.0,
}
"""How long a worker may be at one job. What most of them keep on their way is gone on with when it is tried again."""
