"""No secret is printed: canaries are looked for in every encoding, in all output and in every file that a run leaves behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.support import pem
from tests.support.canaries import forms, printed, texts_in
from tests.support.playbook import IN_PROCESS, MODULE, WAYS, BothWays, Run, play, task
from tests.support.simulator import Simulator
from tests.support.worker import work

API_KEY = "k1234567.ca\"na\\ry/of+the'key"
PASSWORD = "ca\"na\\ry /of+the pass'wörd"
OTHER_PASSWORD = "ot\"her\\ca/na+ry 'wörd"
HASH = "$6$ca\"na\\ry/of+the$ha'sh ö"
IN_EXTRA = 'ex"tra\\ca/na+ry tökèn'
IN_BODY = 'bo"dy\\ca/na+ry sècret'
ON_THE_PANEL = "$6$sto\"red\\ca/na+ry$ha'sh ö"
SETTINGS = {
    "status_delay": 0,
    "password_hashes": "written_and_shown",
    "shows_private_keys": True,
    "extra_members": {"clients": {"api_token": ""}},
}
SEED = {
    "clients": [
        {"username": "acme", "email": "it@acme.example", "password_hash": ON_THE_PANEL, "password_hash_os": "x"}
    ],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}
OTHER_SEED = {
    "clients": [{"username": "globex", "password_hash": ON_THE_PANEL, "password_hash_os": "x"}],
    "domains": [{"domain": "globex.example", "client": "globex"}],
}
EMPTY: list[Any] = [["POST", "/reset", None], ["POST", "/settings", SETTINGS]]
FRESH = [*EMPTY, ["POST", "/seed", SEED]]
OTHERS = [*EMPTY, ["POST", "/seed", OTHER_SEED]]


def private_key_words() -> list[str]:
    """The lines of the private key that the tasks upload."""
    return [line for line in pem.texts()["one.private_key"].splitlines() if not line.startswith("-----")]


def canaries() -> list[str]:
    """Every secret of the tasks below."""
    return [API_KEY, PASSWORD, OTHER_PASSWORD, HASH, IN_EXTRA, IN_BODY, ON_THE_PANEL, *private_key_words()]


def found_in(text: str) -> list[str]:
    """The canaries that a text holds, in whatever form."""
    return [form for secret in canaries() for form in printed(secret) if form in text]


def echo(secret: str, status: int = 400, path: str = ".*", times: int = 1) -> list[Any]:
    """A panel that answers with what it was sent, in every form."""
    message = f"Do not use {' or '.join(sorted(forms(secret)))}."
    body = {"code": f"{status} Refused", "message": message}
    struck = {"method": ["POST", "PUT"], "path": path, "when": "before", "times": times}
    return ["POST", "/faults", {"kind": "body", "status": status, "body": body, **struck}]


def redirect(secret: str) -> list[Any]:
    """A panel that sends the client elsewhere, with a secret in the address."""
    location = f"https://{quote(secret, safe='')}@elsewhere.example/?key={quote(secret)}"
    return ["POST", "/faults", {"kind": "redirect", "location": location}]


@dataclass(frozen=True)
class Case:
    """A task that handles secrets; ``outcome`` is what becomes of it."""

    name: str
    module: str
    options: dict[str, Any]
    outcome: str = "ok"
    before: tuple[Any, ...] = ()
    keywords: tuple[tuple[str, Any], ...] = ()
    fresh: tuple[Any, ...] = tuple(FRESH)

    def task(self) -> dict[str, Any]:
        return task(self.name, self.module, self.options, [*self.fresh, *self.before], **dict(self.keywords))


NEW = {"username": "initech", "password": PASSWORD}


def single_cases() -> Iterator[Case]:
    """What is done with secrets, in one object."""
    texts = pem.texts()
    components = {"certificate": texts["one.certificate"], "private_key": texts["one.private_key"]}
    always = {"username": "acme", "password": OTHER_PASSWORD, "update_password": "always"}
    yield Case("created", "panel_client", NEW)
    yield Case("created in check mode", "panel_client", NEW, keywords=(("check_mode", True),))
    yield Case("changed", "panel_client", always)
    yield Case(
        "in a loop",
        "panel_email",
        {"email": "{{ item }}@acme.example", "password": PASSWORD},
        keywords=(("loop", ["a", "b"]),),
    )
    hashes = {"password_hash": HASH, "password_hash_os": HASH}
    yield Case("with a hash", "panel_client", {"username": "acme", **hashes})
    yield Case("with a secret in extra", "panel_client", {"username": "acme", "extra": {"api_token": IN_EXTRA}})
    yield Case("refused with an echo", "panel_client", NEW, "failed", (echo(PASSWORD),))
    yield Case("a failure with an echo", "panel_client", always, "failed", (echo(OTHER_PASSWORD, 500),))
    yield Case("an echo of the key", "panel_client", NEW, "failed", (echo(API_KEY),))
    yield Case(
        "an echo of extra",
        "panel_client",
        {"username": "acme", "extra": {"api_token": IN_EXTRA}},
        "failed",
        (echo(IN_EXTRA),),
    )
    yield Case("redirected", "panel_client", NEW, "failed", (redirect(API_KEY),))
    yield Case("a mistake beside a password", "panel_client", {**NEW, "suspend_on": "soon"}, "failed")
    yield Case("a wrong type beside a password", "panel_client", {**NEW, "is_suspended": "perhaps"}, "failed")
    yield Case("a text for a dictionary beside a password", "panel_client", {**NEW, "contact_data": "Berlin"}, "failed")
    yield Case("an unknown option beside a password", "panel_client", {**NEW, "nick": "x"}, "failed")
    yield Case("a certificate", "panel_certificate", {"name": "one", "components": components})
    yield Case(
        "a key in the place of a certificate",
        "panel_certificate",
        {"name": "one", "components": {**components, "certificate": components["private_key"]}},
        "failed",
    )
    yield Case(
        "a key in the place of a dictionary",
        "panel_certificate",
        {"name": "one", "components": components["private_key"]},
        "failed",
    )
    yield Case("read", "panel_client_info", {"username": "acme"})
    yield Case("read by a call", "panel_api", {"path": "/clients/name/acme"})
    yield Case(
        "written by a call", "panel_api", {"method": "PUT", "path": "/clients/name/acme", "body": {"password": IN_BODY}}
    )
    yield Case(
        "refused by a call",
        "panel_api",
        {"method": "PUT", "path": "/clients/name/acme", "body": {"password": IN_BODY}},
        "failed",
        (echo(IN_BODY),),
    )
    yield Case("a wrong key", "panel_ping", {"api_key": API_KEY + "2"}, "failed")
    yield Case(
        "a key in the address", "panel_ping", {"api_url": f"https://x:{quote(API_KEY, safe='')}@192.0.2.1"}, "failed"
    )


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


def many(
    name: str, resources: Any, outcome: str = "ok", before: tuple[Any, ...] = (), fresh: Any = (), **options: Any
) -> Case:
    """As items of panel_resources."""
    keywords = {"check_mode": options.pop("check_mode", False)}
    options = {"resources": resources, **options}
    return Case(f"many: {name}", "panel_resources", options, outcome, before, tuple(keywords.items()), tuple(fresh))


def bulk_cases() -> Iterator[Case]:
    """The same in items of panel_resources, each task on what the one before has left unless it says otherwise."""
    always = {"password": OTHER_PASSWORD, "update_password": "always"}
    yield many("in check mode", whole(), fresh=OTHERS, check_mode=True)
    yield many("created", whole(), return_unchanged=True)
    yield many("again", whole(), return_unchanged=True)
    yield many("changed", whole(**always, notes="moved"))
    gone = {"clients": [{"username": name, "state": "absent"} for name in ("acme", "globex")]}
    yield many("refused to delete", gone, "failed")
    yield many("deleted", gone, max_deletes=20)
    yield many("refused with an echo", whole(), "failed", (echo(PASSWORD, path="^/clients$"),), OTHERS)
    echoes = (
        echo(HASH, path="^/emails$"),
        echo(OTHER_PASSWORD, path="^/emails$"),
        # What was refused is tried again at the end.
        echo(PASSWORD, path="^/databases$", times=2),
    )
    yield many("several refused with echoes", whole(), "failed", echoes, OTHERS, concurrency=1)
    yield many("an echo of the key", whole(), "failed", (echo(API_KEY, path="^/clients$"),), OTHERS)
    yield many("mistakes in items", {**whole(), "clients": mistaken_clients()}, "failed")
    key = pem.texts()["one.private_key"]
    components: list[Any] = [key, {"certificate": key}]
    wrong = [{"name": str(number), "components": one} for number, one in enumerate(components)]
    yield many("mistakes in kinds", {"certificates": wrong, "clients": PASSWORD}, "failed")
    yield many("as a text", json.dumps(whole(suspend_on="soon")), "failed")
    yield many("as a text that cannot be read", json.dumps(whole())[:-20], "failed")


def cases() -> list[Case]:
    return [*single_cases(), *bulk_cases()]


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """A simulator whose key is a canary."""
    with Simulator.start(api_key=API_KEY) as running:
        yield running


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """All of them in each way, with everything that Ansible can say, and a log file."""
    found = {}
    for way in WAYS:
        folder = tmp_path_factory.mktemp("secrets")
        log = {"ANSIBLE_LOG_PATH": str(folder / "ansible.log")}
        tasks = [case.task() for case in cases() if way == IN_PROCESS or case.name not in UNPRINTED]
        found[way] = play(tasks, simulator, folder, way, ["-vvvv", "--diff"], log)
    others = [case.task() for case in bulk_cases() if case.name in UNPRINTED]
    found[MODULE].recordings.extend(work(others, simulator, tmp_path_factory.mktemp("unprinted"), MODULE).recordings)
    return found


# Of what a module returns, Ansible prints these as it prints the others.
UNPRINTED = [case.name for case in bulk_cases()][3:]
CASES = [pytest.param(way, case, id=f"{case.name}, {way}") for way in WAYS for case in cases()]


@pytest.mark.parametrize(("way", "case"), CASES)
def test_a_task_that_handles_secrets_shows_none(runs: dict[str, Run], way: str, case: Case) -> None:
    recording = runs[way][case.name]
    assert recording.outcome == case.outcome, recording.msg
    assert found_in("\n".join(texts_in(recording.result))) == []


def test_all_output_of_the_greatest_verbosity_shows_none(runs: dict[str, Run], way: str) -> None:
    text = runs[way].text
    assert "initech" in text
    assert "acme_shop" in text
    assert found_in(text) == []


def test_no_file_that_a_run_leaves_behind_holds_one(runs: dict[str, Run], way: str) -> None:
    # What the test itself writes: the tasks, and what reached the panel.
    ours = ("playbook.yml", "recording.jsonl")
    files = [path for path in runs[way].folder.rglob("*") if path.is_file() and path.name not in ours]
    assert any(path.name == "ansible.log" and path.stat().st_size for path in files)
    holding = {str(path): found_in(path.read_text(encoding="utf-8", errors="replace")) for path in files}
    assert {path: found for path, found in holding.items() if found} == {}


def test_both_ways_show_the_same(runs: dict[str, Run]) -> None:
    for name in (case.name for case in single_cases()):
        recording, other = (runs[way][name] for way in WAYS)
        assert (recording.outcome, recording.calls) == (other.outcome, other.calls), name
        if "a wrong type" not in name:  # Ansible lists the forms of switches in another order in every process
            assert recording.msg == other.msg, name


def test_a_mistake_sends_nothing(runs: dict[str, Run], way: str) -> None:
    names = [case.name for case in bulk_cases() if "mistake" in case.name or "text" in case.name]
    assert len(names) == 4
    assert {name: runs[way][name].calls for name in names} == {name: [] for name in names}


def test_every_mistake_beside_a_secret_is_told(runs: dict[str, Run], way: str) -> None:
    mistakes = runs[way]["many: mistakes in items"].result["error"]["mistakes"]
    for number in range(len(mistaken_clients())):
        assert any(one.startswith(f"clients[{number}]") for one in mistakes), mistakes
    kinds = runs[way]["many: mistakes in kinds"].result["error"]["mistakes"]
    assert [one[:15] for one in kinds] == ["clients: must b", "certificates[0]", "certificates[1]"], kinds


def test_a_generated_password_is_printed_once(simulator: Simulator, tmp_path: Path, way: str) -> None:
    tasks = [
        task("created", "panel_client", {"username": "initech"}, FRESH, register="created"),
        {"name": "its object", "ansible.builtin.debug": {"var": "created.client"}},
        task("again", "panel_client", {"username": "initech"}),
    ]
    run = play(tasks, simulator, tmp_path, way, ["-vvvv", "--diff"])
    password = run["created"].result["generated_password"]
    assert sum(run.text.count(form) for form in sorted({password, json.dumps(password)[1:-1]})) == 1


def test_a_password_that_equals_a_name_does_not_blank_the_name(simulator: Simulator, tmp_path: Path, way: str) -> None:
    options = {"username": "true", "password": "true", "email": "admin@acme.example", "notes": "admin, not true"}
    tasks = [
        task("created", "panel_client", options, FRESH),
        task("an admin", "panel_admin", {"username": "root2", "password": "admin", "email": "admin@acme.example"}),
        task("refused", "panel_client", {**options, "username": "admin2", "password": "admin", "language": "xx"}),
    ]
    run = play(tasks, simulator, tmp_path, way, ["-vvv"])
    client = run["created"].result["client"]
    assert (client["username"], client["notes"]) == ("true", "admin, not true")
    assert run["created"].changed is True
    assert run["an admin"].result["admin"]["email"] == "admin@acme.example"
    assert "language" in run["refused"].msg


def test_a_lookup_that_fails_shows_no_key(simulator: Simulator, tmp_path: Path) -> None:
    expression = "{{ lookup('hosting.panel.panel_login_url', 'nobody', api_url=url, api_key=key) }}"
    variables = {"url": simulator.url, "key": API_KEY}
    lookup = {"name": "lookup", "ansible.builtin.debug": {"msg": expression}}
    run = BothWays([lookup], simulator, tmp_path, arguments=["-vvvv"], keywords={"vars": variables})["in process"]
    assert run["lookup"].outcome == "failed"
    assert "nobody" in run["lookup"].msg
    assert found_in(run.text) == []
