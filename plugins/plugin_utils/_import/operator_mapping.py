# SPDX-License-Identifier: GPL-3.0-or-later
"""The decisions of an operator about an import: the option mapping, checked."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._errors import OptionError
from ...module_utils._kinds.registry import KINDS
from ...module_utils._kinds.tables import CLIENT_NAME, PLAN
from ...module_utils._operation.validation import describe_unknown_name
from ...module_utils._problems import OptionPath
from ...module_utils._values.names import Directory
from ...module_utils._values.sizes import ByteSize
from ...module_utils._values.value_types import Text, ValueType, parse_option

OPTION = "mapping"
DEFAULT_MAILBOX_SIZE = "10G"
_SIZE = ByteSize(least=1)
_SKIPPED_KINDS = tuple(kind for kind in KINDS if kind != "admins")
_TARGETS: dict[str, ValueType] = {
    "usernames": CLIENT_NAME,
    "hosting_plans": PLAN.key[0].type,
    "php_versions": Text(),
    "languages": Text(clearable=False),
    "paths": Directory("/www/shop"),
}
PARTS = (*_TARGETS, "addresses", "mailbox_size", "skip")


@dataclass(frozen=True)
class OperatorMapping:
    """What an operator decides; each part may be empty.

    Attributes:
        usernames: By username of the source the one of the folder.
        hosting_plans: By name of the source the plan that the panel has.
        php_versions: By the source's word the one of the panel.
        languages: By the source's word the code of the panel.
        addresses: By old address of the server, in normal form, the new one.
        paths: By absolute prefix of the source the one below the home.
        mailbox_size: Bytes of a mailbox without a limit; None where the operator has not said.
        skip: Kinds that the folder does not get.
    """

    usernames: Mapping[str, str] = field(default_factory=dict)
    hosting_plans: Mapping[str, str] = field(default_factory=dict)
    php_versions: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    mailbox_size: int | None = None
    skip: frozenset[str] = frozenset()

    def get_size_without_limit(self) -> int:
        """Return the size of a mailbox that has no limit at the source."""
        if self.mailbox_size is not None:
            return self.mailbox_size
        size: int = _SIZE.parse(DEFAULT_MAILBOX_SIZE)
        return size


def read_mapping(mapping: Any) -> OperatorMapping:
    """Return the operator's decisions.

    Args:
        mapping: The option as it was written; None without one.

    Raises:
        OptionError: A part is unknown, or a value is wrong; it names the part and the entry.
    """
    if mapping is None:
        return OperatorMapping()
    _refuse_unknown_parts(mapping)

    parts: dict[str, Any] = {}
    for name, value_type in _TARGETS.items():
        if mapping.get(name) is not None:
            parts[name] = _read_names(name, mapping[name], value_type)
    if "paths" in parts:
        parts["paths"] = _read_paths(parts["paths"])
    if mapping.get("addresses") is not None:
        parts["addresses"] = _read_addresses(mapping["addresses"])
    if mapping.get("mailbox_size") is not None:
        parts["mailbox_size"] = parse_option(
            _SIZE, (OPTION, "mailbox_size"), mapping["mailbox_size"]
        )
    if mapping.get("skip") is not None:
        parts["skip"] = _read_skip(mapping["skip"])
    return OperatorMapping(**parts)


def _refuse_unknown_parts(mapping: Any) -> None:
    """Raise OptionError for what is no dictionary, or has a part that no decision has."""
    if not isinstance(mapping, Mapping):
        raise OptionError(f"must be a dictionary with {', '.join(PARTS)}.", option=OPTION)
    for name in mapping:
        if name not in PARTS:
            problem = describe_unknown_name(name, PARTS, "part")
            raise OptionError(problem, option=(OPTION, str(name)))


def _read_dictionary(name: str, entries: Any) -> Mapping[str, Any]:
    """Return a part of the mapping whose keys are texts of the source."""
    path = (OPTION, name)
    if not isinstance(entries, Mapping):
        raise OptionError(
            "must be a dictionary of the source's word and the one here.", option=path
        )
    for source_name in entries:
        if not isinstance(source_name, str):
            raise OptionError(f"{source_name!r} is no text; put it in quotes.", option=path)
    return entries


def _read_names(name: str, entries: Any, value_type: ValueType) -> dict[str, str]:
    """Return a part of the mapping, each value checked by its type."""
    return {
        source_name: parse_option(value_type, (OPTION, name, source_name), value)
        for source_name, value in _read_dictionary(name, entries).items()
    }


def _read_paths(paths: Mapping[str, str]) -> dict[str, str]:
    """Return the prefixes without slashes at their ends."""
    prefixes: dict[str, str] = {}
    for source, target in paths.items():
        if not source.startswith("/") or ".." in source.split("/"):
            raise OptionError(
                "must be an absolute path of the source, without .. .",
                option=(OPTION, "paths", source),
            )
        steps = [step for step in source.split("/") if step]
        prefixes[f"/{'/'.join(steps)}"] = Directory("").normalize(target)
    return prefixes


def _read_addresses(entries: Any) -> dict[str, str]:
    """Return the addresses in normal form; both of a pair are of one family."""
    addresses: dict[str, str] = {}
    for source_name, value in _read_dictionary("addresses", entries).items():
        path = (OPTION, "addresses", source_name)
        old = _read_address(path, source_name)
        new = _read_address(path, value)
        if old.version != new.version:
            raise OptionError(f"{value} is of another family than {source_name}.", option=path)
        addresses[str(old)] = str(new)
    return addresses


def _read_address(path: OptionPath, text: Any) -> Any:
    """Return an address of either family; raises OptionError for anything else."""
    if not isinstance(text, str) or "%" in text:
        raise OptionError(f"{text!r} is no IP address.", option=path)
    try:
        return ipaddress.ip_address(text.strip())
    except ValueError:
        raise OptionError(f"{text!r} is no IP address.", option=path) from None


def _read_skip(entries: Any) -> frozenset[str]:
    """Return the kinds that the folder does not get."""
    path = (OPTION, "skip")
    if not isinstance(entries, (list, tuple)):
        raise OptionError(f"must be a list of {', '.join(_SKIPPED_KINDS)}.", option=path)
    for kind in entries:
        if kind not in _SKIPPED_KINDS:
            raise OptionError(
                f"{kind!r} is not accepted; it takes {', '.join(_SKIPPED_KINDS)}.", option=path
            )
    return frozenset(entries)
