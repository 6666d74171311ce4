# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No secret of any item is printed by panel_resources: not in plans, diffs, results, errors, or files that a run leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.integration import pem
from tests.support.canaries import forms, printed, texts_in
from tests.support.playbook import WAYS, Run, play, task
from tests.support.simulator import Simulator

API_KEY = "k1234567.ca\"na\\ry/of+the'key"
PASSWORD = "ca\"na\\ry /of+the pass'wörd"
OTHER_PASSWORD = "ot\"her\\ca/na+ry 'wörd"
HASH = "$6$ca\"na\\ry/of+the$ha'sh ö"
IN_EXTRA = 'ex"tra\\ca/na+ry tökèn'
ON_THE_PANEL = "$6$sto\"red\\ca/na+ry$ha'sh ö"
SETTINGS = {
    "use_password_hashes": True,
    "show_password_hash": True,
    "show_private_key": True,
    "extra_members": {"clients": {"api_token": ""}},
}
SEED = {
    "clients": [{"username": "globex", "password_hash": ON_THE_PANEL, "password_hash_os": "x"}],
    "domains": [{"domain": "globex.example", "client": "globex"}],
}
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/settings", SETTINGS], ["POST", "/seed", SEED]]


def private_key_words() -> list[str]:
    """The lines of the private key that the tasks upload."""
    return [line for line in pem.texts()["one.private_key"].splitlines() if not line.startswith("-----")]


def found_in(text: str) -> list[str]:
    """The secrets that a text holds, in whatever form."""
    secrets = [API_KEY, PASSWORD, OTHER_PASSWORD, HASH, IN_EXTRA, ON_THE_PANEL, *private_key_words()]
    return [form for secret in secrets for form in printed(secret) if form in text]


def echo(secret: str, path: str) -> list[Any]:
    """A panel that refuses with what it was sent, in every form."""
    message = f"Do not use {' or '.join(sorted(forms(secret)))}."
    body = {"code": "400 Bad Request", "message": message}
    return [
        "POST",
        "/faults",
        {"kind": "body", "status": 400, "body": body, "method": "POST", "path": path, "when": "before"},
    ]


@dataclass(frozen=True)
class Case:
    """A task that handles secrets; ``outcome`` is what becomes of it."""

    name: str
    options: dict[str, Any]
    outcome: str = "ok"
    before: tuple[Any, ...] = ()
    check_mode: bool = False

    def task(self) -> dict[str, Any]:
        return task(self.name, "panel_resources", self.options, self.before, check_mode=self.check_mode)


def whole(**client: Any) -> dict[str, Any]:
    """Secrets of every sort; ``client``: more options of the client."""
    texts = pem.texts()
    components = {"certificate": texts["one.certificate"], "private_key": texts["one.private_key"]}
    return {
        "clients": [{"username": "acme", "password": PASSWORD, "extra": {"api_token": IN_EXTRA}, **client}],
        "certificates": [{"name": "acme 2026", "client": "acme", "components": components}],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "emails": [
            {"email": "info@acme.example", "password_hash": HASH},
            {"email": "sales@acme.example", "password": OTHER_PASSWORD},
        ],
        "databases": [{"database_name": "acme_shop", "client": "acme", "password": PASSWORD}],
    }


def mistaken_clients() -> list[Any]:
    """Secrets in wrong places, and mistakes beside secrets."""
    mistakes: list[dict[str, Any]] = [
        {"is_suspended": PASSWORD},
        {"suspend_on": PASSWORD},
        {"passwort": PASSWORD},
        {"password": {"value": PASSWORD}},
        {"password": [PASSWORD]},
        {"password_hash": HASH},
        {"contact_data": PASSWORD},
        {"extra": IN_EXTRA},
    ]
    items: list[Any] = [
        {**whole()["clients"][0], "username": f"acme{number}", **mistake} for number, mistake in enumerate(mistakes)
    ]
    return [*items, PASSWORD]


def cases() -> Iterator[Case]:
    """What is done with secrets."""
    always = {"password": OTHER_PASSWORD, "update_password": "always"}
    yield Case("in check mode", {"resources": whole()}, before=tuple(FRESH), check_mode=True)
    yield Case("created", {"resources": whole(), "return_unchanged": True})
    yield Case("again", {"resources": whole(), "return_unchanged": True})
    yield Case("changed", {"resources": whole(**always, notes="moved")})
    gone = [{"username": name, "state": "absent"} for name in ("acme", "globex")]
    yield Case("refused to delete", {"resources": {"clients": gone}}, "failed")
    yield Case("deleted", {"resources": {"clients": gone}, "max_deletes": 20})
    yield Case("refused with an echo", {"resources": whole()}, "failed", (*FRESH, echo(PASSWORD, "^/clients$")))
    yield Case(
        "several refused with echoes",
        {"resources": whole(), "concurrency": 1},
        "failed",
        (*FRESH, echo(HASH, "^/emails$"), echo(OTHER_PASSWORD, "^/emails$"), echo(PASSWORD, "^/databases$")),
    )
    yield Case("an echo of the key", {"resources": whole()}, "failed", (*FRESH, echo(API_KEY, "^/clients$")))
    yield Case("mistakes in items", {"resources": {**whole(), "clients": mistaken_clients()}}, "failed")
    key = pem.texts()["one.private_key"]
    components: list[Any] = [key, {"certificate": key}]
    wrong = [{"name": str(number), "components": one} for number, one in enumerate(components)]
    yield Case("mistakes in kinds", {"resources": {"certificates": wrong, "clients": PASSWORD}}, "failed")
    yield Case("as a text", {"resources": json.dumps(whole(suspend_on="soon"))}, "failed")
    yield Case("as a text that cannot be read", {"resources": json.dumps(whole())[:-20]}, "failed")


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """A simulator whose key is a secret to look for."""
    with Simulator.start(api_key=API_KEY, settings={"status_delay": 0}) as running:
        yield running


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """All of them in each way, with everything that Ansible can say, and a log file."""
    found = {}
    for way in WAYS:
        folder = tmp_path_factory.mktemp("secrets")
        log = {"ANSIBLE_LOG_PATH": str(folder / "ansible.log")}
        found[way] = play([case.task() for case in cases()], simulator, folder, way, ["-vvvv", "--diff"], log)
    return found


CASES = [pytest.param(way, case, id=f"{case.name}, {way}") for way in WAYS for case in cases()]


@pytest.mark.parametrize(("way", "case"), CASES)
def test_a_task_with_secrets_in_its_items_shows_none(runs: dict[str, Run], way: str, case: Case) -> None:
    recording = runs[way][case.name]
    assert recording.outcome == case.outcome, recording.msg
    assert found_in("\n".join(texts_in(recording.result))) == []


@pytest.mark.parametrize("way", WAYS)
def test_all_output_of_the_greatest_verbosity_shows_none(runs: dict[str, Run], way: str) -> None:
    text = runs[way].text
    assert "acme_shop" in text
    assert found_in(text) == []


@pytest.mark.parametrize("way", WAYS)
def test_no_file_that_a_run_leaves_behind_holds_one(runs: dict[str, Run], way: str) -> None:
    # What the test itself writes: the tasks, and what reached the panel.
    ours = ("playbook.yml", "recording.jsonl")
    files = [path for path in runs[way].folder.rglob("*") if path.is_file() and path.name not in ours]
    assert any(path.name == "ansible.log" and path.stat().st_size for path in files)
    holding = {str(path): found_in(path.read_text(encoding="utf-8", errors="replace")) for path in files}
    assert {path: found for path, found in holding.items() if found} == {}


@pytest.mark.parametrize("way", WAYS)
def test_a_mistake_sends_nothing(runs: dict[str, Run], way: str) -> None:
    names = [case.name for case in cases() if "mistake" in case.name or "text" in case.name]
    assert len(names) == 4
    assert {name: runs[way][name].calls for name in names} == {name: [] for name in names}


@pytest.mark.parametrize("way", WAYS)
def test_every_mistake_beside_a_secret_is_told(runs: dict[str, Run], way: str) -> None:
    mistakes = runs[way]["mistakes in items"].result["error"]["mistakes"]
    for number in range(len(mistaken_clients())):
        assert any(one.startswith(f"clients[{number}]") for one in mistakes), mistakes
    kinds = runs[way]["mistakes in kinds"].result["error"]["mistakes"]
    assert [one[:15] for one in kinds] == ["clients: must b", "certificates[0]", "certificates[1]"], kinds
