"""Experiments that try to make the collection lose, double or leak something: `make reliability`."""

from tools.layout import make_importable

# Outside pytest, which has its own list, nothing else leads to the collection and the simulator.
make_importable()
