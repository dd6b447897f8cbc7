"""Studies: many trainings and evaluations, asked for together, done cell by cell."""
