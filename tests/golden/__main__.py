"""Record the engine's answers, or compare them with those that were recorded."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.golden import (
    compare,
    list_suites,
    load_case_engine,
    load_cases,
    read_records,
    record_answers,
    write_records,
)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("suite", nargs="*", help=f"of {', '.join(list_suites())}; all where none is named")
    args = parser.parse_args()
    changed = 0
    for suite in args.suite or list_suites():
        records = []
        with tempfile.TemporaryDirectory() as folder:
            for case in load_cases(suite):
                records += record_answers(load_case_engine(case, Path(folder)), case)
        if args.action == "record":
            write_records(suite, records)
            print(f"{suite}: {len(records)} recorded", flush=True)
            continue
        parts: dict[str, int] = {}
        for old, new in zip(read_records(suite), records, strict=True):
            differences = compare(old, new)
            for part in differences:
                parts[part] = parts.get(part, 0) + 1
            if set(differences) - {"stream"}:
                print(f"{new['graph']}: {new['question']}\n    was {old}\n    is  {new}", flush=True)
        changed += bool(parts)
        print(f"{suite}: {len(records)} asked, changed: {parts or 'nothing'}", flush=True)
    sys.exit(changed > 0)


if __name__ == "__main__":
    main()
