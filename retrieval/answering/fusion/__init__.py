"""What answers a question on a graph without a checkpoint: chosen among all that programs and relation paths give."""
