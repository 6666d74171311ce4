"""No secret is printed at -vvvv, in the log or in a file that a run leaves behind. Every secret option is tried by tools/reliability."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import pem
from tests.support.marked_secrets import forms, printed, texts_in
from tests.support.playbook import BothWays, task
from tests.support.simulator import Simulator

API_KEY = "k1234567.ca\"na\\ry/of+the'key"
PASSWORD = "ca\"na\\ry /of+the pass'wörd"
HASH = "$6$ca\"na\\ry/of+the$ha'sh ö"
IN_EXTRA = 'ex"tra\\ca/na+ry tökèn'
ON_THE_PANEL = "$6$sto\"red\\ca/na+ry$ha'sh ö"
SETTINGS = {"password_hashes": "written_and_shown", "extra_members": {"clients": {"api_token": ""}}}
ACME = {"username": "acme", "email": "it@acme.example", "password_hash": ON_THE_PANEL, "password_hash_os": "x"}
DOMAIN = {"domain": "acme.example", "client": "acme"}
FRESH: list[Any] = [
    ["POST", "/reset", None],
    ["POST", "/settings", SETTINGS],
    ["POST", "/seed", {"clients": [ACME], "domains": [DOMAIN]}],
]
NEW = {"username": "initech", "password": PASSWORD}


def found_in(text: str) -> list[str]:
    """The canaries that a text holds, in whatever form."""
    key_lines = [line for line in pem.texts()["one.private_key"].splitlines() if not line.startswith("-----")]
    secrets = [API_KEY, PASSWORD, HASH, IN_EXTRA, ON_THE_PANEL, *key_lines]
    return [form for secret in secrets for form in printed(secret) if form in text]


def echo(secret: str, **struck: Any) -> list[Any]:
    """A panel that answers with what it was sent, in every form."""
    body = {"code": "400 Refused", "message": f"Do not use {' or '.join(sorted(forms(secret)))}."}
    return [*FRESH, ["POST", "/faults", {"kind": "body", "status": 400, "body": body, "method": "POST", **struck}]]


def tasks() -> Iterator[tuple[str, dict[str, Any]]]:
    """What becomes of each task, and the task."""
    texts = pem.texts()
    components = {"certificate": texts["one.certificate"], "private_key": texts["one.private_key"]}
    owned = {
        "clients": [{**NEW, "extra": {"api_token": IN_EXTRA}}],
        "certificates": [{"name": "one", "client": "initech", "components": components}],
        "emails": [{"email": "info@acme.example", "password_hash": HASH}],
        "databases": [{"database_name": "acme_shop", "client": "acme", "password": PASSWORD}],
    }
    always = {"username": "acme", "password": PASSWORD, "update_password": "always"}
    bulk = {"resources": owned, "return_unchanged": True}
    yield "ok", task("created", "panel_client", NEW, FRESH)
    yield "ok", task("changed", "panel_client", always)
    yield "ok", task("generated", "panel_client", {"username": "made"})
    yield "ok", task("equal to a name", "panel_client", {"username": "true", "password": "true", "notes": "not true"})
    yield "ok", task("extra", "panel_client", {"username": "acme", "extra": {"api_token": IN_EXTRA}})
    looped = {"email": "{{ item }}@acme.example", "password": PASSWORD}
    yield "ok", task("in a loop", "panel_email", looped, loop=["a", "b"])
    yield "failed", task("refused", "panel_client", NEW, echo(PASSWORD, when="before"))
    yield "failed", task("echo of the key", "panel_client", NEW, echo(API_KEY, when="before"))
    yield "failed", task("a wrong type beside it", "panel_client", {**NEW, "is_suspended": "perhaps"}, FRESH)
    yield (
        "failed",
        task("in a wrong place", "panel_certificate", {"name": "one", "components": texts["one.private_key"]}),
    )
    yield "ok", task("many in check mode", "panel_resources", bulk, check_mode=True)
    yield "ok", task("many", "panel_resources", bulk)
    yield (
        "failed",
        task("many refused", "panel_resources", bulk, echo(PASSWORD, when="before", path="^/clients$", times=2)),
    )
    broken = {"resources": json.dumps(owned)[:-20]}
    yield "failed", task("a text that cannot be read", "panel_resources", broken)
    lookup = "{{ lookup('hosting.panel.panel_login_url', 'nobody', api_url=url, api_key=key) }}"
    yield "failed", {"name": "lookup", "ansible.builtin.debug": {"msg": lookup}}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """A simulator whose key is a canary."""
    with Simulator.start(api_key=API_KEY, settings={"status_delay": 0}) as running:
        yield running


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    folder = tmp_path_factory.mktemp("secrets")
    options = {
        "arguments": ["-vvvv", "--diff"],
        "variables": {"ANSIBLE_LOG_PATH": str(folder / "ansible.log")},
        "keywords": {"vars": {"url": simulator.url, "key": API_KEY}},
    }
    return BothWays([one for _outcome, one in tasks()], simulator, folder, **options)


def test_neither_results_nor_output_nor_files_of_a_run_show_a_secret(runs: BothWays, way: str) -> None:
    run = runs[way]
    assert [(one.outcome, one.name) for one in run.recordings] == [(outcome, one["name"]) for outcome, one in tasks()]
    assert {one.name: found for one in run.recordings if (found := found_in("\n".join(texts_in(one.result))))} == {}
    # A generated one is printed once, and one that equals a name does not blank that.
    password, client = run["generated"].result["generated_password"], run["equal to a name"].result["client"]
    assert sum(run.text.count(form) for form in sorted({password, json.dumps(password)[1:-1]})) == 1
    assert (client["username"], client["notes"]) == ("true", "not true")
    assert "acme_shop" in run.text
    assert found_in(run.text) == []
    # What the test itself writes: the tasks, and what reached the panel.
    ours = ("playbook.yml", "recording.jsonl")
    files = [path for path in run.folder.parent.rglob("*") if path.is_file() and path.name not in ours]
    assert any(path.name == "ansible.log" and path.stat().st_size for path in files)
    assert {path: found for path in files if (found := found_in(path.read_text("utf-8", "replace")))} == {}
