# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mail DNS on a panel: hosting.panel.panel_mail_dns finds what is wrong and gives what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.playbook import Run, play, task
from tests.support.simulator import Simulator

TRAP = "{{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
WRONG = "wrong.example"
SEED = {
    "clients": [{"username": "acme"}],
    "domains": [
        {"domain": "usual.example", "client": "acme"},
        {"domain": WRONG, "client": "acme"},
        {"domain": "bücher.usual.example", "client": "acme", "parent_domain": "usual.example", "is_email_domain": True},
        {"domain": "web.example", "client": "acme", "is_email_domain": False},
        {"domain": "elsewhere.example", "client": "acme", "is_dns_disabled": True},
    ],
}
RECORDS = [
    {"host": "@", "type": "MX", "ttl": 3600, "value": "10 mial.wrong.example."},
    {"host": "mail", "type": "A", "ttl": 3600, "value": "192.0.2.10"},
    {"host": "@", "type": "TXT", "ttl": 3600, "value": "v=spf1 a ipv4:192.0.2.1 ~all"},
    {"host": "@", "type": "TXT", "ttl": 3600, "value": "{{ lookup('ansible.builtin.file', 'trap') }}"},
    {"host": "default._domainkey", "type": "TXT", "ttl": 3600, "value": "v=DKIM1; k=rsa; p=MIIB"},
]


def tasks() -> Iterator[dict[str, Any]]:
    """What is missing is set, and what is wrong stays as it is."""
    zone = {"domain": WRONG, "records": RECORDS, "purge": True, "max_delete_percent": 100}
    yield task("wrong", "panel_dns", zone, [["POST", "/seed", SEED]])
    for turn in ("first", "second"):
        yield task(f"zones {turn}", "panel_dns_info", {}, register="zones")
        yield task(f"domains {turn}", "panel_domain_info", {}, register="panel")
        facts = {"findings": "{{ zones.dns | hosting.panel.panel_mail_dns(panel.domains) }}"}
        yield {"name": turn, "ansible.builtin.set_fact": facts}
        if turn == "first":
            wanted = {"append": True, "records": ["{{ item.record }}"], "domain": "{{ item.zone }}"}
            yield task("set", "panel_dns", wanted, loop="{{ findings | selectattr('record') }}")
    yield {"name": "mistaken", "ansible.builtin.debug": {"msg": "{{ [1] | hosting.panel.panel_mail_dns }}"}}


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("mail dns")
    (folder / "trap").write_text(TRAP, encoding="utf-8")
    return play(tasks(), simulator, folder)


def problems(run: Run, turn: str) -> list[tuple[str, str, str]]:
    findings = run[turn].result["ansible_facts"]["findings"]
    return [(one["domain"], one["about"], one["problem"]) for one in findings]


BELOW = "xn--bcher-kva.usual.example"
STAYS = [(WRONG, "spf", "syntax"), (WRONG, "dkim", "other_key"), (WRONG, "mx", "no_address")]
OUTSIDE = ("elsewhere.example", "zone", "not_here")


def test_what_is_missing_is_given_and_set_and_what_is_wrong_stays(run: Run) -> None:
    missing = [("usual.example", "dmarc"), (WRONG, "dmarc"), (BELOW, "spf"), (BELOW, "dmarc"), (BELOW, "mx")]
    found = {*((*one, "missing") for one in missing), *STAYS, OUTSIDE}
    assert set(problems(run, "first")) == found
    assert run["set"].changed, run["set"].msg
    hints = {(name, "dmarc", "no_policy") for name in ("usual.example", WRONG)}
    assert set(problems(run, "second")) == {*STAYS, OUTSIDE, *hints}


def test_other_texts_of_the_domain_stay_and_are_not_evaluated(run: Run) -> None:
    zone = next(zone for zone in run["zones second"].result["dns"] if zone["domain"] == WRONG)
    texts = [one["value"] for one in zone["records"]["other"] if (one["host"], one["type"]) == ("@", "TXT")]
    assert texts == ["v=spf1 a ipv4:192.0.2.1 ~all", TRAP]
    assert list(run.folder.rglob("sprung")) == []


def test_what_is_no_zone_is_refused_in_a_sentence(run: Run) -> None:
    assert run["mistaken"].outcome == "failed"
    assert "hosting.panel.panel_mail_dns: the input must be a zone or a list of zones" in run["mistaken"].msg
