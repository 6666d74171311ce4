# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a member means in two files the same. Pure. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from ...module_utils._dns.record_values import comparable_value
from ...module_utils._dns.wanted_zone import read_wanted_zone
from ...module_utils._errors import OptionError
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._values.value_types import ValueType

MemberPath = tuple[str, ...]


def is_same(kind: str, key: str, path: MemberPath, one: Any, other: Any) -> bool:
    """Whether the options at this path of an object, in whichever spelling, ask for the same."""
    if one == other:
        return True
    if kind == DNS and path == ("records",):
        return _are_same_records(key, one, other)
    value_type = _types(kind).get(path)
    if value_type is None:
        return str(one).rstrip(".") == str(other).rstrip(".")
    try:
        return value_type.same(value_type.parse(one), value_type.parse(other))
    except (ValueError, TypeError, ArithmeticError):
        return False


@functools.cache
def _types(kind: str) -> Mapping[MemberPath, ValueType]:
    table = KINDS[kind]
    members = [*table.leaves(), *(((row.option,), row) for row in table.key)]
    return {(*path[:-1], row.option): row.type for path, row in members}


def _are_same_records(domain: str, one: Any, other: Any) -> bool:
    try:
        first, second = (_records(domain, records) for records in (one, other))
    except (OptionError, TypeError, AttributeError):
        return False
    return first.keys() == second.keys() and all(
        ttl == second[record] or None in (ttl, second[record]) for record, ttl in first.items()
    )


def _records(domain: str, records: Any) -> dict[tuple[str, str, str], int | None]:
    """By what tells a record from the others its time to live, where that is given."""
    wanted = read_wanted_zone({"domain": domain, "records": records}).records or ()
    return {(one.host, one.type, comparable_value(one.type, one.value, domain, None)): one.ttl for one in wanted}
