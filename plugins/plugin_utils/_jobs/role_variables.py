# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables of a play belong to nobody, or have a value that means nothing. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from .mistyped_names import ALIKE, VERY_MUCH_ALIKE, nearest

# Ansible takes more for true in some places and for false in others, such as y.
_SWITCHES = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})
# What a value of such a type has to do; an empty one does not.
_NEVER_EMPTY = {"path": "name a path", "checksum": "be the checksum that hosting.panel.plan shows"}
TYPES_WITH_RULES = frozenset({"bool", *_NEVER_EMPTY})

LOCALHOST = "localhost"


def unknown_variables(
    names: Iterable[str], prefix: str, known: Sequence[str], foreign: Sequence[str] = (), is_shared: bool = False
) -> list[str]:
    """A sentence for each variable that begins with the prefix and is not known.

    foreign: names, or shell patterns for them, that belong to somebody else. is_shared: others have variables with this prefix too, so
    that only those count that are very much like a known one.
    """
    found = []
    # Compared without what all of them begin with, which makes all of them alike.
    rests = [name[len(prefix) :] for name in known if name.startswith(prefix)]
    for name in sorted(set(map(str, names)) - set(known)):
        if not name.startswith(prefix) or any(fnmatchcase(name, pattern) for pattern in foreign):
            continue
        meant = nearest(name[len(prefix) :], rests, VERY_MUCH_ALIKE if is_shared else ALIKE)
        if meant is not None:
            found.append(f"{name}: did you mean {prefix}{meant}?")
        elif not is_shared:
            found.append(f"{name}: there is no such variable.")
    return found


def with_variables(message: str, role: str, variables: Mapping[str, str]) -> str:
    """A message in which the options that begin a sentence have the role's variables behind them: ``max (rotate_max in the role rotate): …``.

    What it says to set is the variable itself.

    variables: by the name of the option.
    """
    options = "|".join(variables)
    message = re.sub(rf"(?<=, set )({options})(?=: )", lambda found: variables[found[1]], message)
    beginning = re.compile(rf"(^|[.] |mistakes: )({options})((?:[.]\w+|\[\d+\])*): ")
    return beginning.sub(
        lambda found: f"{found[1]}{found[2]}{found[3]} ({variables[found[2]]} in the role {role}): ", message
    )


def wrong_values(values: Mapping[str, Any], types: Mapping[str, Any]) -> list[str]:
    """A sentence for each switch that is neither on nor off, and for each path or checksum that is empty, never with the value.

    types: bool, path, checksum or any other, by the name of the variable.
    """
    found = []
    for name, value in sorted(values.items()):
        if types.get(name) == "bool" and str(value).strip().lower() not in _SWITCHES:
            found.append(f"{name} has to be true or false.")
        elif types.get(name) in _NEVER_EMPTY and (value is None or not str(value).strip()):
            found.append(f"{name} is empty: it has to {_NEVER_EMPTY[types[name]]}, or to be left out.")
    return found


def missing_variables(hosts: Mapping[str, Container[str]], names: Iterable[str]) -> list[str]:
    """A sentence for each variable that a host of the inventory has not, in place of which the one of the environment would be used.

    hosts: the variables that each has, by name. Those of localhost may come from the environment, which has the panel of localhost.
    """
    found = []
    for name in names:
        without = [host for host, has in hosts.items() if host != LOCALHOST and name not in has]
        if without:
            found.append(
                f"{name}: missing for {', '.join(without)}. A host of the inventory is a panel of its own, "
                "and never has the address or the key of the environment by itself."
            )
    return found
