"""The seed of a panel with some hundred objects of every kind and in every state that an operator
may find on a running server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SUFFIXES = ("example", "xn--mller-kva.example")
CLIENTS = 24
Resources = dict[str, list[dict[str, Any]]]


def make_mixed_objects(
    pem: Mapping[str, str], clients: int = CLIENTS
) -> dict[str, list[dict[str, Any]]]:
    """Return about twenty objects for each client. pem: as ``tests.support.pem.texts()`` gives it.

    Among them: names outside ASCII, subdomains of subdomains, www subdomains, system domains, what
    belongs to the server itself, default, custom and disabled zones, suspended clients, dates,
    forwardings to URLs, certificates in use, and texts that look like templates.
    """
    seed: dict[str, list[dict[str, Any]]] = {
        "plans": _make_plans(),
        "admins": [
            {
                "username": "night.shift",
                "email": "night@operator.example",
                "language": "de",
                "is_main_admin": False,
            }
        ],
        "clients": [],
        "certificates": [_make_certificate("server 2026", pem, "two")],
        "domains": [],
        "dns": [],
        "emails": [],
        "databases": [],
        "ftp_users": [],
        "directory_protections": [],
        "scheduled_tasks": [
            {
                "id_user": 0,
                "description": "Backup",
                "type": "exec",
                "command": "/usr/local/bin/backup --all",
            },
            {
                "id_user": 0,
                "description": "Ünïcode: {{ not a template }}",
                "type": "http",
                "command": "https://ops.example/ping",
            },
        ],
    }
    for number in range(clients):
        _add_client(seed, pem, number)

    return seed


def _make_plans() -> list[dict[str, Any]]:
    unlimited = {
        "domains": -1,
        "subdomains": -1,
        "email_accounts": -1,
        "databases": -1,
        "ftp_users": -1,
    }

    return [
        {"name": "Business", "resources": {**unlimited, "disk_space": 10 * 1024**3, "traffic": -1}},
        {
            "name": "Agency 100 %",
            "resources": {**unlimited, "disk_space": 734003200, "scheduled_tasks": 7},
            "permissions": {"ssh": True, "perl": True},
            "php": {
                "memory_limit": "512M",
                "disable_functions": "exec,system",
                "sendmail_from": "",
            },
            "php_fpm": {
                "pm": "dynamic",
                "max_children": 8,
                "min_spare_servers": 2,
                "max_spare_servers": 5,
            },
        },
    ]


def _make_certificate(
    name: str, pem: Mapping[str, str], pair: str, **members: Any
) -> dict[str, Any]:
    components = {
        "private_key": pem[f"{pair}.private_key"],
        "certificate": pem[f"{pair}.certificate"],
        "ca_certificate": pem["authority.certificate"] if pair == "one" else "",
    }
    return {"name": name, "components": components, **members}


def _add_client(seed: dict[str, list[dict[str, Any]]], pem: Mapping[str, str], number: int) -> None:
    client = f"client-{number:03}"
    main = f"{client}.{SUFFIXES[number % 2]}"
    seed["clients"].append(
        {
            "username": client,
            "email": f"it@{client}.example" if number % 5 else "",
            "language": "de" if number % 2 else "en",
            "hosting_plan": "Agency 100 %" if number % 3 == 0 else "Business",
            "notes": 'Calls on Mondays.\n\nPays: "always"' if number % 4 == 0 else "",
            "is_suspended": number % 7 == 0,
            "suspend_on": "2031-05-01T00:00:00+02:00" if number % 6 == 0 else None,
            "delete_on": "2032-12-31" if number % 8 == 0 else None,
            "create_system_domain": number % 4 == 1,
            "contact_data": {"company": "Müller & Söhne", "zip": "01234", "country": "DE"}
            if number % 3
            else {},
        }
    )
    seed["certificates"].append(_make_certificate(f"{client} 2026", pem, "one", client=client))
    _add_domains(seed, client, main, number)
    _add_zones(seed, client, main, number)
    seed["emails"] += [
        {
            "email": f"info@{main}",
            "max_size": 2 * 1024**3,
            "aliases": [f"shop@{main}", f"a.b@{main}"],
            "description": "Everybody",
        },
        {"email": f"boss@{main}", "max_size": 1024**2 * 700, "catch_all": number % 2 == 0},
        {
            "email": f"gone@{main}",
            "forwardings": ["z@far.example", "a@far.example"],
            "store_forwarded_emails": number % 2 == 1,
        },
    ]
    seed["databases"] += [
        {
            "client": client,
            "database_name": f"{client}_shop",
            "database_username": f"{client}_u",
            "remote_hosts": ["192.0.2.7", "%"],
        },
        {"client": client, "database_name": f"{client}_blog", "description": "WordPress"},
    ]
    seed["ftp_users"].append(
        {"client": client, "username": f"{client}_web", "home_directory": "/www/shop"}
    )
    seed["directory_protections"] += [
        {
            "client": client,
            "path": "/shop/admin",
            "username": "anna",
            "auth_name": "Staff only",
            "exceptions": ["/shop/admin/open"],
        },
        {"client": client, "path": "/shop/admin", "username": "bert"},
    ]
    seed["scheduled_tasks"].append(
        {
            "client": client,
            "description": "Backup",
            "type": "php",
            "command": f"/www/{main}/cron.php",
            "php_interpreter": "8.3" if number % 2 else None,
            "schedule": {"minute": "*/15", "hour": "1-5"},
            "is_enabled": number % 3 != 0,
        }
    )


def _add_domains(
    seed: dict[str, list[dict[str, Any]]], client: str, main: str, number: int
) -> None:
    seed["domains"] += [
        {
            "domain": main,
            "client": client,
            "php_version": "8.3" if number % 2 else "",
            "create_www_subdomain": number % 2 == 0,
            "delete_on": "2033-01-01T00:00:00+0000" if number % 6 == 1 else None,
            "security": {
                "certificate": f"{client} 2026",
                "is_prefer_https": True,
                "is_hsts": True,
                "hsts_max_age": 63072000,
            }
            if number % 3 == 0
            else {"lets_encrypt": number % 3 == 1},
            "apache": {"http_directives": "<Location />\n  Require all granted\n</Location>\n"}
            if number % 5 == 0
            else {},
        },
        {
            "domain": f"shop.{main}",
            "client": client,
            "parent_domain": main,
            "target": {"target": "/shop/"},
        },
        {
            "domain": f"old.shop.{main}",
            "client": client,
            "parent_domain": f"shop.{main}",
            "is_disabled": True,
        },
        {
            "domain": f"{client}-old.example",
            "client": client,
            "is_email_domain": number % 2 == 0,
            "is_email_sending_only": number % 4 == 0,
            "target": {"target": f"https://{main}/", "forwarding_type": 302},
            "security": {"certificate": "server 2026"} if number % 2 else {},
        },
    ]


def _add_zones(seed: dict[str, list[dict[str, Any]]], client: str, main: str, number: int) -> None:
    if number % 3 == 0:
        seed["dns"].append(
            {
                "domain": main,
                "soa": {"ttl": 3600, "refresh": 7200},
                "records": [
                    {"host": "www", "type": "A", "ttl": 300, "value": "192.0.2.20"},
                    {"host": "@", "type": "NS", "ttl": 86400, "value": "ns1.elsewhere.example."},
                    {"host": "@", "type": "A", "ttl": 300, "value": "192.0.2.20"},
                    {"host": "@", "type": "AAAA", "ttl": 300, "value": "2001:db8::20"},
                    {"host": "@", "type": "MX", "ttl": 3600, "value": "10 mail.elsewhere.example."},
                    {"host": "@", "type": "TXT", "ttl": 3600, "value": "v=spf1 mx -all"},
                    {"host": "@", "type": "TXT", "ttl": 3600, "value": f"verification={client}"},
                    {
                        "host": "default._domainkey",
                        "type": "TXT",
                        "ttl": 3600,
                        "value": "<DKIM_RECORD_VALUE>",
                    },
                    {"host": "_acme-challenge", "type": "TXT", "ttl": 60, "value": "token"},
                    {"host": "*.apps", "type": "CNAME", "ttl": 300, "value": "www"},
                ],
            }
        )
    elif number % 3 == 1:
        # Without name servers of its own.
        seed["dns"].append(
            {
                "domain": main,
                "records": [{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.9"}],
            }
        )

    if number % 4 == 0:
        seed["dns"].append({"domain": f"{client}-old.example", "is_dns_disabled": True})


def with_keys(resources: Resources, texts: Mapping[str, str]) -> Resources:
    """Return an export with the private keys, which an operator has to add.

    texts: as ``tests.support.pem.texts()`` gives them.
    """
    keys = {texts[f"{pair}.certificate"]: texts[f"{pair}.private_key"] for pair in ("one", "two")}
    certificates = [
        {
            **item,
            "components": {
                **item["components"],
                "private_key": keys[item["components"]["certificate"]],
            },
        }
        for item in resources["certificates"]
    ]

    return {**resources, "certificates": certificates}
