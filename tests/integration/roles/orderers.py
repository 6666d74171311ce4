"""Somebody who orders certificates with the role hosting.panel.certificate, and what the panel, the
authority and the state file then have."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tests.integration.roles.operators import VAULT, Operator, RoleRun, make_plays
from tests.support.pebble import Pebble, make_collections_folder
from tests.support.simulator import Simulator
from tools.layout import LINK

PLAYS = make_plays("certificate")
SEED: dict[str, Any] = {
    "clients": [{"username": "acme"}, {"username": "beta"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "other.example", "client": "acme"},
        {"domain": "xn--mller-kva.example", "client": "beta"},
    ],
}
ACME = {
    "name": "acme",
    "client": "acme",
    "domains": ["acme.example", "*.acme.example"],
    "assign": ["acme.example", "shop.acme.example"],
}
BETA = {
    "name": "Web of Müller",
    "client": "beta",
    "domains": ["müller.example", "www.müller.example"],
    "assign": ["MÜLLER.example"],
}
SHOP = {
    "name": "shop",
    "client": "acme",
    "domains": ["shop.acme.example", "other.example"],
    "assign": ["other.example"],
}


class Orderer(Operator):
    """Somebody who orders certificates."""

    def __init__(self, folder: Path, simulator: Simulator, authority: Pebble) -> None:
        super().__init__(folder, simulator)
        self.authority = authority
        self.state_file = folder / "state" / "certificates.yml"
        simulator.reset()
        simulator.change_settings({"status_delay": 0.0})
        simulator.seed(SEED)

    def make_variables(self, items: list[Any] | None = None, **extra: Any) -> dict[str, Any]:
        """Return the variables of the role."""
        return {
            "certificate_items": [ACME, BETA] if items is None else items,
            "certificate_acme_directory": self.authority.directory,
            "certificate_acme_ca_path": str(self.authority.ca_file),
            "certificate_account_email": "hostmaster@provider.example",
            "certificate_terms_agreed": True,
            "certificate_state_dir": "state",
            "certificate_nameservers": [f"127.0.0.1:{self.simulator.dns_port}"],
            "certificate_dns_timeout": 20,
            **extra,
        }

    def order(self, *arguments: str, vault: bool = True, **variables: Any) -> RoleRun:
        """Run the role with the usual variables and these."""
        return self.run(
            PLAYS,
            self.make_variables(**variables),
            *arguments,
            vault=vault,
            environment=make_environment(),
        )

    def make_command(
        self, items: list[Any], playbook: str | list[dict[str, Any]] | None = None
    ) -> tuple[list[str], dict[str, str]]:
        """Return the words behind ``ansible-playbook``, and the variables of its environment."""
        arguments, environment = self.make_command_line(
            PLAYS if playbook is None else playbook, self.make_variables(items)
        )
        return arguments, {**environment, **make_environment()}

    @property
    def state(self) -> dict[str, Any]:
        """Return the decrypted content of the role's state file."""
        content: dict[str, Any] = yaml.safe_load(VAULT.decrypt(self.state_file.read_bytes()))
        return content

    def list_challenges(self) -> list[dict[str, Any]]:
        """Return the challenge records in all zones."""
        zones = self.simulator.list_objects("domains")
        answers = [
            self.simulator.request("GET", f"/dns/{zone['id']}")
            for zone in zones
            if not zone["is_subdomain"]
        ]
        records = [record for zone in answers for record in zone.json()["records"]["other"]]
        return [record for record in records if "_acme-challenge" in record["host"]]

    def get_certificate(self, name: str) -> x509.Certificate:
        """Return the one on the panel, whose chain and key are right."""
        return self.list_certificates()[name]

    def list_certificates(self) -> dict[str, x509.Certificate]:
        """Return all on the panel by name, whose chains and keys are right."""
        root = x509.load_pem_x509_certificate(self.authority.fetch_root().encode())
        certificates = {}

        for certificate in self.simulator.list_objects("certificates"):
            components = {
                **certificate["components"],
                **certificate["hidden"].get("components", {}),
                **certificate["hidden"],
            }
            leaf, *above = x509.load_pem_x509_certificates(
                (components["certificate"] + "\n" + components["ca_certificate"]).encode()
            )
            for issued, issuer in zip([leaf, *above], [*above, root], strict=True):
                issued.verify_directly_issued_by(issuer)
            key = load_pem_private_key(components["private_key"].encode(), None)
            assert key.public_key() == leaf.public_key()
            certificates[certificate["name"]] = leaf

        return certificates

    def list_certificates_by_domain(self) -> dict[str, str]:
        """Return the names of certificates by the domains that use them."""
        names = {
            certificate["id"]: certificate["name"]
            for certificate in self.simulator.list_objects("certificates")
        }
        domains = self.simulator.list_objects("domains")
        return {
            domain["domain"]: names[domain["security"]["id_certificate"]]
            for domain in domains
            if domain["security"]["id_certificate"]
        }

    def count_authority_requests(self) -> int:
        """Return how often the authority was asked for something."""
        return self.authority.count(" -> calling handler()")

    def count_requests(self) -> int:
        """Return how many requests the authority and the panel have got."""
        return self.count_authority_requests() + self.simulator.get_last_number()


def make_environment() -> Mapping[str, str]:
    """Return the environment in which Ansible finds the collections and prints YAML."""
    return {
        "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join([str(LINK), str(make_collections_folder())]),
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
    }


def list_names(certificate: x509.Certificate) -> list[str]:
    """Return the names for which a certificate is valid, sorted."""
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return sorted(names.get_values_for_type(x509.DNSName))
