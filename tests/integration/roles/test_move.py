# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role hosting.panel.move: a customer from one panel to another, with what goes wrong on the way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import WRITES, Operator, RoleRun, assert_failed, assert_refused, plays_of
from tests.support import pem
from tests.support.mixed_panel import mixed_panel
from tests.support.simulator import Simulator

PLAYS = plays_of("move")
CLIENT = "client-001"
MAIN = "client-001.xn--mller-kva.example"
TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'echo evaluated') }} <b>`|"
RULES: dict[str, Any] = {
    "move_plans": {"Business": "Small"},
    "move_addresses": {"192.0.2.10": "198.51.100.20", "192.0.2.9": "198.51.100.9"},
    "move_names": {"server.panel.example": "new.panel.example"},
    "move_passwords": [{"kind": "databases", "key": "client-001_shop", "password": "given canary / password"}],
}
MakeOperator = Callable[[str], Operator]


@pytest.fixture(scope="module")
def target() -> Iterator[Simulator]:
    with Simulator.start(api_key="k7654321.another-test-key") as simulator:
        yield simulator


@dataclass(frozen=True)
class Step:
    """One run, and what it wrote on the target."""

    run: RoleRun
    writes: list[dict[str, Any]]

    @property
    def calls(self) -> list[str]:
        return [f"{request['method']} {request['path']}" for request in self.writes]

    @property
    def said(self) -> str:
        return self.run.said

    def assert_failed(self, *words: str) -> None:
        """It failed, wrote nothing to either panel, and said these words."""
        assert_failed(self.run, *words)
        assert self.calls == []


class Mover:
    """An operator with two panels."""

    def __init__(self, operator: Operator, target: Simulator) -> None:
        self.operator, self.source, self.target = operator, operator.simulator, target
        self.folder = operator.folder / "moves"

    def run(self, step: str, *words: str, **changes: Any) -> Step:
        variables = {
            "move_client": CLIENT,
            "move_step": step,
            "move_source": {"api_url": self.source.url, "api_key": self.source.api_key, "retry_time": 1},
            "move_target": {"api_url": self.target.url, "api_key": self.target.api_key, "retry_time": 1},
            "move_dir": str(self.folder),
            "move_credentials_file": str(self.operator.credentials),
            **changes,
        }
        before = self.target.last_number()
        # The environment names a panel that must not count.
        nowhere = {"PANEL_API_URL": "https://nowhere.example", "PANEL_API_KEY": "another-key"}
        run = self.operator.run(PLAYS, variables, *words, environment=nowhere)
        return Step(run, [request for request in self.target.log(before) if request["method"] in WRITES])

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*"))}

    def zone(self, panel: Simulator, domain: str) -> dict[str, Any]:
        zone: dict[str, Any] = panel.request("GET", f"/dns/name/{domain}").json()
        return zone


def _seed() -> dict[str, list[dict[str, Any]]]:
    seed = mixed_panel(pem.texts(), clients=3)
    seed["domains"].append({"domain": "plain.example", "client": CLIENT, "security": {"certificate": f"{CLIENT} 2026"}})
    seed["dns"] = [zone for zone in seed["dns"] if zone["domain"] != MAIN]
    seed["dns"].append(
        {
            "domain": MAIN,
            "records": [
                {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.9"},
                {"host": "@", "type": "TXT", "ttl": 7200, "value": "v=spf1 ip4:192.0.2.10 ip4:192.0.2.0/24 -all"},
                {"host": "@", "type": "MX", "ttl": 60, "value": "10 server.panel.example."},
                {"host": "default._domainkey", "type": "TXT", "ttl": 3600, "value": "<DKIM_RECORD_VALUE>"},
            ],
        }
    )
    seed["databases"][2]["size"] = 5 * 1024**2
    seed["scheduled_tasks"].append(
        {"client": CLIENT, "description": TEMPLATE, "type": "http", "command": "https://a.example", "is_enabled": False}
    )
    return seed


def _records(zone: Mapping[str, Any]) -> list[tuple[str, str, int, str]]:
    return sorted((r["host"], r["type"], r["ttl"], r["value"]) for r in zone["records"]["other"])


class Move(SimpleNamespace):
    """The steps of one move, in their order, and what there was after some of them."""


@pytest.fixture(scope="module")
def move(make_operator: MakeOperator, target: Simulator) -> Move:
    target.reset()
    mover = Mover(make_operator("moves"), target)
    for panel in (mover.source, target):
        panel.settings({"status_delay": 0})
    mover.source.seed(_seed())
    target.seed({"clients": [{"username": "other"}], "domains": [{"domain": "other.example", "client": "other"}]})
    both = (MAIN, "plain.example")
    move = Move(source_before=mover.source.state()["objects"])
    move.refused = mover.run("copy", move_passwords=[{**RULES["move_passwords"][0], "key": "none"}])
    target.seed({"plans": [{"name": "Small"}]})
    move.prepare_check, move.after_check = mover.run("prepare", "--check"), mover.files()
    move.prepare, move.prepare_again = mover.run("prepare", "-vvvv"), mover.run("prepare")
    move.lowered = {domain: mover.zone(mover.source, domain) for domain in both}
    move.copy_check = mover.run("copy", "--check", **RULES)
    target.fault({"kind": "status", "status": 400, "method": "PUT", "path": f"/dns/name/{MAIN}", "body": "json"})
    move.copy_cut = mover.run("copy", **RULES)
    move.copy, move.pages = mover.run("copy", "-vvvv", "--diff", **RULES), mover.files()
    move.copy_again, move.pages_again = mover.run("copy", **RULES), mover.files()
    move.source_after = mover.source.state()["objects"]
    owner = next(item["id"] for item in move.source_after["clients"] if item["data"]["username"] == CLIENT)
    body = {"id_user": owner, "email": f"late@{MAIN}", "password": "a late password"}
    assert mover.source.request("POST", "/emails", body).status_code == 201
    move.verify = mover.run("verify", **RULES)
    move.zones = {domain: mover.zone(target, domain) for domain in both}
    move.target_after = target.state()["objects"]
    move.passwords = mover.operator.passwords()
    return move


def test_everything_that_stands_against_a_move_is_said_at_once_before_the_first_write(move: Move) -> None:
    move.refused.assert_failed(
        "there is no plan Business on the target",
        f"dns {MAIN}: @ MX 10 server.panel.example. leads to the source",
        "the client has no databases none with a password",
    )


def test_check_mode_of_prepare_predicts_and_writes_nothing(move: Move) -> None:
    assert move.prepare_check.run.code == 0, move.prepare_check.run.text
    assert move.prepare_check.run.writes == []
    assert "zones that would be lowered in this run: " in move.prepare_check.said
    assert "zones lowered in this run: " in move.prepare.said
    assert move.after_check == {}
    assert move.prepare_check.run.recap["changed"] == move.prepare.run.recap["changed"] == 1


def test_prepare_lowers_times_to_live_and_nothing_else(move: Move) -> None:
    assert move.prepare.run.code == 0, move.prepare.run.text
    assert {call.partition(" ")[0] for call in move.prepare.run.writes} == {"PUT"}
    assert {call.rpartition("/")[2] for call in move.prepare.run.writes} >= {MAIN, "plain.example"}
    kept = json.loads(move.pages[f"{CLIENT}.zones-before.json"])["zones"]
    for domain, zone in move.lowered.items():
        before = _records(kept[domain])
        assert _records(zone) == [(host, kind, min(ttl, 300), value) for host, kind, ttl, value in before]
        assert zone["records"]["soa"] == kept[domain]["records"]["soa"]
    assert "wait 86400 seconds" in move.prepare.said


def test_a_second_prepare_changes_nothing(move: Move) -> None:
    assert move.prepare_again.run.code == 0, move.prepare_again.run.text
    assert move.prepare_again.run.writes == []
    assert move.prepare_again.run.recap["changed"] == 0


def test_check_mode_of_copy_shows_what_would_be_made(move: Move) -> None:
    assert move.copy_check.run.code == 0, move.copy_check.run.text
    assert move.copy_check.calls == move.copy_check.run.writes == []
    assert f'"create emails info@{MAIN}"' in move.copy_check.said


def test_a_copy_that_was_cut_short_is_completed_by_the_next_one(move: Move) -> None:
    assert move.copy_cut.run.code != 0
    assert "On the target: 1 of" in move.copy_cut.said
    assert move.copy.run.code == 0, move.copy.run.text[-3000:]
    assert move.copy.calls == [f"PUT /dns/name/{MAIN}"]


def test_a_second_copy_writes_nothing_anywhere(move: Move) -> None:
    assert move.copy_again.run.code == 0, move.copy_again.run.text
    assert move.copy_again.calls == []
    assert move.copy_again.run.recap["changed"] == 0
    assert move.pages_again == move.pages


def test_the_source_is_changed_by_prepare_only_and_only_in_its_zones(move: Move) -> None:
    for step in (move.copy_cut, move.copy, move.copy_again, move.verify):
        assert step.run.writes == []
    for kind in set(move.source_before) - {"domains"}:
        assert move.source_after[kind] == move.source_before[kind], kind


def test_the_target_has_what_the_source_has_and_the_rules_say(move: Move) -> None:
    owner = next(item["id"] for item in move.target_after["clients"] if item["data"]["username"] == CLIENT)
    for kind in ("emails", "databases", "ftp_users", "directory_protections", "scheduled_tasks"):
        ids = {item["data"]["username"]: item["id"] for item in move.source_before["clients"]}
        wanted = sum(1 for item in move.source_before[kind] if item["data"]["id_user"] == ids[CLIENT])
        assert sum(1 for item in move.target_after[kind] if item["data"]["id_user"] == owner) == wanted, kind
    plan = {item["id"]: item["data"]["name"] for item in move.target_after["hosting_plans"]}
    client = next(item["data"] for item in move.target_after["clients"] if item["id"] == owner)
    assert plan[client["id_hosting_plan"]] == "Small"
    tasks = [item["data"] for item in move.target_after["scheduled_tasks"]]
    assert [task["is_enabled"] for task in tasks] == [False, False], "no task may run on both servers"


def test_zones_lead_to_the_new_server_and_default_ones_stay_default(move: Move) -> None:
    zone = move.zones[MAIN]
    values = {record["value"] for record in zone["records"]["other"] if "_domainkey" not in record["host"]}
    assert values == {"198.51.100.9", "v=spf1 ip4:198.51.100.20 ip4:192.0.2.0/24 -all", "10 new.panel.example."}
    assert any("_domainkey" in record["host"] for record in zone["records"]["other"])
    assert zone["is_custom_dns"] is True
    assert move.zones["plain.example"]["is_custom_dns"] is False


def test_new_passwords_are_kept_encrypted_and_given_ones_used(move: Move) -> None:
    hidden = {item["data"]["database_name"]: item["hidden"]["password"] for item in move.target_after["databases"]}
    assert hidden["client-001_shop"] == "given canary / password"
    assert ("databases", "client-001_shop") not in move.passwords
    assert move.passwords["databases", "client-001_blog"] == hidden["client-001_blog"]
    assert move.passwords.keys() >= {("clients", CLIENT), ("emails", f"info@{MAIN}"), ("ftp_users", "client-001_web")}


def test_no_secret_is_in_an_output_or_a_page(move: Move) -> None:
    secrets = {*move.passwords.values(), "given canary / password", "k7654321.another-test-key"}
    texts = [step.run.text for step in (move.refused, move.prepare, move.copy_cut, move.copy, move.verify)]
    for text in [*texts, *move.pages.values()]:
        assert [secret for secret in secrets if secret in text] == []
        assert "PRIVATE KEY" not in text


def test_the_page_says_what_was_made_what_remains_and_what_is_next(move: Move) -> None:
    page = move.pages[f"{CLIENT}.hand-over.md"]
    facts = json.loads(move.pages[f"{CLIENT}.hand-over.json"])
    assert facts["differences"] == facts["only_on_target"] == facts["without_password"] == []
    assert facts["remaining"]["private_keys"] == [
        {"certificate": "client-001 2026", "domains": ["plain.example"]},
        {"certificate": "server 2026", "domains": ["client-001-old.example"]},
    ]
    assert "Content of the database client-001\\_shop: 5.0 MiB." in page
    assert "Both panels are equal." in page
    assert facts["wait"] == 86400
    assert f"Raise the times to live of {MAIN} again, on the target" in page, "plain.example is a default zone there"
    assert "Switch the name servers" in page and "plain.example" in page
    assert "<b>" not in page and "evaluated" not in page.replace("'echo evaluated'", "")


def test_verify_fails_and_names_what_came_to_the_source_after_the_copy(move: Move) -> None:
    move.verify.assert_failed(f"1 difference between both panels: missing emails late@{MAIN}.")


@pytest.fixture
def mover(make_operator: MakeOperator, target: Simulator) -> Mover:
    target.reset()
    made = Mover(make_operator("collisions"), target)
    made.source.seed(_seed())
    return made


@pytest.mark.parametrize("words", [(), ("--check",)])
@pytest.mark.parametrize("step", ["prepare", "copy", "verify"])
def test_a_file_that_cannot_be_written_is_found_before_the_first_request(
    mover: Mover, step: str, words: tuple[str, ...]
) -> None:
    name = "zones-before.json" if step == "prepare" else "hand-over.md"
    (mover.folder / f"{CLIENT}.{name}").mkdir(parents=True)
    done = mover.run(step, *words, **RULES)
    done.assert_failed(f"{CLIENT}.{name}: that is a folder")
    assert done.run.requests == []


@pytest.mark.parametrize("step", ["prepare", "copy", "verify"])
def test_a_client_that_is_not_there_is_told_in_the_words_of_the_role(mover: Mover, step: str) -> None:
    done = mover.run(step, move_client="nobody")
    done.assert_failed("client (move_client in the role move): there is no client nobody on the source.")


def test_what_cannot_be_copied_is_named_as_a_difference_and_all_else_is_made(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    state = mover.source.state()
    owner = next(item["id"] for item in state["objects"]["clients"] if item["data"]["username"] == CLIENT)
    own = {
        kind: [item["data"] for item in state["objects"][kind] if item["data"]["id_user"] == owner]
        for kind in ("scheduled_tasks", "emails", "directory_protections")
    }
    task, mailbox, protection = (found[0] for found in own.values())
    task["description"] = ""
    protection["path"] = " "
    mailbox["forwardings"] = ["root", "boss@other.example"]
    mover.source.set_state(state)
    done = mover.run("copy", **RULES)
    assert done.run.code != 0
    facts = json.loads(mover.files()[f"{CLIENT}.hand-over.json"])
    assert [line.partition(" cannot be copied, since ")[0].split(" (id ")[0] for line in facts["differences"]] == [
        f"differs  emails {mailbox['email']}",
        f"missing  directory_protections {CLIENT}: :{protection['username']}",
        f"missing  scheduled_tasks {CLIENT}:id {next(i['id'] for i in state['objects']['scheduled_tasks'] if i['data'] is task)}",
    ]
    assert "equal: no" in done.said
    assert "forwardings cannot be copied, since the module does not accept what the panel shows" in done.said
    assert "3 differences between both panels:" in mover.files()[f"{CLIENT}.hand-over.md"]
    there = mover.target.objects("emails")
    assert [one["forwardings"] for one in there if one["email"] == mailbox["email"]] == [["boss@other.example"]]
    again = mover.run("copy", **RULES)
    assert again.run.code != 0
    assert again.calls == []


def test_names_of_others_and_different_objects_on_the_target_are_left_alone(mover: Mover) -> None:
    mover.target.seed(
        {
            "plans": [{"name": "Small"}],
            "clients": [{"username": "other"}],
            "domains": [{"domain": "plain.example", "client": "other"}],
            "databases": [{"database_name": "client-001_shop", "client": "other"}],
        }
    )
    taken = mover.run("copy", **RULES)
    taken.assert_failed(
        "domains plain.example: exists on the target, where it belongs to other.",
        "databases client-001_shop: exists on the target, where it belongs to other.",
    )

    mover.target.reset()
    mover.target.seed({"plans": [{"name": "Small"}], "clients": [{"username": CLIENT, "email": "else@far.example"}]})
    different = mover.run("copy", **RULES)
    different.assert_failed("email else@far.example ->", "update: true")

    mover.target.seed({"domains": [{"domain": "far.example", "client": CLIENT}]})
    namesake = mover.run("copy", **RULES, move_update=True)
    namesake.assert_failed("is another customer, who has domains far.example")


def test_one_panel_is_not_moved_to_itself(mover: Mover) -> None:
    same = {"api_url": mover.source.url, "api_key": mover.source.api_key}
    step = mover.run("copy", move_target=same)
    assert_refused(step.run, "is the source as well")
    step = mover.run("copy", move_target={**same, "api_url": same["api_url"].replace("127.0.0.1", "localhost")})
    assert_refused(step.run, "is the source as well")


def test_a_record_that_came_while_zones_were_read_stays(mover: Mover) -> None:
    zone = mover.zone(mover.source, MAIN)
    other = zone["records"]["other"]
    fewer = {**zone, "records": {**zone["records"], "other": [r for r in other if r["host"] != "www"]}}
    fewer["records"]["other"].append({"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.77"})
    number = next(d["id"] for d in mover.source.request("GET", "/domains").json() if d["domain"] == MAIN)
    mover.source.fault({"kind": "body", "method": "GET", "path": f"^/dns/{number}$", "body": fewer})
    step = mover.run("prepare")
    assert_failed(step.run, f"somebody changes records of {MAIN} right now")
    assert mover.files() == {}


def test_what_somebody_changes_on_a_panel_after_the_plan_stops_the_step(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}], "clients": [{"username": "other", "hosting_plan": "Small"}]})
    steps: list[tuple[str, Simulator, str, dict[str, Any], int]] = [
        # In check mode it reads for the write too; a predicted copy does not.
        ("prepare", mover.source, rf"^/dns/name/{MAIN}$", {}, 1),
        ("copy", mover.target, "^/clients$", RULES, 0),
    ]
    for step, panel, path, rules, of_the_write in steps:
        before = panel.last_number()
        assert mover.run(step, "--check", **rules).run.code == 0
        reads = [one for one in panel.log(before) if one["method"] == "GET" and re.search(path, one["path"])]
        there = panel.request("GET", reads[-1]["path"]).json()
        if step == "prepare":
            for record in there["records"]["other"]:
                record["value"] = record["value"].replace("192.0.2.9", "192.0.2.77")
        else:
            there = [{**client, "username": CLIENT} for client in there]
        panel.fault({"kind": "body", "method": "GET", "path": path, "skip": len(reads) - of_the_write, "body": there})
        stopped = mover.run(step, **rules)
        panel.clear_faults()
        stopped.assert_failed("Nothing was written")


def test_a_folder_for_the_page_that_cannot_be_made_is_found_before_the_first_write(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    step = mover.run("copy", **RULES, move_dir=str(mover.folder / "neither" / "nor"))
    step.assert_failed("neither does not exist; create it.")


def test_a_prepare_that_ends_in_the_middle_says_so_and_is_completed_by_the_next(mover: Mover) -> None:
    refusal = {"kind": "status", "status": 400, "method": "PUT", "path": "^/dns/", "skip": 1, "body": "json"}
    mover.source.fault(refusal)
    cut, rest = mover.run("prepare", "-v"), mover.run("prepare")
    assert cut.run.code != 0
    assert "of 3 changes failed, 2 were written" in cut.said
    assert '"changed": true' in cut.said
    assert rest.run.code == 0, rest.run.text
    assert len(rest.run.writes) == 1


def test_zones_are_found_where_lists_do_not_show_whose_a_domain_is(mover: Mover) -> None:
    mover.source.settings({"short_lists": {"domains": ["id_user"]}})
    assert mover.run("prepare", "--check").said.count(f"zones that would be lowered in this run: {MAIN}") == 1


def test_a_domain_that_is_shown_without_an_id_is_named(mover: Mover) -> None:
    mover.source.settings({"short_lists": {"domains": ["id"]}})
    step = mover.run("prepare")
    assert_failed(step.run, "On the source: domains ", "the panel shows it without an id")


def test_zones_that_were_kept_for_another_move_do_not_count(mover: Mover) -> None:
    mover.folder.mkdir()
    kept = {"client": CLIENT, "panel": "old.example", "zones": {}}
    (mover.folder / f"{CLIENT}.zones-before.json").write_text(json.dumps(kept), encoding="utf-8")
    for step in ("prepare", "copy"):
        mover.run(step).assert_failed(f"holds the zones of the client {CLIENT} on old.example")


def test_the_role_documents_the_files_that_it_makes() -> None:
    folder = Path(__file__).resolve().parents[3] / "roles" / "move"
    files = yaml.safe_load((folder / "vars" / "main.yml").read_text(encoding="utf-8"))
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for path in files.values():
        assert path.rpartition("}}")[2].lstrip(".").removesuffix(".json").removesuffix(".md") in readme
