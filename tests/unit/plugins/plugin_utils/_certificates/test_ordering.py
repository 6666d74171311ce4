# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two hundred orders at once, with an authority that takes its time and a panel that counts its writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates import ordering
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.authority import (
    AuthorityError,
    State,
    Trouble,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.ordering import Failures, Ordering, clean
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.plan import Panel
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.zones import Zones
from tests.support.authority import Authority as Issuer

NUMBER = 200
SECONDS = 0.02
ZONES = [f"customer{number}.example" for number in range(NUMBER)]


class File:
    """A state file in memory."""

    def __init__(self) -> None:
        self.value: dict[str, Any] = {"certificates": []}

    def content(self) -> dict[str, Any]:
        return self.value

    def change(self, edit: Any) -> None:
        self.value = edit(self.value)


class Panels:
    """A panel that keeps what it is asked to write."""

    def __init__(self) -> None:
        self.written: list[list[Mapping[str, Any]]] = []

    def run(self, _module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        self.written.append(options["resources"]["dns"])
        return {"changed": True}


class Slow:
    """An authority that takes its time for each answer. ``refusal``: what it says to a certain certificate's order."""

    def __init__(self, certificate: str, refusal: tuple[str, AuthorityError] | None = None) -> None:
        self.certificate_text, self.refusal = certificate, refusal
        self.orders: list[str] = []
        self.proven: list[str] = []
        # What it has of runs that were killed.
        self.open: dict[frozenset[str], list[str]] = {}
        self.known: set[str] = set()
        # By the first name of an order what is said of it, one after the other, and the last for ever; of others that they are valid.
        self.later: dict[str, list[str]] = {}
        self.handed_in: list[str] = []
        self.wrong_request: AuthorityError | None = None
        self._lock = threading.Lock()

    def new_key(self, _key_type: str) -> str:
        return "key"

    def request(self, _key: str, _names: Iterable[str]) -> str:
        return "request"

    def order(self, names: list[str]) -> tuple[str, State]:
        time.sleep(SECONDS)
        with self._lock:
            self.orders.append(names[0])
        if self.refusal and names[0] == self.refusal[0]:
            raise self.refusal[1]
        return f"https://ca.example/{names[0]}", stands("pending")

    def open_orders(self, known: set[str]) -> dict[frozenset[str], list[str]]:
        self.known = known
        return dict(self.open)

    def challenges(self, _state: State, names: list[str]) -> dict[str, list[str]]:
        time.sleep(SECONDS)
        return {f"_acme-challenge.{names[0]}": ["one", "two"]}

    def prove(self, _state: State, names: list[str]) -> None:
        time.sleep(SECONDS)
        with self._lock:
            self.proven.append(names[0])

    def state(self, _uri: str, names: list[str]) -> State:
        time.sleep(SECONDS)
        with self._lock:
            later = self.later.get(names[0], [])
            return stands(later.pop(0) if len(later) > 1 else later[0] if later else "valid")

    def finalize(self, _address: str, _request: str, names: list[str]) -> State:
        with self._lock:
            self.handed_in.append(names[0])
        if self.wrong_request:
            raise self.wrong_request
        return stands("processing")

    def certificate(self, _address: str, _names: list[str]) -> tuple[str, str]:
        time.sleep(SECONDS)
        return self.certificate_text, "chain"


def stands(status: str) -> State:
    return State(status, "https://ca.example/finalize", "https://ca.example/certificate", (), {})


class Worker:
    """What an action is for its steps."""

    def __init__(self) -> None:
        self.panel, self.said = Panels(), list[str]()
        self.say = self.said.append


def ordered(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    refusal: tuple[str, AuthorityError] | None = None,
    looks: Sequence[dict[str, str]] = ({},),
) -> tuple[Ordering, Worker, Slow, File]:
    monkeypatch.setattr(ordering, "wait_for_records", lambda *_arguments: iter(looks))
    run, authority, orders = begun(folder)
    authority.refusal = refusal
    job: Any = run._job
    file: Any = run._file
    panel = run._panel
    zones = Zones(job.panel, panel, [])
    zones.servers = {zone: [] for zone in ZONES}
    run.carry_out(orders, zones, 1, 1)
    clean(job, file, "p", panel)
    return run, job, authority, file


def test_two_hundred_orders_take_one_write_a_zone_and_go_side_by_side(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = time.monotonic()
    run, job, authority, file = ordered(monkeypatch, tmp_path)
    # One after the other they would wait for the authority alone for 4 times 200 answers.
    assert time.monotonic() - started < 4 * NUMBER * SECONDS
    assert sorted(run.done) == sorted(authority.orders) == sorted(ZONES)
    added, removed = job.panel.written
    assert [(item["domain"], len(item["records"]), item["append"]) for item in added] == [
        (zone, 2, True) for zone in ZONES
    ]
    assert [(item["domain"], len(item["records"]), item["state"]) for item in removed] == [
        (zone, 2, "absent") for zone in ZONES
    ]
    assert len(file.content()["certificates"]) == NUMBER
    assert (file.content()["orders"], file.content()["challenges"]) == ([], [])


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.LIMITED, Trouble.UNFINISHED])
def test_what_one_order_is_refused_or_has_no_limit_left_for_stands_in_no_others_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trouble: Trouble
) -> None:
    refusal = (ZONES[0], AuthorityError(trouble, "The authority says: no."))
    run, _job, authority, _file = ordered(monkeypatch, tmp_path, refusal)
    assert run.failures.of == {ZONES[0]: "The authority says: no."}
    assert len(run.done) == NUMBER - 1
    assert len(authority.orders) == NUMBER, "none is tried twice"


def test_an_authority_in_trouble_is_asked_for_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusal = (ZONES[0], AuthorityError(Trouble.AWAY, "The authority is in trouble."))
    run, job, _authority, file = ordered(monkeypatch, tmp_path, refusal)
    assert (run.done, job.panel.written) == ([], [])
    assert len(run.failures.left) == NUMBER - 1
    assert all("private_key" in order for order in file.content()["orders"]), "keys are kept"


def test_proofs_are_handed_in_as_soon_as_their_zones_are_ready_and_a_dead_zone_keeps_no_others_waiting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late, dead = ZONES[3], ZONES[5]
    words = "after 1 s ns1.nowhere.example does not answer"
    looks = [{late: words, dead: words}, {dead: words}, {dead: words}]
    run, _job, authority, _file = ordered(monkeypatch, tmp_path, looks=looks)
    assert set(authority.proven[: NUMBER - 2]) == set(ZONES) - {late, dead}
    assert authority.proven[NUMBER - 2 :] == [late]
    assert run.failures.of == {dead: f"Not every name server has the challenge record: {dead}: {words}."}
    assert sorted(run.done) == sorted(set(ZONES) - {dead})


def test_what_a_killed_run_may_have_ordered_is_looked_for_among_orders_that_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ordering, "wait_for_records", lambda *_arguments: iter([{}]))
    job: Any = Worker()
    file: Any = File()
    authority: Any = Slow(Issuer(tmp_path).issue("acme.example")[0].read_text(encoding="utf-8"))
    twin, lone, new = ZONES[:3]
    orders = [
        {"panel": "p", "name": name, "names": [zone, f"*.{zone}"], "key_type": "ec256", "directory": "d"}
        for name, zone in [("one", twin), ("two", twin), ("three", twin), ("lone", lone), ("new", new)]
    ]
    for order in orders[:4]:
        order.update(private_key="key", request="request")
    # The account is the same for another panel, whose order is under way.
    file.value["orders"] = [{**orders[0], "panel": "q", "order_uri": "https://ca.example/of-q"}]
    authority.open = {frozenset({twin, f"*.{twin}"}): ["https://ca.example/1", "https://ca.example/2"]}
    panel = Panel([{"id": number, "domain": zone} for number, zone in enumerate(ZONES)], [])
    run = Ordering(job, file, authority, "p", panel, Failures())
    run.begin(orders)
    zones = Zones(job.panel, panel, [])
    run.carry_out(orders, zones, 1, 1)
    assert authority.known == {"https://ca.example/of-q"}
    # Of three with the same names two were ordered, and only what was not is ordered.
    assert sorted(authority.orders) == sorted([twin, lone, new])
    assert sorted(run.done) == ["lone", "new", "one", "three", "two"]


def test_orders_that_are_undecided_for_long_keep_no_other_from_becoming_a_certificate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ordering, "_PAUSE", 0.01)
    run, authority, orders = begun(tmp_path)
    authority.later = {zone: ["processing"] for zone in ZONES[:16]}
    monkeypatch.setattr(ordering, "wait_for_records", lambda *_arguments: iter([{}]))
    run.carry_out(orders, Zones(run._job.panel, run._panel, []), 1, 1)
    assert sorted(run.done) == sorted(ZONES[16:])
    words = "The authority has not decided in time. Run again, which goes on with the same order."
    assert run.failures.of == dict.fromkeys(ZONES[:16], words)


def test_an_order_that_is_proven_already_becomes_a_certificate_without_a_look_at_its_zone(tmp_path: Path) -> None:
    run, authority, orders = begun(tmp_path)
    orders = orders[:3]
    for order, status in zip(orders, ("valid", "processing", "ready"), strict=True):
        challenge = {"zone": order["name"], "host": f"_acme-challenge.{order['name']}", "value": "one"}
        order.update(order_uri="https://ca.example/1", challenges=[challenge])
        authority.later[order["name"]] = [status, status, "valid"]
    # No name server is there to be asked, and nothing may be written.
    run.carry_out(orders, Zones(run._job.panel, run._panel, []), 0, 10)
    assert sorted(run.done) == sorted(ZONES[:3])
    assert run._job.panel.written == []
    assert (authority.orders, authority.proven, authority.handed_in) == ([], [], [ZONES[2]])


@pytest.mark.parametrize(("trouble", "is_kept"), [(Trouble.REFUSED, False), (Trouble.UNFINISHED, True)])
def test_a_request_that_is_refused_is_not_sent_again(tmp_path: Path, trouble: Trouble, is_kept: bool) -> None:
    run, authority, orders = begun(tmp_path)
    orders = orders[:1]
    orders[0].update(order_uri="https://ca.example/1", challenges=[])
    authority.later, authority.wrong_request = {ZONES[0]: ["ready"]}, AuthorityError(trouble, "The key is weak.")
    run.carry_out(orders, Zones(run._job.panel, run._panel, []), 0, 10)
    assert run.failures.of == {ZONES[0]: "The key is weak."}
    assert authority.handed_in == [ZONES[0]]
    kept = [order["name"] for order in run._file.content()["orders"] if order["name"] == ZONES[0]]
    assert bool(kept) is is_kept


def begun(folder: Path) -> tuple[Ordering, Slow, list[dict[str, Any]]]:
    """A run with a key and a request for each zone."""
    job: Any = Worker()
    file: Any = File()
    authority: Any = Slow(Issuer(folder).issue("acme.example")[0].read_text(encoding="utf-8"))
    panel = Panel([{"id": number, "domain": zone} for number, zone in enumerate(ZONES)], [])
    orders = [
        {"panel": "p", "name": zone, "names": [zone, f"*.{zone}"], "key_type": "ec256", "directory": "d"}
        for zone in ZONES
    ]
    run = Ordering(job, file, authority, "p", panel, Failures())
    run.begin(orders)
    return run, authority, orders
