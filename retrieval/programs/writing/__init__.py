"""Programs that a language model writes: what it is shown of the graph, what it may reply, and how that is read."""
