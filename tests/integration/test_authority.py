"""A certificate authority that asks the name server of the simulated panel: a proof by DNS with no stand-in on its way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509

from tests.support.foreign_collections import collections_folder
from tests.support.pebble import CHOSEN, Pebble, pebble, program
from tests.support.playbook import Run, play, task
from tests.support.simulator import Simulator
from tools import debian
from tools.layout import LINK
from tools.not_run import NotRun

DOMAINS = ["acme.example", "other.example"]
NAMES = ["acme.example", "*.acme.example", "www.other.example"]


@pytest.fixture(scope="module")
def named_simulator() -> Iterator[Simulator]:
    with Simulator.start(settings={"status_delay": 0.0}, dns=True) as running:
        running.seed(
            {
                "clients": [{"username": "acme"}],
                "domains": [{"domain": domain, "client": "acme"} for domain in DOMAINS],
            }
        )
        yield running


@pytest.fixture(scope="module")
def authority(named_simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pebble]:
    # A fifth of its good nonces is refused: who orders has to ask again.
    with pebble(named_simulator.dns_port, tmp_path_factory.mktemp("pebble"), 7, {"PEBBLE_WFE_NONCEREJECT": "20"}) as it:
        yield it


def ordered(simulator: Simulator, authority: Pebble, folder: Path, records: bool) -> Run:
    """A certificate for all names, ordered by community.crypto and proven by records that panel_dns writes, or that nobody writes."""
    order = {
        "acme_directory": authority.directory,
        "acme_version": 2,
        "account_key_src": str(folder / "account.key"),
        "modify_account": True,
        "terms_agreed": True,
        "csr": str(folder / "request.csr"),
        "challenge": "dns-01",
        "fullchain_dest": str(folder / "chain.pem"),
    }
    proof = task(
        "Prove",
        "panel_dns",
        {
            "domain": "{{ item.0.key.split('.')[-2:] | join('.') }}",
            "records": [{"host": "{{ item.0.key }}.", "type": "TXT", "ttl": 60, "value": "{{ item.1 }}"}],
            "append": True,
        },
        loop="{{ begun.challenge_data_dns | dict2items | subelements('value') }}",
    )
    keys = [
        {
            "name": f"Make the {name}",
            "community.crypto.openssl_privatekey": {"path": str(folder / name), "type": "ECC", "curve": "secp256r1"},
        }
        for name in ("account.key", "certificate.key")
    ]
    tasks = [
        *keys,
        {
            "name": "Make the request",
            "community.crypto.openssl_csr": {
                "path": str(folder / "request.csr"),
                "privatekey_path": str(folder / "certificate.key"),
                "subject_alt_name": [f"DNS:{name}" for name in NAMES],
            },
        },
        {"name": "Order", "community.crypto.acme_certificate": order, "register": "begun"},
        *([proof] if records else []),
        {"name": "Validate", "community.crypto.acme_certificate": {**order, "data": "{{ begun }}"}},
    ]
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join([str(LINK), str(collections_folder())]),
        "SSL_CERT_FILE": str(authority.ca_file),
    }
    return play(tasks, simulator, folder, variables=variables)


def test_a_certificate_is_issued_for_what_the_records_on_the_panel_prove(
    named_simulator: Simulator, authority: Pebble, tmp_path: Path
) -> None:
    done = ordered(named_simulator, authority, tmp_path, records=True)
    assert [recording.outcome for recording in done.recordings] == ["ok"] * 6, done.text
    chain = x509.load_pem_x509_certificates((tmp_path / "chain.pem").read_bytes())
    names = chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert sorted(names.get_values_for_type(x509.DNSName)) == sorted(NAMES)
    for certificate, issuer in zip(
        chain, [*chain[1:], x509.load_pem_x509_certificate(authority.root().encode())], strict=True
    ):
        certificate.verify_directly_issued_by(issuer)
    assert (chain[0].not_valid_after_utc - chain[0].not_valid_before_utc).days in (6, 7)


def test_nothing_is_issued_without_the_records(named_simulator: Simulator, authority: Pebble, tmp_path: Path) -> None:
    done = ordered(named_simulator, authority, tmp_path, records=False)
    assert done["Order"].outcome == "ok", done.text
    assert done["Validate"].outcome == "failed"
    assert "acme:error:unauthorized" in done["Validate"].msg
    assert not (tmp_path / "chain.pem").exists()


def test_a_program_that_is_not_the_authority_is_not_taken_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "pebble"
    other.write_text("#!/bin/sh\necho 'Usage: pebble run'\n", encoding="utf-8")
    other.chmod(0o700)
    monkeypatch.setenv(CHOSEN, str(other))
    with pytest.raises(NotRun, match=f"{CHOSEN} names {other}, which is not Pebble. Install Debian's package"):
        program()


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_machine_without_it_says_what_is_missing_and_ci_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ci: str
) -> None:
    monkeypatch.delenv(CHOSEN, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(debian, "FOLDER", tmp_path / "debian")
    raised = NotRun if ci else pytest.skip.Exception
    with pytest.raises(
        raised,
        match=r"the Debian package pebble is not installed, and without apt-get .*Install Debian's package pebble",
    ):
        pebble(0, tmp_path).__enter__()


def test_it_says_why_it_did_not_start(authority: Pebble, tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match=r"(?s)Pebble did not start: .*CertificateValidityPeriod"),
        pebble(0, tmp_path, days=-1),
    ):
        pass
