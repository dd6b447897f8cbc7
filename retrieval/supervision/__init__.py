"""What the retrievers learn from: relation paths that answer a question for the right reason."""
