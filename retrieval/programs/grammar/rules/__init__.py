"""How neighbouring parts of a question compose, by what they make."""
