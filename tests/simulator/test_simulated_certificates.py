"""Certificates: parts that belong together, keys that are not shown."""

from __future__ import annotations

from panel_simulator.self_signed import make
from tests.support.simulator import Simulator


def test_a_certificate_shows_its_parts_but_not_its_key(
    simulator: Simulator, acme: int, certificate: dict[str, str]
) -> None:
    body = {
        "id_user": acme,
        "name": "Acme: own",
        "components": {**certificate, "ca_certificate": certificate["certificate"]},
    }
    assert simulator.request("POST", "/certificates", body).json() == {"id": 1}
    shown = simulator.request("GET", "/certificates/name/Acme%3A%20own").json()
    assert list(shown) == ["id", "id_user", "name", "components", "secured_domains", "valid_till", "issuer"]
    assert shown["components"] == {
        "csr": "",
        "certificate": certificate["certificate"],
        "ca_certificate": certificate["certificate"],
    }
    assert (shown["secured_domains"], shown["issuer"], shown["valid_till"][-6:]) == (
        ["acme.example"],
        "acme.example",
        "+02:00",
    )
    simulator.settings({"shows_private_keys": True})
    assert simulator.request("GET", "/certificates/1").json()["components"]["private_key"] == certificate["private_key"]


def test_parts_must_be_there_parse_and_belong_together(simulator: Simulator, certificate: dict[str, str]) -> None:
    other = make("other.example")[1]
    for components, words in (
        ({}, "components.private_key: this member is required."),
        ({"private_key": certificate["private_key"]}, "components.certificate: this member is required."),
        ({**certificate, "private_key": "x"}, "components.private_key: is not an unencrypted private key in PEM."),
        (
            {**certificate, "certificate": certificate["private_key"]},
            "components.certificate: is not a certificate in PEM.",
        ),
        ({**certificate, "ca_certificate": "x"}, "components.ca_certificate: is not a certificate in PEM."),
        ({**certificate, "private_key": other}, "components.private_key: does not belong to the certificate."),
        ({**certificate, "private_key": None}, "components.private_key: must be a string."),
    ):
        answer = simulator.request("POST", "/certificates", {"name": "one", "components": components})
        assert (answer.status_code, answer.json()["message"]) == (400, words)
    without = simulator.request("POST", "/certificates", {"name": "one"})
    assert without.json()["message"] == "components.private_key: this member is required."
    flat = simulator.request("POST", "/certificates", {"name": "one", **certificate})
    assert flat.status_code == 400


def test_a_put_without_the_key_keeps_it_and_must_fit_it(simulator: Simulator, certificate: dict[str, str]) -> None:
    simulator.request("POST", "/certificates", {"name": "one", "components": certificate})
    text, key = make("new.example")
    assert simulator.request("PUT", "/certificates/1", {"components": {"certificate": text}}).status_code == 400
    for mode in ("merge", "replace"):
        simulator.settings({"nested_update": mode})
        same = {"components": {"certificate": certificate["certificate"]}}
        assert simulator.request("PUT", "/certificates/name/one", same).json() == {"id": 1}
    assert (
        simulator.request(
            "PUT", "/certificates/1", {"components": {"certificate": text, "private_key": key}}
        ).status_code
        == 200
    )
    assert simulator.request("GET", "/certificates/1").json()["secured_domains"] == ["new.example"]


def test_deleting_a_certificate_takes_it_out_of_domains(
    simulator: Simulator, acme: int, certificate: dict[str, str]
) -> None:
    simulator.request("POST", "/certificates", {"name": "one", "components": certificate})
    simulator.request("PUT", "/domains/1", {"security": {"id_certificate": 1}})
    assert simulator.request("DELETE", "/certificates/1").status_code == 204
    assert simulator.request("GET", "/domains/1").json()["security"]["id_certificate"] == 0
