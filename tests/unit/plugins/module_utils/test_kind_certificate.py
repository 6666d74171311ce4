# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates: comparison by content, the private key that the panel does not show, owners, and what is never printed."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.certificate import CERTIFICATE
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.difference import SECRET_CHANGES, Resolved
from ansible_collections.hosting.panel.plugins.modules.panel_certificate_info import OPERATION as INFO
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, answer, call

Dialogue = Callable[..., PanelClient]
OPERATION = resource_operation(CERTIFICATE)
OWNER = ("id_user",)


def pem(content: str, label: str = "CERTIFICATE", width: int = 64) -> str:
    """PEM with this content, in lines of ``width`` characters."""
    encoded = base64.b64encode(content.encode()).decode()
    lines = [encoded[start : start + width] for start in range(0, len(encoded), width)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


OLD, NEW = pem("the old certificate " * 5), pem("the new certificate " * 5)
CA, ROOT = pem("the intermediate authority " * 5), pem("the root " * 9)
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


def test_every_option_reaches_the_wire_on_creation() -> None:
    given = options(private_key=KEY, certificate=OLD, ca_certificate=CA + ROOT)
    plan = plan_of(CERTIFICATE, {**given, "client": "acme"}, None, {OWNER: Resolved(21)})
    assert plan.body == {**given, "id_user": 21}
    assert plan.object == {
        "id": None,
        "name": "acme 2026",
        "id_user": 21,
        "components": {"certificate": OLD, "ca_certificate": CA + ROOT},
    }
    assert plan.after["components"]["private_key"] == SECRET_CHANGES


@pytest.mark.parametrize(
    ("components", "option"),
    [
        (None, "components"),
        ({"private_key": KEY}, "components.certificate"),
        ({"certificate": OLD}, "components.private_key"),
    ],
)
def test_certificate_and_key_are_needed_to_create_one(components: dict[str, str] | None, option: str) -> None:
    given = {"name": "acme 2026", **({"components": components} if components else {})}
    with pytest.raises(OptionError) as caught:
        plan_of(CERTIFICATE, given)
    assert (
        caught.value.message
        == f"{option}: missing; it is needed to create the certificate acme 2026, which is not on this panel."
    )


def test_a_second_run_with_the_key_changes_nothing() -> None:
    plan = plan_of(CERTIFICATE, options(private_key=KEY, certificate=OLD, ca_certificate=CA), CURRENT)
    assert (plan.action, plan.warnings) == ("none", ())


@pytest.mark.parametrize(
    "written",
    [
        OLD.strip(),
        "\n\n" + OLD + "\n\n",
        OLD.replace("\n", "\r\n"),
        pem("the old certificate " * 5, width=76),
        pem("the old certificate " * 5, width=1000),
        "subject=CN = acme.example\nissuer=CN = Example CA\n" + OLD,
        "\n".join(line + "  " for line in OLD.splitlines()),
    ],
)
def test_a_certificate_is_compared_by_its_content(written: str) -> None:
    assert plan_of(CERTIFICATE, options(certificate=written), CURRENT).action == "none"
    shown = {**CURRENT, "components": {"certificate": written, "ca_certificate": CA}}
    assert plan_of(CERTIFICATE, options(certificate=OLD), shown).action == "none"


def test_a_bundle_in_another_order_is_the_same_bundle() -> None:
    shown = {**CURRENT, "components": {"certificate": OLD, "ca_certificate": ROOT + "\n" + CA}}
    assert plan_of(CERTIFICATE, options(ca_certificate=CA + ROOT), shown).action == "none"


def test_a_new_certificate_is_sent_with_its_key_and_the_unchanged_chain() -> None:
    plan = plan_of(CERTIFICATE, options(certificate=NEW, private_key=KEY), CURRENT)
    assert plan.body == {"components": {"certificate": NEW, "private_key": KEY, "ca_certificate": CA}}
    assert plan.before == {"components": {"certificate": OLD}}
    assert plan.after == {"components": {"certificate": NEW, "private_key": SECRET_CHANGES}}


def test_a_new_certificate_for_the_same_key_needs_no_key() -> None:
    body = plan_of(CERTIFICATE, options(certificate=NEW), CURRENT).body
    assert body == {"components": {"certificate": NEW, "ca_certificate": CA}}


def test_a_new_chain_leaves_the_key_alone() -> None:
    body = plan_of(CERTIFICATE, options(ca_certificate=ROOT, private_key=KEY), CURRENT).body
    assert body == {"components": {"certificate": OLD, "ca_certificate": ROOT}}


def test_the_chain_can_be_cleared() -> None:
    body = plan_of(CERTIFICATE, options(ca_certificate=""), CURRENT).body
    assert body == {"components": {"certificate": OLD, "ca_certificate": ""}}


def test_a_key_that_the_panel_shows_is_compared() -> None:
    shown = {**CURRENT, "components": {"certificate": OLD, "ca_certificate": "", "private_key": KEY}}
    assert plan_of(CERTIFICATE, options(private_key=KEY.replace("\n", "\r\n")), shown).action == "none"
    other = pem("another secret private key " * 6, "PRIVATE KEY")
    plan = plan_of(CERTIFICATE, options(private_key=other), shown)
    assert plan.body == {"components": {"private_key": other, "certificate": OLD, "ca_certificate": ""}}
    assert "private_key" not in (plan.object or {})["components"]


def test_line_ends_are_sent_as_line_feeds() -> None:
    body = plan_of(CERTIFICATE, options(certificate=NEW.replace("\n", "\r\n")), CURRENT).body
    assert body["components"]["certificate"] == NEW


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"])
def test_keys_of_these_forms_are_accepted(label: str) -> None:
    key = pem("a key", label)
    plan = plan_of(CERTIFICATE, options(private_key=key, certificate=OLD))
    assert plan.body["components"]["private_key"] == key


def test_a_key_on_an_elliptic_curve_may_come_with_its_parameters() -> None:
    key = pem("the curve", "EC PARAMETERS") + pem("a key", "EC PRIVATE KEY")
    plan = plan_of(CERTIFICATE, options(private_key=key, certificate=OLD))
    assert plan.body["components"]["private_key"] == key


@pytest.mark.parametrize(
    ("member", "written", "label"),
    [
        ("certificate", KEY, "CERTIFICATE"),
        ("certificate", OLD + KEY, "CERTIFICATE"),
        ("certificate", "", "CERTIFICATE"),
        ("certificate", "MIIB", "CERTIFICATE"),
        ("ca_certificate", KEY, "CERTIFICATE"),
        ("private_key", OLD, "PRIVATE KEY"),
        ("private_key", "", "PRIVATE KEY"),
        ("private_key", KEY.replace("\n", " "), "PRIVATE KEY"),
    ],
)
def test_what_is_not_the_expected_pem_is_an_error_that_does_not_show_it(member: str, written: str, label: str) -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(CERTIFICATE, options(**{member: written}))
    end = ", or an empty text to clear it." if member == "ca_certificate" else "."
    assert caught.value.message == (
        f"components.{member}: the given value is not accepted; it must be PEM text with -----BEGIN {label}-----{end}"
    )


def test_a_key_in_the_place_of_a_certificate_is_printed_nowhere(dialogue: Dialogue) -> None:
    result = run_task(OPERATION, dialogue(), options(certificate=KEY))
    assert result["failed"] is True
    assert KEY.splitlines()[1] not in str(result)


@pytest.mark.parametrize("echo", ["bad key {key}", "{padding} bad key {key}"])
def test_a_key_that_the_panel_repeats_is_printed_nowhere(dialogue: Dialogue, echo: str) -> None:
    given = options(private_key=KEY, certificate=OLD)
    # So long that the message is cut in the middle of the key's first line.
    message = echo.format(key=KEY, padding="x" * 440)
    client = dialogue(
        call("GET", "/certificates/name/acme%202026", answer(404, NOT_FOUND)),
        call("POST", "/certificates", answer(400, {"code": "400 Bad Request", "message": message}), given),
        call("GET", "/certificates/name/acme%202026", answer(404, NOT_FOUND)),
    )
    result = run_task(OPERATION, client, given)
    assert "its reason is not shown" in result["msg"]
    assert not [line for line in KEY.splitlines()[1:-1] if line[:6] in str(result)]


def test_a_key_in_any_other_option_is_printed_nowhere(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/certificates/name/acme%202026", answer(200, CURRENT)),
        call("PUT", "/certificates/4", answer(400, {"code": "400 Bad Request", "message": KEY}), {"note": KEY}),
    )
    result = run_task(OPERATION, client, {"name": "acme 2026", "extra": {"note": KEY}})
    assert result["failed"] is True
    assert not [line for line in KEY.splitlines()[1:-1] if line[:6] in str(result)]


# The owner


def test_without_a_client_the_owner_is_left_to_the_panel(dialogue: Dialogue) -> None:
    given = options(private_key=KEY, certificate=OLD)
    client = dialogue(
        call("GET", "/certificates/name/acme%202026", answer(404, NOT_FOUND)),
        call("POST", "/certificates", answer(201, {"id": 4}), given),
    )
    assert run_task(OPERATION, client, given)["certificate"]["id"] == 4


@pytest.mark.parametrize("owner", [{"client": ""}, {"id_user": 0}])
def test_the_server_itself_can_be_the_owner(owner: dict[str, Any]) -> None:
    resolved = {OWNER: Resolved(0)}
    plan = plan_of(CERTIFICATE, {**options(private_key=KEY, certificate=OLD), **owner}, None, resolved)
    assert plan.body["id_user"] == 0
    assert plan_of(CERTIFICATE, {"name": "acme 2026", **owner}, {**CURRENT, "id_user": 0}, resolved).action == "none"


@pytest.mark.parametrize(
    ("owner", "target", "sent"),
    [({"client": "beta"}, 22, 22), ({"id_user": 22}, 22, 22), ({"client": ""}, 0, 0), ({"id_user": 0}, 0, 0)],
)
def test_the_owner_may_change(owner: dict[str, Any], target: int, sent: int) -> None:
    made = plan_of(CERTIFICATE, {"name": "acme 2026", **owner}, CURRENT, {OWNER: Resolved(target)})
    assert (made.action, made.body) == ("update", {"id_user": sent})
    again = plan_of(
        CERTIFICATE, {"name": "acme 2026", **owner}, {**CURRENT, "id_user": sent}, {OWNER: Resolved(target)}
    )
    assert again.action == "none"


def test_a_certificate_is_renamed(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/certificates/name/acme%202026", answer(200, CURRENT)),
        call("GET", "/certificates/name/acme", answer(404, NOT_FOUND)),
        call("PUT", "/certificates/4", answer(200, {"id": 4}), {"name": "acme"}),
    )
    result = run_task(OPERATION, client, {"name": "acme 2026", "new_name": "acme"})
    assert (result["changed"], result["certificate"]["name"]) == (True, "acme")


def test_reading_never_returns_a_key(dialogue: Dialogue) -> None:
    shown = {**CURRENT, "components": {"certificate": OLD, "private_key": KEY, "combined": KEY + OLD}}
    client = dialogue(call("GET", "/certificates", answer(200, [shown])))
    (certificate,) = run_task(INFO, client, {})["certificates"]
    assert certificate == {**CURRENT, "components": {"certificate": OLD, "combined": "********"}}
