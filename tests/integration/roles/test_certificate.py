# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.certificate with a real authority, which asks the name server of the simulated panel."""

from __future__ import annotations

import datetime
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import VAULT, RoleRun, assert_failed, assert_refused
from tests.integration.roles.orderers import ACME, BETA, PLAYS, SEED, SHOP, Orderer, names_of, surroundings
from tests.support.authority import Authority as Issuer
from tests.support.killing import end_workers, is_running, kill_group, start_playbook, wait_for_writes, writes
from tests.support.limited_authority import limited
from tests.support.pebble import Pebble, pebble
from tests.support.playbook import IN_PROCESS
from tests.support.simulator import Simulator
from tests.support.snippets import snippets
from tools.layout import ROOT


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    with Simulator.start(settings={"status_delay": 0.0}, dns=True) as running:
        yield running


@pytest.fixture(scope="module")
def authority(panel: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pebble]:
    # It refuses every twentieth good nonce, as it does by default.
    with pebble(panel.dns_port, tmp_path_factory.mktemp("pebble"), 90) as running:
        yield running


@pytest.fixture
def orderer(tmp_path: Path, panel: Simulator, authority: Pebble) -> Orderer:
    return Orderer(tmp_path / "folder of certificates", panel, authority)


def test_certificates_are_ordered_uploaded_and_assigned_and_a_second_run_asks_for_nothing(orderer: Orderer) -> None:
    predicted = orderer.order("--check")
    assert (predicted.code, predicted.writes, predicted.recap["changed"]) == (0, [], 1), predicted.text
    assert "acme: not there yet; would be ordered, since there is none yet; would be uploaded" in predicted.said
    assert not orderer.state_file.exists()

    first = orderer.order("-vvv", certificate_metrics_file="certificates.prom", panel_api_url=orderer.simulator.url)
    assert (first.code, first.recap["changed"]) == (0, 1), first.text
    assert "PRIVATE KEY" not in first.text
    # Keys are in no file but the encrypted one, not even in temporary ones that stay.
    files = [path for path in orderer.folder.rglob("*") if path.is_file()]
    assert [path for path in files if b"PRIVATE KEY" in path.read_bytes()] == []
    assert orderer.state_file.read_bytes().startswith(b"$ANSIBLE_VAULT;")
    metrics = (orderer.folder / "certificates.prom").read_text(encoding="utf-8")
    assert metrics.count("hosting_panel_certificate_issued{") == metrics.count('"} 1\n') == 2, metrics
    # As the report calls it, where the address is among the variables of the host.
    assert metrics.count('panel="localhost"') == metrics.count("panel=") > 0, metrics
    assert metrics.endswith("# EOF\n")
    assert names_of(orderer.certificate("acme")) == ["*.acme.example", "acme.example"]
    assert names_of(orderer.certificate("Web of Müller")) == ["www.xn--mller-kva.example", "xn--mller-kva.example"]
    assert orderer.used_by() == {
        "acme.example": "acme",
        "shop.acme.example": "acme",
        "xn--mller-kva.example": "Web of Müller",
    }
    assert orderer.challenges() == []

    asked = orderer.asked()
    second = orderer.order()
    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text
    assert orderer.asked() == asked


def test_fifty_certificates_are_one_run_and_what_is_due_is_renewed(orderer: Orderer) -> None:
    domains = [f"customer{number}.example" for number in range(50)]
    orderer.simulator.reset()
    orderer.simulator.settings({"status_delay": 0.0})
    orderer.simulator.seed(
        {"clients": [{"username": "acme"}], "domains": [{"domain": domain, "client": "acme"} for domain in domains]}
    )
    items = [
        {"name": domain, "client": "acme", "domains": [domain, f"*.{domain}"], "assign": [domain]} for domain in domains
    ]
    orders, started = orderer.orders(), time.monotonic()
    first = orderer.order(items=items)
    assert first.code == 0, first.text
    assert time.monotonic() - started < 600
    assert orderer.orders() - orders == 50
    assert orderer.used_by() == {domain: domain for domain in domains}
    issued = orderer.certificates()
    assert {name: names_of(issued[name]) for name in issued} == {name: [f"*.{name}", name] for name in domains}
    assert Counter(write for write in first.writes if "/dns" in write) == {
        f"PUT /dns/name/{domain}": 2 for domain in domains
    }
    assert orderer.challenges() == []

    asked = orderer.asked()
    second = orderer.order(items=items)
    assert (second.code, second.writes, orderer.asked()) == (0, [], asked), second.text

    state = orderer.state
    due = [one["name"] for one in state["certificates"][::10]]
    for one in state["certificates"][::10]:
        one["not_after"] = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=29)).isoformat()
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
    third = orderer.order(items=items)
    assert third.code == 0, third.text
    assert orderer.orders() - orders == 55
    renewed = orderer.certificates()
    assert sorted(name for name in domains if renewed[name] != issued[name]) == sorted(due)
    assert orderer.used_by() == {domain: domain for domain in domains}


def test_only_what_changed_is_ordered_and_what_the_panel_lost_is_uploaded_again(orderer: Orderer) -> None:
    assert orderer.order().code == 0
    both = {name: orderer.certificate(name) for name in ("acme", "Web of Müller")}
    # Names of two zones, in another order than before, and one of them new.
    wider = {**ACME, "domains": ["www.other.example", *ACME["domains"]]}
    changed = orderer.order(items=[wider, BETA])
    assert (changed.code, changed.recap["changed"]) == (0, 1), changed.text
    assert "acme: until" in changed.said
    assert "ordered, since its names change: +www.other.example; uploaded" in changed.said
    assert names_of(orderer.certificate("acme")) == ["*.acme.example", "acme.example", "www.other.example"]
    assert orderer.certificate("Web of Müller") == both["Web of Müller"]

    asked = orderer.asked()
    for one in orderer.simulator.objects("certificates"):
        if one["name"] == "Web of Müller":
            orderer.simulator.request("PUT", f"/domains/{4}", {"security": {"id_certificate": 0}})
            assert orderer.simulator.request("DELETE", f"/certificates/{one['id']}").status_code == 204
    fault = {"kind": "status", "status": 400, "method": "POST", "path": "^/certificates", "times": 1}
    orderer.simulator.fault({**fault, "body": "json"})
    refused = orderer.order(items=[wider, BETA])
    assert refused.code != 0
    assert (
        "Not all certificates are where they belong: Web of Müller could not be uploaded: POST /certificates"
        in refused.said
    )
    assert "The next run puts what is kept in place without a new order. Run again for the rest." in refused.said
    assert "components" not in refused.said
    again = orderer.order(items=[wider, BETA])
    assert (again.code, orderer.asked()) == (0, asked), again.text
    assert orderer.certificate("Web of Müller") == both["Web of Müller"]
    assert orderer.used_by()["xn--mller-kva.example"] == "Web of Müller"

    stronger = orderer.order("--check", items=[wider, BETA], certificate_key_type="rsa2048", certificate_renew_days=91)
    assert stronger.writes == []
    assert "acme: until" in stronger.said
    assert "would be ordered, since its key is ec256 and not rsa2048" in stronger.said
    sooner = orderer.order("--check", items=[wider, BETA], certificate_renew_days=91)
    assert sooner.said.count("would be ordered, since it ends on ") == 2
    assert (
        "valid for 90 days at most from the start, and so renewed in each run. Set certificate_renew_days to less than 90."
        in sooner.said
    )


def test_a_renewal_takes_the_place_of_the_old_certificate_and_domains_keep_pointing_to_it(orderer: Orderer) -> None:
    assert orderer.order(items=[ACME]).code == 0
    before, users, (old,) = orderer.certificate("acme"), orderer.used_by(), orderer.simulator.objects("certificates")
    renewed = orderer.order(items=[ACME], certificate_renew_days=91)
    assert (renewed.code, renewed.recap["changed"]) == (0, 1), renewed.text
    assert "ordered, since it ends on " in renewed.said
    (new,) = orderer.simulator.objects("certificates")
    assert new["id"] == old["id"]
    after = orderer.certificate("acme")
    assert (names_of(after), orderer.used_by()) == (names_of(before), users)
    assert after.serial_number != before.serial_number
    assert after.public_key() != before.public_key()
    # Nothing is written to the domains, which point to the certificate by its id.
    assert [write for write in renewed.writes if "/dns/" not in write] == [f"PUT /certificates/{old['id']}"]

    # A panel that was put back from a backup has the old one, which is not somebody else's.
    components = {**old["components"], **old["hidden"].get("components", {})}
    body = {"components": {name: components[name] for name in ("certificate", "ca_certificate", "private_key")}}
    assert orderer.simulator.request("PUT", f"/certificates/{old['id']}", body).ok
    assert orderer.certificate("acme") == before
    again = orderer.order(items=[ACME])
    assert (again.code, again.writes) == (0, [f"PUT /certificates/{old['id']}"]), again.text
    assert orderer.certificate("acme") == after


def test_challenge_records_that_cannot_be_removed_are_removed_by_the_next_run(orderer: Orderer, tmp_path: Path) -> None:
    fault = {"kind": "status", "status": 400, "method": "PUT", "path": "^/dns/name/acme.example", "body": "json"}
    orderer.simulator.fault({**fault, "skip": 1})
    left = orderer.order(items=[ACME])
    assert left.code == 0, left.text
    words = "The challenge records of acme.example could not be removed: "
    assert words in left.said
    assert len(orderer.challenges()) == len(orderer.state["challenges"]) == 2

    # It is told also where the run ends before anything is ordered.
    with pebble(orderer.simulator.dns_port, tmp_path / "pebble", variables={"PEBBLE_WFE_NONCEREJECT": "100"}) as other:
        kept = orderer.state_file.read_bytes()
        other_directory = {
            "certificate_acme_directory": other.directory,
            "certificate_acme_ca_path": str(other.ca_file),
        }
        orderer.simulator.clear_faults()
        orderer.simulator.fault(fault)
        failed = orderer.order(items=[ACME], **other_directory)
    assert failed.code != 0
    assert "The account could not be made." in failed.said
    assert words in failed.said

    orderer.state_file.write_bytes(kept)
    orderer.simulator.clear_faults()
    asked = orderer.asked()
    # A zone that cannot be read keeps no other one as it is.
    state = orderer.state
    proof = {"host": "_acme-challenge.other.example", "value": "left", "zone": "other.example"}
    state["challenges"].append({**state["challenges"][0], **proof})
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
    orderer.simulator.fault({**fault, "method": "GET", "path": "^/dns/name/other.example", "times": 5})
    cleaned = orderer.order(items=[ACME])
    assert cleaned.code == 0, cleaned.text
    assert "The challenge records of other.example could not be removed: " in cleaned.said
    assert words not in cleaned.said
    assert (orderer.challenges(), [one["zone"] for one in orderer.state["challenges"]]) == ([], ["other.example"])
    assert orderer.asked() == asked


def test_challenges_of_others_stay_and_each_zone_is_written_twice(orderer: Orderer) -> None:
    foreign = {"host": "_acme-challenge", "type": "TXT", "ttl": 3600, "value": "somebody-elses-proof"}
    (zone,) = [one["id"] for one in orderer.simulator.objects("domains") if one["domain"] == "acme.example"]
    records = orderer.simulator.request("GET", f"/dns/{zone}").json()["records"]
    before = {**records, "other": [*records["other"], foreign]}
    assert orderer.simulator.request("PUT", f"/dns/{zone}", {"records": before}).status_code == 200
    shop = {"name": "shop", "client": "acme", "domains": ["shop.acme.example", "deep.shop.acme.example"]}
    run = orderer.order(items=[ACME, shop])
    assert run.code == 0, run.text
    assert orderer.simulator.request("GET", f"/dns/{zone}").json()["records"]["other"] == before["other"]
    assert [write for write in run.writes if "/dns" in write] == ["PUT /dns/name/acme.example"] * 2
    added = next(request for request in run.requests if request["method"] == "PUT" and "/dns" in request["path"])
    challenges = [one for one in added["body"]["records"]["other"] if "_acme-challenge" in one["host"]]
    assert sorted(one["ttl"] for one in challenges) == [60, 60, 3600, 3600, 3600]


def test_slow_name_servers_are_waited_for_and_one_that_is_too_slow_costs_no_second_order(orderer: Orderer) -> None:
    orderer.simulator.settings({"dns_delay": 60.0})
    orders = orderer.orders() + 1
    late = orderer.order(items=[ACME], certificate_dns_timeout=2)
    assert late.code != 0
    server = f"127.0.0.1:{orderer.simulator.dns_port}"
    words = f"acme: Not every name server has the challenge record: acme.example: after 2 s {server} does not have the challenge of acme.example"
    assert words.replace("of acme.example", "of _acme-challenge.acme.example") in late.said, late.text
    assert (
        "The challenge records in acme.example were removed. Nothing was issued. Run again for the rest." in late.said
    )
    assert "changed: true" in late.said, "the authority has an order, and a zone was written"
    assert orderer.challenges() == []
    (order,) = orderer.state["orders"]
    # What name servers show now is what the first run wrote and has removed by now.
    orderer.simulator.settings({"dns_delay": 3.0})
    done = orderer.order(items=[ACME])
    assert done.code == 0, done.text
    marked = next(one["body"]["records"]["other"] for one in done.requests if one["method"] == "PUT")
    assert sum("hosting.panel-" in one["value"] for one in marked) == 1
    assert orderer.challenges() == []
    state = orderer.state
    assert state["certificates"][0]["private_key"] == order["private_key"]
    assert (state["orders"], state["challenges"]) == ([], [])
    assert orderer.orders() == orders
    assert names_of(orderer.certificate("acme")) == ["*.acme.example", "acme.example"]


def test_an_order_whose_address_a_killed_run_has_not_kept_is_found_again(orderer: Orderer) -> None:
    orderer.simulator.settings({"dns_delay": 60.0})
    # Two orders for the same names are two.
    items = [{**ACME, "assign": []}, {**ACME, "name": "twin", "assign": []}]
    assert orderer.order(items=items, certificate_dns_timeout=1).code != 0
    state = orderer.state
    known = [(one.pop("order_uri"), one.pop("challenges")) for one in state["orders"]]
    assert len(known) == 2
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
    orderer.simulator.settings({"dns_delay": 0.0})
    orders = orderer.orders()
    done = orderer.order(items=items)
    assert done.code == 0, done.text
    assert orderer.orders() == orders
    assert set(orderer.certificates()) == {"acme", "twin"}


def test_what_the_authority_refuses_is_told_in_its_words_and_ordered_anew_in_the_next_run_only(
    orderer: Orderer, tmp_path: Path
) -> None:
    # It asks a name server that has the zones, and no challenges in them.
    with Simulator.start(dns=True) as elsewhere, pebble(elsewhere.dns_port, tmp_path / "pebble") as other:
        elsewhere.seed(SEED)
        orderer.authority = other
        for number in (1, 2):
            refused = orderer.order(items=[ACME])
            assert refused.code != 0
            words = 'The authority says: Error retrieving TXT records for DNS challenge ("DNS lookup for "_acme-challenge.acme.example" '
            words += "returned an unsuccessful response: … (unauthorized)."
            assert (
                f"1 of 1 certificates failed: acme: {words} The challenge records in acme.example were removed. Nothing was issued."
                in refused.said
            ), refused.text
            assert orderer.orders() == number
            assert (orderer.challenges(), orderer.state["orders"], orderer.state["challenges"]) == ([], [], [])
        assert orderer.simulator.objects("certificates") == []


@pytest.mark.parametrize("retry_after", [1, 3600])
def test_an_order_for_which_a_limit_is_reached_is_asked_for_once_and_none_keeps_another_from_it(
    orderer: Orderer, retry_after: int
) -> None:
    with limited(orderer.authority, 429, retry_after) as busy:
        run = orderer.order(certificate_acme_directory=busy.directory)
    assert run.code != 0
    words = "The authority does not do this now, since a limit is reached: too many new orders recently (rateLimited)."
    assert "2 of 2 certificates failed: " in run.said
    assert all(f"{name}: {words}" in run.said for name in ("acme", "Web of Müller"))
    assert busy.orders == 2


def test_an_authority_that_goes_away_in_the_middle_is_asked_for_nothing_else(orderer: Orderer) -> None:
    with limited(orderer.authority) as other:
        run = _with_a_change_in_the_middle(orderer, lambda: setattr(other, "is_away", True), other.directory)
        assert run.code != 0
        words = f"The authority at {other.directory} cannot be reached, or does not answer as one."
        assert words in run.said
        assert "Run again for the rest." in run.said
        assert orderer.challenges() == []
        assert len(orderer.state["orders"]) == 2
        away = orderer.order(certificate_acme_directory=other.directory)
    assert away.code != 0
    assert f"{words} Nothing was ordered or written." in away.said
    assert away.writes == []


def test_a_state_folder_that_is_lost_in_the_middle_is_told_to_those_who_watch_the_metrics(orderer: Orderer) -> None:
    def lose() -> None:
        orderer.state_file.parent.rename(orderer.folder / "lost")
        orderer.state_file.parent.write_bytes(b"")

    run = _with_a_change_in_the_middle(orderer, lose, certificate_metrics_file="certificates.prom")
    assert run.code != 0
    assert "certificates.yml: cannot be read: Not a directory" in run.said, run.text
    metrics = (orderer.folder / "certificates.prom").read_text(encoding="utf-8")
    assert metrics.count("hosting_panel_certificate_failed{") == metrics.count('"} 1\n') == 2, metrics
    assert metrics.count("hosting_panel_certificate_issued{") == metrics.count('"} 0\n') == 2, metrics


def _with_a_change_in_the_middle(
    orderer: Orderer, change: Callable[[], None], directory: str = "", **variables: Any
) -> RoleRun:
    """A run in which something happens as soon as challenge records are written."""
    before = writes(orderer.simulator)

    def wait_and_change() -> None:
        wait_for_writes(orderer.simulator, before + 1, lambda: True)
        change()

    changing = threading.Thread(target=wait_and_change)
    changing.start()
    run = orderer.order(certificate_acme_directory=directory or orderer.authority.directory, **variables)
    changing.join()
    return run


def test_nonces_that_are_refused_now_and_then_cost_nothing_and_all_of_them_end_the_run(
    orderer: Orderer, tmp_path: Path
) -> None:
    for share, failed in ((15, False), (100, True)):
        variables = {"PEBBLE_WFE_NONCEREJECT": str(share)}
        with pebble(orderer.simulator.dns_port, tmp_path / f"pebble {share}", variables=variables) as other:
            orderer.authority = other
            items = [{**ACME, "name": f"acme {share}"}]
            run = orderer.order(items=items, certificate_state_dir=f"state {share}")
            assert (run.code != 0) is failed, run.text
            assert other.log().count("Added order ") == (0 if failed else 1)
    assert "The account could not be made. The authority at " in run.said
    assert "is in trouble: " in run.said
    assert "Nothing was ordered." in run.said
    assert run.writes == []


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "options": (
        {
            "items": "acme.example",
            "certificate_terms_agreed": False,
            "certificate_acme_directory": "https://somebody:geheim@ca.example/dir",
            "certificate_acme_ca_path": "nowhere.pem",
            "certificate_nameservers": [None],
            "vault": False,
        },
        [
            "items (certificate_items in the role certificate): must be a list of dictionaries with name, client and domains.",
            "terms_agreed (certificate_terms_agreed in the role certificate): is false",
            "acme_directory (certificate_acme_directory in the role certificate): must be the address of a directory",
            "acme_ca_path (certificate_acme_ca_path in the role certificate): nowhere.pem: No such file or directory.",
            "nameservers[0] (certificate_nameservers in the role certificate): must be the name of a name server, or the address",
            "this run has no Vault secret, so keys could not be encrypted.",
        ],
    ),
    "panel": (
        {
            "items": [
                {**ACME, "domains": ["acme.example", "shop.acme.example", "nowhere.example"]},
                {**SHOP, "client": "nobody"},
                {**BETA, "client": "acme"},
            ]
        },
        [
            "items[0] (acme): domains: nowhere.example is in no zone of this panel, so it cannot be proven by DNS here.",
            "items[1] (shop): client: there is no client nobody on this panel.",
            "items[2] (Web of Müller): domains: xn--mller-kva.example is of another client than acme.",
        ],
    ),
    "directory not verified": (
        {"certificate_acme_ca_path": ""},
        [
            "shows a certificate that cannot be verified. Name the file of its CA, or correct the address. Nothing was ordered or written."
        ],
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("words", [(), ("--check",)], ids=["run", "check mode"])
def test_bad_input_is_told_at_once_before_the_first_write(orderer: Orderer, name: str, words: tuple[str, ...]) -> None:
    options, sentences = WRONG[name]
    run = orderer.order(*words, **options)
    assert_failed(run, *sentences)
    assert "geheim" not in run.text
    assert not orderer.state_file.exists()


def test_disabled_dns_and_an_alias_in_the_way_are_found_before_anything_is_ordered(orderer: Orderer) -> None:
    ids = {one["domain"]: one["id"] for one in orderer.simulator.objects("domains")}
    zone = orderer.simulator.request("GET", f"/dns/{ids['acme.example']}").json()["records"]
    alias = {"host": "_acme-challenge", "type": "CNAME", "ttl": 60, "value": "proofs.elsewhere.example."}
    body = {"records": {**zone, "other": [*zone["other"], alias]}}
    assert orderer.simulator.request("PUT", f"/dns/{ids['acme.example']}", body).status_code == 200
    run = orderer.order(items=[ACME])
    assert_failed(
        run, "_acme-challenge.acme.example is an alias in the zone acme.example, so its challenge cannot be there"
    )
    assert orderer.simulator.request("PUT", f"/dns/{ids['acme.example']}", {"is_dns_disabled": True}).status_code == 200
    run = orderer.order(items=[ACME])
    assert_failed(run, "DNS of acme.example is disabled on this panel, so *.acme.example cannot be proven by DNS here.")


def test_what_stands_in_the_way_of_one_certificate_stands_in_no_others_way(orderer: Orderer, tmp_path: Path) -> None:
    small = {**ACME, "domains": ["acme.example"], "assign": ["acme.example"]}
    assert orderer.order(items=[small]).code == 0
    ids = {one["domain"]: one["id"] for one in orderer.simulator.objects("domains")}
    assert (
        orderer.simulator.request("PUT", f"/dns/{ids['other.example']}", {"is_dns_disabled": True}).status_code == 200
    )
    file, key = Issuer(tmp_path).issue("www.xn--mller-kva.example")
    components = {"certificate": file.read_text(), "private_key": key.read_text()}
    (acme,) = [one["id"] for one in orderer.simulator.objects("clients") if one["username"] == "acme"]
    foreign = {"name": BETA["name"], "id_user": acme, "components": components}
    assert orderer.simulator.request("POST", "/certificates", foreign).status_code == 201
    assert orderer.simulator.request("PUT", f"/domains/{ids['other.example']}", {"security": {"lets_encrypt": True}}).ok

    grown = {**small, "domains": ["acme.example", "other.example"], "assign": ["acme.example", "other.example"]}
    shop = {"name": "shop", "client": "acme", "domains": ["shop.acme.example"], "assign": ["shop.acme.example"]}
    predicted = orderer.order("--check", items=[grown, BETA, shop])
    run = orderer.order(items=[grown, BETA, shop], certificate_metrics_file="certificates.prom")
    for one in (predicted, run):
        assert one.code != 0
        assert "2 of 3 certificates failed: acme: domains: DNS of other.example is disabled on this panel" in one.said
        assert "Web of Müller: name: the panel has a certificate of this name, of another client than beta," in one.said
    assert predicted.writes == []
    assert "shop: not there yet; would be ordered" in predicted.said
    assert "not valid for other.example, left as they are" in run.said
    assert orderer.used_by() == {"acme.example": "acme", "shop.acme.example": "shop"}
    security = orderer.simulator.request("GET", f"/domains/{ids['other.example']}").json()["security"]
    assert security["lets_encrypt"] is True
    there = {one["name"]: one["components"]["certificate"] for one in orderer.simulator.objects("certificates")}
    assert there[BETA["name"]] == file.read_text()
    metrics = (orderer.folder / "certificates.prom").read_text(encoding="utf-8").splitlines()
    failed = [line.partition(",")[2] for line in metrics if line.startswith("hosting_panel_certificate_failed{")]
    assert failed == ['certificate="acme"} 1', f'certificate="{BETA["name"]}"}} 1', 'certificate="shop"} 0']

    alone = orderer.order(items=[BETA])
    assert_failed(alone, "items[0] (Web of Müller): name: the panel has a certificate of this name, of another client")


def test_names_that_have_no_addresses_beside_a_challenge_are_told_until_they_have_records_of_their_own(
    orderer: Orderer,
) -> None:
    (zone,) = [one["id"] for one in orderer.simulator.objects("domains") if one["domain"] == "acme.example"]

    def write(*hosts: str) -> None:
        records = orderer.simulator.request("GET", f"/dns/{zone}").json()["records"]
        more = [{"host": host, "type": "A", "ttl": 3600, "value": "192.0.2.10"} for host in hosts]
        body = {"records": {**records, "other": [*records["other"], *more]}}
        assert orderer.simulator.request("PUT", f"/dns/{zone}", body).ok

    write("*")
    item = {"name": "new", "client": "acme", "domains": ["new.acme.example", "acme.example"]}
    words = "new.acme.example has its records by a wildcard of the zone acme.example alone, and none while there is a challenge record below."
    assert words in orderer.order("--check", items=[item]).said
    write("new")
    run = orderer.order(items=[item])
    assert (run.code, "by a wildcard" in run.said) == (0, False), run.text


def test_a_run_of_which_only_the_process_group_is_killed_goes_on_and_the_next_one_waits_for_it(
    orderer: Orderer,
) -> None:
    orderer.simulator.settings({"dns_delay": 3.0})
    orders, before = orderer.orders(), writes(orderer.simulator)
    words, environment = orderer.started(items=[ACME])
    process = start_playbook(words, orderer.folder, IN_PROCESS, environment)
    assert wait_for_writes(orderer.simulator, before + 1, lambda: is_running(process))
    kill_group(process)
    try:
        run = orderer.order(items=[ACME])
    finally:
        end_workers(orderer.folder)
    assert (run.code, run.recap["changed"], orderer.orders()) == (0, 0, orders + 1), run.text
    assert orderer.used_by() == dict.fromkeys(ACME["assign"], "acme")
    assert orderer.challenges() == []


def test_check_mode_says_of_a_certificate_that_has_ended_what_the_run_does(orderer: Orderer) -> None:
    assert orderer.order(items=[ACME]).code == 0
    ids = {one["domain"]: one["id"] for one in orderer.simulator.objects("domains")}
    for certificate, assigned in ((1, ""), (0, "; {}assigned to shop.acme.example")):
        body = {"security": {"id_certificate": certificate}}
        assert orderer.simulator.request("PUT", f"/domains/{ids['shop.acme.example']}", body).ok
        state = orderer.state
        state["certificates"][0].update(not_before="2025-10-01T00:00:00+00:00", not_after="2026-01-01T00:00:00+00:00")
        orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
        for words, would in ((["--check"], "would be "), ([], "")):
            run = orderer.order(*words, items=[ACME])
            done = f"; {would}ordered, since it ends on 2026-01-01; {would}uploaded{assigned.format(would)}'"
            assert (run.code, done in run.said) == (0, True), run.text


def test_a_name_that_a_domain_still_needs_is_not_taken_out_of_its_certificate(orderer: Orderer) -> None:
    assert orderer.order(items=[ACME]).code == 0
    orders, there = orderer.orders(), orderer.certificates()
    smaller = {**ACME, "domains": ["acme.example"], "assign": ["acme.example"]}
    words = (
        "acme: domains: shop.acme.example uses this certificate on the panel and would not be covered any more; give it another certificate "
        "first."
    )
    for run in (orderer.order("--check", items=[smaller]), orderer.order(items=[smaller])):
        assert run.code != 0
        assert f"1 of 1 certificates failed: {words}" in run.said, run.text
        assert run.writes == []
    assert (orderer.orders(), orderer.certificates()) == (orders, there)

    # The other certificate may come in the same run, and the order for fewer names in the next.
    shop = {**SHOP, "domains": ["shop.acme.example"], "assign": ["shop.acme.example"]}
    moved = orderer.order(items=[smaller, shop])
    assert f"1 of 2 certificates failed: {words}" in moved.said, moved.text
    assert orderer.used_by() == {"acme.example": "acme", "shop.acme.example": "shop"}
    done = orderer.order(items=[smaller, shop])
    assert done.code == 0, done.text
    assert names_of(orderer.certificate("acme")) == ["acme.example"]


def test_a_certificate_that_somebody_uploads_while_one_is_ordered_is_not_overwritten(
    orderer: Orderer, tmp_path: Path
) -> None:
    file, key = Issuer(tmp_path).issue("acme.example")
    components = {"certificate": file.read_text(), "private_key": key.read_text()}
    before = writes(orderer.simulator)

    def upload() -> None:
        wait_for_writes(orderer.simulator, before + 1, lambda: True)
        assert orderer.simulator.request("POST", "/certificates", {"name": "acme", "components": components}).ok

    uploading = threading.Thread(target=upload)
    uploading.start()
    run = orderer.order()
    uploading.join()
    assert run.code != 0
    words = "acme: name: the panel has a certificate of this name that is not in the state folder, and it is not overwritten."
    assert f"1 of 2 certificates failed: {words}" in run.said, run.text
    assert "were removed. What was issued is kept. Not in place: acme. Run again for the rest." in run.said
    assert {one["name"] for one in orderer.state["certificates"]} == {"acme", BETA["name"]}
    assert orderer.used_by() == {"xn--mller-kva.example": BETA["name"]}
    (there,) = [one for one in orderer.simulator.objects("certificates") if one["name"] == "acme"]
    assert there["components"]["certificate"] == file.read_text()

    # With another name it is in nobody's way, and what was kept comes without a new order.
    assert orderer.simulator.request("PUT", f"/certificates/{there['id']}", {"name": "theirs"}).ok
    orders = orderer.orders()
    again = orderer.order()
    assert (again.code, orderer.orders()) == (0, orders), again.text
    assert orderer.used_by()["acme.example"] == "acme"


def test_without_the_collection_it_says_how_to_install_it_before_anything_else(orderer: Orderer) -> None:
    run = orderer.run(PLAYS, orderer.variables())
    assert_refused(
        run, "This role needs the collection community.crypto from 3.0.0 on and before 4.0.0, which is not installed"
    )
    assert not orderer.state_file.exists()


def test_another_authority_gets_an_account_of_its_own_and_what_it_issues_takes_the_old_place(
    orderer: Orderer, tmp_path: Path
) -> None:
    assert orderer.order(items=[BETA]).code == 0
    (first,) = orderer.state["accounts"]
    with pebble(orderer.simulator.dns_port, tmp_path / "pebble") as other:
        old, orderer.authority = orderer.authority, other
        moved = orderer.order(items=[BETA])
        assert moved.code == 0, moved.text
        assert f"ordered, since it is of {old.directory}" in moved.said
        assert names_of(orderer.certificate(BETA["name"])) == ["www.xn--mller-kva.example", "xn--mller-kva.example"]
    accounts = orderer.state["accounts"]
    assert [one["directory"] for one in accounts] == [old.directory, other.directory]
    assert accounts[0] == first
    assert accounts[1]["key"] != first["key"]

    # As after somebody has copied it by hand.
    orderer.authority, state = old, orderer.state
    state["accounts"][1]["key"] = first["key"]
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
    asked = orderer.asked()
    assert_failed(
        orderer.order(items=[BETA]), f"the account key of {old.directory} in", f"belongs to {other.directory}"
    )
    assert orderer.asked() == asked


def test_an_authority_that_is_away_and_a_customer_who_left_keep_nothing_else_from_being_done(
    orderer: Orderer, tmp_path: Path
) -> None:
    with pebble(orderer.simulator.dns_port, tmp_path / "pebble") as other:
        orderer.authority = other
        assert orderer.order(items=[ACME]).code == 0
    panel, state = orderer.simulator, orderer.state
    ids = {one["domain"]: one["id"] for one in panel.objects("domains")}
    (certificate,) = panel.objects("certificates")
    for domain in ACME["assign"]:
        assert panel.request("PUT", f"/domains/{ids[domain]}", {"security": {"id_certificate": 0}}).ok
    assert panel.request("DELETE", f"/certificates/{certificate['id']}").ok
    proof = {"host": "_acme-challenge.other.example", "value": "left", "zone": "other.example"}
    state["challenges"].append({"panel": state["certificates"][0]["panel"], **proof})
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))

    gone = {"name": "gone", "client": "gone", "domains": ["gone.example"]}
    run = orderer.order(items=[gone, ACME, SHOP], certificate_metrics_file="certificates.prom")
    assert run.code != 0
    assert "1 of 3 certificates failed: gone: client: there is no client gone on this panel. " in run.said
    assert (
        f"The authority at {other.directory} cannot be reached, or does not answer as one. Nothing was ordered. "
        "1 was not tried after that: shop." in run.said
    ), run.text
    assert orderer.used_by() == dict.fromkeys(ACME["assign"], "acme")
    assert orderer.state["challenges"] == []
    metrics = (orderer.folder / "certificates.prom").read_text(encoding="utf-8").splitlines()
    failed = [line.partition(",")[2] for line in metrics if line.startswith("hosting_panel_certificate_failed{")]
    assert failed == ['certificate="gone"} 1', 'certificate="acme"} 0', 'certificate="shop"} 1']

    # Where there is nothing else to do, it is a mistake in what is asked for.
    assert_failed(orderer.order(items=[gone]), "items[0] (gone): client: there is no client gone on this panel.")


def test_an_account_that_the_authority_forgot_or_ended_is_made_again(orderer: Orderer) -> None:
    assert orderer.order(items=[BETA]).code == 0
    (known,) = orderer.state["accounts"]
    # A key that the authority has never seen, as after it has lost its accounts.
    state = orderer.state
    forgotten = state["certificates"][0]["private_key"]
    state["accounts"][0]["key"] = forgotten
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
    again = orderer.order(items=[ACME])
    assert again.code == 0, again.text
    assert orderer.state["accounts"] == [{**known, "key": forgotten}]

    end = {
        "community.crypto.acme_account": {
            "state": "absent",
            "acme_directory": orderer.authority.directory,
            "acme_version": 2,
            "account_key_content": forgotten,
        },
        "environment": {"SSL_CERT_FILE": str(orderer.authority.ca_file)},
        "no_log": True,
    }
    plays = [{"hosts": "localhost", "gather_facts": False, "tasks": [end]}]
    ended = orderer.run(plays, {}, environment=surroundings())
    assert (ended.code, ended.recap["changed"]) == (0, 1), ended.text
    last = orderer.order(items=[SHOP])
    assert last.code == 0, last.text
    assert "Web of Müller, acme: in the state folder with their keys, and not among the items" in last.said
    assert "The account was ended at the authority, so there is a new one, with another key." in last.said
    assert orderer.state["accounts"][0]["key"] not in (known["key"], forgotten)


def test_an_authority_that_wants_an_external_account_binding_gets_it_as_the_page_of_the_role_shows(
    orderer: Orderer, tmp_path: Path
) -> None:
    binding = {"kid": "kid-1", "key": "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"}
    page = snippets(ROOT / "roles" / "certificate" / "README.md")
    (bind,) = (yaml.safe_load(one.text) for one in page if one.value("file") == "bind.yml")
    with pebble(orderer.simulator.dns_port, tmp_path / "pebble", binding={binding["kid"]: binding["key"]}) as other:
        orderer.authority = other
        run = orderer.order(items=[ACME])
        assert_failed(run, "The account could not be made.", "an external account binding must be specified")
        trusting = {**surroundings(), "SSL_CERT_FILE": str(other.ca_file)}
        assert orderer.run(bind, binding, environment=trusting).code == 0
        assert orderer.order(items=[ACME]).code == 0
        assert orderer.used_by()["acme.example"] == "acme"


def test_a_zone_with_an_order_is_custom_until_it_is_given_back_and_the_panels_own_certificate_is_switched_off(
    orderer: Orderer,
) -> None:
    panel = orderer.simulator
    ids = {one["domain"]: one["id"] for one in panel.objects("domains")}
    assert panel.request("PUT", f"/domains/{ids['acme.example']}", {"security": {"lets_encrypt": True}}).ok
    before = panel.request("GET", f"/dns/{ids['acme.example']}").json()
    assert orderer.order(items=[ACME]).code == 0
    assert panel.request("GET", f"/dns/{ids['acme.example']}").json() == {**before, "is_custom_dns": True}
    assert panel.request("GET", f"/dns/{ids['other.example']}").json()["is_custom_dns"] is False
    security = panel.request("GET", f"/domains/{ids['acme.example']}").json()["security"]
    assert (security["lets_encrypt"], orderer.used_by()["acme.example"]) == (False, "acme")

    assert panel.request("DELETE", f"/dns/{ids['acme.example']}").ok
    again = orderer.order(items=[ACME])
    assert (again.code, again.writes) == (0, []), again.text
    assert panel.request("GET", f"/dns/{ids['acme.example']}").json() == before


def test_each_host_of_the_inventory_has_its_own_certificates_and_file_of_metrics(orderer: Orderer) -> None:
    panel = {"panel_api_url": orderer.simulator.url, "panel_api_key": orderer.simulator.api_key}
    shared = orderer.variables()
    del shared["certificate_items"]
    shared["certificate_metrics_file"] = "{{ inventory_hostname }}.prom"
    hosts = {"web-1": {**panel, "certificate_items": [ACME]}, "web-2": {**panel, "certificate_items": [BETA]}}
    inventory = orderer.folder / "panels.yml"
    inventory.write_text(
        yaml.safe_dump({"all": {"children": {"panels": {"hosts": hosts, "vars": shared}}}}), encoding="utf-8"
    )
    words = ("hosting.panel.certificates", {"panel_hosts": "panels"}, "-i", str(inventory))
    predicted = orderer.run(*words, "--check", environment=surroundings())
    assert (predicted.code, predicted.writes) == (0, []), predicted.text
    assert predicted.said.count(": not there yet; would be ordered") == 2
    run = orderer.run(*words, environment=surroundings())
    assert run.code == 0, run.text
    for host, name, other in (("web-1", "acme", "Müller"), ("web-2", "Web of Müller", "acme")):
        metrics = (orderer.folder / f"{host}.prom").read_text(encoding="utf-8")
        assert f'certificate="{name}"' in metrics
        assert other not in metrics


def test_a_panel_with_a_new_address_is_known_again_when_the_state_folder_names_it(orderer: Orderer) -> None:
    assert orderer.order(items=[ACME]).code == 0
    known = orderer.state_file.read_bytes()
    name = orderer.state["certificates"][0]["panel"]
    other = yaml.safe_dump(orderer.state).replace(f"panel: {name}", "panel: old.example")
    orderer.state_file.write_bytes(VAULT.encrypt(other))
    assert_failed(
        orderer.order(items=[ACME]), "name: the panel has a certificate of this name that is not in the state folder"
    )
    orderer.state_file.write_bytes(known)
    again = orderer.order(items=[ACME])
    assert (again.code, again.writes) == (0, []), again.text


def test_two_runs_at_once_wait_for_one_another_and_order_once(orderer: Orderer) -> None:
    orders = orderer.orders()
    words, environment = orderer.started(items=[ACME, BETA])
    runs = [start_playbook(words, orderer.folder, IN_PROCESS, environment) for _number in range(2)]
    assert [run.wait(180) for run in runs] == [0, 0]
    assert orderer.orders() - orders == 2
    assert (orderer.challenges(), len(orderer.used_by())) == ([], 3)


def test_an_order_that_is_pending_for_long_is_told_and_becomes_a_certificate_later(
    orderer: Orderer, tmp_path: Path
) -> None:
    # It waits for up to so many seconds before it looks at one of the ten names.
    variables = {"PEBBLE_VA_NOSLEEP": "0", "PEBBLE_VA_SLEEPTIME": "8"}
    with pebble(orderer.simulator.dns_port, tmp_path / "pebble", variables=variables) as other:
        orderer.authority = other
        names = ["acme.example", "*.acme.example", *(f"www.{label}.acme.example" for label in "abcdefgh")]
        items = [{**ACME, "domains": names}]
        late = orderer.order(items=items, certificate_order_timeout=1)
        assert late.code != 0
        assert "acme: The authority has not decided in time. Run again, which goes on with the same order." in late.said
        assert orderer.challenges() == []
        done = orderer.order(items=items)
        if done.code:
            # The authority looked between the runs, when the records were gone.
            assert "The authority says: " in done.said, done.text
            done = orderer.order(items=items)
        assert done.code == 0, done.text
        assert (orderer.challenges(), orderer.state["orders"]) == ([], [])
        assert orderer.orders() <= 3
        assert names_of(orderer.certificate("acme")) == sorted(names)
