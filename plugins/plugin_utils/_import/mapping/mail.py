# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes mailboxes of mailboxes, forwards, aliases, alias domains and catch-alls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..._import_source.source_shape import CatchAll, Forward, Mailbox, Source
from ..import_ledger import Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item
from ..naming.domain_names import read_domain_name
from ..operator_mapping import DEFAULT_MAILBOX_SIZE, OperatorMapping
from .domains import MappedDomains
from .hashes import add_hash
from .mail_drafts import (
    KIND,
    CheckedTargets,
    Draft,
    Drafts,
    check_targets,
    get_domain,
    read_mail_address,
)

_CATCH_ALL = "catch-all"

_DUPLICATE = "The source has this mailbox twice; the first one is carried."
_NO_TARGET = "It forwards to nothing."
_TO_ITSELF = "It forwards to itself only."
_ALIAS_TAKEN = "The source has this address twice; the first one is carried."
_INACTIVE = "It is switched off at the source, and the panel has no switch for a mailbox."
_ONE_CATCH_ALL = "The domain has another catch-all."
_LOST_TARGET = "It leads to {}, which does not arrive."
_NO_MAILBOX = "The domain {} has no address that arrives."
_NO_CATCH_ALL = (
    "Mail for all other addresses of {} goes to a mailbox; the panel cannot do that for another "
    "domain too."
)
_SPELLING = "The panel keeps addresses in lower case."
_LOGIN = "Mailboxes of the panel log in with their address."


class MailMapper:
    """Adds mailboxes to the folder."""

    def __init__(
        self,
        ledger: Ledger,
        source: Source,
        domains: MappedDomains,
        mapping: OperatorMapping,
        keeps: bool,
    ) -> None:
        """Prepare to add mailboxes.

        Args:
            ledger: Gets the items, and what became of each row.
            source: What the other panel says.
            domains: The domains of the folder.
            mapping: The decisions of the operator.
            keeps: Whether hashes of passwords are taken over.
        """
        self._ledger = ledger
        self._source = source
        self._domains = domains
        self._mapping = mapping
        self._keeps = keeps
        self._drafts = Drafts(ledger, domains.mail_domains)
        self._with_catch_all: set[str] = set()

    def map_all(self) -> list[tuple[RowName, str]]:
        """Add all mailboxes; return row and address of those with storage.

        Each pass finds what the passes before it have drafted: a forward may be another name of a
        mailbox, a catch-all may lead to either, and an alias domain has a name for each address.
        """
        self._draft_mailboxes()
        self._draft_forwards()
        self._draft_catch_alls()
        self._draft_alias_domains()
        return self._place_drafts()

    def _place_drafts(self) -> list[tuple[RowName, str]]:
        """Add what was drafted to the folder; return row and address of those with storage."""
        stored = []
        for address in sorted(self._drafts.by_address):
            draft = self._drafts.by_address[address]
            if self._place(draft) and draft.mailbox is not None:
                stored.append((draft.rows[0], address))
        return stored

    # Mailboxes

    def _draft_mailboxes(self) -> None:
        for mailbox in self._source.mailboxes:
            self._draft_mailbox(mailbox)

    def _draft_mailbox(self, mailbox: Mailbox) -> None:
        row = RowName(mailbox.customer, KIND, mailbox.address, mailbox.origin)
        rows = [row]
        if mailbox.hash_origin is not None:
            rows.append(row._replace(origin=mailbox.hash_origin))
        address = read_mail_address(mailbox.address)
        reason = self._drafts.find_refusal(row, address)
        if not reason and address in self._drafts.by_address:
            reason = _DUPLICATE
        if not reason and not mailbox.is_active:
            reason = _INACTIVE
        if reason or address is None:
            self._leave_out(rows, reason, "mailbox")
            return

        draft = Draft(mailbox.customer, address, mailbox, rows, description=mailbox.description)
        targets = check_targets(mailbox.copies)
        _add_forwardings(draft, row, targets)
        self._drafts.add(draft)

    # Forwards and aliases

    def _draft_forwards(self) -> None:
        for forwards in self._group_forwards():
            self._draft_forward(forwards)

    def _group_forwards(self) -> list[list[Forward]]:
        """Return the rows of each address; those that are only another name of something come
        last.
        """
        groups: dict[tuple[str, str], list[Forward]] = {}
        for forward in self._source.forwards:
            address = read_mail_address(forward.address) or forward.address
            groups.setdefault((forward.customer, address), []).append(forward)
        return sorted(groups.values(), key=lambda group: all(entry.is_alias for entry in group))

    def _draft_forward(self, forwards: list[Forward]) -> None:
        """Draft what the rows of one address say."""
        rows = [RowName(entry.customer, KIND, entry.address, entry.origin) for entry in forwards]
        address = read_mail_address(forwards[0].address)
        reason = self._drafts.find_refusal(rows[0], address)
        targets = _join_targets(forwards)
        if not reason and address is not None:
            reason = _explain_useless(targets, address)
        if reason or address is None:
            self._leave_out(rows, reason, "forwardings")
            return

        draft = self._drafts.by_address.get(address)
        if draft is None:
            aliased = self._find_aliased(forwards, address, targets)
            if aliased is not None:
                self._drafts.add_alias(aliased, address)
                aliased.add_rows(rows, forwards)
                return
            if address in self._drafts.holders:
                self._leave_out(rows, _ALIAS_TAKEN, "forwardings")
                return
            draft = self._drafts.add(Draft(forwards[0].customer, address))

        draft.add_rows(rows, forwards)
        draft.description = draft.description or forwards[0].description
        _add_forwardings(draft, rows[0], targets)

    def _leave_out(self, rows: Iterable[RowName], reason: str, part_name: str) -> None:
        """Enter that rows do not arrive, which are this part of an object."""
        for row in rows:
            self._ledger.leave_out(row, reason, part_name)

    def _find_aliased(
        self, forwards: list[Forward], address: str, targets: CheckedTargets
    ) -> Draft | None:
        """Return the object that an address is only another name of."""
        is_alias = all(entry.is_alias for entry in forwards)
        if not is_alias or len(targets.addresses) != 1 or targets.refused:
            return None
        holder = self._drafts.holders.get(read_mail_address(next(iter(targets.addresses))) or "")
        if holder is None or holder.customer != forwards[0].customer:
            return None
        if holder.address == address:
            return None
        return holder

    # Catch-alls

    def _draft_catch_alls(self) -> None:
        for catch_alls in self._group_catch_alls():
            self._draft_catch_all(catch_alls)

    def _group_catch_alls(self) -> list[list[CatchAll]]:
        """Return the rows of each domain."""
        groups: dict[tuple[str, str], list[CatchAll]] = {}
        for catch_all in self._source.catch_alls:
            groups.setdefault((catch_all.customer, catch_all.domain), []).append(catch_all)
        return list(groups.values())

    def _draft_catch_all(self, catch_alls: list[CatchAll]) -> None:
        """Draft what the rows of one domain say."""
        first = catch_alls[0]
        rows = [
            RowName(entry.customer, KIND, f"@{entry.domain}", entry.origin) for entry in catch_alls
        ]
        domain = read_domain_name(first.domain)
        address = None if domain is None else f"{_CATCH_ALL}@{domain}"
        targets = _join_targets(catch_alls)
        lost_targets = self._take_out_lost(targets, domain)
        reason = (
            self._drafts.find_refusal(rows[0], address)
            or _explain_no_targets(targets, lost_targets)
            or (_ONE_CATCH_ALL if domain in self._with_catch_all else "")
        )
        if reason or domain is None:
            self._leave_out(rows, reason, "catch_all")
            return

        draft = self._find_local_target(domain, first.customer, targets)
        if draft is None:
            address = self._choose_address(domain, catch_alls, targets)
            draft = Draft(first.customer, address, description=first.description)
            self._drafts.add(draft)
            _add_forwardings(draft, rows[0], targets)
        elif targets.refused:
            draft.fields_left_out.append((rows[0], "forwardings", targets.describe_refused()))
        for target in lost_targets:
            draft.fields_left_out.append((rows[0], "forwardings", _LOST_TARGET.format(target)))
        draft.is_catch_all = True
        draft.add_rows(rows, catch_alls)
        self._with_catch_all.add(domain)

    def _take_out_lost(self, targets: CheckedTargets, domain: str | None) -> list[str]:
        """Take out the targets in the domain of a catch-all that do not arrive, and return them.

        Mail for them would come back to the catch-all.
        """
        lost_targets = [
            target
            for target in targets.addresses
            if get_domain(target) == domain
            and read_mail_address(target) not in self._drafts.holders
        ]
        for target in lost_targets:
            del targets.addresses[target]
        return lost_targets

    def _find_local_target(
        self, domain: str, customer: str, targets: CheckedTargets
    ) -> Draft | None:
        """Return the object of the same domain that alone gets the mail."""
        if len(targets.addresses) != 1:
            return None
        holder = self._drafts.holders.get(read_mail_address(next(iter(targets.addresses))) or "")
        if holder is None or holder.customer != customer or holder.domain != domain:
            return None
        return holder

    def _choose_address(
        self, domain: str, catch_alls: list[CatchAll], targets: CheckedTargets
    ) -> str:
        """Return an address for mail to all others of a domain: the source's, or a free one."""
        for catch_all in catch_alls:
            address = read_mail_address(catch_all.address)
            is_free = address is not None and address not in (
                *self._drafts.holders,
                *targets.addresses,
            )
            if address is not None and is_free and get_domain(address) == domain:
                return address

        local = _CATCH_ALL
        number = 2
        while f"{local}@{domain}" in self._drafts.holders:
            local = f"{_CATCH_ALL}-{number}"
            number += 1
        return f"{local}@{domain}"

    # Alias domains

    def _draft_alias_domains(self) -> None:
        """Give each address of a domain its name in the domains that are other names of it."""
        addresses_by_domain: dict[str, list[str]] = {}
        for address in self._drafts.holders:
            addresses_by_domain.setdefault(get_domain(address), []).append(address)

        for alias_domain in self._source.mail_alias_domains:
            row = RowName(alias_domain.customer, KIND, alias_domain.name, alias_domain.origin)
            name = read_domain_name(alias_domain.name)
            target = read_domain_name(alias_domain.target)
            reason = self._drafts.find_refusal(row, None if name is None else f"x@{name}")
            addresses = addresses_by_domain.get(target or "", [])
            if not reason and not self._add_domain_aliases(row, addresses, name or ""):
                reason = _NO_MAILBOX.format(alias_domain.target)
            if reason:
                self._ledger.leave_out(row, reason, "aliases")
            elif target in self._with_catch_all:
                self._ledger.leave_field(row, "catch_all", _NO_CATCH_ALL.format(target))

    def _add_domain_aliases(self, row: RowName, addresses: Iterable[str], domain: str) -> bool:
        """Give addresses their names in another domain; tell whether the row is part of one."""
        results = [self._add_domain_alias(row, address, domain) for address in addresses]
        return any(results)

    def _add_domain_alias(self, row: RowName, address: str, domain: str) -> bool:
        """Give an address its name in another domain; tell whether the row is part of it."""
        holder = self._drafts.holders[address]
        alias = f"{address.rpartition('@')[0]}@{domain}"
        if holder.customer != row.customer or alias in self._drafts.holders:
            return False
        if address.startswith(f"{_CATCH_ALL}@") and holder.mailbox is None and holder.is_catch_all:
            return False
        self._drafts.add_alias(holder, alias)
        if row not in holder.rows:
            holder.rows.append(row)
        return True

    # Items

    def _place(self, draft: Draft) -> bool:
        """Add an object to the folder; tell whether it arrives."""
        item = self._make_item(draft)
        row = draft.rows[0]
        is_kept = False
        if draft.mailbox is not None:
            is_kept = add_hash(self._ledger, row, item, draft.mailbox.hash, self._keeps)
        if place_item(self._ledger, draft.rows, item, draft.address) is None:
            return False

        for omitted in draft.fields_left_out:
            self._ledger.leave_field(*omitted)
        if draft.mailbox is not None:
            self._ledger.count_password(draft.customer, KIND, draft.address, is_kept)
            self._enter_mailbox(row, draft, draft.mailbox)
        return True

    def _make_item(self, draft: Draft) -> Item:
        """Return the options of an object, without a password."""
        item: Item = {
            "email": draft.address,
            "client": self._ledger.usernames[draft.customer],
        }
        if draft.description:
            item["description"] = draft.description
        if draft.mailbox is not None:
            item["max_size"] = self._choose_size(draft.mailbox)
        if draft.is_catch_all:
            item["catch_all"] = True
        if draft.forwardings:
            item["store_forwarded_emails"] = draft.mailbox is not None
        if draft.aliases:
            item["aliases"] = sorted(draft.aliases)
        if draft.forwardings:
            item["forwardings"] = sorted(draft.forwardings)
        return item

    def _choose_size(self, mailbox: Mailbox) -> int:
        """Return the size of a mailbox; ask for that of one without a limit."""
        if mailbox.quota > 0:
            return mailbox.quota
        if self._mapping.mailbox_size is None:
            self._ledger.ask(
                mailbox.customer, KIND, "mailbox_size", mailbox.address, DEFAULT_MAILBOX_SIZE
            )
        return self._mapping.get_size_without_limit()

    def _enter_mailbox(self, row: RowName, draft: Draft, mailbox: Mailbox) -> None:
        """Enter other names, and what the reader leaves out of a mailbox that arrives."""
        self._ledger.leave_fields(row, mailbox.fields_left_out)
        if mailbox.address != draft.address:
            self._ledger.rename(row.customer, KIND, mailbox.address, draft.address, _SPELLING)
        login = mailbox.login.strip()
        if login and login.lower() != draft.address:
            self._ledger.rename(row.customer, KIND, login, draft.address, _LOGIN)


def _join_targets(entries: Sequence[Forward | CatchAll]) -> CheckedTargets:
    """Return where the mail of several rows of one address goes."""
    return check_targets(target for entry in entries for target in entry.targets)


def _explain_useless(targets: CheckedTargets, address: str) -> str:
    """Return why an address leads nowhere; empty where it leads to something."""
    if not targets.addresses:
        return targets.describe_refused() if targets.refused else _NO_TARGET
    if _without_itself(targets.addresses.values(), address):
        return ""
    return _TO_ITSELF


def _explain_no_targets(targets: CheckedTargets, lost_targets: list[str]) -> str:
    """Return why a catch-all leads nowhere; empty where it leads to something."""
    if targets.addresses:
        return ""
    if lost_targets:
        return _LOST_TARGET.format(lost_targets[0])
    return targets.describe_refused() if targets.refused else _NO_TARGET


def _without_itself(targets: Iterable[str], address: str) -> list[str]:
    return [target for target in targets if read_mail_address(target) != address]


def _add_forwardings(draft: Draft, row: RowName, targets: CheckedTargets) -> None:
    """Add where mail goes, without the address itself."""
    for target in _without_itself(targets.addresses.values(), draft.address):
        draft.forwardings[target] = None
    if targets.refused:
        draft.fields_left_out.append((row, "forwardings", targets.describe_refused()))
