"""Relation paths read without training on the graph: how well each word of a question is explained by each step.

Relations are known by what they are called (:mod:`.wordings`), so that what was learned on some graphs (:mod:`.model`)
holds on others: nothing in it names a relation.
"""
