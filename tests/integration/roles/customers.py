"""A customer with an object of every kind, whose secrets are hard to print and easy to find."""

from __future__ import annotations

from typing import Any

from panel_simulator.self_signed import make

# One of them looks like a list, one like a template, one has every character that some encoding changes.
GIVEN_PASSWORDS = {
    "werkstatt@fahrrad-mueller.example": "[1, 'canary']",
    "inge@xn--mller-kva.example": "canary {{ 6 * 7 }}!",
    "mueller_files": 'Canary "quoted" \\ / + ü\'&',
}


def customer(credentials_file: str | None) -> dict[str, Any]:
    """The variables of the role; ``private_key`` of the certificate is new in every call."""
    certificate, private_key = make("xn--mller-kva.example")
    variables: dict[str, Any] = {
        "site_plan": {"name": "Business", "resources": {"disk_space": "10G", "email_accounts": 20}},
        "site_client": {
            "username": "mueller",
            "email": "inge@müller.example",
            "contact_data": {"company": "Fahrrad Müller", "city": "Köln"},
        },
        "site_certificates": [
            {"name": "Fahrrad Müller", "components": {"private_key": private_key, "certificate": certificate}}
        ],
        "site_domains": [
            {"domain": "shop.müller.example", "parent_domain": "müller.example"},
            {"domain": "müller.example", "security": {"certificate": "Fahrrad Müller", "is_prefer_https": True}},
            {"domain": "fahrrad-mueller.example"},
        ],
        "site_dns": [
            {
                "domain": "müller.example",
                "records": [
                    {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.80"},
                    {"host": "mail._domainkey", "type": "TXT", "ttl": 3600, "value": "<DKIM_RECORD_VALUE>"},
                ],
            }
        ],
        "site_emails": [
            {"email": "info@müller.example", "max_size": "2G", "aliases": ["kontakt@müller.example"]},
            {"email": "inge@müller.example", "max_size": "5G"},
            {"email": "werkstatt@fahrrad-mueller.example", "max_size": "1G"},
        ],
        "site_databases": [{"database_name": "mueller_shop", "database_username": "mueller_shop"}],
        "site_ftp_users": [
            {"username": "mueller_web", "home_directory": "/www"},
            {"username": "mueller_files", "home_directory": "/files"},
        ],
    }
    if credentials_file is not None:
        variables["site_credentials_file"] = credentials_file
    return variables
