"""ReG@Triple: a scorer of triples, learnt from refined labels."""
