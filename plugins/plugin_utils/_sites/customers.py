# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers, each with everything that it has, as one set of resources for panel_resources. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from ...module_utils._items.wanted_items import read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import MOST_ALIKE, Mistake
from ...module_utils._task.validation import place_in_words
from ...module_utils._values.sendable import problems_in
from .._files.places import MemberPath
from .._jobs.plan_words import in_places
from .._passwords.generated_passwords import GIVE_THE_NAME
from .origins import InVariable, Origin, path_in

# The lists of a customer, and the options of their items that the customer decides.
LISTS: dict[str, tuple[str, ...]] = {
    plural: ("client",) if kind.owner is None else kind.owner.options
    for plural, kind in KINDS.items()
    if kind.is_of_site
}
_MEMBERS = ("client", "plan", "hosting_plan", *LISTS, "credentials_file", "login_url")
# The client and the plan are neither deleted nor renamed, so that a list of customers never takes one away.
_NOT_OF_CLIENT = ("id", "state")
_NOT_OF_PLAN = ("id", "state", "new_name")
LOST_PASSWORD = (
    "the panel would generate a password, and there is no file to keep it in, so nobody would know it. "
    "Give a password, or name a credentials file."
)
_NO_FILE_NAME = "credentials_file: missing; this username is no name for a file, so a customer in YAML has to name one in credentials_file."
_MISTAKE = re.compile(
    r"(?P<place>(?P<kind>\w+)\[(?P<index>\d+)\](?: \(.*?\)(?=:? ))?)(?P<between>:? )(?P<sentence>.*)", re.DOTALL
)
_FILE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")

_PLAN_OF_CLIENT = ("client", "hosting_plan")

Name = tuple[str, str]  # (plural kind, natural key)


@dataclass
class Customers:
    """usernames, files: of each customer (None: no file for passwords). plans: where each names its hosting plan. resources: as panel_resources
    takes them.

    origins: where each of them was written. places: for each item of resources in which words it is named; paths: for each where it is in its
    customer; owners: for each the place of its customer in the list. mistakes: one sentence each, without secrets. items: by name the place in
    the list of its kind. with_login_url: the usernames of those that want to log in by a URL.
    """

    origins: Sequence[Origin] = ()

    usernames: list[str] = field(default_factory=list)
    files: list[str | None] = field(default_factory=list)
    plans: list[MemberPath] = field(default_factory=list)
    resources: dict[str, list[dict[str, Any]]] = field(default_factory=dict, repr=False)
    places: dict[str, list[str]] = field(default_factory=dict)
    paths: dict[str, list[MemberPath]] = field(default_factory=dict)
    owners: dict[str, list[int]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)
    items: dict[Name, int] = field(default_factory=dict)
    with_login_url: list[str] = field(default_factory=list)

    def owner_of(self, kind: str, key: str) -> int | None:
        """The place of the customer whose object this is."""
        index = self.items.get((kind, key))
        return None if index is None else self.owners[kind][index]

    def add(self, kind: str, item: dict[str, Any], path: MemberPath, owner: int) -> None:
        """path: where the item is in the customer."""
        self.resources.setdefault(kind, []).append(item)
        self.places.setdefault(kind, []).append(f"{self.place(owner, path)}: {_in_words(path)}")
        self.paths.setdefault(kind, []).append(path)
        self.owners.setdefault(kind, []).append(owner)

    def place(self, owner: int, path: MemberPath = ()) -> str:
        """Where a part of a customer was written, and whose it is."""
        username = self.usernames[owner]
        path = self.plans[owner] if path == _PLAN_OF_CLIENT else path
        return self.origins[owner].at(path) + (f" ({username})" if username else "")

    def explained(self, mistake: str) -> Mistake | str:
        """A mistake in an item in the words of the place that it is from, down to the option where the sentence begins with one."""
        match = _MISTAKE.match(mistake)
        if match is None or int(match["index"]) >= len(self.paths.get(match["kind"], ())):
            return in_places(mistake, self.places)
        option = path_in(match["sentence"])
        places = {kind: _Places(self, kind, option) for kind in self.resources}
        place, sentence = in_places(match["place"], places), in_places(match["sentence"], places)
        most_alike = mistake.most_alike if isinstance(mistake, Mistake) else MOST_ALIKE
        return Mistake(place, sentence, match["between"], most_alike)


@dataclass(frozen=True)
class _Places(Sequence[str]):
    """For each item of a kind where one of its options was written, else where the item was."""

    customers: Customers
    kind: str
    option: MemberPath

    def __len__(self) -> int:
        return len(self.customers.paths[self.kind])

    def __getitem__(self, index: Any) -> Any:
        path = self.customers.paths[self.kind][index]
        place = self.customers.place(self.customers.owners[self.kind][index], (*path, *self.option))
        return f"{place}: {_in_words(path)}"


def read_sites(sites: Sequence[Any], directory: str | None, origins: Sequence[Origin] | None = None) -> Customers:
    """All customers with every mistake in them.

    directory: where the files of passwords are that a customer does not name itself. origins: where each customer is from, else the variable.
    """
    customers = Customers(origins=origins or [InVariable(index) for index in range(len(sites))])
    plans: dict[str, tuple[Any, str]] = {}
    for index, site in enumerate(sites):
        _add(customers, index, site, directory, plans)
    customers.mistakes += _without_a_file(customers)
    not_sendable = list(_not_sendable(customers.resources))
    known = set(map(_about, not_sendable))
    reading = read_items(customers.resources)
    others = [mistake for mistake in reading.mistakes if _about(mistake) not in known]
    customers.mistakes += [customers.explained(mistake) for mistake in (*not_sendable, *others)]
    customers.items = {(kind, item.key): item.index for kind, items in reading.items.items() for item in items}
    return customers


def _add(customers: Customers, index: int, site: Any, directory: str | None, plans: dict[str, tuple[Any, str]]) -> None:
    """Adds one customer."""
    client = site.get("client") if isinstance(site, dict) else None
    username = client.get("username") if isinstance(client, dict) else None
    customers.usernames.append("" if username is None else str(username))
    customers.files.append(None)
    customers.plans.append(_PLAN_OF_CLIENT)
    customers.mistakes += [
        Mistake(customers.place(index, path_in(mistake)), mistake, ": ") for mistake in _mistakes_in_site(site)
    ]
    if username in (None, ""):
        return
    login_url = site.get("login_url")
    site = _readable(site)
    file = site.get("credentials_file") or _file_of(str(username), directory)
    if file == "":
        customers.mistakes.append(Mistake(customers.place(index, ("client", "username")), _NO_FILE_NAME, ": "))
    customers.files[index] = file
    customers.with_login_url += [str(username)] * (login_url is True)
    _add_plan_and_client(customers, index, site, plans)
    owner = {"client": username}
    for kind, decided in LISTS.items():
        for number, item in _items(site.get(kind)):
            customers.add(kind, {**item, **(owner if decided else {})}, (kind, number), index)


def _readable(site: Mapping[str, Any]) -> dict[str, Any]:
    """What of a customer with a username has the right form, so that mistakes in it can be told too."""
    plan, file = site.get("plan"), site.get("credentials_file")
    client = {name: value for name, value in site["client"].items() if name not in _NOT_OF_CLIENT}
    has_own_plan = client.get("hosting_plan") is not None or client.get("id_hosting_plan") is not None
    return {
        "client": client,
        "plan": plan if isinstance(plan, dict) and plan.get("name") and not has_own_plan else None,
        "hosting_plan": None if has_own_plan else site.get("hosting_plan"),
        "credentials_file": file if isinstance(file, str) else None,
        **{kind: site[kind] for kind in LISTS if isinstance(site.get(kind), list)},
    }


def _in_words(path: MemberPath) -> str:
    """A path as messages name it: client, or emails[1]."""
    return "".join(f"[{step}]" if isinstance(step, int) else str(step) for step in path)


def _items(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """The dictionaries of a list with their places."""
    return [(number, item) for number, item in enumerate(value or ()) if isinstance(item, dict)]


def _file_of(username: str, directory: str | None) -> str | None:
    """None without a directory, and an empty text where the username is no name for a file."""
    if directory is None:
        return None
    return str(PurePath(directory, f"{username}.yml")) if _FILE_NAME.fullmatch(username) else ""


def _mistakes_in_site(site: Any) -> Iterator[str]:
    """What is wrong with the form of a customer; what is in the items, panel_resources knows."""
    if not isinstance(site, dict):
        yield "must be a dictionary with a client."
        return
    for name in site:
        if name not in _MEMBERS:
            yield f"{name}: there is no such member; there are {', '.join(_MEMBERS)}."
    if not isinstance(site.get("login_url", False), bool):
        yield "login_url: must be true or false."
    if not isinstance(site.get("credentials_file") or "", str):
        yield "credentials_file: must be the path of a file."
    yield from _mistakes_in_client_and_plan(site.get("client"), site.get("plan"), site.get("hosting_plan"))
    for kind, decided in LISTS.items():
        items = site.get(kind)
        if items is None:
            continue
        if not isinstance(items, list):
            yield f"{kind}: must be a list of dictionaries."
            continue
        yield from (
            f"{kind}[{number}]: must be a dictionary."
            for number, item in enumerate(items)
            if not isinstance(item, dict)
        )
        for number, item in _items(items):
            yield from (f"{kind}[{number}]: {name}: the owner is the client." for name in decided if name in item)
            if item.get("id") is not None and item.get("regenerate_password"):
                yield f"{kind}[{number}]: regenerate_password: {GIVE_THE_NAME}"


def _mistakes_in_client_and_plan(client: Any, plan: Any, hosting_plan: Any) -> Iterator[str]:
    named = ["plan"] * (plan is not None) + ["hosting_plan"] * (hosting_plan is not None)
    if not isinstance(client, dict) or client.get("username") in (None, ""):
        yield "client: must be a dictionary with a username."
    else:
        yield from (f"client.{name}: is not taken here." for name in _NOT_OF_CLIENT if name in client)
        if client.get("hosting_plan") is not None or client.get("id_hosting_plan") is not None:
            named.append("client")
    if isinstance(plan, dict) and plan.get("name"):
        yield from (f"plan.{name}: is not taken here." for name in _NOT_OF_PLAN if name in plan)
    elif plan is not None:
        yield "plan: must be a dictionary with a name."
    if len(named) > 1:
        yield f"the hosting plan is named in {' and in '.join(named)}; name it in one of them."


def _add_plan_and_client(
    customers: Customers, index: int, site: Mapping[str, Any], plans: dict[str, tuple[Any, str]]
) -> None:
    client, plan, place = dict(site["client"]), site.get("plan"), customers.place(index, ("plan",))
    if plan is not None:
        client["hosting_plan"] = plan["name"]
        customers.plans[index] = ("plan", "name")
        known, first = plans.setdefault(str(plan["name"]), (plan, place))
        if known is plan:
            customers.add("plans", plan, ("plan",), index)
        elif known != plan:
            customers.mistakes.append(f"{place}: plan {plan['name']} is one thing here and another in {first}.")
    elif site.get("hosting_plan") is not None:
        client["hosting_plan"] = site["hosting_plan"]
        customers.plans[index] = ("hosting_plan",)
    customers.add("clients", client, ("client",), index)


def _without_a_file(customers: Customers) -> Iterator[str]:
    """The objects whose password the panel would make up, of customers that have no file for it."""
    for kind, items in customers.resources.items():
        if KINDS[kind].password:
            for index, item in enumerate(items):
                if customers.files[customers.owners[kind][index]] is None and makes_a_password(item):
                    place = f"{customers.places[kind][index]} ({KINDS[kind].key_of(item)})"
                    yield Mistake(place, LOST_PASSWORD, ": ")


def _about(mistake: str) -> tuple[str, str]:
    """The item and the option of a mistake, by which it is told once."""
    if not isinstance(mistake, Mistake):
        return mistake, ""
    return mistake.place.partition(" ")[0], mistake.sentence.partition(":")[0]


def _not_sendable(resources: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    """What panel_resources would refuse as a whole, without a word of where it was written."""
    for kind, items in resources.items():
        for index, item in enumerate(items):
            for place, problem in problems_in(item):
                yield Mistake(f"{kind}[{index}]", f"{place_in_words(place)}: {problem}.")


def makes_a_password(given: Mapping[str, Any]) -> bool:
    """Whether the panel may have to generate a password. Whether the object exists already is not known here, and does not count."""
    if given.get("state") == "absent":
        return False
    # An object that is named by its id is never created.
    is_given = given.get("password") or given.get("password_hash") or given.get("id") is not None
    return bool(given.get("regenerate_password")) or not is_given
