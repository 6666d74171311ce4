"""panel_resources with resources_dir, against a panel in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._plan_page.plan_page import (
    make_plan_page,
)
from tests.support.in_memory import VAULT, InMemory
from tests.support.module_process import imitate_processes
from tests.support.playbook import MODULE, WAYS

SEED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "id_user": 2}],
    "emails": [
        {"email": "info@acme.example", "id_user": 2},
        {"email": "old@acme.example", "id_user": 2},
    ],
}
MAIL = "emails:\n  - email: info@acme.example\n"


class Folder:
    """A directory of files, and tasks that are given it."""

    def __init__(self, path: Path, panel: InMemory) -> None:
        self.path = path
        self.panel = panel
        # What all modules print that run in processes of their own, and what those of these tasks
        # do.
        self.all_printed: list[str] = []
        self.printed: list[str] = []
        path.mkdir()

    def write(self, name: str, text: str) -> None:
        """Write a file of the directory."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, **more: Any) -> dict[str, Any]:
        """Apply the directory, and note what is printed."""
        number_before = len(self.all_printed)
        result = self.panel.run("panel_resources", resources_dir=str(self.path), diff=True, **more)
        self.printed += self.all_printed[number_before:]
        return result

    def get_failure(self, **more: Any) -> str:
        """The message of a run that fails before it asks the panel anything."""
        self.panel.log.clear()
        result = self.run(**more)
        assert result["failed"]
        assert self.panel.log == []
        assert result["error"]["type"]
        assert "Nothing was written." in result["msg"]

        return str(result["msg"])


@pytest.fixture(params=WAYS)
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, in_memory: Any, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    """Make a directory and its panel, and run modules in each of the two ways."""
    folder = Folder(tmp_path / "panel", in_memory(SEED))
    if request.param == MODULE:
        folder.all_printed = imitate_processes(monkeypatch)
    return folder


def encrypt(text: str) -> str:
    """Return a text that Vault has encrypted."""
    return str(VAULT.encrypt(text, secret=VAULT.secrets[0][1]).decode())


def encrypt_inline(text: str) -> str:
    """Return an encrypted value in YAML."""
    return "!vault |\n" + "\n".join(f"          {line}" for line in encrypt(text).splitlines())


# What is read


def test_all_files_together_are_what_is_wanted_and_a_second_run_writes_nothing(
    folder: Folder,
) -> None:
    folder.write("clients/acme.yml", MAIL + "    description: first\n")
    folder.write("b.yml", "emails:\n  - email: INFO@acme.example\n    max_size: 1G\n")
    folder.write("more/plans.yaml", "plans:\n  - name: Basic\n")
    plan, email = folder.run()["plan"]["actions"]

    assert plan["kind"] == "plans"
    assert plan["action"] == "create"
    assert email["kind"] == "emails"
    assert email["action"] == "update"
    assert email["after"] == {"description": "first", "max_size": 2**30}
    assert folder.run()["changed"] is False


def test_hidden_files_readmes_and_the_file_of_passwords_are_passed_over(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    passed = (
        ".hidden.yml",
        ".git/config",
        "README.md",
        "sub/readme.txt",
        "secrets/beta.yml",
        "secrets/beta.yml.lock",
    )
    for name in passed:
        folder.write(name, "not: [yaml")

    file = str(folder.path / "secrets/{client}.yml")

    result = folder.run(credentials_file=file, purge=["emails"], max_deletes=1, check_mode=True)

    assert not result.get("failed"), result["msg"]
    assert "warnings" not in result
    assert [(action["action"], action["key"]) for action in result["plan"]["actions"]] == [
        ("delete", "old@acme.example")
    ]


@pytest.mark.parametrize(
    "name", ["acme.yml.txt", "empty.yml", "plan.md", "clients/plan.md", "clients/readme.yml"]
)
def test_any_other_file_is_passed_over_with_a_warning_and_is_an_error_with_purge(
    folder: Folder, name: str
) -> None:
    folder.write("a.yml", MAIL)
    folder.write(name, "---\n# nothing\n")
    (warning,) = folder.run()["warnings"]

    assert name in warning
    assert name in folder.get_failure(purge=["emails"], max_deletes=9)


@pytest.mark.parametrize("passwords", [None, "secrets/{client}.yml"])
def test_warnings_of_files_of_items_and_of_the_task_come_in_this_order(
    folder: Folder, passwords: str | None
) -> None:
    folder.write("plan.md", "")
    folder.write(
        "acme.yml",
        "dns:\n  - domain: acme.example\n    records:\n"
        "      - {host: www.acme.example, type: A, value: 192.0.2.1}\n",
    )
    file = passwords and str(folder.path / passwords)

    result = folder.run(validate_certs=False, credentials_file=file, check_mode=True)

    assert not result.get("failed"), result["msg"]
    of_files, of_item, of_task = result["warnings"]
    assert of_files.endswith("passed over: plan.md.")
    assert of_item.startswith("acme.yml: line 2: dns acme.example")
    assert of_task.startswith("validate_certs is false")
    assert "_panel_reports" not in result


def test_a_directory_without_files_or_lists_and_both_options_are_errors(folder: Folder) -> None:
    assert "no file with the ending .yml" in folder.get_failure()

    folder.path = folder.path / "missing"
    message = folder.get_failure()
    assert message.startswith(f"resources_dir: there is no directory {folder.path}.")
    assert message.endswith("or export the panel there first.")

    folder.path = folder.path.parent / ("x" * 256)
    assert "x...: File name too long. Nothing was written." in folder.get_failure()

    folder.path = folder.path.parent
    folder.write("a.yml", MAIL)

    assert "mutually exclusive" in folder.run(resources={})["msg"]

    # What no file names is never purged, however much may be deleted.
    refused = folder.run(purge=["emails", "clients"], max_deletes=99)
    assert "purge: no file of resources_dir has a list clients" in refused["msg"]
    assert folder.panel.writes == []


# Mistakes


def test_mistakes_of_all_files_come_together_with_file_and_line_before_any_request(
    folder: Folder,
) -> None:
    folder.write("a.yml", MAIL + "    description: '{{ x }}'\n")
    folder.write("b.yml", "mails: []\nemails: 5\n")
    folder.write("c.yml", "emails: [{\n")
    folder.write("d.yml", MAIL + f"    notes: {encrypt_inline('x')}\n")
    folder.write("e.yml", "plans:\n  - name: Basic\n    colour: red\n")

    message = folder.get_failure(vault=VaultLib())

    assert message.startswith("7 mistakes: ")

    for message_part in (
        "a.yml: line 3: templates",
        "b.yml: line 1: there is no type mails; did you mean emails?",
        "b.yml: line 2: emails must be a list",
        "c.yml: line",
        "d.yml: line 3: encrypted with Ansible Vault",
        "d.yml: line 3: emails info@acme.example notes:",
        "e.yml: line 3: plans Basic colour:",
    ):
        assert message_part in message


def test_a_wrong_option_and_two_values_of_one_have_file_and_line_before_any_request(
    folder: Folder,
) -> None:
    folder.write("a.yml", "plans:\n  - name: Basic\n")
    folder.write(
        "b.yml", MAIL + f"    max_size: {encrypt_inline('canary-canary')}\n    colour: red\n"
    )

    message = folder.get_failure()

    assert "b.yml: line 3: emails info@acme.example max_size:" in message
    assert "canary" not in message
    assert ": emails info@acme.example colour:" in message

    folder.write("a.yml", MAIL + "    description: geheim\n  - email: Info@acme.example\n")
    folder.write("b.yml", MAIL + "    description: other\n")

    message = folder.get_failure()

    assert (
        "b.yml: line 3: emails info@acme.example has another description in a.yml: line 3"
        in message
    )
    assert (
        "a.yml: line 4: emails info@acme.example is there twice, first in a.yml: line 2" in message
    )
    assert "geheim" not in message


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        (['description: "a\\0b"'], "line 3: emails info@acme.example description: holds a NUL"),
        (["extra:", '  a: ["a\\0b"]'], "line 4: emails info@acme.example extra.a[0]: holds a NUL"),
        (["extra:", '  "a\\0b": 1'], "line 4: emails info@acme.example extra."),
        (
            ['description: "********"'],
            "line 3: emails info@acme.example description: holds ********",
        ),
        (['password: "********"'], "line 3: emails info@acme.example password: holds ********"),
        ([f"password: {encrypt_inline('********')}"], "line 3: emails info@acme.example password"),
    ],
)
def test_texts_that_no_request_can_hold_have_file_and_line_beside_all_other_mistakes(
    folder: Folder, lines: list[str], message_part: str
) -> None:
    folder.write("a.yml", MAIL + "".join(f"    {line}\n" for line in lines))
    folder.write("b.yml", "plans:\n  - name: Basic\n    colour: red\n")

    message = folder.get_failure()

    assert message.startswith("2 mistakes: ")
    assert f"a.yml: {message_part}" in message
    assert "b.yml: line 3: plans Basic colour:" in message


@pytest.mark.parametrize(
    ("name", "named"),
    [("1", "extra.1"), ("on", "extra.on"), ("1.5", "extra.1.5"), ("!lookup x", "extra.x")],
)
def test_two_values_of_an_option_whose_name_is_no_text_have_file_and_line(
    folder: Folder, name: str, named: str
) -> None:
    folder.write("a.yml", MAIL)
    folder.write("b.yml", f"{MAIL}    extra:\n      {name}: geheim\n")
    folder.write("c.yml", f"{MAIL}    extra:\n      {name}: other\n")

    message = folder.get_failure()

    assert f": emails info@acme.example has another {named} in " in message
    assert "c.yml: line " in message
    assert "geheim" not in message


def test_two_values_of_an_option_that_yaml_takes_for_a_switch_have_their_own_lines(
    folder: Folder,
) -> None:
    folder.write("a.yml", MAIL)
    folder.write("b.yml", MAIL + "    extra:\n      on: geheim\n")
    folder.write("c.yml", MAIL + "    extra:\n      on: other\n")

    message = folder.get_failure()

    assert (
        "c.yml: line 4: emails info@acme.example has another extra.on in b.yml: line 4" in message
    )


# Every kind of field: a text of several lines, one of a group, one in a list, a short one of a
# number.
SECRETS = {
    "notes": "first canary of notes\nsecond canary of notes",
    "company": "Canary Holding",
    "directives": "SetEnv CANARY_TOKEN c4nary",
    "command": "/usr/bin/canary --quick",
    "alias": "canary-alias@acme.example",
    "size": "3G",
}
OBJECTS = """
clients:
  - username: acme
    notes: {notes}
    contact_data:
      company: {company}
domains:
  - domain: acme.example
    apache:
      http_directives: {directives}
emails:
  - email: info@acme.example
    max_size: {size}
    aliases:
      - {alias}
scheduled_tasks:
  - client: acme
    description: nightly
    type: exec
    command: {command}
"""


@pytest.mark.parametrize("whole", [False, True])
def test_whichever_option_is_encrypted_neither_its_value_nor_that_of_the_panel_is_shown(
    folder: Folder, whole: bool
) -> None:
    folder.panel.run("panel_client", username="acme", notes="a former canary of notes")
    text = OBJECTS.format(
        **{
            name: json.dumps(text) if whole else encrypt_inline(text)
            for name, text in SECRETS.items()
        }
    )
    folder.write("secrets.yml", encrypt(text) if whole else text)
    results = [folder.run(check_mode=True), folder.run()]

    assert not results[1].get("failed"), results[1]["msg"]
    assert folder.panel.list_objects("clients")[0]["notes"] == SECRETS["notes"]
    assert "info@acme.example" in str(results[1]["plan"])
    assert results[1]["diff"]["prepared"].count("********") >= 6

    results += [
        folder.panel.run("panel_export", dir=str(folder.path), diff=True),
        folder.run(compare=True, check_mode=True),
    ]

    assert results[-1]["differences"] == []

    folder.panel.run("panel_client", username="acme", notes="a later canary of notes")
    results += [
        folder.run(compare=True, check_mode=True),
        folder.panel.run("panel_export", dir=str(folder.path), diff=True),
    ]

    assert [difference["key"] for difference in results[-2]["differences"]] == ["acme"]

    files = [path.read_text("utf-8") for path in folder.path.rglob("*.yml")]
    for secret in ("canary", "c4nary", "Canary Holding", str(3 * 2**30), "3G"):
        assert secret not in str(results) + str(files) + str(folder.printed)


WRONG = "wrong canary {{ value }}"
LEAVES = [
    pytest.param(plural, path, id=f"{plural}.{'.'.join(path)}")
    for plural, kind in KINDS.items()
    if plural != DNS
    for path, _option in kind.walk_fields()
    if path[0] not in kind.key_options
]


def test_a_plan_with_an_encrypted_value_is_approved_until_the_value_changes(
    folder: Folder,
) -> None:
    """Tries another value with the checksum first, and then the approved one."""
    text = "emails:\n  - email: new@acme.example\n    description: {}\n"
    first = text.format(encrypt_inline("first"))
    second = text.format(encrypt_inline("second"))
    passwords = str(folder.path.parent / "passwords.yml")

    folder.write("a.yml", first)
    planned = folder.run(check_mode=True, credentials_file=passwords)
    approved = planned["plan"]["checksum"]

    folder.write("a.yml", second)

    refused = folder.run(expected_checksum=approved, credentials_file=passwords)

    assert refused["error"]["type"] == "PlanChanged"

    folder.write("a.yml", first)
    result = folder.run(expected_checksum=approved, credentials_file=passwords)

    assert not result.get("failed"), result["msg"]
    assert result["changed"]


@pytest.mark.long
@pytest.mark.parametrize(
    "with_other_mistake", [False, True], ids=["alone", "beside another mistake"]
)
@pytest.mark.parametrize(("plural", "path"), LEAVES)
def test_no_mistake_in_an_encrypted_value_shows_the_value(
    folder: Folder, plural: str, path: tuple[str, ...], with_other_mistake: bool
) -> None:
    names = [f"{name}: name.example" for name in KINDS[plural].key_options]
    levels = [f"{'  ' * depth}{name}:" for depth, name in enumerate(path)]
    levels[-1] += f" {encrypt_inline(WRONG)}"
    lines = "\n    ".join([*names, *levels])
    folder.write("a.yml", f"{plural}:\n  - {lines}\n")
    if with_other_mistake:
        folder.write("b.yml", "mails: []\n")

    result = folder.run()

    assert "canary" not in str(result) + str(folder.printed)


def test_nothing_is_advised_about_a_value_that_could_not_be_decrypted(folder: Folder) -> None:
    vault = VaultLib([("default", VaultSecret(b"another password"))])
    lines = str(vault.encrypt("$6$salt$hash").decode()).splitlines()
    hashed = "".join(f"\n      {line}" for line in lines)
    folder.write("one.yml", f"{MAIL}    password_hash: !vault |{hashed}\n    max_size: x\n")
    folder.write("two.yml", "emails:\n  - {email: other@acme.example, password_hash: ''}\n")

    message = folder.get_failure()

    assert "3 mistakes: " in message
    assert "one.yml: line 3: encrypted with Ansible Vault" in message
    assert "max_size" in message
    assert message.count("regenerate_password") == 1  # of two.yml
    assert "two.yml: line 2" in message


def test_one_encrypted_record_masks_its_record_set_alone(folder: Folder) -> None:
    record = "      - host: {}\n        type: TXT\n        value: {}\n"
    head = "dns:\n  - domain: acme.example\n    records:\n"
    folder.write(
        "a.yml",
        head + record.format("open", "hello") + record.format("hidden", encrypt_inline("a canary")),
    )

    result = folder.run(check_mode=True)
    entries = {entry["host"]: entry["after"] for entry in result["plan"]["actions"][0]["entries"]}

    assert "hello" in str(entries["open"])
    assert entries["hidden"] == ["********"]
    assert "canary" not in str(result)


# By option of a zone: the lines with the number that is encrypted and one in plain text.
RECORD = ["records:", "- host: www6", "  type: AAAA", "  value: 2001:db8::1"]
NUMBERS_OF_A_ZONE = {
    "ttl of a record": ([*RECORD, "  ttl: NUMBER"], "2001:db8::1"),
    "refresh": (["soa:", "  refresh: NUMBER", "  retry: 901"], "901"),
    "retry": (["soa:", "  retry: NUMBER", "  refresh: 901"], "901"),
    "expire": (["soa:", "  expire: NUMBER", "  refresh: 901"], "901"),
    "minimum": (["soa:", "  minimum: NUMBER", "  refresh: 901"], "901"),
}


@pytest.mark.parametrize("number", ["77123", "777"])
@pytest.mark.parametrize("whole", [False, True], ids=["value", "file"])
@pytest.mark.parametrize("option", NUMBERS_OF_A_ZONE)
def test_an_encrypted_number_of_a_zone_is_shown_nowhere(
    folder: Folder, option: str, whole: bool, number: str
) -> None:
    lines, plain = NUMBERS_OF_A_ZONE[option]
    text = "dns:\n  - domain: acme.example\n    " + "\n    ".join(lines) + "\n"
    text = text.replace("NUMBER", number if whole else encrypt_inline(number))
    folder.write("a.yml", encrypt(text) if whole else text)

    results = [folder.run(check_mode=True), folder.run()]

    assert not results[1].get("failed"), results[1]["msg"]
    displayed = [[result["plan"]["actions"], result["diff"]] for result in results]
    pages = [make_plan_page({"plan": result["plan"]}, "web-1") for result in results]
    assert number not in str(displayed) + str(pages) + str(folder.printed)
    assert (plain in str(displayed)) is not whole


def test_an_encrypted_ttl_leaves_the_values_of_its_record_set(folder: Folder) -> None:
    record = "      - host: www6\n        type: A\n        value: {}\n        ttl: {}\n"
    records = record.format("192.0.2.1", encrypt_inline("77123")) + record.format(
        "192.0.2.2", encrypt_inline("77123")
    )
    folder.write("a.yml", "dns:\n  - domain: acme.example\n    records:\n" + records)

    (entry,) = folder.run(check_mode=True)["plan"]["actions"][0]["entries"]

    assert entry["ttl"] == "********"
    assert entry["after"] == ["192.0.2.1", "192.0.2.2"]


def test_an_encrypted_host_of_a_record_is_masked_as_plans_spell_it(folder: Folder) -> None:
    hosts = [encrypt_inline("CaNary-One"), encrypt_inline("CaNary-Two.Acme.Example.")]
    records = [
        f"      - type: A\n        value: 192.0.2.1\n        host: {host}\n" for host in hosts
    ]
    folder.write("a.yml", "dns:\n  - domain: acme.example\n    records:\n" + "".join(records))

    results = [folder.run(check_mode=True), folder.run()]

    assert not results[1].get("failed"), results[1]["msg"]
    assert "canary" not in (str(results) + str(folder.printed)).lower()
    assert "acme.example" in str(results[0]["plan"])


def test_the_domain_of_an_encrypted_address_is_masked_where_no_file_has_it_in_plain_text(
    folder: Folder,
) -> None:
    addresses = ["Abc.Def@Canary-Customer.Example", "info@Acme.Example"]
    emails = [f"  - email: {encrypt_inline(address)}\n" for address in addresses]
    folder.write("a.yml", "emails:\n" + "".join(emails))
    folder.write("b.yml", "domains:\n  - domain: acme.example\n    php_version: '8.3'\n")

    result = folder.run()

    assert result["failed"]
    assert "there is no domain ********" in result["msg"]
    assert "canary" not in (str(result) + str(folder.printed)).lower()


def test_a_domain_of_an_encrypted_address_that_a_file_has_in_plain_text_is_shown(
    folder: Folder,
) -> None:
    folder.write("a.yml", f"emails:\n  - email: {encrypt_inline('new@Beta.Example')}\n")
    folder.write("b.yml", "domains:\n  - domain: beta.example\n    client: acme\n")

    plan = folder.run(check_mode=True)["plan"]

    assert "beta.example" in str(plan)
    assert "new@" not in str(plan)


SECRET = "Geheim-2026z"
WITH_PASSWORD = [plural for plural, kind in KINDS.items() if kind.password]
# What is wrong with an object whose name is its password: more of its lines, and another file.
WRONG_WITH_SECRET = {
    "an option": ("nothing: 1", ""),
    "an option beside another mistake": ("nothing: 1", "mails: []"),
    "two values": ("extra: {x: 1}", "PLURAL:\n- {NAMES, extra: {x: 2}}"),
    "a text that YAML takes for a switch": ("update_password: 5", "mails: []"),
    "twice": ("", "PLURAL:\n- {NAMES}\n- {NAMES}"),
}


@pytest.mark.parametrize("wrong", WRONG_WITH_SECRET)
@pytest.mark.parametrize("plural", WITH_PASSWORD)
def test_no_mistake_shows_a_password_that_is_the_name_of_its_object(
    folder: Folder, plural: str, wrong: str
) -> None:
    names = ", ".join(f"{name}: {SECRET}" for name in KINDS[plural].key_options)
    option, other_file = WRONG_WITH_SECRET[wrong]
    entry = ", ".join(filter(None, [names, f"password: {SECRET}", option]))
    folder.write("a.yml", f"{plural}:\n- {{{entry}}}\n")
    folder.write("b.yml", other_file.replace("PLURAL", plural).replace("NAMES", names) + "\n")

    result = folder.run()

    assert result["failed"]
    assert SECRET not in str(result) + str(folder.printed)
    assert "a.yml: line 2" in result["msg"] or "b.yml: line" in result["msg"]


@pytest.mark.parametrize(
    ("name", "password"), [("01234567", "01234567"), ("a-zz9-a", "zz9"), ("x", "Geheim-2026z")]
)
def test_a_password_is_masked_as_it_is_written_and_a_short_one_only_as_a_whole(
    folder: Folder, name: str, password: str
) -> None:
    folder.write("a.yml", f"mails: []\nemails:\n- {{email: {name}, password: {password}}}\n")

    message = folder.get_failure()

    assert (f"emails {name} email" in message) is (name != password)


PURGED = ["plans", "clients", "domains", "emails", "databases", "ftp_users", "scheduled_tasks"]


def test_an_export_of_a_panel_without_customers_is_planned_with_a_purge(
    in_memory: Any, tmp_path: Path
) -> None:
    panel = in_memory({})
    files = str(tmp_path / "panel")
    panel.run("panel_export", dir=files)

    result = panel.run("panel_resources", resources_dir=files, purge=PURGED, check_mode=True)

    assert not result.get("failed"), result["msg"]
    assert result["plan"]["actions"] == []


@pytest.mark.parametrize("kind", ["clients", "domains", "emails"])
def test_what_no_file_has_a_list_of_is_not_purged_and_its_names_and_place_are_told(
    folder: Folder, kind: str
) -> None:
    folder.write("a.yml", "plans: []\n")

    result = folder.run(purge=[kind], max_deletes=99)

    keys = {"clients": "acme", "domains": "acme.example", "emails": "info@acme.example, old@acme."}
    assert result["failed"]
    assert (
        f"no file of resources_dir has a list {kind}, and the panel has {keys[kind]}"
        in (result["msg"])
    )
    assert f"write {kind}: [] into panel.yml" in result["msg"]
    assert "Nothing was written." in result["msg"]
    assert folder.panel.writes == []

    folder.write("panel.yml", f"{kind}: []\n")

    assert folder.run(purge=[kind], max_deletes=99)["plan"]["summary"]["delete"]


NO_LISTS = [
    *("0", "0.0", "false", "no", "''", "{}", "!unsafe ''", "!!str", "1", "true", "'[]'", "{a: b}"),
    *("-0", "0x0", ".0", "2026-11-23", "acme", "{[]: []}", "!!set {}", "!!null x", "!vault ''"),
]


@pytest.mark.parametrize("kind", list(KINDS))
def test_only_a_list_counts_as_the_list_of_a_kind(folder: Folder, kind: str) -> None:
    for value in NO_LISTS:
        folder.write("panel.yml", f"# A comment\n{kind}: {value}\n")

        message = folder.get_failure(purge=[kind], max_deletes=99)

        assert "panel.yml: line 2: " in message
        assert folder.get_failure() != ""


@pytest.mark.parametrize("value", ["", "null", "~", "!!null", "Null"])
@pytest.mark.parametrize("kind", ["clients", "domains", "emails"])
def test_nothing_in_place_of_a_list_is_no_list_for_a_purge(
    folder: Folder, kind: str, value: str
) -> None:
    folder.write("panel.yml", f"{kind}: {value}\n")

    result = folder.run(purge=[kind], max_deletes=99)

    assert f"no file of resources_dir has a list {kind}, and the panel has" in result["msg"]
    assert folder.panel.writes == []
    assert folder.run()["changed"] is False


@pytest.mark.parametrize("content", ["0", "0.0", "false", "''", "[]", "!unsafe ''", "1", "[a]"])
def test_a_file_that_holds_no_dictionary_is_a_mistake(folder: Folder, content: str) -> None:
    folder.write("a.yml", MAIL)
    folder.write("clients/acme.yml", f"---\n{content}\n")

    assert "clients/acme.yml: line 2: the file must hold a list" in folder.get_failure()


def test_the_module_itself_still_needs_a_list_of_what_it_purges(folder: Folder) -> None:
    result = folder.panel.run("panel_resources", resources={"plans": []}, purge=["databases"])

    assert "purge: resources has no databases; give an empty list" in result["msg"]


# Comparing in both directions


def test_a_comparison_lists_what_is_missing_different_and_on_the_panel_only(folder: Folder) -> None:
    folder.write("a.yml", MAIL + "    description: Müller\n  - email: new@acme.example\n")
    folder.write("b.yml", "domains:\n  - domain: acme.example\nclients:\n  - username: acme\n")

    result = folder.run(compare=True, check_mode=True)
    differences = {
        difference["key"]: (difference["what"], difference["file"])
        for difference in result["differences"]
    }

    assert differences["info@acme.example"] == ("different", "a.yml: line 2")
    assert differences["new@acme.example"] == ("missing", "a.yml: line 4")
    assert differences["old@acme.example"] == differences["Default"] == ("surplus", "")
    assert folder.panel.writes == []

    lines = result["diff"]["prepared"].splitlines()
    assert any("only on the panel" in line and "old@acme.example" in line for line in lines)
    assert any(
        "a.yml: line 2" in line and "description" in line and "Müller" in line for line in lines
    )
    assert "needs check mode" in folder.run(compare=True)["msg"]


def test_a_comparison_lists_what_files_that_hold_a_part_of_a_panel_lack(folder: Folder) -> None:
    folder.write("a.yml", MAIL)
    differences = {
        difference["key"]: difference["what"]
        for difference in folder.run(compare=True, check_mode=True)["differences"]
    }

    assert {differences.get(key) for key in ("acme", "acme.example", "old@acme.example")} == {
        "surplus"
    }
    assert "info@acme.example" not in differences


def test_a_comparison_with_an_export_finds_nothing(folder: Folder) -> None:
    folder.panel.run("panel_export", dir=str(folder.path))
    result = folder.run(compare=True, check_mode=True)

    assert result["changed"] is False
    assert result["differences"] == []
