"""What follows from annotations: consensus, counters, agreement, and how uncertain an item is."""
