# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""All mistakes in a file of many objects are told at once and before anything is sent, or at least before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.bulk import PASSWORD
from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Run, task
from tests.support.simulator import Simulator
from tests.support.worker import work

# As a person writes it.
FILE = """
plans:
  - name: Business
    resources: {disk_space: 1.5G, domains: lots}
admins:
  - username: night.shift
    email: nobody
clients:
  - username: acme
    emial: it@acme.example
  - username: globex
    suspend_on: soon
    hosting_plan: Business
    id_hosting_plan: 3
  - username: ACME.example
    is_suspended: perhaps
  - username: acme
  - initech
  - password: Correct-horse-7
domains:
  - domain: müller.example
    client: acme
  - domain: XN--MLLER-KVA.Example.
    client: globex
  - domain: acme.example
    client: acme
    wait: true
    api_key: k1234567.another
dns:
  - domain: acme.example
    records:
      - {host: www, type: A, value: 192.0.2.256}
      - {host: www, type: AAAA}
emails:
  - email: info
  - email: info@acme.example
    state: gone
  - email: sales@acme.example
    password: [Correct-horse-7]
    aliases: shop@acme.example, @
mailboxes:
  - email: info@acme.example
databases: acme_shop
scheduled_tasks:
  - {client: acme, description: Backup, schedule: {minute: 0 4 * * *}}
"""
# Each mistake in the order of the kinds: where it is, and words of what is said about it.
EXPECTED = [
    ("mailboxes:", "no such kind"),
    ("plans[0] (Business) resources.disk_space:", "1.5G", "decimals"),
    ("plans[0] (Business) resources.domains:", "lots"),
    ("admins[0] (night.shift) email:", "'nobody'", "e-mail address"),
    ("clients[0] (acme) emial:", "no such option", "email"),
    ("clients[1] (globex) suspend_on:", "'soon'", "YYYY-MM-DD"),
    ("clients[1] (globex) hosting_plan:", "excludes id_hosting_plan"),
    ("clients[2] (ACME.example) is_suspended:", "'perhaps'", "true or false"),
    ("clients[2] (ACME.example) username:", "upper case"),
    ("clients[3] (acme):", "names the same object as clients[0]"),
    ("clients[4]:", "must be a dictionary"),
    ("clients[5] username:", "missing"),
    ("domains[1]", "names the same object as domains[0]"),
    ("domains[2] (acme.example) wait:", "single module"),
    ("domains[2] (acme.example) api_key:", "once for the task"),
    ("dns[0] (acme.example) records[0].value:", "192.0.2.256"),
    ("dns[0] (acme.example) records[1].value:", "missing"),
    ("emails[0] (info) email:", "'info'"),
    ("emails[1] (info@acme.example) state:", "'gone'", "present"),
    ("emails[2] (sales@acme.example) aliases:", "'shop@acme.example, @'"),
    ("emails[2] (sales@acme.example) password:",),
    ("databases:", "must be a list"),
    ("scheduled_tasks[0] (acme:Backup) schedule.minute:", "'0 4 * * *'"),
]
OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "too many at once": ({"concurrency": 17}, ("concurrency: 17", "from 1 to 16")),
    "none at once": ({"concurrency": 0}, ("concurrency: 0", "from 1 to 16")),
    "a limit below nothing": ({"max_deletes": -1}, ("max_deletes: -1", "from 0")),
    "a kind that cannot be purged": ({"purge": ["dns"]}, ("purge", "dns")),
    "protection of an unknown kind": ({"protect": {"mailboxes": []}}, ("protect:", "mailboxes", "emails")),
    "protection by a text": ({"protect": {"emails": "info@*"}}, ("protect.emails:", "list")),
    "a list for the kinds": ({"resources": ["emails"]}, ("resources", "dictionary")),
    "nothing": ({"resources": None}, ("resources",)),
}
# What only the panel can tell: references that lead nowhere. All of them at once too.
DANGLING = {
    "clients": [{"username": "acme", "hosting_plan": "Nope"}],
    "domains": [{"domain": "acme.example", "client": "nobody"}],
    "dns": [{"domain": "nowhere.example", "records": [{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}]}],
    "emails": [{"email": "info@nowhere.example"}, {"email": "info@globex.example", "max_size": "1G"}],
    "databases": [{"id": 77, "description": "gone"}],
}
WORDS_OF_DANGLING = [
    ("dns[0] (nowhere.example)", "not a domain of this panel"),
    ("clients[0] (acme)", "no hosting plan Nope"),
    ("domains[0] (acme.example)", "no client nobody"),
    ("emails[0] (info@nowhere.example)", "nowhere.example"),
    ("databases[0]", "no database with id 77"),
]
SEED = {
    "clients": [{"username": "globex"}],
    "domains": [{"domain": "globex.example", "client": "globex"}],
    "emails": [{"email": "info@globex.example"}],
}
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/seed", SEED]]


def tasks(way: str) -> Iterator[dict[str, Any]]:
    file = {"resources": yaml.safe_load(FILE)}
    yield task("a file", "panel_resources", file, FRESH)
    yield task("a file, check", "panel_resources", file, FRESH, check_mode=True)
    yield task("dangling", "panel_resources", {"resources": DANGLING}, FRESH)
    if way == MODULE:
        return
    yield task("dangling, check", "panel_resources", {"resources": DANGLING}, FRESH, check_mode=True)
    for name, (options, _words) in OPTIONS.items():
        yield task(name, "panel_resources", {"resources": {"emails": []}, **options}, FRESH)


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return {way: work(tasks(way), simulator, tmp_path_factory.mktemp("mistakes"), way) for way in WAYS}


@pytest.mark.parametrize("name", ["a file", "a file, check"])
def test_all_mistakes_of_a_file_are_in_one_error_and_nothing_is_sent(runs: dict[str, Run], way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "failed"
    assert not recording.changed
    assert recording.calls == []
    mistakes = recording.result["error"]["mistakes"]
    not_told = [
        expected
        for expected in EXPECTED
        if not any(one.startswith(expected[0]) and all(word in one for word in expected) for one in mistakes)
    ]
    assert not_told == [], mistakes
    assert len(mistakes) == len(EXPECTED), mistakes
    assert recording.msg.startswith(f"{len(EXPECTED)} mistakes")
    assert all(one in recording.msg for one in mistakes)
    assert recording.msg.endswith("Nothing was written.")
    assert PASSWORD not in str(recording.result)


def test_all_references_that_lead_nowhere_are_in_one_error_and_nothing_is_written(
    runs: dict[str, Run], way: str
) -> None:
    recording = runs[way]["dangling"]
    assert recording.outcome == "failed"
    assert recording.writes == []
    assert len(recording.calls) == len(set(recording.calls))
    mistakes = recording.result["error"]["mistakes"]
    assert [
        words for words in WORDS_OF_DANGLING if not any(all(word in one for word in words) for one in mistakes)
    ] == []
    assert len(mistakes) == len(WORDS_OF_DANGLING), mistakes
    assert recording.msg.endswith("Nothing was written.")


def test_check_mode_fails_for_the_same_reasons(runs: dict[str, Run]) -> None:
    run = runs[IN_PROCESS]
    assert run["dangling, check"].msg == run["dangling"].msg
    assert run["a file, check"].msg == run["a file"].msg


@pytest.mark.parametrize("name", OPTIONS)
def test_a_wrong_option_of_the_task_sends_nothing(runs: dict[str, Run], name: str) -> None:
    recording = runs[IN_PROCESS][name]
    assert recording.outcome == "failed"
    assert recording.calls == []
    assert [word for word in OPTIONS[name][1] if word not in recording.msg] == [], recording.msg


@pytest.mark.parametrize("name", ["a file", "dangling"])
def test_both_ways_of_execution_say_the_same(runs: dict[str, Run], name: str) -> None:
    assert runs[IN_PROCESS][name].msg == runs[MODULE][name].msg
    assert runs[IN_PROCESS][name].result["error"] == runs[MODULE][name].result["error"]
