# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders certificates: all at once, with one write a zone for all of their challenge records. Private to the collection.

What an order has reached is in the state file after each step, so that a run that is killed is taken up where it was.
"""

from __future__ import annotations

import contextvars
import datetime
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypeVar

from .._jobs.job import Job
from .authority import Authority, AuthorityError, State, Trouble
from .name_servers import NameServer, wait_for_records
from .outcome import wrong_in
from .parts import write_parts
from .plan import Panel, challenges_of, records_by_zone, with_ttl
from .state import (
    CERTIFICATES,
    ORDERS,
    Content,
    challenges_in,
    issued_now,
    with_challenges,
    with_entries,
    without_challenges,
    without_orders,
)
from .state_file import StateFile
from .zones import Zones

try:
    from cryptography import x509
except ImportError:
    x509 = None  # type: ignore[assignment] # of Ansible's own libraries, and so missing only where nothing is run

# Enough that orders do not wait for one another, and few enough for any authority.
_AT_ONCE = 8
_PAUSE = 2.0
# Writing the state takes no more than this part of the time in which orders advance.
_SHARE_OF_WRITING = 0.1
_SAID_EVERY = 5.0
_UNDECIDED = "The authority has not decided in time. Run again, which goes on with the same order."

Entry = dict[str, Any]
T = TypeVar("T")


class Failures:
    """What failed, by the name of the certificate, in sentences. ``end``: why nothing else is asked of the authority; empty while it is."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self.end = ""
        # What was not tried after that.
        self.left: dict[str, None] = {}

    def has(self, name: str) -> bool:
        """Whether a certificate failed, or was not tried any more."""
        return name in self.of or name in self.left

    def add(self, name: str, error: AuthorityError) -> None:
        self.of[name] = str(error)
        if error.trouble.ends_run and not self.end:
            self.end = str(error)


class Ordering:
    """The orders of one run. ``failures`` gets what fails; ``done`` has the names of the certificates that were issued."""

    def __init__(
        self, job: Job, file: StateFile, authority: Authority, panel_name: str, panel: Panel, failures: Failures
    ) -> None:
        self._job, self._file, self._authority = job, file, authority
        self._panel_name, self._panel, self.failures = panel_name, panel, failures
        self.done: list[str] = []
        self._perhaps_ordered: list[Entry] = []
        # By zone a record of this run alone, where name servers may still have the challenges that an earlier one wrote and removed.
        self._marks: dict[str, Entry] = {}
        self._handed_in: set[str] = set()
        self._unwritten: dict[str, Entry] = {}
        self._next_writing = 0.0

    def begin(self, orders: Sequence[Entry]) -> None:
        """Makes keys and requests, which are kept before anything is asked for with them. Raises StateError."""
        # A run that was killed may have ordered them without having kept the address.
        self._perhaps_ordered = [one for one in orders if "request" in one and "order_uri" not in one]
        for order, (key, request) in self._each(orders, self._prepared, "requests made"):
            order.update(private_key=key, request=request)
        self._keep(order for order in orders if "request" in order)

    def _prepared(self, order: Entry) -> tuple[str, str]:
        if "request" in order:
            return order["private_key"], order["request"]
        key = self._authority.new_key(order["key_type"])
        return key, self._authority.request(key, order["names"])

    def carry_out(self, orders: Sequence[Entry], zones: Zones, dns_seconds: float, seconds: float) -> None:
        """Orders, proves and takes the certificates. Raises StateError. What it writes into zones, ``clean`` removes.

        zones: looked at before. dns_seconds, seconds: how long name servers, and then the authority, are waited for.
        """
        self._order(orders)
        open_orders = self._without_failed(orders)
        self._put_records([one for one in open_orders if one["challenges"]], zones.shown)
        self._prove([one for one in self._without_failed(open_orders) if one["challenges"]], zones.servers, dns_seconds)
        self._take(self._without_failed(open_orders), seconds)
        # What the authority refused is not asked for again with the same order.
        self._keep(one for one in orders if one.get("is_over"))

    def _order(self, orders: Sequence[Entry]) -> None:
        """Asks for each order that is not under way from an earlier run, and then for what is to be proven for each."""
        found = self._found_again()
        states: dict[str, State] = {}

        def ordered(order: Entry) -> tuple[str, State]:
            uri = order.get("order_uri") or found.get(order["name"])
            state = self._state_of_earlier(uri, order) if uri else None
            return (uri, state) if uri and state else self._authority.order(order["names"])

        for order, (uri, state) in self._each(orders, ordered, "orders made"):
            if order.get("order_uri") != uri:
                order.pop("challenges", None)
            order.update(order_uri=uri)
            states[order["name"]] = state
            self._keep([order], soon=True)
        made = [one for one in orders if one["name"] in states]
        for order, challenges in self._each(
            made, lambda order: self._to_prove(order, states[order["name"]]), "challenges read"
        ):
            if "challenges" in order:
                self._marks.update((one["zone"], _mark(one)) for one in challenges)
            order.update(challenges=challenges)
            self._keep([order], soon=True)
        self._keep([])

    def _to_prove(self, order: Entry, state: State) -> list[dict[str, str]]:
        if state.status != "pending":
            return []  # proven already
        if "challenges" in order:
            return list(order["challenges"])
        return challenges_of(self._authority.challenges(state, order["names"]), self._panel)

    def _found_again(self) -> dict[str, str]:
        """By certificate the address of an order that an earlier run made, where it has not kept it."""
        if not self._perhaps_ordered:
            return {}
        # Those of other panels too, since the account is the same.
        known = {one["order_uri"] for one in self._file.content().get(ORDERS) or () if "order_uri" in one}
        try:
            there = self._authority.open_orders(known)
        except AuthorityError:
            return {}  # they are ordered then, and the authority says what is wrong
        orders = [(one["name"], there.get(frozenset(one["names"]))) for one in self._perhaps_ordered]
        return {name: uris.pop() for name, uris in orders if uris}

    def _state_of_earlier(self, uri: str, order: Entry) -> State | None:
        """Where an order of an earlier run stands; None where it cannot become a certificate any more."""
        try:
            state = self._authority.state(uri, order["names"])
        except AuthorityError as error:
            if error.trouble is not Trouble.REFUSED:
                raise
            return None  # the authority does not know it any more
        return None if state.status == "invalid" else state

    def _put_records(self, orders: Sequence[Entry], shown: Mapping[str, Mapping[str, Any]]) -> None:
        challenges = self._challenges_of(orders)
        zones = {
            zone: with_ttl(records, shown.get(zone), zone) for zone, records in records_by_zone(challenges).items()
        }
        if not zones:
            return
        self._file.change(lambda content: with_challenges(content, self._panel_name, challenges))
        problems = write_records(self._job, zones, {"append": True})
        self._fail_in(orders, problems, "The challenge record could not be written:")

    def _challenges_of(self, orders: Sequence[Entry]) -> list[Entry]:
        challenges = [challenge for order in orders for challenge in order["challenges"]]
        return [*challenges, *(self._marks[zone] for zone in {one["zone"] for one in challenges} & set(self._marks))]

    def _fail_in(self, orders: Sequence[Entry], problems: Mapping[str, str], words: str) -> None:
        for order in orders:
            zones = dict.fromkeys(challenge["zone"] for challenge in order["challenges"])
            found = [f"{words} {zone}: {problems[zone]}" for zone in zones if zone in problems]
            if found:
                self.failures.of[order["name"]] = " ".join(one.rstrip(".") + "." for one in found)

    def _prove(self, orders: Sequence[Entry], servers: Mapping[str, Sequence[NameServer]], seconds: float) -> None:
        """Hands in the proofs of each order as soon as every name server of its zones has the records."""
        zones = records_by_zone(self._challenges_of(orders))
        waiting = {order["name"]: order for order in orders}
        for lacking in wait_for_records(zones, servers, seconds, self._job.say):
            ready = [one for one in waiting.values() if not any(each["zone"] in lacking for each in one["challenges"])]
            for order in ready:
                del waiting[order["name"]]
            for _order, _nothing in self._each(ready, self._hand_in_proof, "proofs handed in"):
                pass
            if self.failures.end:
                return
        self._fail_in(list(waiting.values()), lacking, "Not every name server has the challenge record:")

    def _hand_in_proof(self, order: Entry) -> None:
        names = order["names"]
        self._authority.prove(self._authority.state(order["order_uri"], names), names)

    def _take(self, orders: Sequence[Entry], seconds: float) -> None:
        """Takes the certificates, as soon as the authority has them; all orders are looked at in turns, so none waits for another."""
        deadline = time.monotonic() + seconds
        waiting = list(orders)
        while waiting:
            is_over = time.monotonic() > deadline
            undecided = []
            for order, found in self._each(waiting, self._look_at, "orders looked at"):
                if found is None:
                    undecided.append(order)
                    continue
                self.done.append(order["name"])
                order.update(certificate=found[0], chain=found[1])
                self._keep([order], soon=True)
            waiting = undecided
            if is_over:
                self.failures.of.update(dict.fromkeys((one["name"] for one in waiting), _UNDECIDED))
                break
            if waiting:
                time.sleep(_PAUSE)
        self._keep([])

    def _look_at(self, order: Entry) -> tuple[str, str] | None:
        """The certificate and those above it; None while the authority has not decided."""
        names = order["names"]
        state = self._authority.state(order["order_uri"], names)
        if state.status == "ready" and order["name"] not in self._handed_in:
            state = self._hand_in(order, state)
        if state.status == "invalid":
            order["is_over"] = True
            raise AuthorityError(Trouble.REFUSED, f"The authority says: {self._authority.refusal(state, names)}")
        return self._authority.certificate(state.certificate, names) if state.status == "valid" else None

    def _hand_in(self, order: Entry, state: State) -> State:
        self._handed_in.add(order["name"])
        try:
            return self._authority.finalize(state.finalize, order["request"], order["names"])
        except AuthorityError as error:
            if error.trouble is Trouble.REFUSED:
                order["is_over"] = True  # it would be refused again
            raise

    def _without_failed(self, orders: Sequence[Entry]) -> list[Entry]:
        if self.failures.end:
            self.failures.left.update((one["name"], None) for one in orders if one["name"] not in self.failures.of)
        return [one for one in orders if not self.failures.has(one["name"]) and "order_uri" in one]

    def _keep(self, orders: Iterable[Entry], soon: bool = False) -> None:
        """Writes what orders have reached into the state file; soon: perhaps together with what comes next."""
        self._unwritten.update((order["name"], order) for order in orders)
        started = time.monotonic()
        if self._unwritten and not (soon and started < self._next_writing):
            entries = list(self._unwritten.values())
            self._file.change(lambda content: recorded(content, entries))
            now, self._unwritten = time.monotonic(), {}
            self._next_writing = now + (now - started) / _SHARE_OF_WRITING

    def _each(self, orders: Sequence[Entry], step: Callable[[Entry], T], words: str) -> Iterator[tuple[Entry, T]]:
        """A step of all orders, several at once; what came of each that did not fail, as soon as it is there."""

        def guarded(order: Entry) -> list[T]:
            return [] if self.failures.end else [step(order)]

        said = time.monotonic()
        pool = ThreadPoolExecutor(_AT_ONCE)
        try:
            under_way = {pool.submit(contextvars.copy_context().run, guarded, order): order for order in orders}
            for number, future in enumerate(as_completed(under_way), start=1):
                name = under_way[future]["name"]
                try:
                    results = future.result()
                except AuthorityError as error:
                    self.failures.add(name, error)
                    continue
                if not results:
                    self.failures.left[name] = None
                for result in results:
                    yield under_way[future], result
                if time.monotonic() - said > _SAID_EVERY:
                    self._job.say(f"{words}: {number} of {len(under_way)}")
                    said = time.monotonic()
        finally:
            pool.shutdown(cancel_futures=True)


def _mark(challenge: Entry) -> Entry:
    return {**challenge, "value": f"hosting.panel-{secrets.token_hex(8)}"}


def clean(job: Job, file: StateFile, panel_name: str, panel: Panel) -> dict[str, str]:
    """Removes all challenge records that runs of ours have put on a panel; by zone why that failed. Raises StateError."""
    zones = records_by_zone(challenges_in(file.content(), panel_name))
    # Records are gone with their zone, and where its DNS was disabled.
    there = {zone: records for zone, records in zones.items() if panel.has_records(zone)}
    problems = write_records(job, there, {"state": "absent"})
    removed = set(zones) - set(problems)
    if removed:
        file.change(lambda content: without_challenges(content, panel_name, removed))
    return problems


def recorded(content: Content, orders: Iterable[Entry]) -> Content:
    """The content with what these orders have reached: a certificate, an order under way, or nothing where the authority refused."""
    orders = list(orders)
    issued = [one for one in orders if "certificate" in one]
    going = [one for one in orders if not one.get("is_over") and "certificate" not in one]
    for panel in {one["panel"] for one in orders}:
        content = without_orders(content, panel, [one["name"] for one in orders if one["panel"] == panel])
    content = with_entries(content, ORDERS, going)
    return with_entries(content, CERTIFICATES, [issued_now(content, _certificate(one)) for one in issued])


def _certificate(order: Entry) -> Entry:
    begin, end = validity(order["certificate"])
    members = ("panel", "name", "names", "key_type", "directory", "private_key", "certificate", "chain")
    return {**{name: order[name] for name in members}, "not_before": begin, "not_after": end}


def validity(certificate: str) -> tuple[str, str]:
    """From when until when a certificate in PEM is valid, as texts in UTC."""
    read = x509.load_pem_x509_certificate(certificate.encode())
    # Before cryptography 42 the moments have no zone.
    begin = getattr(read, "not_valid_before_utc", None) or read.not_valid_before.replace(tzinfo=datetime.timezone.utc)
    end = getattr(read, "not_valid_after_utc", None) or read.not_valid_after.replace(tzinfo=datetime.timezone.utc)
    return begin.isoformat(), end.isoformat()


def write_records(
    job: Job, zones: Mapping[str, Sequence[Mapping[str, Any]]], options: Mapping[str, Any]
) -> dict[str, str]:
    """Writes records into zones, with one write for each; by zone why that failed. options: of panel_dns beside the records."""
    parts = {
        ("dns", zone): {"dns": [{"domain": zone, "records": list(records), **options}]}
        for zone, records in zones.items()
    }
    done = write_parts(job.panel, parts)
    wrong = {key: why for (_kind, key), why in wrong_in(done).items()}
    return wrong if wrong or not done.get("failed") else dict.fromkeys(zones, str(done.get("msg")))
