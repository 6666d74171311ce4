# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects by their plural names, with the module of each and what names its objects. Private to the collection."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._task.operation import Operation
from ...module_utils._values.names import ascii_address, ascii_domain

_MODULES = "ansible_collections.hosting.panel.plugins.modules."


@dataclass(frozen=True)
class ObjectKind:
    """``key``: the options that name an object, in the order in which they are joined; ``generates``: whether the panel makes up passwords."""

    singular: str
    key: tuple[str, ...]
    generates: bool = False

    @property
    def module(self) -> str:
        """The module that manages one object."""
        return f"panel_{self.singular}"

    def operation(self) -> Operation:
        """What that module does; raises ImportError where a library is missing."""
        operation: Operation = importlib.import_module(_MODULES + self.module).OPERATION
        return operation

    def key_of(self, options: Mapping[str, Any]) -> str | None:
        """The natural key in the panel's spelling, its parts joined with a colon; None where the options do not name the object by it."""
        parts = [options.get(name) for name in self.key]
        if any(part is None or part == "" for part in parts):
            return None
        return ":".join(_stored(name, str(part)) for name, part in zip(self.key, parts))

    def by_id(self, options: Mapping[str, Any], identifier: Any) -> dict[str, Any]:
        """The options with the object named by its id. Parts of a composite key stay: beside an id they are members like any other."""
        instead = self.key if len(self.key) == 1 else ()
        return {**{name: value for name, value in options.items() if name not in instead}, "id": identifier}


def _stored(name: str, value: str) -> str:
    try:
        if name == "domain":
            return ascii_domain(value)
        if name == "email":
            return ascii_address(value)
    except ValueError:
        pass  # the module says what is wrong with it
    return value


# In the order of dependency: an object comes after those that it names.
OBJECT_KINDS: dict[str, ObjectKind] = {
    "plans": ObjectKind("plan", ("name",)),
    "admins": ObjectKind("admin", ("username",), generates=True),
    "clients": ObjectKind("client", ("username",), generates=True),
    "certificates": ObjectKind("certificate", ("name",)),
    "domains": ObjectKind("domain", ("domain",)),
    "dns": ObjectKind("dns", ("domain",)),
    "emails": ObjectKind("email", ("email",), generates=True),
    "databases": ObjectKind("database", ("database_name",), generates=True),
    "ftp_users": ObjectKind("ftp_user", ("username",), generates=True),
    "directory_protections": ObjectKind("directory_protection", ("client", "path", "username"), generates=True),
    "scheduled_tasks": ObjectKind("scheduled_task", ("client", "description")),
}
