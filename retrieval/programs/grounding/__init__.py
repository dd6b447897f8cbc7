"""What the words of a question may stand for in a graph: schema, values and anchors."""
