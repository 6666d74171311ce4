# SPDX-License-Identifier: GPL-3.0-or-later
"""Which plan the variables of the playbook apply approve for a host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from .._run.nested_text import SAFE_LOADER, TooDeep, check_depth

OF_ONE = "panel_expected_checksum"
BY_HOST = "panel_expected_checksums"
_CHECKSUM = re.compile(r"[0-9a-f]{64}", re.ASCII)
# In a job of AWX the reader has no playbook, and cannot leave the variable out.
_WHOLE = "Give the whole checksum that the plan shows."
_FORM = "Use a dictionary of host and checksum."


class _Refused(ValueError):
    """A variable approves nothing; the text says why."""


def read_approval(variables: Mapping[str, Any], host: str) -> tuple[str | None, list[str]]:
    """Return the approved checksum for a host, or None, and the mistakes.

    Whatever is not a whole checksum for this host approves nothing and is a mistake.

    Args:
        variables: The variables that are defined, also those that are empty, by name.
        host: The name of the host in the inventory.
    """
    mistakes: list[str] = []
    approved: list[str] = []
    for variable, read in ((OF_ONE, _read_checksum), (BY_HOST, _read_checksum_of_host)):
        if variable not in variables:
            continue
        try:
            approved.append(read(variables[variable], host))
        except _Refused as error:
            mistakes.append(f"{variable}: {error}")

    if len(set(approved)) > 1:
        mistakes.append(
            f"{OF_ONE}, {BY_HOST}: they approve different plans for {host}. Give one of them."
        )
    if mistakes or not approved:
        return None, mistakes
    # A plain text, whatever Ansible has marked the variable with.
    return "".join(approved[0]), []


def _read_checksum(value: Any, _host: str) -> str:
    """Return the checksum in the variable of one; raises _Refused for anything else."""
    if not _is_checksum(value):
        raise _Refused(f"this is no checksum of a plan. {_WHOLE}")
    return str(value)


def _read_checksum_of_host(value: Any, host: str) -> str:
    """Return the checksum of a host in the variable of several.

    Raises:
        _Refused: The host has no checksum there.
    """
    checksums = _read_checksums(value)
    if checksums is None:
        raise _Refused(f"no host and checksum can be read from it. {_FORM}")
    if host not in checksums:
        raise _Refused(f"no plan for {host} was approved.")
    if not _is_checksum(checksums[host]):
        raise _Refused(f"{host} has no checksum of a plan there. {_WHOLE}")
    return str(checksums[host])


def _is_checksum(value: Any) -> bool:
    return isinstance(value, str) and _CHECKSUM.fullmatch(value) is not None


def _read_checksums(value: Any) -> Mapping[Any, Any] | None:
    """Return checksums by host from a dictionary, or from a text that is JSON or YAML of one.

    None for anything else.
    """
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str):
        return None
    try:
        check_depth(value)
        has_tags = any(
            isinstance(token, yaml.TagToken) for token in yaml.scan(value, Loader=SAFE_LOADER)
        )
        root = yaml.compose(value, Loader=SAFE_LOADER)
    except (yaml.YAMLError, TooDeep):
        return None
    # A tag such as !!binary says that a value is another one than its text.
    if has_tags or not isinstance(root, yaml.MappingNode):
        return None

    checksums: dict[str, str] = {}
    for key, entry in root.value:
        # As they are written: YAML would make a number of a checksum without letters.
        is_plain = isinstance(key, yaml.ScalarNode) and isinstance(entry, yaml.ScalarNode)
        if not is_plain or key.value in checksums:
            return None
        checksums[key.value] = entry.value
    return checksums
