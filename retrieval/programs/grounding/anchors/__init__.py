"""What the words of a question may stand for."""
