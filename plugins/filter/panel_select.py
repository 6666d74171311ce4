# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_select
short_description: Choose objects of a panel by client, by hosting plan or by name
version_added: 1.0.0
description:
  - Takes the objects that M(hosting.panel.panel_resources_info) returns, and returns those that you choose as items for
    M(hosting.panel.panel_resources). An item has only what names the object, and O(options), so everything else stays as it is.
  - Lists take names and shell patterns. Case makes no difference, and domains can be in punycode or Unicode.
  - For a name that fits nothing it returns a sentence, so that a playbook can stop before it writes.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input
options:
  _input: {description: "The objects by type, with C(clients), and with C(plans) for O(plans).", type: dict, required: true}
  clients: {description: "Usernames of clients whose objects are chosen.", type: list, elements: str, default: []}
  plans: {description: "Hosting plans. The objects of their clients are chosen too.", type: list, elements: str, default: []}
  kinds: {description: "Object types to choose from O(clients) and O(plans); V(clients) chooses the clients.", type: list, elements: str, default: []}
  objects: {description: "Single objects in addition, a list of names for each type.", type: dict, default: {}}
  exceptions: {description: "Names of objects to leave out, or of clients with all their objects.", type: list, elements: str, default: []}
  options: {description: "Options that each item gets, for example C(regenerate_password).", type: dict, default: {}}
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
    chosen: "{{ panel.resources | hosting.panel.panel_select(['acme', 'beta'], kinds=['emails'], options={'regenerate_password': true}) }}"
  when: not chosen.unmatched
"""

RETURN = r"""
_value:
  description: C(resources) has the items by type, C(count) their number, and C(unmatched) a sentence for each name that fits nothing.
  type: dict
  sample:
    resources: {emails: [{email: info@acme.example, regenerate_password: true}]}
    count: 1
    unmatched: ["clients: nothing on this panel fits acmee; did you mean acme?"]
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import handing_on

if TYPE_CHECKING:
    from ..module_utils._bulk.deletions import NamePatterns

# How much a name has to be like the one that may be meant, from 0 to 1.
ALIKE = 0.6


def _fits(patterns: NamePatterns, name: Any) -> bool:
    return name is not None and patterns.fits(str(name))


def _refuse_numbers(lists: Mapping[str, Iterable[Any]]) -> None:
    """Raises AnsibleFilterError for a name that YAML has read as a number, which may be another object's."""
    from ..module_utils._values.value_types import problem_of_text

    for place, names in lists.items():
        for name in names:
            if isinstance(name, (int, float, datetime.date)):
                raise AnsibleFilterError(f"hosting.panel.panel_select: {place}: {problem_of_text(name)}")


def _unmatched(place: str, patterns: Iterable[str], keys: Mapping[str, Sequence[str]]) -> list[str]:
    """keys: the names that there are, by kind."""
    from ..module_utils._bulk.deletions import NamePatterns

    unmatched = list(patterns)
    for kind, names_of_kind in keys.items():
        unmatched = NamePatterns(unmatched, kind).unmatched(names_of_kind)

    names = [name for names_of_kind in keys.values() for name in names_of_kind]
    sentences = []
    for pattern in unmatched:
        near = get_close_matches(str(pattern).lower(), names, n=1, cutoff=ALIKE)
        hint = f"; did you mean {near[0]}?" if near else "."
        sentences.append(f"{place}: nothing on this panel fits {pattern or '(empty)'}{hint}")
    return sentences


def panel_select(
    resources: Any,
    clients: Sequence[str] = (),
    plans: Sequence[str] = (),
    kinds: Sequence[str] = (),
    objects: Mapping[str, Sequence[str]] | None = None,
    exceptions: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The chosen objects as items; raises AnsibleFilterError."""
    from ..module_utils._bulk.deletions import NamePatterns
    from ..module_utils._kinds.registry import KINDS

    if not isinstance(resources, Mapping) or "clients" not in resources:
        raise AnsibleFilterError("hosting.panel.panel_select: needs resources by kind, with clients.")
    named = {kind: list(names or ()) for kind, names in (objects or {}).items()}
    _refuse_numbers({"clients": clients, "plans": plans, "exceptions": exceptions, **named})
    for kind in [*kinds, *named]:
        if kind not in resources or kind not in KINDS:
            raise AnsibleFilterError(f"hosting.panel.panel_select: the resources have no {kind}.")
    chosen_clients = NamePatterns(clients, "clients")
    chosen_plans = NamePatterns(plans, "plans")
    excepted_clients = NamePatterns(exceptions, "clients")
    owners = {
        one["username"]
        for one in resources["clients"]
        if _fits(chosen_clients, one["username"]) or _fits(chosen_plans, one.get("hosting_plan"))
    }
    keys = {kind: [str(KINDS[kind].key_of(one)) for one in resources[kind]] for kind in resources if kind in KINDS}
    chosen: dict[str, list[dict[str, Any]]] = {}
    for kind, names in keys.items():
        named_objects = NamePatterns(named.get(kind, ()), kind)
        excepted = NamePatterns(exceptions, kind)
        for one, key in zip(resources[kind], names):
            owner = one["username"] if kind == "clients" else one.get("client")
            if not (_fits(named_objects, key) or (kind in kinds and owner in owners)):
                continue
            if not (_fits(excepted, key) or _fits(excepted_clients, owner)):
                chosen.setdefault(kind, []).append(
                    {**{name: one[name] for name in KINDS[kind].named_by}, **(options or {})}
                )
    shown_plans = [*keys.get("plans", ()), *(str(one.get("hosting_plan", "")) for one in resources["clients"])]
    unmatched = _unmatched("clients", clients, {"clients": keys["clients"]})
    unmatched += _unmatched("plans", plans, {"plans": shown_plans})
    for kind, given in named.items():
        unmatched += _unmatched(f"objects.{kind}", given, {kind: keys[kind]})
    unmatched += _unmatched("except", exceptions, keys)
    return {"resources": chosen, "count": sum(map(len, chosen.values())), "unmatched": unmatched}


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"panel_select": handing_on(panel_select)}
