"""ReG@Path: a planner of relation paths, learnt from refined labels."""
