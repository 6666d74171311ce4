# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the simulator refuses an object for, each with a task that it refuses, and whether that is foreseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tools.layout import ROOT

SIMULATOR = ROOT / "roles" / "simulator" / "files" / "panel_simulator"
# Where the simulator says what it refuses objects for; what else raises Invalid is about requests, or about the simulator itself.
SOURCES = (
    *sorted((SIMULATOR / "kinds").glob("*.py")),
    SIMULATOR / "limits.py",
    SIMULATOR / "passwords.py",
    SIMULATOR / "pem.py",
)

WORLD: dict[str, Any] = {
    "admins": [{"username": "night", "email": "night@panel.example"}],
    "hosting_plans": [{"name": "Tiny", "resources": {"databases": 0}}],
    "clients": [{"username": "acme"}, {"username": "rival"}, {"username": "small", "hosting_plan": "Tiny"}],
    "certificates": [{"name": "rivals", "client": "rival", "components": {"pem": "one"}}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "quiet.example", "client": "acme", "is_email_domain": False},
        {"domain": "rival.example", "client": "rival"},
        {"domain": "www.taken.example", "client": "acme"},
    ],
    "emails": [
        {"email": "info@acme.example"},
        {"email": "desk@acme.example", "aliases": ["front@acme.example"]},
    ],
}
_PARTS = {"one": ("one", "one"), "two": ("two", "two"), "mixed": ("one", "two")}


def filled_in(value: Any, texts: Mapping[str, str]) -> Any:
    """A value with certificates and keys in the places of their names."""
    if isinstance(value, Mapping) and "pem" in value:
        certificate, key = _PARTS[value["pem"]]
        return {"certificate": texts[f"{certificate}.certificate"], "private_key": texts[f"{key}.private_key"]}
    if isinstance(value, Mapping):
        return {name: filled_in(member, texts) for name, member in value.items()}
    return [filled_in(member, texts) for member in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Refusal:
    """A task that the panel refuses. said: words of the simulator's refusal. foreseen: words of the collection's, "" where it cannot be.

    why: why it is not foreseen. settings: of the simulator.
    """

    kind: str
    options: Mapping[str, Any]
    said: str
    foreseen: str = ""
    why: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.said} ({', '.join(str(value) for value in self.options.values())})"


_MAIL = {"email": "new@acme.example"}
_APART = {"foreign_certificates": "refuse"}
_SETTING = "what the panel's settings allow cannot be read"
REFUSALS = (
    # Mailboxes and their domains.
    Refusal(
        "emails", {"email": "a@nix.example"}, "does not exist", "email: there is no domain nix.example on this panel"
    ),
    Refusal(
        "emails",
        {"email": "a@nix.example", "client": "acme"},
        "does not exist",
        "email: there is no domain nix.example",
    ),
    Refusal(
        "emails",
        {"email": "a@rival.example", "client": "acme"},
        "belongs to another client",
        "belongs to the client rival",
    ),
    Refusal(
        "emails",
        {"email": "a@quiet.example"},
        "is not an e-mail domain",
        "email: the domain quiet.example takes no e-mail",
    ),
    Refusal(
        "emails", {**_MAIL, "aliases": ["b@nix.example"]}, "does not exist", "aliases: there is no domain nix.example"
    ),
    Refusal(
        "emails", {**_MAIL, "aliases": ["b@rival.example"]}, "belongs to another client", "belongs to the client rival"
    ),
    Refusal(
        "emails",
        {**_MAIL, "aliases": ["b@quiet.example"]},
        "is not an e-mail domain",
        "aliases: the domain quiet.example takes",
    ),
    Refusal(
        "emails",
        {**_MAIL, "aliases": ["new@acme.example"]},
        "is the address of the account itself",
        "aliases: new@acme.example is",
    ),
    *(
        Refusal("emails", {**account, "aliases": [alias]}, "is already in use", f"aliases: {foreseen}")
        for account in (_MAIL, {"email": "info@acme.example"})
        for alias, foreseen in (
            (
                "desk@acme.example",
                "the e-mail account desk@acme.example is on this panel already, and an address leads to",
            ),
            (
                "front@acme.example",
                "front@acme.example is an alias of the e-mail account desk@acme.example, and an address",
            ),
        )
    ),
    Refusal(
        "emails",
        {"email": "info@acme.example", "aliases": ["info@acme.example"]},
        "is the address of the account itself",
        "aliases: info@",
    ),
    Refusal(
        "emails",
        {"email": "info@acme.example", "aliases": ["b@nix.example"]},
        "does not exist",
        "aliases: there is no domain nix.example",
    ),
    Refusal(
        "emails",
        {"email": "info@acme.example", "aliases": ["b@rival.example"]},
        "belongs to another client",
        "aliases: the domain rival.example belongs to the client rival",
    ),
    Refusal(
        "emails",
        {"email": "info@acme.example", "aliases": ["b@quiet.example"]},
        "is not an e-mail domain",
        "aliases: the domain quiet.example takes",
    ),
    Refusal(
        "emails", {"email": "a@acme.example", "id_user": 999}, "there is no client with the id", "no client with id 999"
    ),
    # Domains.
    Refusal(
        "domains",
        {"domain": "a.nix.example", "id_parent_domain": 999},
        "there is no domain with the id",
        "no domain with id 999",
    ),
    Refusal(
        "domains",
        {"domain": "a.nix.example", "id_parent_domain": 999, "client": "acme"},
        "there is no domain with the id",
        "with id 999",
    ),
    Refusal(
        "domains",
        {"domain": "a.example", "parent_domain": "acme.example"},
        "is not below its parent",
        "is not below acme.example",
    ),
    Refusal(
        "domains",
        {"domain": "a.rival.example", "parent_domain": "rival.example", "client": "acme"},
        "belongs to another client",
        "parent_domain: the domain rival.example belongs to the client rival, and the domain a.rival.example to the client acme",
    ),
    Refusal(
        "domains",
        {"domain": "a.acme.example", "parent_domain": "acme.example", "is_dns_disabled": True},
        "is for main domains only",
        "is_dns_disabled: is for main domains only",
    ),
    Refusal(
        "domains",
        {"domain": "taken.example", "client": "acme", "create_www_subdomain": True},
        "is already in use",
        "create_www_subdomain: the domain www.taken.example is on this panel already",
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "id_user": 999},
        "there is no client with the id",
        "there is no client with id 999",
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "client": "acme", "security": {"id_certificate": 999}},
        "there is no certificate with the id",
        "there is no certificate with id 999",
    ),
    Refusal(
        "domains",
        {"domain": "acme.example", "security": {"id_certificate": 999}},
        "there is no certificate with the id",
        "there is no certificate with id 999",
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "client": "acme", "security": {"certificate": "rivals"}},
        "the certificate belongs to another",
        "security.certificate: the certificate rivals belongs to the client rival",
        settings=_APART,
    ),
    Refusal(
        "domains",
        {"domain": "acme.example", "security": {"certificate": "rivals"}},
        "the certificate belongs to another",
        "security.certificate: the certificate rivals belongs to the client rival",
        settings=_APART,
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "client": "acme", "security": {"id_certificate": 1, "lets_encrypt": True}},
        "excludes id_certificate",
        "excludes security.",
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "client": "acme", "php_version": "5.2"},
        "php_version: must be empty",
        why=_SETTING,
    ),
    Refusal(
        "domains",
        {"domain": "b.example", "client": "acme"},
        "is a prohibited domain",
        why=_SETTING,
        settings={"prohibited_domains": ["b.example"]},
    ),
    # Users.
    Refusal(
        "clients", {"username": "night"}, "is already in use", "username: the admin night is on this panel already"
    ),
    Refusal(
        "admins",
        {"username": "acme", "email": "a@b.example"},
        "is already in use",
        "username: the client acme is on this panel already",
    ),
    Refusal(
        "clients",
        {"username": "new", "send_login_credentials": True},
        "needs an email",
        "send_login_credentials: needs email",
    ),
    Refusal("clients", {"username": "New"}, "may have lower-case letters", "without upper case"),
    Refusal(
        "clients",
        {"username": "new", "id_hosting_plan": 999},
        "there is no hosting plan",
        "there is no hosting plan with id 999",
    ),
    Refusal(
        "clients",
        {"username": "acme", "id_hosting_plan": 999},
        "there is no hosting plan",
        "there is no hosting plan with id 999",
    ),
    Refusal("clients", {"username": "new", "language": "tlh"}, "language: must be one of", why=_SETTING),
    Refusal("clients", {"username": "new", "skeleton": "none"}, "there is no skeleton template", why=_SETTING),
    Refusal(
        "clients",
        {"username": "quiet", "create_system_domain": True},
        "create_system_domain: the domain",
        why="how it is named is a setting",
        settings={"hostname": "example"},
    ),
    Refusal(
        "admins", {"username": "admin", "state": "absent"}, "The last main admin cannot be deleted", "is the last one"
    ),
    Refusal(
        "admins", {"username": "admin", "is_main_admin": False}, "the last main admin must stay one", "is the last one"
    ),
    # Plans.
    Refusal(
        "plans",
        {"name": "new", "php_fpm": {"pm": "dynamic"}},
        "is required with pm dynamic",
        "php_fpm.min_spare_servers: needed",
    ),
    Refusal(
        "plans",
        {"name": "Default", "php_fpm": {"pm": "dynamic"}},
        "is required with pm dynamic",
        "php_fpm.min_spare_servers: needed",
    ),
    Refusal(
        "plans",
        {"name": "new", "php_fpm": {"pm": "dynamic", "min_spare_servers": 3, "max_spare_servers": 2}},
        "must be at least min_spare_servers",
        "php_fpm.max_spare_servers: 2 is less than",
    ),
    Refusal(
        "plans",
        {"name": "Default", "state": "absent"},
        "The default hosting plan cannot",
        why="which one is the default is not shown",
    ),
    # Owners by id.
    Refusal(
        "certificates",
        {"name": "new", "id_user": 999, "components": {"pem": "two"}},
        "there is no client with the id",
        "with id 999",
    ),
    Refusal("certificates", {"name": "new", "components": {}}, "this member is required", "components"),
    Refusal(
        "certificates",
        {"name": "new", "components": {"pem": "mixed"}},
        "does not belong to the certificate",
        why="comparing a key with a certificate needs a library that the collection does not have",
    ),
    Refusal("databases", {"database_name": "new", "id_user": 999}, "there is no client with the id", "with id 999"),
    Refusal("ftp_users", {"username": "new", "id_user": 999}, "there is no client with the id", "with id 999"),
    Refusal(
        "directory_protections",
        {"path": "/x", "username": "new", "id_user": 999},
        "there is no client with the id",
        "with id 999",
    ),
    Refusal(
        "scheduled_tasks",
        {"description": "new", "id_user": 999, "type": "exec", "command": "x"},
        "there is no client with the id",
        "with id 999",
    ),
    # What only the panel knows.
    Refusal(
        "clients",
        {"username": "new", "password": "x"},
        "the password policy asks for",
        why=_SETTING,
        settings={"apply_password_policy": True},
    ),
    Refusal(
        "databases", {"database_name": "new", "client": "small"}, "is reached", why="whether limits count is a setting"
    ),
)
# What the collection never sends.
NEVER_SENT = {
    "only main domains have DNS settings": "panel_domain sends is_dns_disabled for new domains only",
}


def simulated() -> Iterator[str]:
    """The words of every refusal in the simulator's sources, each as far as it holds no value."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Invalid":
                (text,) = node.args
                parts = text.values if isinstance(text, ast.JoinedStr) else [text]
                yield "…".join(part.value for part in parts if isinstance(part, ast.Constant))
