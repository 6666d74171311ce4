"""The role hosting.panel.move.

A customer from one panel to another, with what goes wrong on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from tests.integration.roles.operators import (
    WRITES,
    Operator,
    RoleRun,
    assert_failed,
    assert_refused,
    make_plays,
)
from tests.support import pem
from tests.support.mixed_panel import make_mixed_objects
from tests.support.samples import ROOT
from tests.support.simulator import Simulator

PLAYS = make_plays("move")
CLIENT = "client-001"
MAIN = "client-001.xn--mller-kva.example"
TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'echo evaluated') }} <b>`|"
RULES: dict[str, Any] = {
    "move_plans": {"Business": "Small"},
    "move_addresses": {"192.0.2.10": "198.51.100.20", "192.0.2.9": "198.51.100.9"},
    "move_names": {"server.panel.example": "new.panel.example"},
    "move_passwords": [
        {"kind": "databases", "key": "client-001_shop", "password": "given canary / password"}
    ],
}
MakeOperator = Callable[[str], Operator]


@pytest.fixture(scope="module")
def target() -> Iterator[Simulator]:
    """Yield the panel to which a customer moves."""
    with Simulator.start(api_key="k7654321.another-test-key") as simulator:
        yield simulator


@dataclass(frozen=True)
class Step:
    """One run, and what it wrote on the target."""

    run: RoleRun
    writes: list[dict[str, Any]]

    @property
    def calls(self) -> list[str]:
        """Return method and path of what was written on the target."""
        return [f"{request['method']} {request['path']}" for request in self.writes]

    @property
    def said(self) -> str:
        """Return the output on one line."""
        return self.run.said

    def assert_failed(self, *messages: str) -> None:
        """Assert that it failed, wrote nothing to either panel, and printed these messages."""
        assert_failed(self.run, *messages)
        assert self.calls == []


class Mover:
    """An operator with two panels."""

    def __init__(self, operator: Operator, target: Simulator) -> None:
        self.operator = operator
        self.source = operator.simulator
        self.target = target
        self.folder = operator.folder / "moves"

    def run(self, step: str, *arguments: str, **changes: Any) -> Step:
        """Run one step of the move."""
        variables = {
            "move_client": CLIENT,
            "move_step": step,
            "move_source": {
                "api_url": self.source.url,
                "api_key": self.source.api_key,
                "retry_time": 1,
            },
            "move_target": {
                "api_url": self.target.url,
                "api_key": self.target.api_key,
                "retry_time": 1,
            },
            "move_dir": str(self.folder),
            "move_credentials_file": str(self.operator.credentials),
            **changes,
        }
        if variables.pop("without_file", False):
            del variables["move_credentials_file"]
        before = self.target.get_last_number()
        # The environment names a panel that must not count.
        nowhere = {"PANEL_API_URL": "https://nowhere.example", "PANEL_API_KEY": "another-key"}
        run = self.operator.run(PLAYS, variables, *arguments, environment=nowhere)

        return Step(
            run,
            [request for request in self.target.read_log(before) if request["method"] in WRITES],
        )

    def read_files(self) -> dict[str, str]:
        """Return the files of the move with their content."""
        return {
            path.name: path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*"))
        }

    def read_zone(self, panel: Simulator, domain: str) -> dict[str, Any]:
        """Return a zone as one of the panels shows it."""
        zone: dict[str, Any] = panel.request("GET", f"/dns/name/{domain}").json()
        return zone


def _seed() -> dict[str, list[dict[str, Any]]]:
    """Return the objects of the source, with texts that no page may take for its own."""
    seed = make_mixed_objects(pem.make_texts(), clients=3)
    seed["domains"].append(
        {"domain": "plain.example", "client": CLIENT, "security": {"certificate": f"{CLIENT} 2026"}}
    )
    seed["dns"] = [zone for zone in seed["dns"] if zone["domain"] != MAIN]
    seed["dns"].append(
        {
            "domain": MAIN,
            "records": [
                {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.9"},
                {
                    "host": "@",
                    "type": "TXT",
                    "ttl": 7200,
                    "value": "v=spf1 ip4:192.0.2.10 ip4:192.0.2.0/24 -all",
                },
                {"host": "@", "type": "MX", "ttl": 60, "value": "10 server.panel.example."},
                {
                    "host": "default._domainkey",
                    "type": "TXT",
                    "ttl": 3600,
                    "value": "<DKIM_RECORD_VALUE>",
                },
            ],
        }
    )
    seed["databases"][2]["size"] = 5 * 1024**2
    seed["scheduled_tasks"].append(
        {
            "client": CLIENT,
            "description": TEMPLATE,
            "type": "http",
            "command": "https://a.example",
            "is_enabled": False,
        }
    )
    link = "See https://evil.example or [here](https://evil.example)\u202e"
    seed["scheduled_tasks"].append(
        {"client": CLIENT, "description": link, "type": "http", "command": "https://a.example"}
    )

    return seed


def _list_records(zone: Mapping[str, Any]) -> list[tuple[str, str, int, str]]:
    """Return the records of a zone, sorted."""
    return sorted((r["host"], r["type"], r["ttl"], r["value"]) for r in zone["records"]["other"])


@pytest.fixture
def mover(make_operator: MakeOperator, target: Simulator) -> Mover:
    """Return an operator whose source has the customer, and whose target another one."""
    target.reset()
    new_mover = Mover(make_operator("moves"), target)
    for panel in (new_mover.source, target):
        panel.change_settings({"status_delay": 0})
    new_mover.source.seed(_seed())
    target.seed(
        {
            "clients": [{"username": "other"}],
            "domains": [{"domain": "other.example", "client": "other"}],
        }
    )

    return new_mover


def test_a_customer_is_prepared_copied_and_verified(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    before = mover.source.get_state()["objects"]

    prepare = prepare_twice(mover)
    cut, copy = copy_after_a_cut(mover)

    files = mover.read_files()
    assert_nothing_is_left_to_copy(mover)
    assert_customer_has_arrived(mover, before)
    assert_zones_have_arrived(mover)
    assert_passwords_are_kept_and_not_told(mover, [cut, copy, prepare])
    assert_hand_over_is_complete(files)
    assert_later_change_is_named(mover, before)


def prepare_twice(mover: Mover) -> Step:
    """Take the step that lowers the TTLs, of which a second one has nothing to do."""
    check = mover.run("prepare", "--check")

    assert (check.run.code, check.run.writes, mover.read_files()) == (0, [], {}), check.run.text

    prepare = mover.run("prepare", "-vvvv")
    second_prepare = mover.run("prepare")

    assert (prepare.run.code, {call.partition(" ")[0] for call in prepare.run.writes}) == (
        0,
        {"PUT"},
    ), prepare.run.text
    assert "Wait 24 hours before the switch" in prepare.said
    assert (
        second_prepare.run.code,
        second_prepare.run.writes,
        second_prepare.run.recap["changed"],
    ) == (0, [], 0), second_prepare.run.text

    assert_ttls_are_lowered(mover, MAIN)
    assert_ttls_are_lowered(mover, "plain.example")
    return prepare


def copy_after_a_cut(mover: Mover) -> tuple[Step, Step]:
    """Take the step that copies, which fails at a zone, and once more for the rest; return both."""
    check = mover.run("copy", "--check", **RULES)

    assert (check.run.code, check.calls, check.run.writes) == (0, [], []), check.run.text

    mover.target.queue_fault(
        {
            "kind": "status",
            "status": 400,
            "method": "PUT",
            "path": f"/dns/name/{MAIN}",
            "body": "json",
            "times": 2,
        }
    )
    cut = mover.run("copy", **RULES)

    assert cut.run.code != 0

    copy = mover.run("copy", "-vvvv", **RULES)

    assert (copy.run.code, copy.calls, copy.run.writes) == (0, [f"PUT /dns/name/{MAIN}"], []), (
        copy.run.text[-3000:]
    )
    return cut, copy


def assert_nothing_is_left_to_copy(mover: Mover) -> None:
    """Assert that another copy writes nothing, and leaves the files as they are."""
    files = mover.read_files()

    second_copy = mover.run("copy", **RULES)

    assert (second_copy.run.code, second_copy.calls) == (0, []), second_copy.run.text
    assert second_copy.run.recap["changed"] == 0
    assert mover.read_files() == files
    assert {path.stat().st_mode & 0o777 for path in mover.folder.iterdir()} == {0o600}


def assert_customer_has_arrived(mover: Mover, before: Mapping[str, Any]) -> None:
    """Assert that the target has what the source had, and none of it runs on both servers."""
    after = mover.target.get_state()["objects"]
    assert count_belongings(after) == count_belongings(before)

    owner = get_client(after)
    plans = {item["id"]: item["data"]["name"] for item in after["hosting_plans"]}

    assert plans[owner["data"]["id_hosting_plan"]] == "Small"
    assert [task["data"]["is_enabled"] for task in after["scheduled_tasks"]] == [False] * 3


def assert_zones_have_arrived(mover: Mover) -> None:
    """Assert that records have the addresses of the target, and what its panel makes stays its."""
    values = {
        value
        for host, _kind, _ttl, value in _list_records(mover.read_zone(mover.target, MAIN))
        if "_domainkey" not in host
    }
    assert values == {
        "198.51.100.9",
        "v=spf1 ip4:198.51.100.20 ip4:192.0.2.0/24 -all",
        "10 new.panel.example.",
    }
    assert mover.read_zone(mover.target, "plain.example")["is_custom_dns"] is False


def assert_passwords_are_kept_and_not_told(mover: Mover, steps: Iterable[Step]) -> None:
    """Assert that the target has the given passwords and those of the file, and no output does."""
    passwords = mover.operator.read_passwords()
    databases = mover.target.get_state()["objects"]["databases"]

    assert {item["data"]["database_name"]: item["hidden"]["password"] for item in databases} == {
        "client-001_shop": "given canary / password",
        "client-001_blog": passwords["databases", "client-001_blog"],
    }
    assert ("databases", "client-001_shop") not in passwords

    secrets = {*passwords.values(), "given canary / password", "k7654321.another-test-key"}
    for text in [*[step.run.text for step in steps], *mover.read_files().values()]:
        assert [secret for secret in secrets if secret in text] == []


def assert_later_change_is_named(mover: Mover, before: Mapping[str, Any]) -> None:
    """Assert that a mailbox which the source gets after the copy is a difference."""
    body = {
        "id_user": get_client(before)["id"],
        "email": f"late@{MAIN}",
        "password": "a late password",
    }

    assert mover.source.request("POST", "/emails", body).status_code == 201

    mover.run("verify", **RULES).assert_failed(
        "1 difference: missing", f"late@{MAIN}. Nothing was written on either panel."
    )


def assert_ttls_are_lowered(mover: Mover, domain: str) -> None:
    """Assert that a zone is as it was before, but for TTLs of more than five minutes."""
    kept = json.loads(mover.read_files()[f"{CLIENT}.zones-before.json"])["zones"]
    lowered = [
        (host, kind, min(ttl, 300), value) for host, kind, ttl, value in _list_records(kept[domain])
    ]
    assert _list_records(mover.read_zone(mover.source, domain)) == lowered


def get_client(objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return the customer who moves, as a panel has it."""
    return next(item for item in objects["clients"] if item["data"]["username"] == CLIENT)


def count_belongings(objects: Mapping[str, Any]) -> dict[str, int]:
    """Count what the customer who moves has on a panel, by kind."""
    number = get_client(objects)["id"]
    kinds = ("emails", "databases", "ftp_users", "directory_protections", "scheduled_tasks")
    owners = [(kind, item["data"]["id_user"]) for kind in kinds for item in objects[kind]]
    return {kind: owners.count((kind, number)) for kind in kinds}


def assert_hand_over_is_complete(files: Mapping[str, str]) -> None:
    """Assert that the hand-over names what is left to do, and shows texts of the panel as texts."""
    facts = json.loads(files[f"{CLIENT}.hand-over.json"])
    page = files[f"{CLIENT}.hand-over.md"]
    assert facts["differences"] == facts["only_on_target"] == facts["without_password"] == []
    assert [key["certificate"] for key in facts["remaining"]["private_keys"]] == [
        "client-001 2026",
        "server 2026",
    ]

    for text_of_page in (
        "`client-001_shop`: 5.00 MB.",
        f"`{CLIENT}:See https://evil.example or [here](https://evil.example)\\u202e`",
        "Both panels are equal.",
        f"Raise the TTLs of `{MAIN}` again on the target.",
        "at least 24 hours after",
    ):
        assert text_of_page in page, page

    assert "<b>" not in MarkdownIt().render(page) and "evaluated" not in page.replace(
        "'echo evaluated'", ""
    )


def test_a_copy_that_leaves_something_out_says_what_it_wrote(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    zone = mover.read_zone(mover.source, MAIN)
    zone["records"]["other"].append(
        {"host": "ns1.other.example.", "type": "A", "ttl": 300, "value": "192.0.2.1"}
    )
    path = f"^/dns/([0-9]+|name/{MAIN})$"
    mover.source.queue_fault(
        {"kind": "body", "path": path, "method": "GET", "times": 0, "body": zone}
    )

    copy = mover.run("copy", **RULES)

    assert_failed(
        copy.run, "1 difference: ", "cannot be copied", "nothing was written on the source."
    )
    created = [call for call in copy.calls if call.startswith("POST ")]

    assert f"On the target, {len(created)} objects were created and " in copy.said
    assert "Nothing was written on either panel" not in copy.said

    mover.run("verify", **RULES).assert_failed("Nothing was written on either panel.")


def test_one_panel_is_no_source_and_target_of_a_move(mover: Mover) -> None:
    own_panel = {"api_url": mover.source.url, "api_key": mover.source.api_key}

    refused = mover.run("prepare", move_target=own_panel)

    refused.assert_failed("move_target: ", "both addresses lead to one panel")
    assert refused.run.writes == []


def test_a_client_that_the_source_lacks_is_named_before_ttls_are_lowered(mover: Mover) -> None:
    refused = mover.run("prepare", move_client="nobody")

    refused.assert_failed("move_client: there is no client nobody on the source")


def test_what_the_zones_were_is_kept_also_where_they_are_prepared_twice(mover: Mover) -> None:
    """Lower TTLs further, after a record was added to a zone that is lowered already."""
    assert mover.run("prepare").run.code == 0

    first = json.loads(mover.read_files()[f"{CLIENT}.zones-before.json"])["zones"]
    records = mover.read_zone(mover.source, MAIN)["records"]
    added = {"host": "later", "type": "A", "ttl": 7200, "value": "192.0.2.9"}
    body = {"records": {**records, "other": [*records["other"], added]}}

    reply = mover.source.request("PUT", f"/dns/name/{MAIN}", body)

    assert reply.status_code == 200, reply.text

    second_prepare = mover.run("prepare", move_ttl=60)
    assert (
        second_prepare.run.code,
        {call.partition(" ")[0] for call in second_prepare.run.writes},
    ) == (0, {"PUT"})

    kept = json.loads(mover.read_files()[f"{CLIENT}.zones-before.json"])["zones"]
    assert _list_records(kept[MAIN]) == sorted(
        [*_list_records(first[MAIN]), ("later", "A", 7200, "192.0.2.9")]
    )
    assert kept["plain.example"] == first["plain.example"]


def test_the_play_of_the_guide_raises_the_ttls_again(mover: Mover) -> None:
    """Prepare, and go back: a default zone is one again, a custom one has its old TTLs."""
    before = {domain: mover.read_zone(mover.source, domain) for domain in (MAIN, "plain.example")}
    assert mover.run("prepare").run.code == 0

    tokens = MarkdownIt().parse((ROOT / "docs" / "moving.md").read_text(encoding="utf-8"))
    (text,) = [token.content for token in tokens if "TTLs back" in token.content]
    (play,) = yaml.safe_load(text.replace("moves/acme", str(mover.folder / CLIENT)))
    options = play["tasks"][0]["hosting.panel.panel_dns"]
    options.update(api_url=mover.source.url, api_key=mover.source.api_key)
    run = mover.operator.run([play], {})

    assert run.code == 0, run.text
    after = {domain: mover.read_zone(mover.source, domain) for domain in before}
    assert {domain: zone["is_custom_dns"] for domain, zone in after.items()} == {
        MAIN: True,
        "plain.example": False,
    }
    assert {domain: _list_records(zone) for domain, zone in after.items()} == {
        domain: _list_records(zone) for domain, zone in before.items()
    }


@pytest.mark.parametrize("step", ["prepare", "copy"])
def test_no_file_of_a_move_replaces_another_one(mover: Mover, step: str) -> None:
    mover.folder.mkdir()
    page = mover.folder / f"{CLIENT}.hand-over.md"
    zones = mover.folder / f"{CLIENT}.zones-before.json"
    page.write_text("# My notes\n", encoding="utf-8")
    zones.write_text("[]", encoding="utf-8")
    passwords = str(mover.folder / f"{CLIENT}.hand-over.json")
    before = mover.read_files()
    done = mover.run(step, move_credentials_file=passwords)
    messages = (
        f"move_dir: {page}: that file is no hand-over page",
        f"move_dir: {zones}: that file is no file with the zones of a move",
        f"move_dir, move_credentials_file: both are one file, {passwords}",
    )

    assert_refused(done.run, *messages)

    assert (mover.read_files(), done.writes) == (before, [])


def _spell_otherwise(panel: Simulator) -> dict[str, Any]:
    """Return the connection to a panel with another spelling of its address."""
    address = panel.url.replace("http://", "HTTP://") + "/api/v2/"
    return {"api_url": address, "api_key": panel.api_key, "retry_time": 1}


def test_a_source_that_is_spelled_otherwise_is_the_same_panel_when_it_is_prepared_again(
    mover: Mover,
) -> None:
    assert mover.run("prepare").run.code == 0
    zones = mover.read_files()[f"{CLIENT}.zones-before.json"]

    second_run = mover.run("prepare", move_source=_spell_otherwise(mover.source))

    assert second_run.run.code == 0, second_run.run.text
    assert mover.read_files()[f"{CLIENT}.zones-before.json"] == zones


def test_zones_that_were_kept_under_another_spelling_of_the_source_are_used(mover: Mover) -> None:
    assert mover.run("prepare").run.code == 0
    zones = mover.folder / f"{CLIENT}.zones-before.json"
    kept = json.loads(zones.read_text(encoding="utf-8"))
    kept["panel"] = _spell_otherwise(mover.source)["api_url"]
    zones.write_text(json.dumps(kept, indent=4), encoding="utf-8")

    second_run = mover.run("prepare")

    assert second_run.run.code == 0, second_run.run.text


def test_passwords_of_a_target_that_is_spelled_otherwise_are_known(mover: Mover) -> None:
    mover.source.reset()
    mover.source.seed({"clients": [{"username": CLIENT}]})
    connection = _spell_otherwise(mover.target)

    copied = mover.run("copy", move_target=connection)

    assert copied.run.code == 0, copied.run.text

    hand_over = json.loads(mover.read_files()[f"{CLIENT}.hand-over.json"])
    names = [hand_over["source"], hand_over["target"]]
    assert names == [panel.url.removeprefix("http://") for panel in (mover.source, mover.target)]
    assert hand_over["without_password"] == []


@pytest.mark.parametrize(
    "text",
    ["", '{\n    "client": "acme",\n    "panel": "web-1.example",\n    "zones": {'],
    ids=["empty", "cut off"],
)
@pytest.mark.parametrize("step", ["prepare", "copy", "verify"])
def test_zones_that_cannot_be_read_again_are_refused_before_anything_is_read(
    mover: Mover, step: str, text: str
) -> None:
    mover.folder.mkdir()
    zones = mover.folder / f"{CLIENT}.zones-before.json"
    zones.write_text(text, encoding="utf-8")
    done = mover.run(step)
    messages = (
        "that file with the zones of a move is damaged or cut off; restore it, or move it away."
    )

    assert_refused(done.run, f"move_dir: {zones}: {messages}")

    assert (zones.read_text(encoding="utf-8"), done.writes) == (text, [])


SOURCE = {"api_url": "https://web-1.example", "api_key": "key of web-1"}
# By case the variables, and what the refusal says of each of them.
WRONG_VARIABLES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "switches that are none": (
        {"move_update": "ja", "move_create_plans": 2, "move_enable_tasks": [True]},
        [
            "move_update: 'ja' is invalid. Use true or false.",
            "move_create_plans: 2 is invalid. Use true or false.",
            "move_enable_tasks: a list is invalid. Use true or false.",
        ],
    ),
    "unknown variables": (
        {"move_adresses": {}, "move_updates": True},
        ["move_adresses: did you mean move_addresses?", "move_updates: did you mean move_update?"],
    ),
    "an unknown variable and a wrong switch": (
        {"move_clinet": CLIENT, "move_update": "ja"},
        ["move_clinet: did you mean move_client?", "move_update: 'ja' is invalid."],
    ),
    "unknown fields of a connection": (
        {
            "move_source": {**SOURCE, "api_kye": "x"},
            "move_target": {**SOURCE, "validate_certs": "ja"},
        },
        [
            "move_source.api_kye: unknown. The fields are api_url, api_key, ",
            "move_target.validate_certs: 'ja' is invalid.",
        ],
    ),
    "missing fields of a connection": (
        {"move_source": {"api_url": "https://web-1.example"}, "move_target": {"api_key": " "}},
        [
            "move_source.api_key: missing.",
            "move_target.api_url: missing.",
            "move_target.api_key: missing.",
        ],
    ),
    "empty variables that it needs": (
        {"move_client": "", "move_step": None, "move_dir": " "},
        [
            "move_client: missing.",
            "move_step: missing. Use prepare, copy, final, late or verify.",
            "move_dir: missing.",
        ],
    ),
    "a step that there is not": (
        {"move_step": "finish"},
        ["move_step: 'finish' is invalid. Use prepare, copy, final, late or verify."],
    ),
    "values of other types": (
        {
            "move_client": 4711,
            "move_ttl": "5m",
            "move_plans": ["Business"],
            "move_passwords": [{"kind": "emails"}],
        },
        [
            "move_client: 4711 is invalid. Use text, and put it in quotes.",
            "move_ttl: '5m' is invalid. Use a whole number from 0 to 2147483647.",
            "move_plans: a list is invalid. Use a dictionary.",
            "move_passwords[0].password: missing.",
        ],
    ),
    "values of other types in dictionaries": (
        {
            "move_plans": {"Business": 83},
            "move_names": {
                "old.panel.example": None,
                "mail.panel.example": 83,
                "new.panel.example": "",
            },
            "move_addresses": {"192.0.2.10": True, "192.0.2.9": "new.panel.example"},
        },
        [
            "move_plans.Business: 83 is invalid. Use text, and put it in quotes.",
            "move_names.old.panel.example: empty. Use a host name, and put it in quotes.",
            "move_names.mail.panel.example: 83 is invalid. Use a host name, and put it in quotes.",
            "move_names.new.panel.example: empty. Use a host name, and put it in quotes.",
            "move_addresses.192.0.2.10: true is invalid. Use an IPv4 or IPv6 address, and put it in quotes.",
            "move_addresses.192.0.2.9: 'new.panel.example' is invalid. Use an IPv4 or IPv6 address, and put it in quotes.",
        ],
    ),
    "content without hosts": (
        {"move_content": True},
        ["move_source.host: missing", "move_target.host: missing"],
    ),
    "content from a host to itself": (
        {
            "move_content": True,
            "move_source": {"api_url": "https://a.example", "api_key": "k", "host": "web.example"},
            "move_target": {"api_url": "https://b.example", "api_key": "k", "host": "web.example"},
        },
        ["move_target.host: this is the host of move_source too. Name the new server."],
    ),
    "a step of content without content": (
        {"move_step": "final"},
        ["move_step: final needs move_content: true."],
    ),
    "hosts that another variable names": (
        {"move_content": True, "__move_typed_names": {"move_source": "panels_source"}},
        ["panels_source.host: missing", "move_target.host: missing"],
    ),
    "a step that another variable names": (
        {"move_step": "late", "__move_typed_names": {"move_step": "panels_step"}},
        ["panels_step: late needs move_content: true."],
    ),
    "values outside of their limits": (
        {"move_client": "../acme", "move_ttl": 29},
        [
            "move_client: this is no username.",
            "move_ttl: 29 is not accepted. Give 30 to 86400 seconds.",
        ],
    ),
}


@pytest.mark.parametrize(("variables", "sentences"), WRONG_VARIABLES.values(), ids=WRONG_VARIABLES)
def test_wrong_variables_are_refused_together_before_either_panel_is_asked(
    mover: Mover, variables: dict[str, Any], sentences: list[str]
) -> None:
    before = mover.target.get_last_number()
    step = mover.run("copy", **variables)

    assert_refused(step.run, *sentences)

    assert mover.target.read_log(before) == []
    assert not mover.folder.exists()


def test_check_mode_predicts_a_file_of_passwords_in_the_directory_that_the_role_makes(
    mover: Mover,
) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    file = mover.folder / "passwords.yml"

    check = mover.run("copy", "--check", move_credentials_file=str(file), **RULES)

    assert (check.run.code, check.calls, check.run.writes) == (0, [], []), check.run.text
    assert not mover.folder.exists()

    real = mover.run("copy", move_credentials_file=str(file), **RULES)
    assert real.run.code == 0, real.run.text
    assert file.is_file()

    # One directory more is made by nobody.
    deeper = mover.folder / "more" / "passwords.yml"
    mover.run("copy", "--check", move_credentials_file=str(deeper), **RULES).assert_failed(
        "does not exist"
    )


def test_what_stands_against_a_move_is_named_at_once_before_the_first_write(mover: Mover) -> None:
    mover.target.seed({"clients": [{"username": CLIENT, "email": "else@far.example"}]})
    given_passwords = [{"kind": "databases", "key": "none", "password": "some Password 1"}]
    mover.run("copy", move_passwords=given_passwords, without_file=True).assert_failed(
        "the target has no hosting plan Business",
        f"{MAIN}: the record @ MX 10 server.panel.example. leads to the source.",
        "the client has no databases none with a password",
        "No file keeps the passwords of clients client-001,",
        f"{CLIENT} is another customer on the target, with address else@far.example.",
    )


@pytest.mark.release
def test_what_someone_changes_after_the_plan_stops_the_step(mover: Mover) -> None:
    mover.target.seed({"plans": [{"name": "Small"}]})
    zone = mover.read_zone(mover.source, MAIN)
    for record in zone["records"]["other"]:
        record["value"] = record["value"].replace("192.0.2.9", "192.0.2.77")

    # By name, zones are read for the plan, for that of the run, and before each write.
    fault = {"kind": "body", "path": f"^/dns/name/{MAIN}$", "method": "GET", "body": zone}

    for reading, message in ((0, "someone changed records"), (1, "expected_checksum")):
        mover.source.queue_fault({**fault, "skip": reading})
        assert_failed(mover.run("prepare").run, message)
        mover.source.clear_faults()

    clients = mover.target.request("GET", "/clients").json()
    moved = [
        {**client, "username": CLIENT} if client["username"] == "other" else client
        for client in clients
    ]
    # Clients are listed for what is there and its zones, for the plan, and for the copy.
    mover.target.queue_fault(
        {
            "kind": "body",
            "path": "^/clients$",
            "method": "GET",
            "skip": 3,
            "times": 0,
            "body": moved,
        }
    )
    mover.run("copy", **RULES).assert_failed("expected_checksum")


# Passwords by their hashes.

CRYPT = "$6$saltsalt$" + "a" * 86
OF_DATABASE = "*" + "0123456789ABCDEF0123" * 2
TAKEN = "password_hashes: written_and_shown\n"


def _make_seed_of_hashes() -> dict[str, list[dict[str, Any]]]:
    """Return a customer whose passwords the source shows by their hashes, but for one."""
    return {
        "plans": [{"name": "Small"}],
        "clients": [
            {
                "username": "acme",
                "email": "it@acme.example",
                "hosting_plan": "Small",
                "password_hash": CRYPT,
                "password_hash_os": CRYPT,
            }
        ],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "emails": [
            {"email": "info@acme.example", "password_hash": CRYPT},
            {"email": "old@acme.example", "password_hash": "$1$saltsalt$" + "b" * 22},
        ],
        "databases": [
            {
                "database_name": "acme_db1",
                "database_username": "acme_db1",
                "client": "acme",
                "password_hash": OF_DATABASE,
            }
        ],
    }


@pytest.fixture
def hash_mover(make_operator: MakeOperator, target: Simulator, tmp_path: Path) -> Mover:
    """Return an operator whose panels both show and take hashes."""
    target.reset()
    new_mover = Mover(make_operator("hashes"), target)
    for panel in (new_mover.source, target):
        panel.change_settings({"status_delay": 0, "password_hashes": "written_and_shown"})
    new_mover.source.seed(_make_seed_of_hashes())
    target.seed({"plans": [{"name": "Small"}]})
    return new_mover


def _make_variables_of_hashes(profile: Path, text: str = TAKEN) -> dict[str, Any]:
    profile.write_text(text, encoding="utf-8")
    return {
        "move_client": "acme",
        "move_passwords_from": "hashes",
        "move_profile_file": str(profile),
        "move_addresses": {"192.0.2.10": "192.0.2.10", "2001:db8::10": "2001:db8::10"},
        "move_names": {"server.panel.example": "server.panel.example"},
    }


def test_passwords_stay_by_their_hashes_and_those_that_change_are_named(
    hash_mover: Mover, tmp_path: Path
) -> None:
    variables = _make_variables_of_hashes(tmp_path / "profile.yml")

    hash_mover.run("copy", **variables, without_file=True).assert_failed(
        "No file keeps the passwords of emails old@acme.example."
    )
    copied = hash_mover.run("copy", "-vvvv", **variables)
    verified = hash_mover.run("verify", "-vvvv", **variables)

    assert (copied.run.code, verified.run.code) == (0, 0), copied.run.text + verified.run.text
    assert verified.calls == []
    hashes = {
        box["email"]: box["password_hash"]
        for box in hash_mover.target.request("GET", "/emails").json()
    }
    assert hashes == {"info@acme.example": CRYPT, "old@acme.example": None}
    (database,) = hash_mover.target.request("GET", "/databases").json()
    assert database["password_hash"] == OF_DATABASE

    files = hash_mover.read_files()
    result = json.loads(files["acme.hand-over.json"])
    outcomes = {(entry["kind"], entry["key"]): entry["outcome"] for entry in result["passwords"]}
    assert outcomes == {
        ("clients", "acme"): "stays",
        ("emails", "info@acme.example"): "stays",
        ("emails", "old@acme.example"): "new",
        ("databases", "acme_db1"): "stays",
    }
    page = files["acme.hand-over.md"]
    assert "3 of 4 passwords stay as they are" in page
    assert "emails `old@acme.example`: changes" in page
    for secret in (CRYPT, OF_DATABASE):
        assert secret not in copied.run.text + verified.run.text + "".join(files.values())


def test_where_the_profile_has_no_hashes_all_passwords_are_new(
    hash_mover: Mover, tmp_path: Path
) -> None:
    copied = hash_mover.run("copy", **_make_variables_of_hashes(tmp_path / "profile.yml", "{}\n"))

    assert copied.run.code == 0, copied.run.text
    result = json.loads(hash_mover.read_files()["acme.hand-over.json"])
    assert {entry["outcome"] for entry in result["passwords"]} == {"new"}
    boxes = hash_mover.target.request("GET", "/emails").json()
    assert [box["password_hash"] for box in boxes] == [None, None]


def test_a_move_by_hashes_needs_a_profile(hash_mover: Mover) -> None:
    refused = hash_mover.run("copy", move_passwords_from="hashes")

    assert_refused(refused.run, "move_profile_file: missing.")
