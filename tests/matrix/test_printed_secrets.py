"""At -vvvvv no line that Ansible prints on any supported release holds a value that a file of
resources_dir has encrypted.

In process, as a module, with async, and over a connection that shows what modules print. What
ansible-core makes of a module's message is among the lines, and so are plans, diffs, warnings and
the panel's own words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.support.playbook import IN_PROCESS, MODULE, Run, make_task, play
from tests.support.simulator import Simulator

SECRET = "the Vault password of a run"
VAULT = VaultLib(secrets=[("default", VaultSecret(SECRET.encode()))])
CONNECTIONS = Path(__file__).resolve().parents[1] / "support" / "connection_plugins"
CANARY = "kanari"
ASYNC = "async"
TALKATIVE = "a connection that shows output"
BEFORE = {
    "plans": [{"name": "Business"}],
    "clients": [
        {"username": "acme", "email": "it@acme.example", "notes": f"{CANARY} that the panel had"}
    ],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}


def encrypt_text(text: str) -> str:
    """Return a text as a value of a file of variables that Ansible Vault encrypted."""
    secret = VAULT.secrets[0][1]
    lines = VAULT.encrypt(text, secret=secret).decode().splitlines()
    return "!vault |\n" + "\n".join(f"            {line}" for line in lines)


FILES = {
    "fine": f"""\
clients:
  - username: acme
    notes: {encrypt_text(f"{CANARY} in notes")}
    contact_data:
      company: {encrypt_text(f"{CANARY} Company")}
dns:
  - domain: acme.example
    records:
      - {{host: www, type: TXT, ttl: 3600, value: open}}
      - host: hidden
        type: TXT
        ttl: 3600
        value: {encrypt_text(f"{CANARY} in a record")}
""",
    "a wrong size": f"emails:\n  - email: info@acme.example\n    max_size: {encrypt_text(f'{CANARY} size')}\n",
    "two mistakes": (
        f"mails: []\nemails:\n  - email: info@acme.example\n    max_size: {encrypt_text(f'{CANARY} size')}\n"
    ),
    "refused": f"emails:\n  - email: info@acme.example\n    description: {encrypt_text(f'{CANARY} description')}\n",
    "another plan": f"clients:\n  - username: acme\n    notes: {encrypt_text(f'{CANARY} again')}\n",
    "too many deletions": f"emails: []\nclients:\n  - username: acme\n    notes: {encrypt_text(f'{CANARY} at last')}\n",
}
REFUSED = {
    "kind": "body",
    "status": 400,
    "method": "POST",
    "path": "^/emails",
    "when": "before",
    "times": 1,
}
REFUSAL = {
    **REFUSED,
    "body": {"code": "400", "message": f"No {CANARY} description is a description."},
}


class Printed(NamedTuple):
    """A run, and the way that its tasks took."""

    way: str
    run: Run


def make_options(name: str, folder: Path) -> dict[str, Any]:
    """Return the options of a task about one file."""
    more: dict[str, Any] = {}
    if name == "another plan":
        more = {"expected_checksum": "0" * 64}
    if name == "too many deletions":
        more = {"purge": ["emails"], "max_deletes": 0}

    return {"resources_dir": str(folder / name), **more}


def make_tasks(folder: Path, way: str) -> Iterator[dict[str, Any]]:
    """Yield a task for each file, with what is special about it."""
    keywords = {"async": 60, "poll": 1} if way == ASYNC else {}
    for name in FILES:
        before = [["POST", "/faults", REFUSAL]] if name == "refused" else []
        yield make_task(
            name, "panel_resources", make_options(name, folder), before=before, **keywords
        )
        if name == "fine" and way != ASYNC:
            comparing = {"resources_dir": str(folder / name), "compare": True}
            yield make_task("compared", "panel_resources", comparing, check_mode=True)
        if name == "refused":
            mailbox = {"emails": [{"email": "late@acme.example"}]}
            yield make_task("a mailbox", "panel_resources", {"resources": mailbox})


def list_parameters() -> list[Any]:
    """Return the ways to run tasks; a push tries one of them."""
    release = pytest.mark.release
    return [
        pytest.param(IN_PROCESS, marks=release),
        MODULE,
        pytest.param(ASYNC, marks=release),
        pytest.param(TALKATIVE, marks=release),
    ]


@pytest.fixture(scope="module", params=list_parameters())
def printed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Printed]:
    """Play all tasks, and return what was printed and logged."""
    folder = tmp_path_factory.mktemp("printed")
    (folder / "vault").write_text(SECRET, encoding="utf-8")

    for name, text in FILES.items():
        (folder / name).mkdir()
        (folder / name / "all.yml").write_text(text, encoding="utf-8")

    way = MODULE if request.param == MODULE else IN_PROCESS
    arguments = ["--vault-password-file", str(folder / "vault"), "-vvvvv"]
    variables = {"ANSIBLE_CONNECTION_PLUGINS": str(CONNECTIONS)}
    if request.param == TALKATIVE:
        arguments += ["--extra-vars", json.dumps({"ansible_connection": "talkative"})]

    with Simulator.start(settings={"status_delay": 0.0}) as simulator:
        simulator.seed(BEFORE)
        run = play(
            make_tasks(folder, request.param), simulator, folder / "play", way, arguments, variables
        )

    yield Printed(request.param, run)


def list_outcomes(printed: Printed) -> dict[str, str]:
    """Return how each task ended."""
    return {recording.name: recording.outcome for recording in printed.run.recordings}


def test_each_task_ends_as_it_should(printed: Printed) -> None:
    expected = dict.fromkeys(FILES, "failed")
    expected |= {"fine": "ok", "a mailbox": "ok"} | (
        {} if printed.way == ASYNC else {"compared": "ok"}
    )

    assert list_outcomes(printed) == expected, printed.run.text[-3000:]


def test_no_line_holds_what_a_file_has_encrypted(printed: Printed) -> None:
    lines = [
        line
        for line in printed.run.text.splitlines()
        if CANARY in line and f"{CANARY} that the panel had" not in line
    ]

    assert lines == []
    assert "********" in printed.run.text


def test_the_value_of_the_panel_in_place_of_an_encrypted_one_is_not_shown_either(
    printed: Printed,
) -> None:
    assert f"{CANARY} that the panel had" not in printed.run.text


def test_the_failures_have_file_and_line_where_the_controller_sees_them(printed: Printed) -> None:
    if printed.way in (IN_PROCESS, MODULE):
        assert (
            "all.yml: line 3: emails info@acme.example max_size:" in printed.run["a wrong size"].msg
        )
        # ansible-core's own line says the same as the message.
        assert "emails[0]" not in printed.run.text
