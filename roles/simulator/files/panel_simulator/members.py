"""Which members answers carry, and under which names, where panels may differ; ``kind`` is a kind of objects, or ``dns`` for zones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from panel_simulator.panel import Panel


def presented(panel: Panel, kind: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """An answer about one object: without what this panel hides, and under its names."""
    left = without(members, panel.settings.hidden_members.get(kind) or ())
    names = panel.settings.renamed_members.get(kind) or {}
    return {names.get(name, name): value for name, value in left.items()}


def in_a_list(panel: Panel, kind: str, shown: Mapping[str, Any]) -> dict[str, Any]:
    """An item of a list, of what a single object shows: without what this panel's lists leave out."""
    names = panel.settings.renamed_members.get(kind) or {}
    left_out = (name.partition(".") for name in panel.settings.short_lists.get(kind) or ())
    return without(shown, (names.get(outer, outer) + dot + inner for outer, dot, inner in left_out))


def with_usual_names(panel: Panel, kind: str, body: Any) -> Any:
    """A body with the names that all others know; members of a usual name that this panel has another one for are unknown to it."""
    names = panel.settings.renamed_members.get(kind)
    if not names or not isinstance(body, Mapping):
        return body
    usual = {other: name for name, other in names.items()}
    return {usual.get(name, f"{name} (unknown)" if name in names else name): value for name, value in body.items()}


def without(members: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The members but these; ``components.csr`` is one within another."""
    left = dict(members)
    for name in names:
        outer, _dot, inner = name.partition(".")
        if not inner:
            left.pop(outer, None)
        elif isinstance(left.get(outer), Mapping):
            left[outer] = without(left[outer], [inner])
    return left
