# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about each client of a list whether it is suspended or released. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...module_utils._bulk.name_patterns import NamePatterns

# What is decided of a client that has to change; every other decision is its outcome.
CHANGE = "change"


class Rules(NamedTuple):
    """What decides about a client.

    Attributes:
        suspends: Whether clients are suspended, and not released.
        today: YYYY-MM-DD.
        grace_days: Days after the due date.
        exceptions: Names and patterns of clients that stay as they are.
    """

    suspends: bool
    today: str
    grace_days: int
    exceptions: NamePatterns


class Decision(NamedTuple):
    """What is decided about a client of the list.

    Attributes:
        entry: That of the list.
        until: The last day of grace; empty without one.
        outcome: The outcome of a client that is not changed; CHANGE for the others.
    """

    entry: Mapping[str, Any]
    until: str
    outcome: str

    @property
    def username(self) -> str:
        """The name of the client."""
        return str(self.entry["username"])


def decide(entry: Mapping[str, Any], client: Mapping[str, Any] | None, rules: Rules) -> Decision:
    """Decide about a client of the list.

    Args:
        entry: That of the list.
        client: The client on the panel; None if it has none.
        rules: What decides.
    """
    until = _find_end_of_grace(entry, rules)
    return Decision(entry, until, _find_outcome(entry, client, until, rules))


def _find_outcome(
    entry: Mapping[str, Any], client: Mapping[str, Any] | None, until: str, rules: Rules
) -> str:
    """Return the outcome for a client that is not changed, or that it is to change."""
    if rules.exceptions.fits(entry["username"]):
        return "excepted"
    if client is None:
        return "missing"
    if _lacks_due_date(entry, rules):
        return "left"
    if until > rules.today:
        return "waits"
    if client.get("is_suspended") is rules.suspends:
        return "unchanged"
    return CHANGE


def _lacks_due_date(entry: Mapping[str, Any], rules: Rules) -> bool:
    """Return whether days of grace cannot be counted, though there are some."""
    has_grace = rules.suspends and rules.grace_days > 0
    return has_grace and not entry["due"] and not entry.get("at_once")


def _find_end_of_grace(entry: Mapping[str, Any], rules: Rules) -> str:
    """Return the last day on which a client is not suspended; empty if there is none."""
    if not rules.suspends or not entry["due"]:
        return ""
    try:
        end = datetime.date.fromisoformat(entry["due"]) + datetime.timedelta(days=rules.grace_days)
    except OverflowError:
        end = datetime.date.max  # lists say never with 31.12.9999
    return end.isoformat()
