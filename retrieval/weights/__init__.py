"""Builds the weights that come with Clew; above all that they are weights of."""
