"""Trainings recorded in experiment trackers: MLflow, TensorBoard, and those of plug-ins."""
