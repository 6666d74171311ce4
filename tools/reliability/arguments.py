"""Watches the arguments of all processes of this machine, which every user of it can read."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.support.marked_secrets import found_in

INTERVAL = 0.05
# The panel's side: it is started with the key that it is to know.
OURS = "panel_simulator"


class Watch:
    """found: the arguments in which a secret was; seen: how many commands there were."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._over = threading.Event()

    @property
    def found(self) -> list[str]:
        return [command[:300] for command in sorted(self.seen) if OURS not in command and found_in(command)]

    def look_until_over(self) -> None:
        while not self._over.wait(INTERVAL):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                # A process may end while it is looked at.
                with contextlib.suppress(OSError):
                    self.seen.add(file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))

    def end(self) -> None:
        self._over.set()


@contextlib.contextmanager
def watching() -> Iterator[Watch]:
    """Watches until the block ends; on a system without /proc there is nothing to see."""
    watch = Watch()
    thread = threading.Thread(target=watch.look_until_over, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.end()
        thread.join(10)
