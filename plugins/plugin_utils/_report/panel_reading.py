# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read from one panel: the form between those that ask and those that judge. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .panel_values import identifier, text

Objects = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Drift:
    """How a panel differs from its committed export.

    changes: ``{"kind", "key", "what", "details"}``; what is missing (only in the files), surplus (only on the panel) or different.
    failure: why it could not be compared, instead.
    """

    changes: tuple[Mapping[str, str], ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class PanelReading:
    """One panel as it answered.

    address: host, with the port where one was given. disk_space: bytes that its disk has, where the operator says so. failure: why
    nothing could be read. problems: what else could not be read. objects: by plural kind. stats: by id of the client. traffic: by id
    of the client and month. drift: None where there is no export to compare with.
    """

    name: str
    address: str
    disk_space: int | None = None
    failure: str = ""
    problems: tuple[str, ...] = ()
    server: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Objects] = field(default_factory=dict)
    stats: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    traffic: Mapping[Any, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    drift: Drift | None = None
    requests: int = 0

    def of(self, kind: str) -> Objects:
        """The objects of a kind."""
        return self.objects.get(kind, ())

    def username(self, owner: Any) -> str:
        """The name of the client with this id; empty for what belongs to the server itself."""
        return self._usernames.get(identifier(owner), "")

    @functools.cached_property
    def _usernames(self) -> dict[Any, str]:
        names = {identifier(client.get("id")): text(client.get("username")) for client in self.of("clients")}
        return {number: name for number, name in names.items() if number is not None}
