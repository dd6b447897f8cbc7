"""Sizes and counts that bound what a request may ask for."""

UPLOAD_MAX_BYTES = 4 * 1024**3
"""Largest request with files."""

RESUMABLE_MAX_BYTES = 64 * 1024**3
"""Largest file that may arrive in pieces."""

UPLOAD_KEPT_S = 48 * 3600
"""How long an upload is kept after its last piece, unless something is made of it."""

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
"""Largest request without files."""

FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 50

QUESTION_MAX_CHARACTERS = 1000
BUDGET_DEFAULT = 50
BUDGET_MAX = 500
PROBLEMS_KEPT = 20_000
"""Bad rows stored per import; more are counted only."""

LOGIN_FAILURES = 10
"""Wrong passwords from one address for one user name before further tries wait."""

LOGIN_WINDOW_S = 300
OPEN_SNAPSHOTS = 8
"""Snapshots that the web process keeps memory-mapped."""
