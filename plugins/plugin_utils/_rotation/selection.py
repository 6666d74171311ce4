# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the objects of a panel that get new passwords, by client, hosting plan and name. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ansible.errors import AnsibleFilterError

from ...module_utils._bulk.name_patterns import NamePatterns
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.redaction import escape_control_characters
from ...module_utils._values.near_names import ask_for_like_word
from ...module_utils._values.value_types import describe_name_problem

Item = Mapping[str, Any]


class Choice(NamedTuple):
    """What an operator chooses.

    Attributes:
        clients: Patterns of clients, whose objects are chosen.
        plans: Patterns of hosting plans, whose clients count with these.
        kinds: The kinds of objects of these clients.
        objects: By kind, patterns of further objects.
        exceptions: Patterns of objects, and of clients with theirs, that are not chosen.
    """

    clients: Sequence[str] = ()
    plans: Sequence[str] = ()
    kinds: Sequence[str] = ()
    objects: Mapping[str, Sequence[str]] = {}
    exceptions: Sequence[str] = ()


def select_objects(
    resources: Any,
    choice: Choice,
    options: Mapping[str, Any],
    option_names: Mapping[str, str],
) -> dict[str, Any]:
    """Return the chosen objects as items, their number, and what fits nothing.

    Args:
        resources: The result of panel_resources_info.
        choice: What is chosen.
        options: Those that each item gets.
        option_names: By option what messages call it; the option's name where it has none.

    Raises:
        AnsibleFilterError: The resources lack a kind, or a name was read as a number.
    """
    _check_resources(resources)
    patterns = {kind: list(names or ()) for kind, names in choice.objects.items()}
    lists = {"clients": choice.clients, "plans": choice.plans, "exceptions": choice.exceptions}
    _refuse_numbers({**lists, **patterns})
    _refuse_missing_kinds([*choice.kinds, *patterns], resources)

    owners = _select_owners(resources["clients"], choice.clients, choice.plans)
    keys = _read_keys(resources)
    chosen: dict[str, list[dict[str, Any]]] = {}
    for kind, keys_of_kind in keys.items():
        chosen_owners = owners if kind in choice.kinds else set()
        selection = _Selection(kind, chosen_owners, patterns.get(kind, ()), choice.exceptions)
        items = selection.choose(resources[kind], keys_of_kind)
        if items:
            chosen[kind] = [_as_item(kind, item, options) for item in items]

    displayed_plans = [str(client.get("hosting_plan", "")) for client in resources["clients"]]
    plan_names = [*keys.get("plans", ()), *displayed_plans]
    names = {option: option_names.get(option, option) for option in Choice._fields}
    unmatched = _find_unmatched(names["clients"], choice.clients, {"clients": keys["clients"]})
    unmatched += _find_unmatched(names["plans"], choice.plans, {"plans": plan_names})
    for kind, patterns_of_kind in patterns.items():
        list_name = f"{names['objects']}.{kind}"
        unmatched += _find_unmatched(list_name, patterns_of_kind, {kind: keys[kind]})
    unmatched += _find_unmatched(names["exceptions"], choice.exceptions, keys)
    return {
        "resources": chosen,
        "count": sum(map(len, chosen.values())),
        "unmatched": unmatched,
    }


def _check_resources(resources: Any) -> None:
    """Raise AnsibleFilterError for anything but the result of panel_resources_info."""
    if not isinstance(resources, Mapping) or "clients" not in resources:
        message = "hosting.panel.panel_select: needs resources by kind, with clients."
        raise AnsibleFilterError(message)


def _refuse_missing_kinds(kinds: Iterable[str], resources: Mapping[str, Any]) -> None:
    """Raise AnsibleFilterError for a kind that was not read."""
    for kind in kinds:
        if kind not in resources or kind not in KINDS:
            raise AnsibleFilterError(f"hosting.panel.panel_select: the resources have no {kind}.")


def _read_keys(resources: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return by kind the names of its objects, in their order."""
    keys = {}
    for kind in resources:
        if kind in KINDS:
            keys[kind] = [str(KINDS[kind].format_key(item)) for item in resources[kind]]
    return keys


def _refuse_numbers(lists: Mapping[str, Iterable[Any]]) -> None:
    """Raise AnsibleFilterError for a name that YAML has read as a number.

    It may be the name of another object.
    """
    for option, names in lists.items():
        for name in names:
            if not isinstance(name, (int, float, datetime.date, str)):
                continue
            problem = describe_name_problem(name)
            if problem:
                raise AnsibleFilterError(f"hosting.panel.panel_select: {option}: {problem}")


def _select_owners(items: Iterable[Item], clients: Sequence[str], plans: Sequence[str]) -> set[str]:
    """Return the usernames of the chosen clients, and of those with a chosen hosting plan."""
    chosen_clients = NamePatterns(clients, "clients")
    chosen_plans = NamePatterns(plans, "plans")
    owners = set()
    for client in items:
        username = client["username"]
        if _fits(chosen_clients, username) or _fits(chosen_plans, client.get("hosting_plan")):
            owners.add(username)
    return owners


class _Selection:
    """Chooses objects of one kind: those of some clients, and those with some names.

    Exceptions are left out.
    """

    def __init__(
        self,
        plural: str,
        owners: Collection[str],
        names: Iterable[str],
        exceptions: Iterable[str],
    ) -> None:
        self._plural = plural
        self._owners = owners
        self._names = NamePatterns(names, plural)
        self._exceptions = NamePatterns(exceptions, plural)
        self._excepted_clients = NamePatterns(exceptions, "clients")

    def choose(self, items: Iterable[Item], keys: Iterable[str]) -> list[Item]:
        """Return the chosen objects. keys: their names, in the same order."""
        return [item for item, key in zip(items, keys) if self._is_chosen(item, key)]

    def _is_chosen(self, item: Item, key: str) -> bool:
        owner = item["username"] if self._plural == "clients" else item.get("client")
        if owner not in self._owners and not _fits(self._names, key):
            return False
        return not _fits(self._exceptions, key) and not _fits(self._excepted_clients, owner)


def _as_item(plural: str, item: Item, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item of panel_resources that names an object."""
    return {**{name: item[name] for name in KINDS[plural].key_options}, **options}


def _fits(patterns: NamePatterns, name: Any) -> bool:
    return name is not None and patterns.fits(str(name))


def _find_unmatched(
    option: str, patterns: Iterable[str], keys: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return a sentence for each pattern that fits nothing.

    Args:
        option: What the sentence calls the list of patterns.
        patterns: The patterns.
        keys: By kind the names of the objects.
    """
    unmatched = list(patterns)
    names: list[str] = []
    for kind, names_of_kind in keys.items():
        unmatched = NamePatterns(unmatched, kind).list_unmatched(names_of_kind)
        names += names_of_kind

    sentences = []
    for pattern in unmatched:
        hint = ask_for_like_word(str(pattern).lower(), names)
        sentence = f"{option}: nothing on this panel fits {pattern or '(empty)'}{hint}"
        sentences.append(escape_control_characters(sentence))
    return sentences
