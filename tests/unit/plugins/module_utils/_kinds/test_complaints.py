"""What a task tells of a panel's complaint.

The same alone and in bulk, with the names and values of the task and without its secrets.
"""

from __future__ import annotations

import base64
import itertools
import json
import pickle
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    build_argument_spec,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.displayed_arguments import (
    OMITTED,
    display_arguments,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import (
    escape_control_characters,
    with_harmless_words,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.secret_forms import (
    MASK,
    is_secret_name,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run import panel_action
from panel_simulator.answering import Reply, answer_call
from tests.support import memory
from tests.support.in_memory import InMemory
from tests.support.module_process import imitate_processes
from tests.support.playbook import MODULE, WAYS
from tests.unit.plugins.module_utils._sources.test_other_panels import COMPONENTS, LAYOUT, Panel

# How a panel may repeat a text.
ECHOES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in a URL": lambda text: quote(text, safe=""),
    "as Base64": lambda text: base64.b64encode(text.encode()).decode(),
}
SECRET = "gr1d-Pass+w0rd-kuzobo"
OBJECTS: dict[str, dict[str, Any]] = {
    "plans": {"name": "Basic"},
    "clients": {"username": "globex"},
    "emails": {"email": "info@acme.example"},
    "databases": {"database_name": "acme_shop", "client": "acme"},
    "ftp_users": {"username": "acme_ftp", "client": "acme"},
    "directory_protections": {"client": "acme", "path": "/shop", "username": "staff"},
    "scheduled_tasks": {
        "client": "acme",
        "description": "backup",
        "type": "exec",
        "command": "/bin/true",
    },
    "domains": {"domain": "new.example", "client": "acme"},
    "admins": {"username": "ops", "email": "ops@acme.example"},
    "certificates": {"name": "acme", "client": "acme", "components": COMPONENTS},
}


class Complaining(Panel):
    """A panel that refuses each write with the same words."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, message: str, **settings: Any) -> None:
        super().__init__(**settings)
        body = json.dumps({"code": "400 Bad Request", "message": message}).encode()

        def refuse_writes(panel: Any, call: Any) -> Reply:
            return (
                answer_call(panel, call)
                if call.method == "GET"
                else Reply(400, body, "application/json")
            )

        monkeypatch.setattr(memory, "answer_call", refuse_writes)


def get_message(panel: Panel, kind: str, options: dict[str, Any], in_bulk: bool) -> str:
    """Everything that a failing task says."""
    ran = panel.perform_task(kind, options, in_bulk)
    assert ran.outcome == "failed", ran.msg
    assert len(ran.writes) == 1, ran.msg
    return json.dumps(ran.result, ensure_ascii=False)


@LAYOUT
@pytest.mark.parametrize("kind", list(OBJECTS))
def test_the_panels_words_are_shown(
    monkeypatch: pytest.MonkeyPatch, kind: str, in_bulk: bool
) -> None:
    complaint = "Invalid value for field `php_version`: 8.9 (must be >= 1)"
    assert complaint in get_message(
        Complaining(monkeypatch, complaint), kind, OBJECTS[kind], in_bulk
    )


# By kind: where a secret may stand in the options of a task.
SECRETS: dict[str, tuple[str, dict[str, Any]]] = {
    "a password": ("clients", {"password": SECRET}),
    "a private key": ("certificates", {"components": {**COMPONENTS, "private_key": SECRET}}),
    "a member with the name of a secret": (
        "clients",
        {"extra": {"apiToken": SECRET, "deep": [{"pwd": SECRET}]}},
    ),
    "a mistyped text of JSON": ("clients", {"extra": json.dumps({"token": SECRET})}),
}


@LAYOUT
@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize(("kind", "fields"), SECRETS.values(), ids=SECRETS)
def test_a_secret_is_not_shown_in_any_form(
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    fields: dict[str, Any],
    echo: Callable[[str], str],
    in_bulk: bool,
) -> None:
    panel = Complaining(
        monkeypatch, f"Not good: {echo(SECRET)} as we see.", password_hashes="written"
    )

    ran = panel.perform_task(kind, {**OBJECTS[kind], **fields}, in_bulk)

    assert ran.outcome == "failed"
    assert echo(SECRET) not in json.dumps(ran.result, ensure_ascii=False)


# Not seen at all, or of no terminal.
UNSEEN = "\u200b\u200c\u200d\u2060\u180e\ufeff\u034f\u115f\u3164\ufe0f\ufff9\ud800\udc80\U000e0041"
# Clears the screen, forges lines, colours, turns the direction, and ends a line in other ways.
NASTY = (
    "x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"
    + UNSEEN
)
SHOWN = (
    r"x\n\x1b[2J\x1b[1;1H\rPLAY RECAP ***\nlocalhost : ok=9\x9b31m\x08\x7f\u202eelif\u2066\u2028\u2029\x85"
    + ascii(UNSEEN)[1:-1]
)
SHOWN_AS_LINES = SHOWN.replace(r"\n", "\n")


def test_words_for_people_leave_as_plain_texts_that_another_process_can_read() -> None:
    class Own(str):
        """A text that another process could not read."""

    mistake = Own("emails[0] is wrong.")

    result = with_harmless_words(
        {"msg": mistake, "mistakes": [mistake], "left_out": {"a": (mistake,)}}
    )

    assert pickle.loads(pickle.dumps(result)) == {
        "msg": "emails[0] is wrong.",
        "mistakes": ["emails[0] is wrong."],
        "left_out": {"a": ["emails[0] is wrong."]},
    }
    assert {type(result["msg"]), type(result["mistakes"][0])} == {str}


def test_everything_for_people_in_a_result_is_cleaned_and_nothing_else() -> None:
    text = "Müller's\ttable: שלום, 例え.jp, €\u00a0"
    assert escape_control_characters(text) is text

    result = {
        "msg": NASTY,
        "warnings": [NASTY],
        "deprecations": [{"msg": NASTY, "version": "2.0.0"}],
        "left_out": {"a": NASTY},
        "error": {"type": "WrongItems", "mistakes": [NASTY], "message": NASTY},
        "results": [
            {"key": NASTY, "msg": NASTY, "error": {"kept_as": NASTY, "mistakes": [NASTY]}},
            {"key": NASTY, "result": "unchanged"},
        ],
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [{"before": "a\x1b\nb", "after": {"key": NASTY}, "before_header": NASTY}],
    }

    assert with_harmless_words(result) == {
        "msg": SHOWN,
        "warnings": [SHOWN],
        "deprecations": [{"msg": SHOWN, "version": "2.0.0"}],
        "left_out": {"a": SHOWN},
        "error": {"type": "WrongItems", "mistakes": [SHOWN], "message": NASTY},
        "results": [
            {"key": NASTY, "msg": SHOWN, "error": {"kept_as": NASTY, "mistakes": [SHOWN]}},
            {"key": NASTY, "result": "unchanged"},
        ],
        "plan": {"actions": [{"key": NASTY}]},
        "diff": [
            {
                "before": "a\\x1b\nb",
                "after": {"key": SHOWN_AS_LINES},
                "before_header": SHOWN_AS_LINES,
            }
        ],
    }


WITH_PASSWORDS = {plural: OBJECTS[plural] for plural, kind in KINDS.items() if kind.password}


@pytest.mark.parametrize("kind", KINDS)
def test_an_option_is_a_secret_by_its_name_only_where_its_kind_says_so(kind: str) -> None:
    rules_of_options = build_argument_spec(KINDS[kind])
    secret = {name for name, rules in rules_of_options.items() if rules.get("no_log")}

    assert {name for name in rules_of_options if is_secret_name(name)} == secret


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("clients", "send_login_credentials"),
        *itertools.product(WITH_PASSWORDS, ["regenerate_password", "update_password"]),
    ],
)
@pytest.mark.parametrize("in_bulk", [False, True], ids=["module", "in bulk"])
def test_a_mistyped_option_about_passwords_masks_nothing(
    kind: str, option: str, in_bulk: bool
) -> None:
    item = {**WITH_PASSWORDS[kind], option: "accepted"}
    panel = InMemory({})
    if in_bulk:
        result = panel.run("panel_resources", resources={kind: [item]})
    else:
        result = panel.run(f"panel_{KINDS[kind].singular}", **item)

    assert result["failed"]
    # A password may have been typed beside its option.
    displayed = "the given value" if "password" in option else "'accepted'"
    assert f"{option}: {displayed} is not accepted; it must be " in result["msg"]
    assert MASK not in result["msg"]


@pytest.mark.parametrize("option", ["regenerate_password", "update_password"])
@pytest.mark.parametrize("password", ["Geheim-2026z", 20261130], ids=["a text", "a number"])
@pytest.mark.parametrize("way", WAYS)
def test_a_password_in_the_place_of_an_option_about_it_is_shown_nowhere(
    option: str, password: Any, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel_action, "shows_invocation", lambda _variables: True)
    if way == MODULE:
        imitate_processes(monkeypatch)

    result = InMemory({}).run("panel_email", email="info@acme.example", **{option: password})

    assert f"{option}: the given value is not accepted; it must be " in result["msg"]
    assert result["invocation"]["module_args"][option] == OMITTED
    assert str(password) not in str(result)


@pytest.mark.parametrize(
    ("option", "value"),
    [("regenerate_password", True), ("regenerate_password", "yes"), ("update_password", "always")],
)
def test_the_invocation_shows_what_an_option_about_a_password_accepts(
    option: str, value: Any
) -> None:
    specification = build_argument_spec(KINDS["emails"])

    assert display_arguments({option: value}, specification) == {option: value}
