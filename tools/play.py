# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the fleet on which the guides can be followed, in the foreground: its environment, then `python -m panel_simulator.play`."""

from __future__ import annotations

import sys

from tools import environments, foreground, user
from tools.layout import NAME, NAMESPACE, ROOT, link_collection
from tools.processes import MarkedCommand
from tools.surroundings import environment


def main(arguments: list[str]) -> int:
    """Return 0 after Ctrl-C, and something else when the fleet could not run."""

    def command() -> MarkedCommand:
        python = environments.demo()
        # By this path the program knows where Ansible finds the collection.
        collection = link_collection() / "ansible_collections" / NAMESPACE / NAME
        variables = environment(python.parent, PYTHONPATH=str(collection / "roles" / "simulator" / "files"))
        words = [str(python), "-m", "panel_simulator.play", "--directory", str(user.home() / "panel-play"), *arguments]
        return MarkedCommand(words, variables=variables, folder=ROOT)

    return foreground.run(command, "", ends_by_interruption=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
