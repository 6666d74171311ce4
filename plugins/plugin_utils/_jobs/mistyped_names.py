# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that somebody wrote: who is left as it is, and what a typing mistake may have meant. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ...module_utils._bulk.deletion_guards import is_name_or_pattern

# How much names have to be alike, from 0 to 1.
ALIKE, VERY_MUCH_ALIKE = 0.45, 0.8


def nearest(name: str, known: Iterable[str], alike: float = ALIKE) -> str | None:
    """The name that is most like this one; None where none is."""
    by_comparable = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), by_comparable, n=1, cutoff=alike)
    return by_comparable[found[0]] if found else None


def no_such_option(name: str, known: Iterable[str]) -> str:
    """What to say of an option that there is not."""
    names = sorted(known)
    meant = nearest(name, names)
    return f"did you mean {meant}?" if meant else f"there is no such option; there are {', '.join(names)}."


def fits(patterns: Sequence[str], name: str | None) -> bool:
    """As names of protected objects are compared: without case, blanks around them, other widths of letters, and domains in either spelling."""
    return name is not None and any(is_name_or_pattern(pattern, name) for pattern in patterns)


def without_effect(exceptions: Iterable[str], names: Iterable[str]) -> list[str]:
    """The exceptions that fit none of the names. Such a one is a typing mistake, and what it was to spare would be changed."""
    known = list(names)
    return [exception for exception in exceptions if not any(fits([exception], name) for name in known)]


def refusal(exceptions: Sequence[str], names: Iterable[str]) -> str:
    """What to say of exceptions that fit nothing."""
    known = list(names)
    named = " ".join(f"{exception.strip() or repr(exception)}:{_hint(exception, known)}" for exception in exceptions)
    return f"except: nothing on this panel has such a name: {named} Nothing was written. Correct the names, or take them out."


def _hint(exception: str, known: Sequence[str]) -> str:
    name = nearest(exception.strip(), known)
    return " nothing is called so." if name is None else f" did you mean {name}?"
