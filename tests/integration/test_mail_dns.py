# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mail DNS on a panel: hosting.panel.panel_mail_dns finds what is wrong, and what it says to set mends it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.name_server import NameServer
from tests.support.playbook import Run, play, task
from tests.support.simulator import Simulator

TRAP = "{{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
SEED = {
    "clients": [{"username": "acme"}],
    "domains": [
        {"domain": "usual.example", "client": "acme"},
        {"domain": "wrong.example", "client": "acme"},
        {"domain": "münchen.example", "client": "acme"},
        {
            "domain": "bücher.münchen.example",
            "client": "acme",
            "parent_domain": "münchen.example",
            "is_email_domain": True,
        },
        {"domain": "web.example", "client": "acme", "is_email_domain": False},
        {"domain": "elsewhere.example", "client": "acme", "is_dns_disabled": True},
    ],
}
WRONG = [
    {"host": "@", "type": "MX", "ttl": 3600, "value": "10 mial.wrong.example."},
    {"host": "mail", "type": "A", "ttl": 3600, "value": "192.0.2.10"},
    {"host": "@", "type": "TXT", "ttl": 3600, "value": "v=spf1 a ipv4:192.0.2.1"},
    {"host": "@", "type": "TXT", "ttl": 3600, "value": "{{ lookup('ansible.builtin.file', 'trap') }}"},
    {"host": "default._domainkey", "type": "TXT", "ttl": 3600, "value": "v=DKIM1; k=rsa; p=MIIB"},
    {"host": "_dmarc", "type": "TXT", "ttl": 3600, "value": "v=dmarc1; p=none"},
]
CITY = "xn--mnchen-3ya.example"
# What was meant only the owner knows, but for the key, which the panel knows.
OWN = [
    {"host": "@", "type": "MX", "ttl": 3600, "value": "10 mail"},
    {"host": "mail", "type": "A", "ttl": 3600, "value": "192.0.2.10"},
    {"host": "@", "type": "TXT", "ttl": 3600, "value": "v=spf1 mx inclde:_spf.xn--mnchen-3ya.example -all"},
    {"host": "default._domainkey", "type": "TXT", "ttl": 3600, "value": "v=DKIM1; k=rsa; p="},
    {"host": "_dmarc", "type": "TXT", "ttl": 3600, "value": "v=DMARC1; p=rejected"},
]
FINDINGS = "zones.dns | hosting.panel.panel_mail_dns(panel.domains)"


def tasks() -> Iterator[dict[str, Any]]:
    """What is wrong is found, mended as the findings say, and then there is nothing more."""
    zone = {"domain": "wrong.example", "records": WRONG, "purge": True, "max_delete_percent": 100}
    yield task("wrong", "panel_dns", zone, [["POST", "/seed", SEED]])
    yield task("own", "panel_dns", {**zone, "domain": "münchen.example", "records": OWN})
    for turn in ("first", "second"):
        yield task(f"zones {turn}", "panel_dns_info", {}, register="zones")
        yield task(f"domains {turn}", "panel_domain_info", {}, register="panel")
        yield {"name": turn, "ansible.builtin.set_fact": {"findings": f"{{{{ {FINDINGS} }}}}"}}
        if turn == "first":
            mended = "findings | selectattr('record')"
            gone = {"state": "absent", "records": "{{ item.replaces }}", "domain": "{{ item.zone }}"}
            yield task("gone", "panel_dns", gone, loop=f"{{{{ {mended} | selectattr('replaces') }}}}")
            set_now = {"append": True, "records": ["{{ item.record }}"], "domain": "{{ item.zone }}"}
            yield task("set", "panel_dns", set_now, loop=f"{{{{ {mended} }}}}")
    yield task("report", "panel_report", {"file": "r.html", "json_file": "r.json"})
    yield task("report without", "panel_report", {"file": "w.html", "json_file": "w.json", "mail_dns": False})
    asked = {"file": "a.html", "json_file": "a.json", "resolver": "{{ lookup('ansible.builtin.file', 'name_server') }}"}
    yield task("report that asks", "panel_report", asked)
    yield {"name": "mistaken", "ansible.builtin.debug": {"msg": "{{ [1] | hosting.panel.panel_mail_dns }}"}}


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("mail dns")
    (folder / "trap").write_text(TRAP, encoding="utf-8")
    with NameServer.start() as name_server:
        (folder / "name_server").write_text(name_server.address, encoding="utf-8")
        return play(tasks(), simulator, folder)


def problems(run: Run, turn: str) -> list[tuple[str, str, str]]:
    findings = run[turn].result["ansible_facts"]["findings"]
    return [(one["domain"], one["about"], one["problem"]) for one in findings]


def test_the_panels_own_records_lack_dmarc_alone_and_mistakes_are_found(run: Run) -> None:
    assert problems(run, "first") == [
        ("usual.example", "dmarc", "missing"),
        ("wrong.example", "spf", "syntax"),
        ("wrong.example", "spf", "open_end"),
        ("wrong.example", "dkim", "other_key"),
        ("wrong.example", "dmarc", "syntax"),
        ("wrong.example", "mx", "no_address"),
        (CITY, "spf", "syntax"),
        (CITY, "dkim", "revoked"),
        (CITY, "dmarc", "syntax"),
        (f"xn--bcher-kva.{CITY}", "spf", "missing"),
        (f"xn--bcher-kva.{CITY}", "mx", "missing"),
        ("elsewhere.example", "zone", "not_here"),
    ]


def test_what_the_findings_say_to_set_mends_all_of_it(run: Run) -> None:
    assert run["set"].changed, run["set"].msg
    assert problems(run, "second") == [
        ("usual.example", "dmarc", "no_policy"),
        ("wrong.example", "dmarc", "no_policy"),
        (CITY, "spf", "syntax"),
        (CITY, "dmarc", "syntax"),
        ("elsewhere.example", "zone", "not_here"),
    ]


def test_what_only_the_owner_can_know_has_no_record_to_set_and_stays_as_it_is(run: Run) -> None:
    findings = [one for one in run["second"].result["ansible_facts"]["findings"] if one["domain"] == CITY]
    assert [(one["record"], one["replaces"]) for one in findings] == [(None, [])] * 2
    assert "Decide which policy it is to have" in findings[1]["advice"]
    zone = next(zone for zone in run["zones second"].result["dns"] if zone["domain"] == CITY)
    shown = {(one["host"], one["value"]) for one in zone["records"]["other"]}
    assert {(one["host"], one["value"]) for one in (OWN[2], OWN[4])} <= shown


def test_other_texts_of_the_domain_stay_and_are_evaluated_by_nobody(run: Run) -> None:
    zone = next(zone for zone in run["zones second"].result["dns"] if zone["domain"] == "wrong.example")
    texts = [one["value"] for one in zone["records"]["other"] if (one["host"], one["type"]) == ("@", "TXT")]
    assert texts == [TRAP, "v=spf1 a ip4:192.0.2.1 ~all"]
    assert list(run.folder.rglob("sprung")) == []


def test_what_is_no_zone_is_refused_in_a_sentence(run: Run) -> None:
    assert run["mistaken"].outcome == "failed"
    assert "hosting.panel.panel_mail_dns: the input must be a zone or a list of zones" in run["mistaken"].msg


def reported(run: Run, name: str) -> dict[str, list[str]]:
    """By domain the problems in a report."""
    report = json.loads((run.folder / f"{name}.json").read_text(encoding="utf-8"))
    return {one["domain"]: [finding["problem"] for finding in one["findings"]] for one in report["mail_dns"]}


def test_the_report_has_the_same_findings_with_one_request_for_each_zone(run: Run) -> None:
    assert reported(run, "r") == {
        "usual.example": ["no_policy"],
        "wrong.example": ["no_policy"],
        "münchen.example": ["syntax", "syntax"],
        "bücher.münchen.example": [],
        "elsewhere.example": ["not_here"],
    }
    zones = [one["path"] for one in run["report"].requests if one["path"].startswith("/dns/")]
    assert len(zones) == len(set(zones)) == 4, zones
    page = (run.folder / "r.html").read_text(encoding="utf-8")
    assert "SPF, DKIM, DMARC and MX of 5 domains with mail" in page
    assert "1 domain has its records elsewhere, where nobody looked." in page
    assert run["report"].result["summary"]["mail_dns"] == {"bad": 1, "near": 0, "total": 5, "level": "bad"}
    assert "<bdi>münchen.example</bdi>" in page and "inclde:_spf.xn--mnchen-3ya.example is wrong" in page


def test_without_mail_dns_no_zone_is_read_and_the_page_has_no_section_of_it(run: Run) -> None:
    assert reported(run, "w") == {}
    assert [one for one in run["report without"].requests if "/dns" in one["path"]] == []
    assert "Mail DNS" not in (run.folder / "w.html").read_text(encoding="utf-8")


def test_with_a_resolver_what_is_elsewhere_is_judged_too(run: Run) -> None:
    assert reported(run, "a")["elsewhere.example"] == ["missing", "missing"]
    assert "nobody looked" not in (run.folder / "a.html").read_text(encoding="utf-8")
