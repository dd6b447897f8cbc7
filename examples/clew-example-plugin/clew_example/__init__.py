"""A method, a file format and a language model for Clew."""
