"""The benchmark: the collection, the same work in other ways, and the goals, measured side by side in one run."""
