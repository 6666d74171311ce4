# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a front end hands to a module beside the user's options, and what it asks back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Callable

# No option of any module begins so.
_PREFIX = "_panel_"
# Under this name a result has the reports that the front end asks for, as data. The front end takes
# them out.
REPORTS = "_panel_reports"
ON_PROBLEMS = "problems"
ON_PASSWORDS = "passwords"
ON_PLAN = "plan"
ON_EFFECTS = "effects"
ON_MASKED_FIELDS = "masked_fields"


@dataclass(frozen=True)
class Handover:
    """Holds what a front end knows more than the user's options say, in the types of JSON.

    approved_checksum: That of the plan which the front end made for this task, the only one that
        is carried out; empty if it made none.
    encrypted: What the files of the task have encrypted, as ``EncryptedValues.as_json`` has it.
    unlisted: The kinds of which the files of the task have no list.
    made_passwords: Kind and index of the items whose password the front end has made.
    names: By option the variable of a role or playbook that sets it.
    unregistered: File and line of a task in check mode that keeps no result of the real run; empty
        for all others.
    months: Those whose traffic an archive reads at once.
    reports: What the front end gets as data: ON_PROBLEMS, which it words itself because it knows
        the files of the items, with all warnings, so that the result has none; ON_PASSWORDS, the
        kinds and keys of the objects that get a password; ON_PLAN, what was planned; ON_EFFECTS,
        what was written for the task that failed, and for each object of many; ON_MASKED_FIELDS,
        in place of warnings of them.
    """

    approved_checksum: str = ""
    encrypted: Mapping[str, Any] = field(default_factory=dict)
    unlisted: Sequence[str] = ()
    made_passwords: Sequence[Sequence[Any]] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    unregistered: str = ""
    months: Sequence[str] = ()
    reports: Collection[str] = ()

    def as_options(self) -> dict[str, Any]:
        """Return it as further options of a module in a process of its own; nothing where it is
        empty.
        """
        options = {f"{_PREFIX}{entry.name}": getattr(self, entry.name) for entry in fields(self)}
        return {option: value for option, value in options.items() if value}

    @classmethod
    def take_from(cls, options: dict[str, Any]) -> Handover:
        """Take out of a module's options what ``as_options`` has put among them."""
        names = {entry.name: f"{_PREFIX}{entry.name}" for entry in fields(cls)}
        return cls(
            **{name: options.pop(option) for name, option in names.items() if option in options}
        )


@dataclass(frozen=True)
class LocalHandover:
    """Holds what a module gets in the process of its front end alone, since it is no JSON.

    say: Shows a line to the person who waits. A module runs somewhere else, and no one watches it.
    items: What the front end has read of the items (ItemsRead); None where the operation reads
        them itself.
    before_writes: Called once the plan is made, before anything of it is written, with the kinds
        and keys of the objects that get a password. It raises PanelError to stop the task.
    """

    say: Callable[[str], None] = lambda _text: None
    items: Any = None
    before_writes: Callable[[Sequence[tuple[str, str]]], None] = lambda _names: None


NOTHING = Handover()
NOTHING_LOCAL = LocalHandover()


@dataclass(frozen=True)
class TaskRequest:
    """Asks for one run of a module, whatever process it runs in.

    options: Its options as the user wrote them.
    check_mode: Whether nothing is changed on the panel.
    diff_mode: Whether the result has a diff.
    handover: What the front end knows more than the options say.
    local: What the front end gives where it runs in this process.
    """

    options: Mapping[str, Any]
    check_mode: bool
    diff_mode: bool
    handover: Handover = NOTHING
    local: LocalHandover = NOTHING_LOCAL
