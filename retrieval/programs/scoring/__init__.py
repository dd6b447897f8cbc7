"""Which of the best programs of a question is what was asked."""
