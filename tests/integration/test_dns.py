# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Zones × {check, real, again} × {in process, as a module}, with the exact bodies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.grid import AGAIN, CHECK, REAL, STEPS
from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Recording, Run, task
from tests.support.simulator import Simulator
from tests.support.worker import work, working

DOMAIN = "xn--mller-kva.example"
SOA = {
    "ttl": 86400,
    "primary_ns": "ns1.panel.example.",
    "rname": "hostmaster.panel.example.",
    "refresh": 14400,
    "retry": 1800,
    "expire": 604800,
    "minimum": 3600,
}


def record(host: str, kind: str, value: str, ttl: int = 3600) -> dict[str, Any]:
    """A record as the panel writes it."""
    return {"host": host, "ttl": ttl, "type": kind, "value": value}


NAME_SERVERS = [record("@", "NS", "ns1.panel.example."), record("@", "NS", "ns2.panel.example.")]
APEX = [record("@", "A", "192.0.2.10")]
ROUND_ROBIN = [record("www", "A", "192.0.2.11"), record("www", "A", "192.0.2.12")]
MAIL = [record("@", "MX", "10 mail.müller.example.".replace("müller", "xn--mller-kva"))]
TEXT = [record("@", "TXT", "v=spf1 mx -all")]
CHALLENGE = [record("_acme-challenge", "TXT", "token-of-somebody-else", 60)]
ZONE = [*NAME_SERVERS, *APEX, *ROUND_ROBIN, *MAIL, *TEXT, *CHALLENGE]
CUSTOM = {"dns": [{"domain": DOMAIN, "records": {"soa": SOA, "other": ZONE}}]}
DEFAULT: dict[str, Any] = {}
DISABLED = {"dns": [{"domain": DOMAIN, "is_dns_disabled": True}]}
DELETE = "DELETE"


def without(*gone: dict[str, Any]) -> list[dict[str, Any]]:
    """The zone without these records."""
    return [kept for kept in ZONE if kept not in gone]


@dataclass(frozen=True)
class Behaviour:
    """``sends``: the records of the PUT, a whole body of a PUT, DELETE, or None for nothing. ``zone``: what is on the panel before."""

    name: str
    options: Mapping[str, Any]
    sends: list[dict[str, Any]] | dict[str, Any] | str | None = None
    zone: Mapping[str, Any] | None = None
    refused: tuple[str, ...] = ()

    def tasks(self) -> list[dict[str, Any]]:
        seed = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
        zone = CUSTOM if self.zone is None else self.zone
        before = [["POST", "/reset", None], ["POST", "/seed", {**seed, **zone}]]
        options = {"domain": DOMAIN, **self.options} if "id" not in self.options else dict(self.options)
        return [
            task(f"{self.name} / {step}", "panel_dns", options, before * (step == CHECK), check_mode=step == CHECK)
            for step in STEPS
        ]


def given(*records: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Options with these records."""
    return {"records": list(records), **options}


NEW = record("shop", "AAAA", "2001:db8::10")
BEHAVIOURS = [
    Behaviour("a new set", given(NEW), [*ZONE, NEW]),
    Behaviour(
        "another value", given(record("@", "A", "192.0.2.99")), [*without(*APEX), record("@", "A", "192.0.2.99")]
    ),
    Behaviour(
        "another ttl", given(record("@", "A", "192.0.2.10", 60)), [*without(*APEX), record("@", "A", "192.0.2.10", 60)]
    ),
    Behaviour("a set reordered", given(*reversed(ROUND_ROBIN))),
    Behaviour("a set shortened", given(ROUND_ROBIN[1]), without(ROUND_ROBIN[0])),
    Behaviour("right already", given(*ZONE)),
    Behaviour("no records at all", given()),
    Behaviour("named only", {}),
    Behaviour("named by id", {"id": 1, **given(NEW)}, [*ZONE, NEW]),
    Behaviour("the domain in another spelling", {"domain": "MÜLLER.example", **given(NEW)}, [*ZONE, NEW]),
    Behaviour(
        "records in other spellings",
        given(
            {"host": "", "type": "a", "ttl": "3600", "value": "192.0.2.10"},
            {"host": "WWW.Müller.example.", "type": "A", "value": "192.0.2.12"},
            {"host": "www", "type": "A", "value": "192.0.2.11"},
            {"host": "@", "type": "MX", "value": "10 Mail.Müller.example"},
            {"host": "@", "type": "TXT", "value": '"v=spf1 " "mx -all"'},
            {"host": "@", "type": "NS", "value": "NS2.Panel.example"},
            {"host": "@", "type": "NS", "value": "ns1.panel.example."},
        ),
    ),
    Behaviour(
        "a value appended",
        given(record("www", "A", "192.0.2.13"), append=True),
        [*ZONE, record("www", "A", "192.0.2.13")],
    ),
    Behaviour("a value appended that is there", given(ROUND_ROBIN[0], append=True)),
    Behaviour(
        "a purge over the limit",
        given(*APEX, purge=True),
        refused=("max_delete_percent", "30", "Nothing was written"),
    ),
    Behaviour("a purge", given(*APEX, purge=True, max_delete_percent=100), [*NAME_SERVERS, *APEX, *CHALLENGE]),
    Behaviour("a purge that protects nothing", given(*APEX, purge=True, max_delete_percent=100, protect=[]), APEX),
    Behaviour("a value removed", given(ROUND_ROBIN[0], state="absent"), without(ROUND_ROBIN[0])),
    Behaviour("a set removed", given({"host": "www", "type": "A"}, state="absent"), without(*ROUND_ROBIN)),
    Behaviour("a removal of what is not there", given(NEW, state="absent")),
    Behaviour(
        "a member of the SOA record", {"soa": {"refresh": 7200}}, {"soa": {**SOA, "refresh": 7200}, "other": ZONE}
    ),
    Behaviour("the SOA record right already", {"soa": {"refresh": "14400", "primary_ns": "NS1.panel.example"}}),
    Behaviour("back to the default records", {"state": "default"}, DELETE),
    Behaviour("default already", {"state": "default"}, zone=DEFAULT),
    Behaviour("default from disabled", {"state": "default"}, DELETE, zone=DISABLED),
    Behaviour("disabled", {"is_dns_disabled": True}, {"is_dns_disabled": True}),
    Behaviour("disabled already", {"is_dns_disabled": True}, zone=DISABLED),
    Behaviour("enabled", {"is_dns_disabled": False}, {"is_dns_disabled": False}, zone=DISABLED),
    Behaviour("enabled already", {"is_dns_disabled": False}),
    Behaviour(
        "the placeholder of the DKIM record",
        given({"host": "default._domainkey", "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}),
        zone=DEFAULT,
    ),
]
# The slow way has one of each kind of request.
SELECTED = [
    behaviour
    for behaviour in BEHAVIOURS
    if behaviour.name
    in (
        "a new set",
        "records in other spellings",
        "a purge over the limit",
        "a purge",
        "a set removed",
        "a member of the SOA record",
        "back to the default records",
        "disabled",
    )
]
BY_WAY = {IN_PROCESS: BEHAVIOURS, MODULE: SELECTED}
GRID = [pytest.param(way, behaviour, id=f"{behaviour.name}, {way}") for way in WAYS for behaviour in BY_WAY[way]]


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The run in each way."""
    return {
        way: work(
            [made for behaviour in chosen for made in behaviour.tasks()], simulator, tmp_path_factory.mktemp("dns"), way
        )
        for way, chosen in BY_WAY.items()
    }


@pytest.fixture
def steps(runs: dict[str, Run], way: str, behaviour: Behaviour) -> dict[str, Recording]:
    """What the three tasks of a behaviour did."""
    return {step: runs[way][f"{behaviour.name} / {step}"] for step in STEPS}


def without_dkim(result: dict[str, Any]) -> Any:
    """The result without the DKIM key, which the panel makes anew for every domain."""
    return json.loads(re.sub(r"[A-Za-z0-9+/]{20,}", "(key)", json.dumps(result)))


def unordered(records: list[dict[str, Any]]) -> list[str]:
    """Records in an order of their own."""
    return sorted(str(sorted(entry.items())) for entry in records)


def assert_writes(behaviour: Behaviour, step: Recording) -> None:
    """Exactly the expected request, with every record that stays."""
    if behaviour.sends is None:
        assert step.writes == []
        return
    assert len(step.writes) == 1, step.calls
    sent = step.writes[0]
    assert sent["path"] in (f"/dns/name/{DOMAIN}", "/dns/1")
    if behaviour.sends == DELETE:
        assert (sent["method"], sent["body"]) == ("DELETE", None)
        return
    assert sent["method"] == "PUT"
    if isinstance(behaviour.sends, dict) and "other" not in behaviour.sends:
        assert sent["body"] == behaviour.sends
        return
    wanted = behaviour.sends if isinstance(behaviour.sends, dict) else {"soa": SOA, "other": behaviour.sends}
    assert set(sent["body"]) == {"records"}
    assert sent["body"]["records"]["soa"] == wanted["soa"]
    assert unordered(sent["body"]["records"]["other"]) == unordered(wanted["other"])


@pytest.mark.parametrize(("way", "behaviour"), GRID)
class TestZone:
    """Each behaviour."""

    def test_the_real_run_sends_one_put_with_all_that_stays(
        self, behaviour: Behaviour, steps: Mapping[str, Recording]
    ) -> None:
        real = steps[REAL]
        assert real.outcome == ("failed" if behaviour.refused else "ok"), real.msg
        assert [word for word in behaviour.refused if word not in real.msg] == []
        assert real.changed == (behaviour.sends is not None)
        assert_writes(behaviour, real)

    def test_check_mode_writes_nothing_and_predicts_the_real_run(
        self, behaviour: Behaviour, steps: Mapping[str, Recording]
    ) -> None:
        check, real = steps[CHECK], steps[REAL]
        assert check.changed == (behaviour.sends is not None)
        assert check.writes == []
        assert (check.outcome, check.changed, check.msg) == (real.outcome, real.changed, real.msg)
        assert check.result.get("diff") == real.result.get("diff")
        assert set(check.result) == set(real.result)

    def test_a_second_run_sends_no_write(self, behaviour: Behaviour, steps: Mapping[str, Recording]) -> None:
        again = steps[AGAIN]
        assert again.writes == []
        assert not again.changed
        assert again.outcome == ("failed" if behaviour.refused else "ok")

    def test_an_unchanged_zone_costs_one_request_and_a_changed_one_four(
        self, behaviour: Behaviour, steps: Mapping[str, Recording]
    ) -> None:
        # By its id one more asks which domain it is: another task may name it, and it may be a subdomain without a zone of its own.
        question = 1 if "id" in behaviour.options else 0
        limits = {CHECK: 1, REAL: 1, AGAIN: 1}
        if behaviour.sends is not None:
            limits.update({CHECK: 1 + question, REAL: 4 + question})
        for step, recording in steps.items():
            assert len(recording.requests) <= limits[step], recording.calls


@pytest.mark.parametrize("behaviour", SELECTED, ids=lambda behaviour: behaviour.name)
def test_both_ways_of_execution_give_the_same(behaviour: Behaviour, runs: dict[str, Run]) -> None:
    for step in STEPS:
        here, there = (runs[way][f"{behaviour.name} / {step}"] for way in WAYS)
        assert here.outcome == there.outcome
        assert here.calls == there.calls
        assert without_dkim(here.result) == without_dkim(there.result)


def test_what_was_before_puts_the_zone_back(simulator: Simulator, tmp_path: Path, way: str) -> None:
    purge, *_others = Behaviour("purge", given(*APEX, purge=True, max_delete_percent=100, protect=[])).tasks()
    with working(simulator, tmp_path, way) as worker:
        before = worker.run({**purge, "check_mode": False}).result["records_before"]
        back = {"purge": True, "max_delete_percent": 100, "records": before, "domain": DOMAIN}
        first, second = (worker.run(task("back", "panel_dns", back)) for _time in range(2))
    assert unordered(first.writes[0]["body"]["records"]["other"]) == unordered(ZONE)
    assert second.writes == []


def test_what_somebody_else_writes_in_between_is_kept(simulator: Simulator, tmp_path: Path, way: str) -> None:
    theirs = record("theirs", "A", "192.0.2.77")
    check, *_others = Behaviour("write", given(NEW)).tasks()
    meanwhile = {"kind": "mutate_dns", "method": "GET", "path": "^/dns/", "times": 1, "add": [theirs]}
    before = [*check["vars"]["simulator"]["before"], ["POST", "/faults", meanwhile]]
    (write,) = work(
        [task("write", "panel_dns", {"domain": DOMAIN, **given(NEW)}, before)], simulator, tmp_path, way
    ).recordings
    assert write.outcome == "ok", write.msg
    assert len(write.writes) == 1
    assert unordered(write.writes[0]["body"]["records"]["other"]) == unordered([*ZONE, theirs, NEW])
