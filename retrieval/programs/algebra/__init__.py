"""The operations of programs, their execution on a snapshot, and when two programs are the same."""
