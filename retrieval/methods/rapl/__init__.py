"""RAPL: paths judged rational guide a walk of the line graph."""
