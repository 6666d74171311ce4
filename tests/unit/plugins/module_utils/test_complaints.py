# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task tells of a panel's complaint: the same alone and in bulk, with the names and values of the task and without its secrets."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from panel_simulator.answering import Reply, answered
from tests.support import pem
from tests.unit.plugins.module_utils.test_other_panels import COMPONENTS, LAYOUT, NEW, Panel
from tools.reliability import memory

ECHOES: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: quote(text, safe=""),
    lambda text: base64.b64encode(text.encode()).decode(),
)
SECRET = "gr1d-Pass+w0rd-kuzobo"
OBJECTS: dict[str, dict[str, Any]] = {
    **{kind: options for kind, (options, _parts) in NEW.items()},
    "domains": {"domain": "new.example", "client": "acme"},
    "admins": {"username": "ops", "email": "ops@acme.example"},
    "certificates": {"name": "acme", "client": "acme", "components": COMPONENTS},
}


class Complaining(Panel):
    """A panel that refuses each write with the same words."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, message: str, **settings: Any) -> None:
        super().__init__(**settings)
        body = json.dumps({"code": "400 Bad Request", "message": message}).encode()

        def refused(panel: Any, call: Any) -> Reply:
            return answered(panel, call) if call.method == "GET" else Reply(400, body, "application/json")

        monkeypatch.setattr(memory, "answered", refused)


def told(panel: Panel, kind: str, options: dict[str, Any], in_bulk: bool) -> str:
    """Everything that a failing task says."""
    ran = panel.task(kind, options, in_bulk)
    assert (ran.outcome, len(ran.writes)) == ("failed", 1), ran.msg
    return json.dumps(ran.result, ensure_ascii=False)


@LAYOUT
@pytest.mark.parametrize("kind", list(OBJECTS))
def test_names_of_members_are_shown(monkeypatch: pytest.MonkeyPatch, kind: str, in_bulk: bool) -> None:
    paths = [".".join(path) for path, _row in TABLES[kind].leaves()]
    for path in [*paths, *(path.rpartition(".")[2] for path in paths)]:
        complaint = f"{path} must be another one."
        assert complaint in told(Complaining(monkeypatch, complaint), kind, OBJECTS[kind], in_bulk)


@LAYOUT
@pytest.mark.parametrize("value", ["-1", "3G", "17%", "x7k9q2", "Aa3.bB4/cC5"])
def test_values_that_the_task_shows_are_shown(monkeypatch: pytest.MonkeyPatch, value: str, in_bulk: bool) -> None:
    complaint = f"notes: must not be {value}."
    options = {**OBJECTS["clients"], "contact_data": {"company": value}}
    assert complaint in told(Complaining(monkeypatch, complaint), "clients", options, in_bulk)


# By kind: where a secret may stand in the options of a task.
SECRETS: dict[str, tuple[str, dict[str, Any]]] = {
    "a password": ("clients", {"password": SECRET}),
    "a hash": ("clients", {"password_hash": f"$6$salt${SECRET}", "password_hash_os": f"$6$salt${SECRET}"}),
    "a private key": ("certificates", {"components": {**COMPONENTS, "private_key": SECRET}}),
    "a member with the name of a secret": ("clients", {"extra": {"apiToken": SECRET, "deep": [{"pwd": SECRET}]}}),
    "a secret by its form": ("domains", {"apache": {"http_directives": f"https://root:{SECRET}@panel.example/x"}}),
    "a mistyped text of JSON": ("clients", {"extra": json.dumps({"token": SECRET})}),
}


@LAYOUT
@pytest.mark.parametrize("place", list(SECRETS))
def test_a_secret_is_not_shown_in_any_form(monkeypatch: pytest.MonkeyPatch, place: str, in_bulk: bool) -> None:
    kind, members = SECRETS[place]
    for echo in ECHOES:
        panel = Complaining(monkeypatch, f"Not good: {echo(SECRET)} as we see.", password_hashes="written")
        ran = panel.task(kind, {**OBJECTS[kind], **members}, in_bulk)
        assert ran.outcome == "failed"
        assert echo(SECRET) not in json.dumps(ran.result, ensure_ascii=False)


@pytest.mark.parametrize("secret", ["hunter2hunter2", "is_suspended", "-1", "3G"])
def test_a_secret_that_is_also_shown_elsewhere_is_not_shown_as_the_value_of_a_complaint(
    monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    complaint = f"The value {secret} is not good enough."
    wanted = {
        "clients": [
            {"username": "one", "password": secret},
            {"username": "two", "notes": f"not {secret} and {secret}"},
        ]
    }
    ran = Complaining(monkeypatch, complaint).run("both", "panel_resources", {"resources": wanted})
    said = [one["msg"] for one in ran.result["results"]]
    assert ran.outcome == "failed"
    assert [secret in message for message in said] == [False, False]


@LAYOUT
def test_advice_is_given_about_what_was_sent(monkeypatch: pytest.MonkeyPatch, in_bulk: bool) -> None:
    panel = Panel({"certificates": [OBJECTS["certificates"]]})
    refusing = Complaining(monkeypatch, "components.private_key: this member is required.")
    refusing.put(panel.state())
    renamed = {"name": "acme", "new_name": "other"}
    other = {"name": "acme", "components": {"certificate": pem.texts()["two.certificate"]}}
    found = [
        "Give components.private_key too" in told(refusing, "certificates", one, in_bulk) for one in (renamed, other)
    ]
    assert found == [False, True]
