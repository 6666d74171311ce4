# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives new objects the hashes of passwords that another panel shows.

The hashes stay inside of the task: no result, message or log has one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._errors import OptionError, name_subject_in_errors
from .._http.connection_settings import ENVIRONMENT, REQUIRED_OPTIONS, read_connection
from .._items.desired_items import Item
from .._kinds.registry import KINDS
from .._kinds.tables import CLIENT
from .._operation.operation import Task
from .._problems import Written, format_path, name_option_path
from .._schema.fields import OWNER
from .._schema.password_options import DesiredPassword
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import read_owner_id
from .._sources.snapshot_source import SnapshotSource
from .._values.password_hashes import NEW, STAYS, UNKNOWN, find_hash
from .actions import ObjectName

OPTION = "password_hashes_from"
_HASH = "password_hash"


@dataclass(frozen=True)
class HashElsewhere:
    """Says what the other panel shows of the password of an object.

    text: The hash as this panel gets it; empty where there is none that it takes.
    reason: Why there is none.
    """

    text: str = field(default="", repr=False)
    reason: str = ""


@dataclass(frozen=True)
class CarriedHashes:
    """Has the hashes for the items of a task.

    elsewhere: What the other panel shows, by kind and key of the items.
    without_password: The items that have no other password, so that a new object gets the hash.
    """

    elsewhere: Mapping[ObjectName, HashElsewhere]
    without_password: frozenset[ObjectName]

    def give(self, items: Mapping[str, list[Item]]) -> dict[str, list[Item]]:
        """Return the items, those with a hash with that in place of a password."""
        supplied = {}
        for plural, of_kind in items.items():
            supplied[plural] = [self._give_one(item) for item in of_kind]
        return supplied

    def list_secrets(self) -> list[str]:
        """Return the hashes, which nothing may show."""
        return [entry.text for entry in self.elsewhere.values() if entry.text]

    def report(
        self,
        items: Mapping[str, list[Item]],
        source: SnapshotSource,
        created: Collection[ObjectName],
    ) -> list[dict[str, str]]:
        """Return for each object whether its password stays.

        Args:
            items: What is desired.
            source: The lists of this panel.
            created: Kind and key of the objects that the task creates.

        Returns:
            Dictionaries of ``kind``, ``key``, ``outcome`` (stays, new or unknown) and ``why``.
        """
        panel = _ShownHashes(source)
        report = []
        for item in _select_items(items):
            name = (item.plural, item.key)
            elsewhere = self.elsewhere[name]
            if name in created:
                outcome, reason = _judge_new(elsewhere, name in self.without_password)
            else:
                outcome, reason = _judge_existing(elsewhere, item, panel)
            report.append({"kind": item.plural, "key": item.key, "outcome": outcome, "why": reason})
        return report

    def _give_one(self, item: Item) -> Item:
        name = (item.plural, item.key)
        if name not in self.without_password or not self.elsewhere[name].text:
            return item
        text = self.elsewhere[name].text
        password_kind = KINDS[item.plural].password
        of_system = text if password_kind is not None and password_kind.hash_os else None
        password = DesiredPassword(
            password_hash=text, password_hash_os=of_system, is_for_new_alone=True
        )
        return replace(item, desired=item.desired._replace(password=password))


def read_hashes(
    options: Mapping[str, Any], items: Mapping[str, list[Item]], task: Task
) -> CarriedHashes:
    """Read on the other panel what it shows of the passwords of the items.

    Args:
        options: The connection to the other panel, and the forms that this panel refuses.
        items: What is desired, by plural kind.
        task: Opens the session.

    Raises:
        PanelError: The other panel cannot be read; nothing was written.
    """
    panel = _ShownHashes(SnapshotSource(_make_opener(options, task)))
    passwords = _select_items(items)
    refused = options.get("refused_forms") or ()
    elsewhere = {}
    with name_subject_in_errors(written=Written.NOTHING):
        for item in passwords:
            elsewhere[(item.plural, item.key)] = _find_on(panel, item, refused)

    # A process gets the pairs as lists.
    generated = {(pair[0], pair[1]) for pair in task.handover.made_passwords}
    free = [(item.plural, item.key) for item in passwords if _is_free(item, generated)]
    return CarriedHashes(elsewhere, frozenset(free))


def _make_opener(options: Mapping[str, Any], task: Task) -> Any:
    """Return what opens the session with the other panel, once."""
    connection_options = {name: options.get(name) for name in ENVIRONMENT}
    # What the environment says of these is of the panel that gets the hashes.
    for name in REQUIRED_OPTIONS:
        if not connection_options[name]:
            cause = "is empty. Give that of the other panel here; no other place is read for it."
            raise OptionError(cause, option=(OPTION, name))
    try:
        connection = read_connection(connection_options)
    except OptionError as error:
        problem = error.problem
        error.problems = (replace(problem, path=(OPTION, *problem.path)),)
        raise
    typed_names = task.handover.names
    names = {
        name: format_path(name_option_path((OPTION, name), typed_names)) for name in ENVIRONMENT
    }
    if task.connect_to is None:
        raise OptionError("this task has no way to another panel.", option=OPTION)
    session = task.connect_to(replace(connection, names=names))
    return lambda: session


def _select_items(items: Mapping[str, list[Item]]) -> list[Item]:
    """Return the items of objects that are to have a password."""
    selected: list[Item] = []
    for plural, of_kind in items.items():
        if KINDS[plural].password is not None:
            selected += [item for item in of_kind if not item.is_absent]
    return selected


def _is_free(item: Item, generated: Collection[tuple[str, int]]) -> bool:
    """Tell whether an item names no password of its own.

    One that was made for the case that there is no hash does not count, unless an earlier run may
    have set it.
    """
    password = item.desired.password
    if password.regenerate or password.always:
        return False
    return not password.build_body() or (item.plural, item.index) in generated


# What a panel shows


class _ShownHashes:
    """The hashes that a panel shows, in its lists or with single objects."""

    def __init__(self, source: SnapshotSource) -> None:
        self._source = source
        # By kind whose list has no hashes: whether single objects have them.
        self._has_alone: dict[str, bool] = {}

    def find_object(self, item: Item) -> PanelObject | None:
        """Return the object of an item; None where there is none, or several."""
        key: dict[str, Any] = {}
        for key_field in KINDS[item.plural].key:
            if key_field.name == OWNER:
                key[key_field.name] = self._find_owner_id(item)
            elif key_field.name in item.desired.key:
                key[key_field.name] = item.desired.key[key_field.name]
            else:
                return None

        candidates = self._source.get_objects(KINDS[item.plural]).list_candidates(key)
        if len(candidates) != 1:
            return None
        return candidates[0]

    def is_of_another_client(self, item: Item, panel_object: PanelObject) -> bool:
        """Tell whether an object belongs to another client than the item says."""
        owner = _name_owner(item)
        return owner not in (
            "",
            self._source.find_name_of(CLIENT.path, read_owner_id(panel_object)),
        )

    def read(self, plural: str, panel_object: PanelObject) -> str:
        """Return the hash of an object; empty where the panel shows none."""
        if _HASH not in panel_object and self._shows_alone(plural, panel_object):
            panel_object = self._source.get_objects(KINDS[plural]).fetch(panel_object["id"]) or {}
        text = panel_object.get(_HASH)
        return text if isinstance(text, str) else ""

    def _find_owner_id(self, item: Item) -> Any:
        owner = _name_owner(item)
        client = self._source.find(CLIENT.path, owner) if owner else None
        return (client or {}).get("id")

    def _shows_alone(self, plural: str, panel_object: PanelObject) -> bool:
        """Tell whether single objects have hashes, of which the list has none; one is asked for."""
        if plural not in self._has_alone:
            alone = self._source.get_objects(KINDS[plural]).fetch(panel_object["id"]) or {}
            self._has_alone[plural] = _HASH in alone
        return self._has_alone[plural]


def _find_on(panel: _ShownHashes, item: Item, refused: Sequence[str]) -> HashElsewhere:
    """Return what the other panel shows of the password of an item's object."""
    title = KINDS[item.plural].title
    panel_object = panel.find_object(item)
    if panel_object is None:
        return HashElsewhere(reason=f"The other panel has no such {title}.")
    if panel.is_of_another_client(item, panel_object):
        return HashElsewhere(reason=f"The {title} of the other panel is another client's.")

    text, reason = find_hash(item.plural, panel.read(item.plural, panel_object), refused)
    return HashElsewhere(text, reason)


def _name_owner(item: Item) -> str:
    """Return the username of the client of an item; empty where the item does not say it."""
    for reference in item.desired.references:
        if reference.path == (OWNER,):
            return reference.name or ""
    return ""


# What becomes of the passwords


def _judge_new(elsewhere: HashElsewhere, is_free: bool) -> tuple[str, str]:
    if not is_free:
        return NEW, "The task gives another password."
    if not elsewhere.text:
        return NEW, elsewhere.reason
    return STAYS, ""


def _judge_existing(elsewhere: HashElsewhere, item: Item, panel: _ShownHashes) -> tuple[str, str]:
    """Compare the hashes of both panels, of an object that is on this one already."""
    if not elsewhere.text:
        return NEW, elsewhere.reason
    existing = panel.find_object(item)
    stored = "" if existing is None else panel.read(item.plural, existing)
    if not stored:
        return UNKNOWN, "This panel does not show the hash of the password."
    if find_hash(item.plural, stored)[0] == elsewhere.text:
        return STAYS, ""
    return NEW, "This panel has another password."
