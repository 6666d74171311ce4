# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes clients of customers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....module_utils._kinds.tables import CLIENT
from ....module_utils._values.value_types import quote_value
from ..._import_source.source_shape import Customer
from ..import_ledger import Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item
from ..operator_mapping import OperatorMapping
from .hashes import add_hash

KIND = "clients"
_CONTACT_FIELDS = tuple(
    path[1] for path, _declared in CLIENT.walk_fields() if path[0] == "contact_data"
)
_COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[A-Z]{2})?", re.ASCII)
_LANGUAGES = {
    "català": "ca",
    "deutsch": "de",
    "english": "en",
    "español": "es",
    "français": "fr",
    "francais": "fr",
    "german": "de",
    "italiano": "it",
    "italian": "it",
    "magyar": "hu",
    "nederlands": "nl",
    "dutch": "nl",
    "polski": "pl",
    "português": "pt",
    "svenska": "sv",
    "türkçe": "tr",
    "русский": "ru",
}
_SEPARATORS = re.compile(r"[,;\s]+")
_ONE_ADDRESS = "The panel keeps one address of a client; the first of the source is carried."
_NO_CODE = "{} is no code of two letters."
_NO_LANGUAGE = "{!r} is no code of a language; mapping.languages can say which it is."
_NO_CONTACT = "The panel has no such field."
_DUPLICATE = "Another customer of the source has the same username."
_NO_PLAN = "mapping.skip names plans."
_RESELLER = "Reseller: {}"


def map_client(
    ledger: Ledger, customer: Customer, plan: str | None, mapping: OperatorMapping, keeps: bool
) -> None:
    """Add the client of a customer to the folder.

    Args:
        ledger: Gets the item, and what became of the row.
        customer: The customer.
        plan: The hosting plan of the folder, or of the operator.
        mapping: The decisions of the operator.
        keeps: Whether hashes of passwords are taken over.
    """
    username = ledger.usernames[customer.username]
    row = RowName(customer.username, KIND, customer.username, customer.origin)
    item: Item = {"username": username}
    _add_address(ledger, row, item, customer.email)
    _add_language(ledger, row, item, customer.language, mapping.languages)
    notes = _join_notes(customer)
    if notes:
        item["notes"] = notes
    if plan is not None and "plans" in mapping.skip:
        ledger.leave_field(row, "hosting_plan", _NO_PLAN)
    elif plan is not None:
        item["hosting_plan"] = plan
    if customer.is_locked:
        item["is_suspended"] = True
    contact = _read_contact(ledger, row, customer.contact)
    if contact:
        item["contact_data"] = contact

    is_kept = add_hash(ledger, row, item, customer.hash, keeps)
    ledger.count_password(customer.username, KIND, username, is_kept)
    place_item(ledger, [row], item, username)
    ledger.leave_fields(row, customer.fields_left_out)


def leave_out_duplicate(ledger: Ledger, customer: Customer) -> None:
    """Account for a customer whose username another one has too."""
    row = RowName(customer.username, KIND, customer.username, customer.origin)
    ledger.leave_out(row, _DUPLICATE)


def leave_out_plan(ledger: Ledger, customer: Customer, reason: str) -> None:
    """Enter why a client arrives without a hosting plan. reason: empty where it has one."""
    if reason:
        row = RowName(customer.username, KIND, customer.username, customer.origin)
        ledger.leave_field(row, "hosting_plan", reason)


def _add_address(ledger: Ledger, row: RowName, item: Item, text: str) -> None:
    addresses = [address for address in _SEPARATORS.split(text) if address]
    if not addresses:
        return
    item["email"] = addresses[0]
    if len(addresses) > 1:
        ledger.leave_field(row, "email", _ONE_ADDRESS)


def _add_language(
    ledger: Ledger, row: RowName, item: Item, language_name: str, asked: Mapping[str, str]
) -> None:
    if not language_name:
        return
    language = asked.get(language_name) or _LANGUAGES.get(language_name.lower(), language_name)
    if language_name not in asked and not _LANGUAGE.fullmatch(language):
        ledger.leave_field(row, "language", _NO_LANGUAGE.format(language_name[:40]))
        return
    item["language"] = language


def _join_notes(customer: Customer) -> str:
    notes = [customer.notes.strip("\n")]
    if customer.reseller:
        notes.append(_RESELLER.format(customer.reseller))
    return "\n".join(filter(None, notes))


def _read_contact(ledger: Ledger, row: RowName, contact: Mapping[str, str]) -> Item:
    """Return the fields of the contact that the panel has, in its order."""
    fields: Item = {}
    for name in _CONTACT_FIELDS:
        value = contact.get(name, "")
        if name == "country":
            value = value.strip().upper()
            if value and not _COUNTRY.fullmatch(value):
                ledger.leave_field(row, "contact_data.country", _NO_CODE.format(quote_value(value)))
                continue
        if value:
            fields[name] = value

    for name in sorted(contact.keys() - set(_CONTACT_FIELDS)):
        ledger.leave_field(row, f"contact_data.{name}", _NO_CONTACT)
    return fields
