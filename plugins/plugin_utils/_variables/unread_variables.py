# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds variables that are meant for a role or playbook and that it does not read.

Ansible ignores such variables. A name that surely means a variable is a mistake. Of any other name
with the prefix a person is warned, because it may be a variable of the operator's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from ansible.module_utils.common.yaml import yaml_load

from ...module_utils._values.near_names import count_mistakes, find_like_word
from .rule import read_variables

_FOREIGN = "panel_foreign_variables"
COLLECTION = Path(__file__).parents[3]
# In place of a role: the variables of the playbooks alone.
PLAYBOOKS = "playbooks"
# From this many letters behind the prefix on, two mistakes are near.
LONG = 6
_NOT_THESE = (
    *("except_clients", "exceptions", "exclude", "excluded", "excludes", "exempt"),
    *("ignore", "skip"),
)
_AT_MOST = ("limit", "max_clients", "maximum")
# By prefix, other words for what a variable has behind it. Only words that say the same: a name that
# may be the operator's own is not among them.
_SYNONYMS = {
    "import": {"page": "page_file"},
    "offboard": {"archive": "archive_dir", "delete": "action", "mode": "action"},
    "panel": {"checksum": "expected_checksum", "checksums": "expected_checksums"},
    "rotate": {
        **dict.fromkeys(_NOT_THESE, "except"),
        **dict.fromkeys(_AT_MOST, "max"),
        "only": "clients",
        "passwords_file": "credentials_file",
    },
    "site": {
        "cron": "scheduled_tasks",
        "cron_jobs": "scheduled_tasks",
        "dbs": "databases",
        "ftp": "ftp_users",
        "mailboxes": "emails",  # as the column of a table of customers
        "passwords_file": "credentials_file",
        "plan_name": "hosting_plan",
        "tasks": "scheduled_tasks",
    },
    "suspend": {
        **dict.fromkeys(_NOT_THESE, "except"),
        **dict.fromkeys(_AT_MOST, "max"),
        "action": "state",
        "grace": "grace_days",
        "only": "clients",
        "release": "state",
        "released": "state",
    },
}
# By role, what somebody may write for its prefix.
_OTHER_PREFIXES = {"site": ("sites", "panel", "client"), "sites": ("site", "panel", "client")}
# Prefixes that are words of their own, although one mistake leads from a prefix to them.
_OTHER_WORDS = frozenset(
    {"context", "mode", "more", "moved", "moves", "panels", "side", "size", "suite"}
)
# What the role simulator sets for the play.
_FACTS = frozenset({"simulator_url"})
# Each host of the inventory plugin has it, and fields of a client after the prefix panel.
_OF_INVENTORY_PLUGIN = "panel_name"

# Variables that hold those of the host, or of all hosts, once more.
_ALL = frozenset({"hostvars", "vars"})


class UnknownRole(Exception):
    """A role is named that the collection does not have."""


@cache
def list_all_variables() -> frozenset[str]:
    """Return the names of the variables of all roles and playbooks."""
    specifications = (COLLECTION / "roles").glob("*/meta/argument_specs.yml")
    roles = sorted(path.parent.parent.name for path in specifications)
    return frozenset().union(*map(list_variables_of, roles))


@cache
def list_variables_of(role: str) -> frozenset[str]:
    """Return the names of a role's variables, and of the playbooks that may run it.

    Raises:
        UnknownRole: The collection has no such role.
    """
    tables_file = COLLECTION / "playbooks" / "vars" / "panel.yml"
    tables = yaml_load(tables_file.read_text(encoding="utf-8"))
    names: set[str] = set()
    for title, table in tables.items():
        if title.endswith("_variables") and isinstance(table, dict):
            names.update(table)
    if role != PLAYBOOKS:
        specification = COLLECTION / "roles" / role / "meta" / "argument_specs.yml"
        if "/" in role or not specification.is_file():
            raise UnknownRole(f"the collection has no role {role!r}.")
        content = yaml_load(specification.read_text(encoding="utf-8"))
        names.update(content["argument_specs"]["main"]["options"])
    return frozenset(names)


def _find_nearest(name: str, variables: frozenset[str]) -> str | None:
    """Return the variable of the same prefix that may be meant; None if none is near."""
    prefix, _line, written = name.partition("_")
    near = []
    for candidate in sorted(variables):
        its_prefix, _line, meant = candidate.partition("_")
        most = 2 if len(meant) >= LONG else 1
        if its_prefix != prefix or not meant or abs(len(written) - len(meant)) > most:
            continue
        mistakes = count_mistakes(written, meant)
        if mistakes <= most:
            near.append((mistakes, candidate))
    if not near:
        return None
    _least_mistakes, nearest = min(near)
    return nearest


def _find_without_prefix(name: str, variables: frozenset[str]) -> str | None:
    """Return the variable that a name is but for a prefix before it, or without one.

    None if it is none.
    """
    prefix, _line, suffix = name.partition("_")
    if suffix in variables:
        return suffix
    with_panel = f"panel_{name}"  # such as verify_writes
    if with_panel in variables:
        return with_panel
    # The playbook onboard runs the role site.
    of_site = f"site_{suffix}"
    return of_site if prefix == "onboard" and of_site in variables else None


def _find_with_own_prefix(name: str, role: str, written: set[str]) -> str | None:
    """Return the role's variable that a name has another prefix of, or none; None if none is.

    A single word without a prefix, such as ``domains``, may be anything of the operator's own.
    """
    variables = list_all_variables()
    if role not in _OTHER_PREFIXES or name in variables:
        return None
    prefix, _line, suffix = name.partition("_")
    with_prefix = f"{role}_{suffix}"
    is_of_inventory = prefix == "panel" and _OF_INVENTORY_PLUGIN in written
    if prefix in _OTHER_PREFIXES[role] and with_prefix in variables:
        return None if is_of_inventory else with_prefix
    without_prefix = f"{role}_{name}"
    return without_prefix if suffix and without_prefix in variables else None


def _find_synonym(name: str, variables: frozenset[str]) -> str | None:
    """Return the variable of the same prefix that a name says in another word; None if none is."""
    prefix, _line, suffix = name.partition("_")
    meant = f"{prefix}_{_SYNONYMS.get(prefix, {}).get(suffix)}"
    return meant if meant in variables else None


def find_meant_names(
    names: Iterable[Any],
    role: str,
    options: Mapping[str, str],
    empty: Iterable[str],
) -> dict[str, str]:
    """Return by name the variable that is meant, of the names that surely mean one of the role's.

    Args:
        names: Those of all variables that are set.
        role: The role, or ``playbooks``.
        options: By option of a module, or variable of another playbook, the variable that is read.
        empty: Those names that hold nothing, such as one with a default of the role.

    Raises:
        UnknownRole: The collection has no such role.
    """
    variables = list_variables_of(role)
    written = set(map(str, names))
    filled = written.difference(empty)
    meant_names: dict[str, str] = {}
    # One of theirs can be an option, if the playbook that runs does not read it.
    for name in sorted((written - variables) | (written & options.keys())):
        nearest = _find_with_own_prefix(name, role, written) or options.get(name)
        if nearest in filled:
            continue
        if nearest is None:
            # A role's defaults set what is meant.
            nearest = _find_synonym(name, variables)
        if nearest is None:
            nearest = _find_without_prefix(name, variables) or _find_nearest(name, variables)
        if nearest is not None:
            meant_names[name] = nearest
    return meant_names


def find_meant_options(
    variables: Mapping[str, Any],
    given_names: Collection[str],
    role: str,
    options: Mapping[str, str],
    single_words: bool,
) -> dict[str, str]:
    """Return by name the variable that is meant, of options that were given in its place.

    An option counts where the command line gives it. With ``panel`` before it, it counts wherever
    it is set. It does not count where another variable uses it in a template.

    Args:
        variables: All that are set, as they were written.
        given_names: The names of those that the command line gives.
        role: The role, or ``playbooks``.
        options: By option the variable that sets it.
        single_words: Whether an option of one word counts.

    Raises:
        UnknownRole: The collection has no such role.
    """
    role_variables = list_variables_of(role)
    other_names = set(variables) - role_variables
    candidates = other_names & set(given_names)
    if _OF_INVENTORY_PLUGIN not in variables:
        candidates |= {f"panel_{option}" for option in options if "_" in option} & other_names
    meant_names: dict[str, str] = {}
    for option, meant in options.items():
        # That of an item of a customer begins with a variable, such as site_client.username.
        is_known = re.split(r"[.\[]", meant)[0] in role_variables
        if is_known and (single_words or "_" in option):
            meant_names.update(dict.fromkeys({option, f"panel_{option}"} & candidates, meant))
    return {
        name: meant_names[name] for name in sorted(meant_names) if not _is_used(name, variables)
    }


def _is_used(name: str, variables: Mapping[str, Any]) -> bool:
    """Return whether a variable of the operator's own has a template with another variable."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    values = (variables[key] for key in variables if not key.startswith("__") and key not in _ALL)
    return any(_has_in_template(value, pattern) for value in values)


def _has_in_template(value: Any, pattern: re.Pattern[str]) -> bool:
    """Return whether a template in a value has a word."""
    if isinstance(value, str):
        return ("{{" in value or "{%" in value) and pattern.search(value) is not None
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and any(_has_in_template(item, pattern) for item in value)


def find_misspelt_prefixes(names: Collection[str], prefixes: Collection[str]) -> dict[str, str]:
    """Return by name the variable that is meant, of the names whose prefix has one mistake.

    A line that is left out behind the prefix is such a mistake. Behind it, long names can have a
    mistake too.
    """
    all_variables = list_all_variables()
    own_prefixes = {_get_prefix(variable) for variable in all_variables}
    variables_by_prefix = {prefix: _list_with_prefix(prefix) for prefix in prefixes}
    variables = [name for prefix in prefixes for name in variables_by_prefix[prefix]]
    without_line = {variable.replace("_", "", 1): variable for variable in variables}
    # Each prefix once: a host has thousands of variables, but few prefixes.
    meant_prefixes = {
        written_prefix: _list_near_prefixes(written_prefix, prefixes)
        for written_prefix in set(map(_get_prefix, names)) - own_prefixes - _OTHER_WORDS
    }

    meant_names: dict[str, str] = {}
    for name in sorted(names):
        if name in all_variables:
            continue
        meant = without_line.get(name)
        for prefix in meant_prefixes.get(_get_prefix(name), []):
            meant = meant or _find_behind_prefix(name, variables_by_prefix[prefix])
        if meant is not None:
            meant_names[name] = meant
    return meant_names


def _get_prefix(name: str) -> str:
    """Return what stands before the first line of a name."""
    return name.partition("_")[0]


def _list_with_prefix(prefix: str) -> list[str]:
    """Return the variables of the collection with a prefix, in alphabetical order."""
    return sorted(name for name in list_all_variables() if _get_prefix(name) == prefix)


def _list_near_prefixes(written_prefix: str, prefixes: Iterable[str]) -> list[str]:
    """Return the prefixes from which one mistake leads to what was written."""
    return [prefix for prefix in prefixes if _is_one_mistake_away(written_prefix, prefix)]


def _find_behind_prefix(name: str, variables: Iterable[str]) -> str | None:
    """Return the first variable that has the same, or nearly the same, behind its prefix."""
    written = name.partition("_")[2]
    for variable in variables:
        meant = variable.partition("_")[2]
        if written == meant or (len(meant) >= LONG and _is_one_mistake_away(written, meant)):
            return variable
    return None


def _is_one_mistake_away(written: str, meant: str) -> bool:
    """Return whether one letter is added, left out or changed, or two neighbours are swapped."""
    return abs(len(written) - len(meant)) <= 1 and count_mistakes(written, meant) == 1


def find_unread_names(
    names: Iterable[str],
    role: str,
    prefixes: Collection[str],
    refused: Mapping[str, str],
    suggested: Collection[str] | None,
) -> dict[str, str | None]:
    """Return the names with a prefix that no part of the collection reads or sets.

    By name the variable of the same prefix that may be meant, None if none is alike. A name that
    surely means one is none of them: it is a mistake.

    Args:
        names: Those of all variables that are set.
        role: The role, or ``playbooks``.
        prefixes: Without their line, such as ``suspend``.
        refused: By name that is a mistake as well, unless the variable is set too, the variable.
        suggested: The variables of playbooks that may be suggested; None if all may.

    Raises:
        UnknownRole: The collection has no such role.
    """
    written = set(names)
    own_prefixes = set(prefixes)
    if _OF_INVENTORY_PLUGIN in written:
        own_prefixes.discard("panel")
    with_prefix = {name for name in written if _has_prefix(name, own_prefixes)}
    unread = with_prefix - list_all_variables() - _FACTS
    unread -= {f"{prefix}_result" for prefix in own_prefixes}
    set_variables = written.intersection(refused.values())
    unread -= find_meant_names(with_prefix | set_variables, role, refused, ()).keys()
    variables = list_variables_of(role)
    if suggested is not None:
        variables -= list_variables_of(PLAYBOOKS).difference(suggested)
    return {name: _find_alike(name, variables) for name in sorted(unread)}


def _has_prefix(name: str, prefixes: Collection[str]) -> bool:
    """Return whether a name has one of the prefixes, and something behind it."""
    prefix, _line, suffix = name.partition("_")
    return prefix in prefixes and suffix != ""


def _find_alike(name: str, variables: Iterable[str]) -> str | None:
    """Return the variable of the same prefix that is the most like a name; None if none is."""
    prefix, _line, suffix = name.partition("_")
    meant_suffixes = [
        variable.partition("_")[2]
        for variable in sorted(variables)
        if _has_prefix(variable, [prefix])
    ]
    alike = find_like_word(suffix, meant_suffixes)
    return None if alike is None else f"{prefix}_{alike}"


def is_foreign(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name fits one of the patterns of names that are meant for something else."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def read_foreign_patterns(foreign: Any) -> tuple[list[str], list[str]]:
    """Return the patterns of ``panel_foreign_variables``, and a sentence for each mistake in it."""
    reading = read_variables({_FOREIGN: foreign}, {_FOREIGN: {"type": "names", "default": []}})
    return reading.settings.get(_FOREIGN, []), reading.mistakes
