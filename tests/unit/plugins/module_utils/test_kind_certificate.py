"""Certificates: the private key that the panel does not show and nobody prints, and those of the server itself."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import CERTIFICATE
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import SECRET_CHANGES
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import Dialogue, answer, call

OPERATION = resource_operation(CERTIFICATE)


def pem(content: str, label: str = "CERTIFICATE", width: int = 64) -> str:
    """PEM with this content, in lines of ``width`` characters."""
    encoded = base64.b64encode(content.encode()).decode()
    lines = [encoded[start : start + width] for start in range(0, len(encoded), width)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


OLD, NEW = pem("the old certificate " * 5), pem("the new certificate " * 5)
CA = pem("the intermediate authority " * 5)
KEY = pem("the secret private key " * 6, "PRIVATE KEY")
CURRENT: dict[str, Any] = {
    "id": 4,
    "id_user": 21,
    "name": "acme 2026",
    "components": {"csr": "", "certificate": OLD, "ca_certificate": CA},
    "secured_domains": ["acme.example"],
    "valid_till": "2027-01-01T00:00:00+01:00",
    "issuer": "Example CA",
}


def options(**components: str) -> dict[str, Any]:
    return {"name": "acme 2026", "components": components}


def test_a_new_certificate_is_sent_with_its_key_and_the_unchanged_chain() -> None:
    plan = plan_of(CERTIFICATE, options(certificate=NEW, private_key=KEY), CURRENT)
    assert plan.body == {"components": {"certificate": NEW, "private_key": KEY, "ca_certificate": CA}}
    assert plan.before == {"components": {"certificate": OLD}}
    assert plan.after == {"components": {"certificate": NEW, "private_key": SECRET_CHANGES}}


def test_a_key_that_the_panel_shows_is_compared() -> None:
    shown = {**CURRENT, "components": {"certificate": OLD, "ca_certificate": "", "private_key": KEY}}
    assert plan_of(CERTIFICATE, options(private_key=KEY.replace("\n", "\r\n")), shown).action == "none"
    other = pem("another secret private key " * 6, "PRIVATE KEY")
    plan = plan_of(CERTIFICATE, options(private_key=other), shown)
    assert plan.body == {"components": {"private_key": other, "certificate": OLD, "ca_certificate": ""}}
    assert "private_key" not in (plan.object or {})["components"]


@pytest.mark.parametrize("echo", ["bad key {key}", "{padding} bad key {key}"])
def test_a_key_that_the_panel_repeats_is_printed_nowhere(dialogue: Dialogue, echo: str) -> None:
    given = options(private_key=KEY, certificate=OLD)
    # So long that the message is cut in the middle of the key's first line.
    message = echo.format(key=KEY, padding="x" * 440)
    client = dialogue(
        call("GET", "/certificates", answer(200, [])),
        call("POST", "/certificates", answer(400, {"code": "400 Bad Request", "message": message}), given),
        call("GET", "/certificates", answer(200, [])),
    )
    result = run_task(OPERATION, client, given)
    assert "bad key" in result["msg"]
    assert not [line for line in KEY.splitlines()[1:-1] if line[:6] in str(result)]


def test_a_key_in_any_other_option_is_printed_nowhere(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/certificates", answer(200, [CURRENT])),
        call("GET", "/certificates/4", answer(200, CURRENT)),
        call("PUT", "/certificates/4", answer(400, {"code": "400 Bad Request", "message": KEY}), {"note": KEY}),
    )
    result = run_task(OPERATION, client, {"name": "acme 2026", "extra": {"note": KEY}})
    assert result["failed"] is True
    assert not [line for line in KEY.splitlines()[1:-1] if line[:6] in str(result)]
