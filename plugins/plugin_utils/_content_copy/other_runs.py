# SPDX-License-Identifier: GPL-3.0-or-later
"""Says which keys of other runs are on both hosts. Pure.

Whether such a run goes on cannot be known: it may be of another controller. So the keys stay until
they have expired, and are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._content.shown_text import show_name

_BEGINNING = "others "


def describe_other_runs(leftovers: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a sentence or more for each host and each other run that has something there.

    Args:
        leftovers: By ``host``, what the programs of the role have ``printed``: lists of what other runs
            have, with ``copy``, what tells the runs apart, and ``path``. ``expires`` is the last
            day of a key as ``20261210``, ``run`` the target and the state directory of the run.
    """
    sentences = []
    for host in leftovers:
        entries = [entry for text in host["printed"] for entry in _read_entries(text)]
        for copy in sorted({entry["copy"] for entry in entries}):
            of_run = [entry for entry in entries if entry["copy"] == copy]
            sentences.append(_describe_run(host["host"], copy, of_run))
    return sentences


def _read_entries(text: str) -> list[Any]:
    """Return the list that a program has printed; a terminal may have more lines."""
    entries: list[Any] = []
    for line in text.splitlines():
        if line.startswith(_BEGINNING):
            entries += json.loads(line[len(_BEGINNING) :])
    return entries


def _describe_run(host: str, copy: str, entries: Iterable[Mapping[str, Any]]) -> str:
    descriptions = []
    run: Sequence[str] = ()
    for entry in entries:
        description = show_name(entry["path"])
        day = entry.get("expires", "")
        if day:
            description += f" (hosting.panel-content-{copy}, until {day[:4]}-{day[4:6]}-{day[6:]})"
        descriptions.append(description)
        run = entry.get("run") or run
    way = ""
    if run:
        target, directory = (show_name(each) for each in run)
        way = f"run it again for {target} with the state directory {directory}, or "
    return (
        f"{host} has a key of another run, or commands for one: {' and '.join(descriptions)}."
        f" If that run has been killed, {way}remove what is named."
    )
