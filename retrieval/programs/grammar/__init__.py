"""The grammar of questions: constituents, the chart that composes them, and its rules."""
