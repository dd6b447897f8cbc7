"""ReG@Entity: a scorer of entities, learnt from refined labels."""
