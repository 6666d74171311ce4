# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a folder of the source lies below the home of a client on the panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..._import_source.source_shape import PathPrefix

WWW = "/www"
OUTSIDE = "{} lies outside of the customer's directories; mapping.paths can say where it goes."


def _split(path: str) -> tuple[str, ...]:
    return tuple(step for step in path.split("/") if step not in ("", "."))


def find_path(path: str, prefixes: Sequence[PathPrefix], asked: Mapping[str, str]) -> str | None:
    """Return the path below the home; None where nothing says where it goes.

    Args:
        path: The absolute path at the source.
        prefixes: The customer's own layout.
        asked: Prefixes of the operator. The longest prefix wins, of equal ones the operator's.
    """
    steps = _split(path)
    if not path.startswith("/") or ".." in steps:
        return None

    targets = {_split(prefix.source): prefix.target for prefix in prefixes}
    targets.update({_split(source): target for source, target in asked.items()})
    for length in range(len(steps), -1, -1):
        target = targets.get(steps[:length])
        if target is not None:
            return "/" + "/".join((*_split(target), *steps[length:]))
    return None


def find_path_below_www(
    path: str, prefixes: Sequence[PathPrefix], asked: Mapping[str, str]
) -> str | None:
    """Return the path below the folder www of the home; None where it does not lie there."""
    target = find_path(path, prefixes, asked)
    if target == WWW:
        return "/"
    if target is None or not target.startswith(f"{WWW}/"):
        return None
    return target[len(WWW) :]
