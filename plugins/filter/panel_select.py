# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_select
short_description:
  "Part of the role hosting.panel.rotate: choose objects of a panel by client, by hosting plan or
  by name"
version_added: 1.0.0
description:
  - Takes the objects that M(hosting.panel.panel_resources_info) returns, and returns those that you
    choose as items for M(hosting.panel.panel_resources). An item has only what names the object,
    and O(options), so everything else stays as it is.
  - Lists take names and shell patterns. Case makes no difference, and domains can be in punycode or
    Unicode.
  - For a name that fits nothing it returns a sentence, so that a playbook can stop before it
    writes.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input:
    description: The objects by type, with C(clients), and with C(plans) for O(plans).
    type: dict
    required: true
  clients:
    description: Usernames of clients whose objects are chosen.
    type: list
    elements: str
    default: []
  plans:
    description: Hosting plans. The objects of their clients are chosen too.
    type: list
    elements: str
    default: []
  kinds:
    description: Object types to choose from O(clients) and O(plans); V(clients) chooses the
      clients.
    type: list
    elements: str
    default: []
  objects:
    description: Single objects in addition, a list of names for each type.
    type: dict
    default: {}
  exceptions:
    description: Names of objects to leave out, or of clients with all their objects.
    type: list
    elements: str
    default: []
  options:
    description: Options that each item gets, for example C(regenerate_password).
    type: dict
    default: {}
  option_names:
    description: By option the name of the variable that sets it, which messages then use, such as
      C(clients) with C(rotate_clients).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Read the panel
  hosting.panel.panel_resources_info:
    kinds: [clients, emails]
  register: panel

- name: Give all mailboxes of two clients new passwords
  hosting.panel.panel_resources:
    resources: "{{ chosen.resources }}"
    credentials_file: passwords.yml
    rotation: 2026-11
  vars:
    chosen: >-
      {{ panel.resources
      | hosting.panel.panel_select(['acme', 'beta'], kinds=['emails'],
      options={'regenerate_password': true}) }}
  when: not chosen.unmatched
"""

RETURN = r"""
_value:
  description: C(resources) has the items by type, C(count) their number, and C(unmatched) a
    sentence for each name that fits nothing.
  type: dict
  sample:
    resources: {emails: [{email: info@acme.example, regenerate_password: true}]}
    count: 1
    unmatched: ["clients: nothing on this panel fits acmee; did you mean acme?"]
"""

import datetime
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

if TYPE_CHECKING:
    from ..module_utils._bulk.name_patterns import NamePatterns

# What messages call the arguments where nobody says otherwise.
_NAMES = {
    "clients": "clients",
    "plans": "plans",
    "objects": "objects",
    "exceptions": "exceptions",
}
Item = Mapping[str, Any]


def panel_select(
    resources: Any,
    clients: Sequence[str] = (),
    plans: Sequence[str] = (),
    kinds: Sequence[str] = (),
    objects: Mapping[str, Sequence[str]] | None = None,
    exceptions: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    option_names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the chosen objects as items, their number, and what fits nothing.

    Args:
        resources: The result of panel_resources_info.
        clients: Patterns of clients, whose objects are chosen.
        plans: Patterns of hosting plans, whose clients count with these.
        kinds: The kinds of objects of these clients.
        objects: By kind, patterns of further objects.
        exceptions: Patterns of objects, and of clients with theirs, that are not chosen.
        options: Those that each item gets.
        option_names: By argument what messages call it.

    Raises:
        AnsibleFilterError: The resources lack a kind, or a name was read as a number.
    """
    _check_resources(resources)
    patterns = {kind: list(names or ()) for kind, names in (objects or {}).items()}
    _refuse_numbers({"clients": clients, "plans": plans, "exceptions": exceptions, **patterns})
    _refuse_missing_kinds([*kinds, *patterns], resources)

    owners = _select_owners(resources["clients"], clients, plans)
    keys = _read_keys(resources)
    chosen: dict[str, list[dict[str, Any]]] = {}
    for kind, keys_of_kind in keys.items():
        chosen_owners = owners if kind in kinds else set()
        selection = _Selection(kind, chosen_owners, patterns.get(kind, ()), exceptions)
        items = selection.choose(resources[kind], keys_of_kind)
        if items:
            chosen[kind] = [_as_item(kind, item, options or {}) for item in items]

    displayed_plans = [str(client.get("hosting_plan", "")) for client in resources["clients"]]
    plan_names = [*keys.get("plans", ()), *displayed_plans]
    names = {**_NAMES, **(option_names or {})}
    unmatched = _find_unmatched(names["clients"], clients, {"clients": keys["clients"]})
    unmatched += _find_unmatched(names["plans"], plans, {"plans": plan_names})
    for kind, patterns_of_kind in patterns.items():
        list_name = f"{names['objects']}.{kind}"
        unmatched += _find_unmatched(list_name, patterns_of_kind, {kind: keys[kind]})
    unmatched += _find_unmatched(names["exceptions"], exceptions, keys)
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
    from ..module_utils._kinds.registry import KINDS

    for kind in kinds:
        if kind not in resources or kind not in KINDS:
            raise AnsibleFilterError(f"hosting.panel.panel_select: the resources have no {kind}.")


def _read_keys(resources: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return by kind the names of its objects, in their order."""
    from ..module_utils._kinds.registry import KINDS

    keys = {}
    for kind in resources:
        if kind in KINDS:
            keys[kind] = [str(KINDS[kind].format_key(item)) for item in resources[kind]]
    return keys


def _refuse_numbers(lists: Mapping[str, Iterable[Any]]) -> None:
    """Raise AnsibleFilterError for a name that YAML has read as a number.

    It may be the name of another object.
    """
    from ..module_utils._values.value_types import describe_name_problem

    for option, names in lists.items():
        for name in names:
            if not isinstance(name, (int, float, datetime.date, str)):
                continue
            problem = describe_name_problem(name)
            if problem:
                raise AnsibleFilterError(f"hosting.panel.panel_select: {option}: {problem}")


def _select_owners(items: Iterable[Item], clients: Sequence[str], plans: Sequence[str]) -> set[str]:
    """Return the usernames of the chosen clients, and of those with a chosen hosting plan."""
    from ..module_utils._bulk.name_patterns import NamePatterns

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
        from ..module_utils._bulk.name_patterns import NamePatterns

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
    from ..module_utils._kinds.registry import KINDS

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
    from ..module_utils._bulk.name_patterns import NamePatterns
    from ..module_utils._secrets.redaction import escape_control_characters
    from ..module_utils._values.near_names import ask_for_like_word

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


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_select": with_checked_arguments(with_marked_result(panel_select), DOCUMENTATION)
        }
