"""Experiments that try to make the collection lose, double or leak something: `make reliability`."""
