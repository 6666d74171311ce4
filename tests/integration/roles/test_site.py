"""The role hosting.panel.site.

One customer from an empty panel, in check mode, for real and again, and what it refuses.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.integration.roles import operators
from tests.integration.roles.operators import (
    GIVEN_PASSWORDS,
    Operator,
    assert_failed,
    assert_refused,
    make_plays,
)
from tests.support.marked_secrets import list_printed_forms
from tests.support.playbook import GROUP, MODULE, WAYS, make_connection_options

MakeOperator = Callable[[str], Operator]
GENERATED = {
    ("clients", "mueller"),
    ("emails", "info@xn--mller-kva.example"),
    ("databases", "mueller_shop"),
    ("ftp_users", "mueller_web"),
    ("directory_protections", "mueller:/www/intern:inge"),
}
MORE = {
    "site_directory_protections": [
        {"path": "/www/intern", "username": "inge", "auth_name": "Intern"}
    ],
    "site_scheduled_tasks": [
        {
            "description": "Clean up",
            "type": "exec",
            "command": "true",
            "schedule": {"minute": "5", "hour": "3"},
        }
    ],
}


class _Unsafe(str):
    """A text that Ansible takes as it is."""


yaml.SafeDumper.add_representer(
    _Unsafe, lambda dumper, value: dumper.represent_scalar("!unsafe", str(value))
)


def make_variables_file(operator: Operator, variables: dict[str, Any]) -> str:
    """Return the customer's file with the given passwords in it.

    Two in plain text, and one encrypted with Ansible Vault.
    """
    passwords = {
        "werkstatt@fahrrad-mueller.example": GIVEN_PASSWORDS["werkstatt@fahrrad-mueller.example"],
        "inge@müller.example": _Unsafe(GIVEN_PASSWORDS["inge@xn--mller-kva.example"]),
    }
    for mailbox in variables["site_emails"]:
        if mailbox["email"] in passwords:
            mailbox["password"] = passwords[mailbox["email"]]

    text = yaml.safe_dump(variables, allow_unicode=True)
    lines = operator.run_vault("encrypt_string", GIVEN_PASSWORDS["mueller_files"]).splitlines()
    encrypted = "!vault |\n" + "\n".join(
        f"      {line.strip()}" for line in lines if "!vault" not in line
    )
    entry = "  username: mueller_files\n"

    return text.replace(entry, f"{entry}  password: {encrypted}\n")


@pytest.fixture(scope="module")
def story(make_operator: MakeOperator) -> SimpleNamespace:
    """Check mode, the first run, and a second one as modules."""
    operator = make_operator("onboarding")
    runs = SimpleNamespace(variables={**operators.make_customer(str(operator.credentials)), **MORE})
    result = {
        "content": "{{ site_result | to_json }}",
        "dest": str(operator.folder / "result.json"),
    }
    plays = make_plays(
        "site", tasks=[{"name": "Keep it", "ansible.builtin.copy": result, "diff": False}]
    )
    file = make_variables_file(operator, runs.variables)
    loud = ("--diff", "-vvvv")
    runs.check = operator.run(make_plays("site"), file, "--check", *loud)
    runs.files_after_check = [path.name for path in operator.folder.iterdir()]
    runs.first = operator.run(plays, file, *loud)
    runs.encrypted = operator.credentials.read_bytes()
    runs.mode = operator.credentials.stat().st_mode & 0o777
    runs.result = json.loads((operator.folder / "result.json").read_text(encoding="utf-8"))
    runs.second = operator.run(make_plays("site"), file, way=MODULE)
    runs.encrypted_again = operator.credentials.read_bytes()
    runs.passwords = operator.read_passwords()
    runs.on_panel = operator.list_passwords_on_panel()
    runs.protection = operator.simulator.list_objects("directory_protections")[0]["hidden"][
        "password"
    ]

    return runs


def test_check_mode_predicts_the_first_run_which_makes_every_object_in_the_order_of_dependency(
    story: SimpleNamespace,
) -> None:
    assert (story.check.code, story.check.writes) == (0, []), story.check.text[-3000:]
    assert story.check.recap["changed"] == 1
    assert not [name for name in story.files_after_check if "credentials" in name]
    assert story.first.code == 0, story.first.text[-3000:]
    assert story.first.writes == [
        *["POST /hosting-plans", "POST /clients", "POST /certificates", *["POST /domains"] * 3],
        *[
            "PUT /dns/name/xn--mller-kva.example",
            *["POST /emails"] * 3,
            "POST /databases",
            *["POST /ftp-users"] * 2,
        ],
        *["POST /directory-protections", "POST /scheduled-tasks"],
    ]

    bodies = {
        request["path"]: request["body"]
        for request in story.first.requests
        if request["method"] == "POST"
    }
    owners = {
        body.get("id_user")
        for path, body in bodies.items()
        if path not in ("/hosting-plans", "/clients")
    }

    assert owners == {client["id"] for client in story.result["objects"]["clients"]}
    assert (story.result["client"], story.result["login_url"]) == ("mueller", "")
    assert story.result["summary"] == {"create": 14, "update": 1, "delete": 0, "unchanged": 0}
    assert [database["key"] for database in story.result["objects"]["databases"]] == [
        "mueller_shop"
    ]
    assert all(
        entry["id"]
        for kind, entries in story.result["objects"].items()
        for entry in entries
        if kind != "dns"
    )


def test_a_second_run_writes_nothing_and_shows_four_tasks_at_most(story: SimpleNamespace) -> None:
    run = story.second
    assert (run.code, run.writes, run.recap["changed"], run.recap["ok"]) == (0, [], 0, 4), run.text[
        -3000:
    ]
    assert "(item=mueller: 15 objects, nothing to change)" in story.second.text
    assert len(story.second.text.splitlines()) <= 23


def test_the_encrypted_file_has_exactly_the_generated_passwords_and_no_secret_is_in_the_output(
    story: SimpleNamespace,
) -> None:
    assert story.encrypted.startswith(b"$ANSIBLE_VAULT;")
    assert (story.mode, story.encrypted_again) == (0o600, story.encrypted)
    assert story.passwords.keys() == GENERATED

    on_panel = {
        **story.on_panel,
        ("directory_protections", "mueller:/www/intern:inge"): story.protection,
    }
    assert story.passwords == {name: on_panel[name] for name in GENERATED}

    by_key = {key: password for (_kind, key), password in story.on_panel.items()}
    assert {name: by_key[name] for name in GIVEN_PASSWORDS} == GIVEN_PASSWORDS

    texts = "".join(run.text for run in (story.check, story.first, story.second))
    key_lines = story.variables["site_certificates"][0]["components"]["private_key"].splitlines()
    secrets = [*GIVEN_PASSWORDS.values(), *story.passwords.values(), key_lines[1]]
    leaks = [
        form
        for secret in secrets
        for form in list_printed_forms(secret) | {secret.replace("'", "''")}
        if form in texts
    ]

    assert leaks == []


CLIENT = {"username": "mueller", "password": "given-password"}


@pytest.mark.parametrize("way", WAYS)
def test_deletions_keep_to_their_limit(make_operator: MakeOperator, way: str) -> None:
    operator = make_operator("deletions")
    domains = [{"domain": "acme.example", "client": "mueller"}]
    emails = [{"email": "info@acme.example"}]
    operator.simulator.seed(
        {"clients": [{"username": "mueller"}], "domains": domains, "emails": emails}
    )
    removal = {
        "site_client": CLIENT,
        "site_domains": [{"domain": "acme.example", "state": "absent"}],
    }
    assert_failed(
        operator.run_site(removal, vault=False, way=way),
        "site_max_deletes: 2 objects would be deleted",
    )

    done = operator.run_site({**removal, "site_max_deletes": 2}, vault=False)

    assert (done.code, [write.partition("/")[0] for write in done.writes]) == (0, ["DELETE "]), (
        done.text
    )


def test_a_login_url_is_in_the_fact_alone_and_the_connection_may_come_from_module_defaults(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("login")
    copy = {"content": "{{ site_result | to_json }}", "dest": str(operator.folder / "result.json")}
    tasks = [{"name": "Use it", "ansible.builtin.copy": copy, "no_log": True}]
    plays = make_plays(
        "site", tasks=tasks, module_defaults={GROUP: make_connection_options(operator.simulator)}
    )
    variables = {"site_client": CLIENT, "site_login_url": True}
    bare = {"PANEL_API_URL": "", "PANEL_API_KEY": ""}

    run = operator.run(plays, variables, "-vvvv", vault=False, environment=bare)

    assert (run.code, run.writes) == (0, ["POST /clients"]), run.text[-3000:]

    result = json.loads((operator.folder / "result.json").read_text(encoding="utf-8"))
    assert result["login_url"].startswith(operator.simulator.url)
    assert result["login_url"] not in run.text

    check = operator.run(plays, variables, "--check", vault=False, environment=bare)
    assert check.code == 0, check.text[-3000:]
    assert not [request for request in check.requests if request["path"].startswith("/login")]


def test_all_mistakes_are_named_before_anything_is_sent(make_operator: MakeOperator) -> None:
    operator = make_operator("mistakes")
    wrong = {
        "site_client": {"username": "mueller", "state": "absent"},
        "site_emails": [
            {"email": "a@acme.example", "password": "given-password", "client": "other"}
        ],
        "site_plan": {"name": "Business"},
        "site_hosting_plan": "Business",
    }
    refused = operator.run_site(wrong, vault=False)
    messages = [
        "site_client.state: is not taken here.",
        "the owner is the client mueller.",
        "Specify it once.",
    ]

    assert_refused(refused, *messages)

    assert "given-password" not in refused.text

    bare = {"site_client": {"username": "mueller"}, "site_ftp_users": [{"username": "web"}]}
    without = "client mueller: no password. Give a password, or set site_credentials_file."
    assert_refused(operator.run_site(bare, vault=False), without, "FTP user web")


# Mail DNS

TRAP = "verification={{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
SPF = "v=spf1 a mx ~all"
DMARC = "v=DMARC1; p=none"
REJECT = "v=DMARC1; p=reject"
# By domain the texts of the domain itself and of its DMARC record, before and after.
TEXTS = {
    "bare.example": ([TRAP], [], [TRAP, SPF], [DMARC]),
    "own.example": (["v=spf1 wrong"], ["v=DMARC1"], ["v=spf1 wrong"], ["v=DMARC1"]),
    # What the same run gives is not nothing.
    "given.example": ([], [], ["v=spf1 -all"], [REJECT]),
}


def make_text_records(host: str, values: list[str]) -> list[dict[str, Any]]:
    """Return TXT records with these values."""
    return [{"host": host, "type": "TXT", "ttl": 3600, "value": value} for value in values]


def list_texts(host: str, records: list[dict[str, Any]]) -> list[str]:
    """Return the values of the TXT records at a name."""
    return [entry["value"] for entry in records if (entry["host"], entry["type"]) == (host, "TXT")]


def test_spf_and_dmarc_are_set_where_there_is_nothing_and_nowhere_else(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("mail dns")
    domains: list[dict[str, Any]] = [{"domain": name, "is_email_domain": True} for name in TEXTS]
    domains += [{"domain": "elsewhere.example", "is_dns_disabled": True}, {"domain": "new.example"}]
    owned = [{"client": "mueller", **domain} for domain in domains[:-1]]
    operator.simulator.seed({"clients": [{"username": "mueller"}], "domains": owned})
    zones = [
        {
            "domain": name,
            "records": [*make_text_records("@", spf), *make_text_records("_dmarc", dmarc)],
        }
        for name, (spf, dmarc, _spf_then, _dmarc_then) in TEXTS.items()
    ]
    operator.simulator.seed({"dns": zones})
    given_records = [
        {"host": "@", "type": "TXT", "value": "v=spf1 -all"},
        {"host": "_dmarc", "type": "TXT", "value": REJECT},
    ]
    variables: dict[str, Any] = {
        "site_client": CLIENT,
        "site_domains": domains,
        "site_mail_dns": True,
    }
    variables["site_dns"] = [{"domain": "given.example", "records": given_records}]

    checked = operator.run_site(variables, "--check", vault=False)

    assert (checked.code, checked.writes) == (0, []), checked.text[-3000:]

    done = operator.run_site(variables, vault=False)
    assert done.code == 0, done.text[-3000:]

    written = ["given.example", "bare.example", "new.example"]
    assert [write for write in done.writes if "/dns" in write] == [
        f"PUT /dns/name/{name}" for name in written
    ]

    # Check mode knows nothing of the zone of the new domain.
    for run, seen in ((checked, [1, 0]), (done, [1, 1])):
        assert [
            run.count_mentions(f"changed: [localhost] => (item={name})") for name in written[1:]
        ] == seen

    for name, (_spf, _dmarc, spf_then, dmarc_then) in TEXTS.items():
        zone = operator.simulator.request("GET", f"/dns/name/{name}").json()["records"]["other"]
        assert list_texts("@", zone) == spf_then, name
        assert list_texts("_dmarc", zone) == dmarc_then, name

    assert list(operator.folder.rglob("sprung")) == []

    second_run = operator.run_site(variables, vault=False)
    assert (second_run.code, second_run.writes, second_run.recap["changed"]) == (0, [], 0), (
        second_run.text[-3000:]
    )


def test_a_password_that_a_program_prints_is_asked_for_a_few_times_only(
    make_operator: MakeOperator,
) -> None:
    """Onboard a customer whose password comes from a program."""
    operator = make_operator("program")
    calls = operator.folder / "calls"
    program = f"echo call >> {shlex.quote(str(calls))}; echo Given-before.2345"
    password = "{{ lookup('ansible.builtin.pipe', " + json.dumps(program) + ") }}"
    client = {"username": "acme", "email": "it@acme.example", "password": password}

    done = operator.run(make_plays("site"), {"site_client": client}, vault=False)

    assert (done.code, len(done.writes)) == (0, 1), done.text
    # The check of the variables, the task that sends the password, and the result.
    assert len(calls.read_text(encoding="utf-8").splitlines()) <= 5
