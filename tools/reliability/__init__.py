"""Experiments that try to make the collection lose, double or leak something: `make reliability`."""

import sys

from tools.layout import LINK, ROOT

# Outside pytest, which has its own list, nothing else leads to the collection and the simulator.
sys.path[:0] = [str(LINK), str(ROOT / "roles/simulator/files")]
