"""The role hosting.panel.certificate with a real authority, which asks the name server of the
simulated panel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.integration.roles.operators import VAULT, RoleRun, assert_failed, assert_refused
from tests.integration.roles.orderers import (
    ACME,
    BETA,
    PLAYS,
    SEED,
    SHOP,
    Orderer,
    list_names,
    make_environment,
)
from tests.support.pebble import Pebble, run_pebble
from tests.support.simulator import Simulator
from tests.support.snippets import list_snippets
from tools.layout import ROOT


@pytest.fixture
def orderer(tmp_path: Path, panel: Simulator, authority: Pebble) -> Orderer:
    """Return an operator who orders certificates for the panel from the authority."""
    return Orderer(tmp_path / "folder of certificates", panel, authority)


FOREIGN_CHALLENGE = {
    "host": "_acme-challenge",
    "type": "TXT",
    "ttl": 3600,
    "value": "somebody-elses-proof",
}


def test_certificates_are_ordered_uploaded_and_assigned_a_second_run_asks_for_nothing_and_a_renewal_takes_their_place(
    orderer: Orderer,
) -> None:
    records_before = prepare_domain_of_others(orderer)

    assert_check_mode_predicts_the_order(orderer)
    first = orderer.order("-vvv", "--diff")

    assert first.code == 0, first.text
    assert "PRIVATE KEY" not in first.text
    assert_no_file_has_a_key_as_text(orderer)
    assert_certificates_are_assigned(orderer)
    assert_zone_got_records_for_the_authority_alone(orderer, first, records_before)
    assert_second_run_asks_for_nothing(orderer)
    assert_renewal_takes_its_place(orderer)


def find_domain_id(panel: Simulator, name: str) -> int:
    """Return the id of a domain."""
    ids = {domain["domain"]: domain["id"] for domain in panel.list_objects("domains")}
    number: int = ids[name]
    return number


def read_records(panel: Simulator, domain: str) -> dict[str, Any]:
    """Return the records of a zone."""
    path = f"/dns/{find_domain_id(panel, domain)}"
    records: dict[str, Any] = panel.request("GET", path).json()["records"]
    return records


def prepare_domain_of_others(orderer: Orderer) -> list[Any]:
    """Put the record of another authority into a zone, and have the panel order certificates for
    it; return the records that the role does not manage.
    """
    panel = orderer.simulator
    number = find_domain_id(panel, "acme.example")
    records = read_records(panel, "acme.example")
    zone = {**records, "other": [*records["other"], FOREIGN_CHALLENGE]}

    assert panel.request("PUT", f"/dns/{number}", {"records": zone}).ok
    assert panel.request("PUT", f"/domains/{number}", {"security": {"lets_encrypt": True}}).ok
    return zone["other"]


def assert_check_mode_predicts_the_order(orderer: Orderer) -> None:
    """Assert that check mode says what would be ordered, and writes nothing."""
    predicted = orderer.order("--check")
    assert (predicted.code, predicted.writes, predicted.recap["changed"]) == (0, [], 1), (
        predicted.text
    )
    assert "acme: would be ordered, since there is none yet" in predicted.said
    assert not orderer.state_file.exists()


def assert_no_file_has_a_key_as_text(orderer: Orderer) -> None:
    """Assert that the keys are encrypted where they are kept."""
    files = [path for path in orderer.folder.rglob("*") if path.is_file()]
    assert [path for path in files if b"PRIVATE KEY" in path.read_bytes()] == []
    assert orderer.state_file.read_bytes().startswith(b"$ANSIBLE_VAULT;")


def assert_certificates_are_assigned(orderer: Orderer) -> None:
    """Assert that the panel has the certificates, and uses them in place of its own."""
    assert list_names(orderer.get_certificate("acme")) == ["*.acme.example", "acme.example"]
    assert list_names(orderer.get_certificate("Web of Müller")) == [
        "www.xn--mller-kva.example",
        "xn--mller-kva.example",
    ]
    assert orderer.list_certificates_by_domain() == {
        "acme.example": "acme",
        "shop.acme.example": "acme",
        "xn--mller-kva.example": "Web of Müller",
    }
    panel = orderer.simulator
    domain = panel.request("GET", f"/domains/{find_domain_id(panel, 'acme.example')}").json()
    assert domain["security"]["lets_encrypt"] is False


def assert_zone_got_records_for_the_authority_alone(
    orderer: Orderer, run: RoleRun, records_before: list[Any]
) -> None:
    """Assert that the zone has what it had, and was written once with our records and once
    without.
    """
    assert read_records(orderer.simulator, "acme.example")["other"] == records_before
    assert [write for write in run.writes if "acme.example" in write] == [
        "PUT /dns/name/acme.example"
    ] * 2

    added = [
        record
        for request in run.requests
        if request["method"] == "PUT" and "/dns" in request["path"]
        for record in request["body"]["records"]["other"]
        if "_acme-challenge" in record["host"] and record["value"] != FOREIGN_CHALLENGE["value"]
    ]

    assert sorted(record["ttl"] for record in added) == [60, 60, 3600, 3600]


def assert_second_run_asks_for_nothing(orderer: Orderer) -> None:
    """Assert that a run with nothing to do asks neither the authority nor for a write."""
    asked = orderer.count_authority_requests()
    second = orderer.order()

    assert (second.code, second.writes, second.recap["changed"]) == (0, [], 0), second.text
    assert orderer.count_authority_requests() == asked
    assert "PRIVATE KEY" not in second.text
    assert second.text.count("TASK [") <= 9


def assert_renewal_takes_its_place(orderer: Orderer) -> None:
    """Assert that a renewed certificate has a new key, and replaces the old one where it is."""
    before = orderer.get_certificate("acme")
    users = orderer.list_certificates_by_domain()
    (old,) = [
        certificate["id"]
        for certificate in orderer.simulator.list_objects("certificates")
        if certificate["name"] == "acme"
    ]

    renewed = orderer.order(items=[ACME], certificate_renew_days=91)

    assert renewed.code == 0, renewed.text
    assert "ordered, since it expires on " in renewed.said

    after = orderer.get_certificate("acme")
    assert (list_names(after), orderer.list_certificates_by_domain()) == (list_names(before), users)
    assert after.serial_number != before.serial_number
    assert after.public_key() != before.public_key()
    assert [write for write in renewed.writes if "/dns/" not in write] == [
        f"PUT /certificates/{old}"
    ]


@pytest.mark.release
def test_a_slow_name_server_is_named_others_go_on_and_records_that_stay_are_removed_by_the_next_run(
    orderer: Orderer,
) -> None:
    orderer.simulator.change_settings({"dns_delay": 60.0})
    fault = {
        "kind": "status",
        "status": 400,
        "method": "PUT",
        "path": "^/dns/name/acme.example",
        "body": "json",
    }
    orderer.simulator.queue_fault({**fault, "skip": 1})

    late = orderer.order(items=[ACME], certificate_dns_timeout=2)

    assert late.code != 0

    # Under load it does not answer in time, and seconds have gone before the wait begins.
    lacks = rf"127\.0\.0\.1:{orderer.simulator.dns_port} does not (serve TXT _acme-challenge\.acme\.example|answer)"
    assert re.search(f"acme: zone acme.example: after [012] s, {lacks}", late.said), late.said
    assert "The challenge records of acme.example could not be removed: " in late.said
    assert len(orderer.list_challenges()) == len(orderer.state["challenges"]["acme.example"]) == 2

    orderer.simulator.clear_faults()
    orderer.simulator.change_settings({"dns_delay": 0.0})

    done = orderer.order(items=[ACME])

    assert done.code == 0, done.text
    assert (orderer.list_challenges(), orderer.state["challenges"]) == ([], {})


@pytest.mark.release
def test_records_whose_writing_got_no_answer_are_removed_although_they_come_late(
    orderer: Orderer,
) -> None:
    fault = {"kind": "reset", "late": 15, "method": "PUT", "path": "^/dns/name/acme.example"}
    orderer.simulator.queue_fault(fault)

    first_run = orderer.run(
        PLAYS,
        orderer.make_variables([ACME]),
        environment={**make_environment(), "PANEL_RETRY_TIME": "4"},
    )

    assert first_run.code != 0
    assert "It may have been written." in first_run.said, first_run.text
    assert len([write for write in first_run.writes if "/dns/" in write]) == 2
    assert (orderer.list_challenges(), orderer.state["challenges"]) == ([], {})


@pytest.mark.release
def test_records_that_a_killed_run_was_writing_are_removed_by_the_next_although_they_come_late(
    orderer: Orderer,
) -> None:
    panel = orderer.simulator
    assert orderer.order(items=[ACME]).code == 0
    record = {"host": "_acme-challenge.acme.example.", "type": "TXT", "ttl": 60, "value": "left"}
    kept = {**orderer.state, "challenges": {"acme.example": [record]}}
    orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(kept)))
    records = read_records(panel, "acme.example")
    added = [{**record, "host": "_acme-challenge"}, FOREIGN_CHALLENGE]
    panel.queue_fault({"kind": "reset", "late": 15, "method": "PUT", "path": "^/dns/"})
    with pytest.raises(requests.ConnectionError):
        panel.request(
            "PUT",
            "/dns/name/acme.example",
            {"records": {**records, "other": [*records["other"], *added]}},
        )

    next_run = orderer.order(items=[ACME])

    assert next_run.code == 0, next_run.text
    assert [challenge["value"] for challenge in orderer.list_challenges()] == [
        FOREIGN_CHALLENGE["value"]
    ]
    assert orderer.state["challenges"] == {}


@pytest.mark.release
def test_a_refusal_is_told_in_the_words_of_the_authority_and_what_was_kept_is_uploaded_anyway(
    orderer: Orderer, tmp_path: Path
) -> None:
    assert orderer.order(items=[BETA]).code == 0

    (uploaded,) = orderer.simulator.list_objects("certificates")
    assert orderer.simulator.request("PUT", "/domains/4", {"security": {"id_certificate": 0}}).ok
    assert orderer.simulator.request("DELETE", f"/certificates/{uploaded['id']}").ok

    # This authority asks a name server that has the zones, and no challenges in them.
    with (
        Simulator.start(dns=True) as elsewhere,
        run_pebble(elsewhere.dns_port, tmp_path / "pebble") as authority,
    ):
        elsewhere.seed(SEED)
        orderer.authority = authority
        state = orderer.state
        state["certificates"][BETA["name"]]["directory"] = authority.directory
        orderer.state_file.write_bytes(VAULT.encrypt(yaml.safe_dump(state)))
        refused = orderer.order(items=[ACME, BETA])

    assert refused.code != 0
    assert "1 of 2 certificates failed: acme: " in refused.said
    assert "Error retrieving TXT records for DNS challenge" in refused.said
    assert orderer.list_challenges() == []
    assert orderer.list_certificates_by_domain() == {"xn--mller-kva.example": BETA["name"]}


NOBODY_LISTENS = "https://127.0.0.1:9/dir"
UNREACHABLE: dict[str, tuple[str, bool, str]] = {
    "nobody listens": (NOBODY_LISTENS, True, "cannot be reached: [Errno 111] Connection refused"),
    "an authority that is not trusted": ("{0.directory}", False, "cannot be reached: "),
    "another page": ("{0.directory}/nothing", True, "answers with status 404"),
    "no directory": ("{0.management}/roots/0", True, "is no directory of an ACME authority"),
}


@pytest.mark.parametrize("name", UNREACHABLE)
def test_an_authority_that_cannot_be_reached_is_told_by_the_variable_that_names_it(
    orderer: Orderer, name: str
) -> None:
    address, is_trusted, reason = UNREACHABLE[name]
    directory = address.format(orderer.authority)
    variables: dict[str, Any] = {"certificate_acme_directory": directory}
    if not is_trusted:
        variables["certificate_acme_ca_path"] = ""

    failed = orderer.order(items=[ACME], **variables)

    assert failed.code != 0
    assert f"acme: certificate_acme_directory: {directory} {reason}" in failed.said, failed.said
    assert "Nothing was ordered. Check the address, and certificate_acme_ca_path" in failed.said
    for frame in ("urlopen", "lookup", "Status code was"):
        assert frame not in failed.said
    assert "accounts" not in orderer.state


def test_wrong_variables_are_told_at_once_before_anything_is_read(orderer: Orderer) -> None:
    items = [{**ACME, "domains": ["acme.example", "not a name"]}, {**SHOP, "domains": []}]
    directory = "https://somebody:geheim@ca.example/dir"
    run = orderer.order(
        items=items, certificate_acme_directory=directory, certificate_acme_ca_path="nowhere.pem"
    )

    assert_refused(
        run,
        "acme: domains: 'not a name' is not a domain name",
        "shop: domains is empty. Name at least one domain.",
        "certificate_acme_directory: use the address of a directory, without a password in it.",
        "certificate_acme_ca_path: no such file: nowhere.pem.",
    )

    assert "geheim" not in run.text

    terms = "certificate_terms_agreed is false. Read the terms of service of"
    assert_refused(orderer.order(certificate_terms_agreed=False), terms)

    assert_refused(orderer.order(vault=False), "this run has no Vault password")

    assert not orderer.state_file.exists()


def test_without_the_collection_it_says_how_to_install_it_before_anything_else(
    orderer: Orderer,
) -> None:
    run = orderer.run(PLAYS, orderer.make_variables())
    assert_refused(
        run,
        "This role needs the collection community.crypto 3, and none is installed: ansible-galaxy",
    )


@pytest.mark.release
def test_an_authority_that_wants_an_external_account_binding_gets_it_as_the_page_of_the_role_shows(
    orderer: Orderer, tmp_path: Path
) -> None:
    binding = {
        "kid": "kid-1",
        "key": "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W",
    }
    page = list_snippets(ROOT / "docs" / "certificates.md")
    (bind,) = (
        yaml.safe_load(snippet.text) for snippet in page if snippet.find_value("file") == "bind.yml"
    )

    with run_pebble(
        orderer.simulator.dns_port, tmp_path / "pebble", binding={binding["kid"]: binding["key"]}
    ) as authority:
        orderer.authority = authority
        run = orderer.order(items=[ACME])

        assert run.code != 0
        assert "an external account binding must be specified" in run.said

        trusting = {**make_environment(), "SSL_CERT_FILE": str(authority.ca_file)}
        assert orderer.run(bind, binding, environment=trusting).code == 0
        assert orderer.order(items=[ACME]).code == 0
        assert orderer.list_certificates_by_domain()["acme.example"] == "acme"


@pytest.mark.release
def test_each_panel_has_its_own_state_folder_and_that_of_another_one_is_refused(
    orderer: Orderer,
) -> None:
    panel = {"panel_api_url": orderer.simulator.url, "panel_api_key": orderer.simulator.api_key}
    hosts = {
        "web-1": {**panel, "certificate_items": [ACME]},
        "web-2": {**panel, "certificate_items": [BETA]},
    }
    shared = orderer.make_variables(certificate_state_dir="{{ inventory_hostname }}")
    del shared["certificate_items"]
    inventory = orderer.folder / "panels.yml"
    groups = {"panels": {"hosts": hosts, "vars": shared}}
    inventory.write_text(yaml.safe_dump({"all": {"children": groups}}), encoding="utf-8")
    arguments = ("hosting.panel.certificates", {"panel_hosts": "panels"}, "-i", str(inventory))

    run = orderer.run(*arguments, environment=make_environment())

    assert run.code == 0, run.text
    assert orderer.list_certificates_by_domain() == {
        **dict.fromkeys(ACME["assign"], "acme"),
        "xn--mller-kva.example": BETA["name"],
    }

    state = orderer.folder / "web-1" / "certificates.yml"
    content = yaml.safe_load(VAULT.decrypt(state.read_bytes()))

    assert set(content["certificates"]["acme"]) >= {"private_key", "certificate", "chain"}

    state.write_bytes(VAULT.encrypt(yaml.safe_dump({**content, "panel": "old.example"})))
    refused = orderer.order("--check", certificate_state_dir="web-1")
    assert_failed(
        refused, "certificate_state_dir: the certificates there are those of the panel old.example"
    )
