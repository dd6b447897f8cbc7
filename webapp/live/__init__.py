"""What all event streams share: channel groups, and the socket's log-in. Knows no domain."""
