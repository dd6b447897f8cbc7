"""Language models: who provides them, what they may cost, and what they have cost."""
