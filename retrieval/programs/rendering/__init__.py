"""Programs for people and other engines: named, told in steps, and as SPARQL and Cypher."""
