"""Evaluation: metrics, the evaluator that asks a whole question set, and its report."""
