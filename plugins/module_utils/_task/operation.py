# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module does, apart from how Ansible starts it. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .._http.connection import connection_argument_spec

if TYPE_CHECKING:  # 0.1 s for a controller that runs each module as a process, a tenth of a play of one task
    from .._http.client import PanelClient

# Under this name a module gets what Task calls predicted; no option of any.
PREDICTED = "_panel_predicted"


def _say_nothing(text: str) -> None:
    """A module runs somewhere else, and nobody watches it."""


class Task:
    """The running task as an operation sees it. ``client`` opens the session on first use, so wrong options send nothing.

    say: shows a line to the person who waits, where that is possible. predicted: what earlier tasks of the same run would create, in
    check mode, by the singular of its kind.
    """

    def __init__(self, check_mode: bool, connect: Callable[[], PanelClient]) -> None:
        self.check_mode, self._connect = check_mode, connect
        self.warnings: list[str] = []
        self.predicted: Mapping[str, Sequence[Mapping[str, Any]]] = {}
        self.say: Callable[[str], None] = _say_nothing
        self._client: PanelClient | None = None

    @property
    def client(self) -> PanelClient:
        if self._client is None:
            self._client = self._connect()
        return self._client

    def warn(self, text: str) -> None:
        self.warnings.append(text)


class Outcome(NamedTuple):
    """What an operation reports. ``result`` holds its own result keys; before and after, members or a text, make the diff."""

    changed: bool
    result: Mapping[str, Any]
    before: Mapping[str, Any] | str = {}
    after: Mapping[str, Any] | str = {}
    generated_password: str | None = None
    skipped: bool = False


class Operation(NamedTuple):
    """One module: its options (without the connection), the constraints between them, and what it does.

    summarized: options too long for Ansible to check and for people to read, which the operation checks itself and whose secrets it keeps
    out of everything; each with what is shown in its place.
    """

    options: Mapping[str, Mapping[str, Any]]
    run: Callable[[Mapping[str, Any], Task], Outcome]
    constraints: Mapping[str, Any] = {}
    summarized: Mapping[str, Callable[[Any], Any]] = {}

    def summary(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The options as they may be shown and checked by Ansible: the long ones in short."""
        return {
            name: self.summarized[name](value) if name in self.summarized and value is not None else value
            for name, value in params.items()
        }

    def whole(self, checked: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """The checked options with the long ones as they were given."""
        return {**checked, **{name: given[name] for name in self.summarized if given.get(name) is not None}}

    def arguments(self) -> dict[str, Any]:
        """Everything that AnsibleModule and the argument validator take."""
        return {
            "argument_spec": {
                **connection_argument_spec(),
                **{name: dict(spec) for name, spec in self.options.items()},
            },
            **self.constraints,
        }
