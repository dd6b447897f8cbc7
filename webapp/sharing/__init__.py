"""Read-only links of answers: opened by anybody who has the address, without logging in, until they end."""
