"""A secret that a person wrote into a file is shown by nothing, however YAML spells it, and an
export says that it takes it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import (
    get_item_reader,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support.in_memory import VAULT, InMemory

pytestmark = pytest.mark.long

SEED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "id_user": 2}],
    "emails": [{"email": "info@acme.example", "id_user": 2, "description": "old"}],
}
FIRST, SECOND = "Kanarien", "Vogel77"
SECRET = f"{FIRST}-{SECOND}"
"""Each half is looked for, since a spelling may break it."""
MAILBOX = "  - email: info@acme.example\n"


@pytest.fixture
def panel(in_memory: Any) -> InMemory:
    """Make a panel that shows secrets in fields that are none."""
    memory: InMemory = in_memory(SEED)
    return memory


@pytest.fixture
def folder(panel: InMemory, tmp_path: Path) -> Path:
    """Export the panel into a directory."""
    assert panel.run("panel_export", dir=str(tmp_path))["changed"]
    return tmp_path


def run_everything(panel: InMemory, folder: Path, **more: Any) -> list[dict[str, Any]]:
    """The results of all tasks that read the files.

    Plan, comparison, a run, and exports with a diff.
    """
    reading = {"resources_dir": str(folder), "diff": True}
    return [
        panel.run("panel_resources", **reading, check_mode=True),
        panel.run("panel_resources", **reading, check_mode=True, compare=True),
        panel.run("panel_export", dir=str(folder), diff=True, check_mode=True, **more),
        panel.run("panel_resources", **reading),
        panel.run("panel_export", dir=str(folder), diff=True, **more),
    ]


def write(folder: Path, text: str) -> Path:
    """Have a person's text at the end of the client's file, in the list of mailboxes."""
    path = folder / "clients/acme.yml"
    written = path.read_text("utf-8")
    start = written.index("emails:")
    path.write_text(f"{written[:start]}emails:\n{text}", "utf-8")

    return path


# Spellings

SPELLINGS = {
    "plain": f"{MAILBOX}    password: {SECRET}\n",
    "in quotes": f"{MAILBOX}    'password': '{SECRET}'\n",
    "in double quotes": f'{MAILBOX}    "password" : "{SECRET}"\n',
    "a name with an escape": f'{MAILBOX}    "pass\\x77ord": {SECRET}\n',
    "a value with an escape": f'{MAILBOX}    password: "{FIRST}\\x2D{SECOND}"\n',
    "a name in two lines": f'{MAILBOX}    ? "pass\\\n      word"\n    : {SECRET}\n',
    "a value in two lines": f'{MAILBOX}    password: "{FIRST}-\\\n      {SECOND}"\n',
    "a value in two plain lines": f"{MAILBOX}    password: {FIRST}\n      {SECOND}\n",
    "an explicit name": f"{MAILBOX}    ? password\n    : {SECRET}\n",
    "a block": f"{MAILBOX}    password: |-\n      {SECRET}\n",
    "a block of lines": f"{MAILBOX}    password: |\n      {FIRST}\n\n      {SECOND}\n",
    "a folded block": f"{MAILBOX}    password: >2-\n        {FIRST}\n        {SECOND}\n",
    "a flow": f"  - {{email: info@acme.example, password: {SECRET}}}\n",
    "a flow like JSON": f'  - {{"email": "info@acme.example","password":"{SECRET}"}}\n',
    "a flow over lines": f"  - {{email: info@acme.example,\n     password: {FIRST}\n  {SECOND}}}\n",
    "an anchor": f"{MAILBOX}    password: &secret {SECRET}\n    description: *secret\n",
    "an alias": f"{MAILBOX}    description: &secret {SECRET}\n    password: *secret\n",
    "an alias as a part": f"{MAILBOX}    password: &secret {SECRET}\n    description: it is {SECRET} today\n",
    "a merge": f"{MAILBOX}    <<: {{password: {SECRET}}}\n",
    "a merge of two": f"{MAILBOX}    <<: [{{description: x}}, {{password: {SECRET}}}]\n",
    "a tag": f"{MAILBOX}    password: !!str {SECRET}\n",
    "a long tag": f"{MAILBOX}    password: !<tag:yaml.org,2002:str> {SECRET}\n",
    "an unsafe text": f"{MAILBOX}    password: !unsafe {SECRET}\n",
    "an unsafe name": f"{MAILBOX}    !unsafe password: {SECRET}\n",
    "a hash": f"{MAILBOX}    password_hash: $6$salt${FIRST}{SECOND}\n",
    "another option": f"{MAILBOX}    passwort: {SECRET}\n",
    "a mistyped option": f"{MAILBOX}    pasword: {SECRET}\n",
    "a mistyped hash": f"{MAILBOX}    pasword_hash: {SECRET}\n",
    "swapped letters": f"{MAILBOX}    passwrod: {SECRET}\n",
    "in place of a choice": f"{MAILBOX}    update_password: {SECRET}\n",
    "capital letters": f"{MAILBOX}    PASSWORD: {SECRET}\n",
    "a field of another panel": f"{MAILBOX}    extra: {{api_token: {SECRET}}}\n",
    "a part of a name": f"{MAILBOX}    extra: {{keyring_of_it: {SECRET}}}\n",
    "a field within a field": f"{MAILBOX}    extra:\n      smtp:\n        passwords: [{FIRST}, {{a: {SECOND}}}]\n",
    "a number": f"{MAILBOX}    password: 8714509623\n",
    "a list": f"{MAILBOX}    password: [{FIRST}, {SECOND}]\n",
    "a dictionary": f"{MAILBOX}    password: {{{FIRST}: {SECOND}}}\n",
    "in place of a text": f"{MAILBOX}    description: {{password: {SECRET}}}\n",
    "an item in place of a list": f"    email: info@acme.example\n    password: {SECRET}\n",
    "another type": f"{MAILBOX}mailboxes:\n  - password: {SECRET}\n",
    "a template of others": f"{MAILBOX}    password: '{{{{ {SECRET} }}}}'\n",
    "a comment": f"{MAILBOX}    # password: {SECRET}\n    description: x\n",
    "a comment behind": f"{MAILBOX}    description: x # {SECRET}\n",
    "twice": f"{MAILBOX}    password: {FIRST}-1\n    password: {SECOND}-2\n",
    "an unknown tag": f"{MAILBOX}    password: !secret {SECRET}\n",
    "binary": f"{MAILBOX}    password: !!binary {SECRET}\n",
    "no YAML": f"{MAILBOX}    password: '{SECRET}\n",
    "no YAML behind": f"{MAILBOX}    password: {SECRET}\n  x: [\n",
    "an undefined alias": f"{MAILBOX}    password: *{FIRST}{SECOND}\n",
    "a tabulator": f"{MAILBOX}\tpassword: {SECRET}\n",
    "another document": f"{MAILBOX}---\npassword: {SECRET}\n",
    "itself": f"{MAILBOX}    password: &itself [{SECRET}, *itself]\n",
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_no_spelling_of_a_secret_is_shown_by_anything(
    panel: InMemory, folder: Path, text: str
) -> None:
    path = write(folder, text)
    results = run_everything(panel, folder)
    output = json.dumps(results)
    secrets = ("8714509623",) if "8714509623" in text else (FIRST, SECOND)

    assert [secret for secret in secrets if secret in output] == []

    exported = results[-1]
    assert exported["written"] == ["clients/acme.yml"], exported
    assert "password" not in path.read_text("utf-8")


# Nothing says that these are secrets, or the file is not valid.
UNNAMED = {
    "in place of a choice",
    "a comment",
    "a comment behind",
    "in place of a text",
    "an item in place of a list",
    "an unknown tag",
    "binary",
    "no YAML",
    "no YAML behind",
    "an undefined alias",
    "a tabulator",
    "another document",
    "itself",
}


@pytest.mark.parametrize("name", sorted(SPELLINGS.keys() - UNNAMED))
def test_an_export_names_each_secret_that_it_takes_out_with_file_and_line(
    panel: InMemory, folder: Path, name: str
) -> None:
    path = write(folder, SPELLINGS[name])
    before = path.read_text("utf-8")
    predicted = panel.run("panel_export", dir=str(folder), check_mode=True)

    result = panel.run("panel_export", dir=str(folder))

    assert predicted["taken_out"] == result["taken_out"]

    line, option = result["taken_out"][0].split(": ")[1:3]
    assert result["taken_out"][0].startswith("clients/acme.yml: line ")

    first = int(line.removeprefix("line "))
    assert before.splitlines()[first - 2 : first + 1]
    assert option.startswith(("emails info@acme.example ", "mailboxes"))
    assert any(
        "ansible-vault encrypt_string" in warning and option in warning
        for warning in result["warnings"]
    )

    second_run = panel.run("panel_export", dir=str(folder))
    assert second_run["changed"] is False
    assert "taken_out" not in second_run
    assert "warnings" not in second_run


@pytest.mark.parametrize(
    "name", ["no YAML", "no YAML behind", "an undefined alias", "another document", "itself"]
)
def test_a_file_that_is_not_valid_is_named_where_an_export_replaces_it(
    panel: InMemory, folder: Path, name: str
) -> None:
    write(folder, SPELLINGS[name])
    (warning,) = panel.run("panel_export", dir=str(folder), check_mode=True)["warnings"]

    assert "were not valid" in warning
    assert "clients/acme.yml: " in warning


def test_the_secrets_of_a_client_that_is_gone_are_named_too(panel: InMemory, folder: Path) -> None:
    panel.run("panel_client", username="beta", email="a@b.example")
    panel.run("panel_export", dir=str(folder))
    path = write(folder, SPELLINGS["plain"])
    (line,) = (
        number
        for number, text in enumerate(path.read_text("utf-8").splitlines(), 1)
        if SECRET in text
    )
    panel.run("panel_client", username="acme", state="absent")

    result = panel.run("panel_export", dir=str(folder), diff=True)

    assert result["removed"] == ["clients/acme.yml"]
    assert SECRET not in json.dumps(result)
    assert result["taken_out"] == [
        f"clients/acme.yml: line {line}: emails info@acme.example password"
    ]


def test_the_rest_of_a_file_is_shown_as_it_is(panel: InMemory, folder: Path) -> None:
    path = write(
        folder,
        SPELLINGS["plain"].replace("password", "description: mine # a comment\n    password"),
    )
    result = panel.run("panel_export", dir=str(folder), diff=True, check_mode=True)

    before = result["diff"][0]["before"].splitlines()

    assert "    description: mine" in before
    assert "    password: '********'" in before
    assert before[-1].startswith("# Comments and layout")

    lines = path.read_text("utf-8").splitlines()
    assert {
        line for line in lines if line not in before and "#" not in line and "password" not in line
    } <= {"---"}


def test_a_file_that_only_lacks_its_layout_is_a_change_that_shows(
    panel: InMemory, folder: Path
) -> None:
    path = folder / "clients/acme.yml"
    path.write_text(path.read_text("utf-8") + "# by me\n", "utf-8")
    (diff,) = panel.run("panel_export", dir=str(folder), diff=True)["diff"]

    assert diff["before"] != diff["after"]
    assert "by me" not in str(diff)


# Every secret field of every kind

FIELDS = [
    (kind, (*path, name))
    for kind in KINDS
    for path, options in [
        ((), get_item_reader(kind).spec),
        *(((n,), s["options"]) for n, s in get_item_reader(kind).spec.items() if "options" in s),
    ]
    for name, option in options.items()
    if option.get("no_log")
]


def make_key_options(kind: str) -> dict[str, Any]:
    """Return options that name an object of a kind."""
    return {name: f"{name}.example" for name in KINDS[kind].key_options}


@pytest.mark.parametrize(
    ("kind", "path"), FIELDS, ids=[f"{kind} {'.'.join(path)}" for kind, path in FIELDS]
)
def test_every_secret_field_of_every_kind_is_one(
    panel: InMemory, folder: Path, kind: str, path: tuple[str, ...]
) -> None:
    value: Any = SECRET
    for name in reversed(path):
        value = {name: value}

    item = {**make_key_options(kind), **value}
    target = folder / "panel.yml"
    written = target.read_text("utf-8")
    # Lists of a type follow one another; another one of the same name would be a mistake.
    content = json.dumps({"x": [item]})[1:-1].replace('"x"', kind, 1)
    target.write_text(f"{written.partition(kind + ':')[0]}\n{content}\n", "utf-8")

    result = panel.run("panel_export", dir=str(folder), diff=True)

    assert SECRET not in json.dumps(result)
    assert [omission.rpartition(" ")[2] for omission in result["taken_out"]] == [".".join(path)]


names = (
    st.tuples(
        st.sampled_from(["", "smtp_", "my", "X-"]),
        st.sampled_from(
            ["password", "Secret", "TOKEN", "key", "colour", "size", "kee", "pass-word"]
        ),
        st.sampled_from(["", "s", "_count", "Board", "2"]),
    )
    .map("".join)
    .filter(lambda name: name != "password")
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names, st.sampled_from([SECRET, "x7", 8714509623, [SECRET], {"a": SECRET}]))
def test_a_field_of_extra_is_secret_by_a_part_of_its_name_in_every_result(
    in_memory: Any, name: str, value: Any
) -> None:
    panel: InMemory = in_memory(SEED)
    is_secret = any(mark in name.lower() for mark in ("password", "secret", "token", "key"))
    item = {"email": "info@acme.example", "extra": {name: value, "smtp": {name: value}}}
    created = {"email": "new@acme.example", **item, "password": "geheim-1A"} | {
        "email": "new@acme.example"
    }
    results = []

    for check_mode in (True, False):
        results += [
            panel.run("panel_email", diff=True, check_mode=check_mode, **item),
            panel.run(
                "panel_resources",
                resources={"emails": [item, created]},
                diff=True,
                check_mode=check_mode,
            ),
        ]

    results.append(panel.run("panel_email", diff=True, read_back=True, **created, state="present"))

    assert not any(result.get("failed") for result in results), results

    sent = [request["body"] for request in panel.log if request["method"] != "GET"]
    secret = SECRET if SECRET in str(value) else str(value)

    assert secret in str(sent)

    if is_secret:
        assert secret not in json.dumps(results)


def test_a_secret_in_a_field_that_is_encrypted_stays_where_it_is(
    panel: InMemory, folder: Path
) -> None:
    lines = VAULT.encrypt(SECRET, secret=VAULT.secrets[0][1]).decode().splitlines()
    secret = "!vault |\n" + "\n".join(f"      {line}" for line in lines)
    path = write(
        folder, f"{MAILBOX}    password: {secret}\n    extra:\n      api_key: {SECRET[::-1]}\n"
    )

    result = panel.run("panel_export", dir=str(folder), diff=True)

    assert [omission.rpartition(" ")[2] for omission in result["taken_out"]] == ["extra.api_key"]
    assert SECRET not in json.dumps(result)
    assert SECRET[::-1] not in json.dumps(result)
    assert "password: !vault" in path.read_text("utf-8")
