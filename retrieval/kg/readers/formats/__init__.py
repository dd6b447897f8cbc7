"""One module a family of formats: what each is, how it is told, and which reader reads it. Nothing heavy is loaded."""
