# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps account of each row of a source: as what it is carried, or why it is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .._import_source.source_shape import FieldLeftOut, LeftOut, Origin
from .mapped_source import TABLE, Item, ItemsByKind, ObjectName, ResultEntry

_PLANS = "plans"
_HASH = "password_hash"
_SKIPPED = "mapping.skip names this kind."
ORPHAN = "Its customer does not exist."
"""Why a row does not arrive whose customer is in no list of the source."""
_WHOLE = "object"
"""The field that is left out of a row which is carried too, where nobody has said which it is."""


class RowName(NamedTuple):
    """Names a row of the source, as messages do.

    Attributes:
        customer: The username of its owner at the source; None for an orphan or a plan.
        plural: The plural of its kind.
        key: The source's name of the object, without a secret.
        origin: The row.
    """

    customer: str | None
    plural: str
    key: str
    origin: Origin

    @property
    def identity(self) -> tuple[str, str]:
        """Return what tells the row from others: one row may be a site and a certificate."""
        return str(self.origin), self.plural


class _EntryKey(NamedTuple):
    """What two entries of left_out are the same by.

    Attributes:
        identity: That of the row.
        key: The source's name of the object.
        field: What is left out of it; empty for the whole row.
        reason: Why; empty where one reason is enough.
    """

    identity: tuple[str, str]
    key: str
    field: str
    reason: str


class _Carried(NamedTuple):
    customer: str | None
    plural: str
    key: str
    origin: Origin


class _LeftOutRow(NamedTuple):
    row: RowName
    field: str
    part_name: str
    reason: str


class _Renamed(NamedTuple):
    customer: str | None
    plural: str
    old_name: str
    new_name: str
    reason: str


class _Question(NamedTuple):
    customer: str | None
    mapping: str
    about: str
    default: str | None


@dataclass
class Ledger:
    """Collects items and what became of each row.

    Attributes:
        usernames: By username of the source the one of the folder.
        skipped_kinds: Kinds that the folder does not get.
        items: The items by customer of the source and by kind.
        kept_passwords: By object with a password whether it stays.
    """

    usernames: Mapping[str, str]
    skipped_kinds: frozenset[str] = frozenset()
    items: dict[str | None, ItemsByKind] = field(default_factory=dict)
    kept_passwords: dict[tuple[str | None, ObjectName], bool] = field(default_factory=dict)
    _carried: dict[_Carried, None] = field(default_factory=dict)
    _left_out: dict[_LeftOutRow, None] = field(default_factory=dict)
    _renamed: dict[_Renamed, None] = field(default_factory=dict)
    _questions: dict[_Question, int] = field(default_factory=dict)
    _carried_rows: set[tuple[str, str]] = field(default_factory=set)

    def find_client(self, customer: str | None) -> str | None:
        """Return the username in the folder; None for an orphan."""
        if customer is None:
            return None
        return self.usernames.get(customer)

    # What is entered

    def add_item(self, customer: str | None, plural: str, item: Item) -> None:
        """Add an item of the folder."""
        if plural in self.skipped_kinds:
            return
        self.items.setdefault(customer, {}).setdefault(plural, []).append(item)

    def carry(self, row: RowName, key: str) -> None:
        """Enter that a row arrives as an object, or as a part of it.

        Args:
            row: The row.
            key: The key of the object in the folder.
        """
        if row.plural in self.skipped_kinds:
            self.leave_out(row, _SKIPPED)
            return
        self._carried[_Carried(row.customer, row.plural, key, row.origin)] = None
        self._carried_rows.add(row.identity)

    def leave_out(self, row: RowName, reason: str, part_name: str = "") -> None:
        """Enter that a row does not arrive. One whose customer does not exist belongs to no client.

        Args:
            row: The row.
            reason: Why, in a whole sentence for people. No code reads it.
            part_name: What it is of the object that the same row also is, if it is one.
        """
        if row.customer not in self.usernames:
            row = row._replace(customer=None)
        self._left_out[_LeftOutRow(row, "", part_name or _WHOLE, reason)] = None

    def leave_field(self, row: RowName, name: str, reason: str) -> None:
        """Enter that an object arrives without a field."""
        self._left_out[_LeftOutRow(row, name, "", reason)] = None

    def leave_fields(self, row: RowName, fields: Iterable[FieldLeftOut]) -> None:
        """Enter the fields that a reader leaves out of an object that arrives."""
        for omitted in fields:
            self.leave_field(row, omitted.field, omitted.reason)

    def rename(
        self, customer: str | None, plural: str, old_name: str, new_name: str, reason: str
    ) -> None:
        """Enter that an object has another name in the folder."""
        if plural in self.skipped_kinds:
            return
        self._renamed[_Renamed(customer, plural, old_name, new_name, reason)] = None

    def ask(
        self, customer: str | None, plural: str, mapping: str, about: str, default: str | None
    ) -> None:
        """Enter a question to the operator. An object that is skipped has none.

        Args:
            customer: Whose object asks.
            plural: The plural of its kind.
            mapping: The part of the mapping that answers it.
            about: The source's word.
            default: What was assumed.
        """
        if plural in self.skipped_kinds:
            return
        question = _Question(customer, mapping, about, default)
        self._questions[question] = self._questions.get(question, 0) + 1

    def count_password(self, customer: str | None, plural: str, key: str, is_kept: bool) -> None:
        """Enter whether an object keeps its password."""
        if plural in self.skipped_kinds:
            return
        name = ObjectName(self.find_client(customer), plural, key)
        self.kept_passwords[(customer, name)] = is_kept

    def find_missing(self, rows: Iterable[RowName]) -> list[RowName]:
        """Return the rows that are in none of the lists as what they are."""
        entered = set(self._carried_rows)
        entered.update(entry.row.identity for entry in self._left_out)
        return [row for row in rows if row.identity not in entered]

    def enter_reader_omissions(self, omissions: Iterable[LeftOut]) -> None:
        """Enter what the reader of the source has left out."""
        for omitted in omissions:
            row = RowName(omitted.customer, omitted.plural, omitted.key, omitted.origin)
            if omitted.field:
                self.leave_field(row, omitted.field, omitted.reason)
            else:
                self.leave_out(row, omitted.reason)

    # What results have

    def list_carried(self, chosen: ChosenClients) -> list[ResultEntry]:
        """Return the rows that arrive."""
        return [
            {
                "client": self.find_client(entry.customer),
                "kind": entry.plural,
                "key": clean_text(entry.key),
                **_name_origin(entry.origin),
            }
            for entry in self._carried
            if chosen.has(entry.customer, entry.plural)
        ]

    def list_left_out(self, chosen: ChosenClients) -> list[ResultEntry]:
        """Return the rows, and the fields of rows, that do not arrive."""
        entries: dict[_EntryKey, ResultEntry] = {}
        for omitted in self._select_omissions(chosen):
            row = omitted.row
            name = self._find_field(omitted)
            # An object has one password, however many rows and reasons speak of it.
            reason = "" if name == _HASH else omitted.reason
            key = _EntryKey(row.identity, row.key, name, reason)
            if key not in entries:
                client = self.find_client(row.customer)
                entries[key] = _make_entry(client, row, name, omitted.reason)
        return list(entries.values())

    def _select_omissions(self, chosen: ChosenClients) -> Iterator[_LeftOutRow]:
        """Yield what a result lists: of an object that does not arrive, none of its fields."""
        whole_rows = {omitted.row.identity for omitted in self._left_out if not omitted.field}
        lost_rows = whole_rows - self._carried_rows
        for omitted in self._left_out:
            row = omitted.row
            if omitted.field and row.identity in lost_rows:
                continue
            kind = row.plural if row.identity in self._carried_rows else ""
            if chosen.has(row.customer, kind):
                yield omitted

    def _find_field(self, omitted: _LeftOutRow) -> str:
        """Return what of its object is left out; empty for the whole object."""
        if omitted.field or omitted.row.identity not in self._carried_rows:
            return omitted.field
        return omitted.part_name

    def list_renamed(self, chosen: ChosenClients) -> list[ResultEntry]:
        """Return the names that changed."""
        return [
            {
                "client": self.find_client(entry.customer),
                "kind": entry.plural,
                "from": clean_text(entry.old_name),
                "to": clean_text(entry.new_name),
                "why": clean_text(entry.reason),
            }
            for entry in self._renamed
            if chosen.has(entry.customer, entry.plural)
        ]

    def list_questions(self, chosen: ChosenClients) -> list[ResultEntry]:
        """Return each question once, in the order of the mapping's parts and the source's words."""
        questions = {
            (entry.mapping, entry.about): entry.default
            for entry in self._questions
            if chosen.has(entry.customer)
        }
        return [
            {"mapping": mapping, "about": clean_text(about), "default": questions[(mapping, about)]}
            for mapping, about in sorted(questions)
        ]

    def count_questions(self, chosen: ChosenClients) -> dict[tuple[str, str], int]:
        """Return how many objects ask each question, by part of the mapping and source's word."""
        counts: dict[tuple[str, str], int] = {}
        for entry, number in self._questions.items():
            if chosen.has(entry.customer):
                name = (entry.mapping, clean_text(entry.about))
                counts[name] = counts.get(name, 0) + number
        return counts


def _name_origin(origin: Origin) -> ResultEntry:
    """Return what an entry has of the row that it is about."""
    return {"source": clean_text(str(origin)), TABLE: origin.table}


def _make_entry(client: str | None, row: RowName, name: str, reason: str) -> ResultEntry:
    """Return an entry of left_out."""
    entry: ResultEntry = {
        "client": client,
        "kind": row.plural,
        "key": clean_text(row.key),
        **_name_origin(row.origin),
    }
    if name:
        entry["field"] = clean_text(name)
    entry["why"] = clean_text(reason)
    return entry


def clean_text(text: str) -> str:
    """Return a text without halves of characters, which no result can hold."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class ChosenClients:
    """Which customers of the source an import is about.

    Attributes:
        names: Their usernames at the source; None for all, and for what belongs to no one.
    """

    names: frozenset[str] | None = None

    def has(self, customer: str | None, plural: str = "") -> bool:
        """Tell whether an object of a customer is in the result.

        Args:
            customer: The username at the source.
            plural: What it is in the directory; plans are there only for those who need them.
        """
        return self.names is None or customer in self.names or plural == _PLANS
