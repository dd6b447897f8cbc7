"""What the settings of the graph network do, in words: two classes of settings have them."""

ARCS = (
    "Which triples the network sees: every fact both ways, so that what leads away from an entity is read too, or in "
    "its own direction alone [directed]. Walks go both ways either way."
)
LAYERS = "Layers of each GCN; 1 is the first row of RAPL's Table 3 and REL-RAG's [2]."
SELF_WEIGHT = (
    "A triple's own message has a weight of its own and is not divided by its degree (RAPL eq. 3); the raw graph's "
    "entities likewise [yes]."
)
READOUT = (
    "What a triple's state holds beside its network's: nothing (states), or a projection of its relation's text "
    "(relation). auto adds it on the raw graph alone, whose entities do not say which of their triples is meant."
)
NEIGHBOURS = "Triples read per entity and direction by the second layer while training; 0 for no limit [no limit]."
