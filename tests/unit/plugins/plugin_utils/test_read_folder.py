# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a folder of files: everything in it, nothing evaluated, all mistakes at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._files.folder_files import FolderError
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import text_of
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.read_folder import Folder, read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.write_export import split

SECRET = VaultSecret(b"correct horse")
VAULT = VaultLib(secrets=[("default", SECRET)])
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files with these texts."""

    def one(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/")
            path = path.with_name(f"{path.name}.yml") if not path.suffix else path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return one


def read(folder: Path, vault: VaultLib = VAULT) -> Folder:
    return read_folder(folder, vault)


def problems(folder: Path, vault: VaultLib = VAULT) -> str:
    with pytest.raises(FolderError) as caught:
        read_folder(folder, vault)
    assert str(caught.value).endswith("Nothing was written.")
    return str(caught.value)


def encrypted(text: str) -> str:
    return str(VAULT.encrypt(text, secret=SECRET).decode())


def inline(text: str, indent: str) -> str:
    """A text as ``ansible-vault encrypt_string`` writes it."""
    return "!vault |\n" + "".join(f"{indent}{line}\n" for line in encrypted(text).splitlines())


def test_all_files_of_all_folders_are_read_in_the_order_of_their_names(write: Write) -> None:
    folder = write(
        b="emails: [{email: b@x.example}]",
        a="---\nemails: [{email: a@x.example}]\nplans: [{name: Basic}]\n",
        clients__acme__one="emails: [{email: c@x.example}]",
    )
    (folder / "d.yaml").write_text("emails: [{email: d@x.example}]", encoding="utf-8")
    found = read(folder)
    assert found.resources == {
        "emails": [{"email": f"{name}@x.example"} for name in "abcd"],
        "plans": [{"name": "Basic"}],
    }


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".hidden.yml", "is hidden"),
        (".clients/acme.yml", "is hidden"),
        ("acme.yml.txt", "does not end with .yml or .yaml"),
        ("clients/acme.yaml~", "does not end with .yml or .yaml"),
        ("acme", "does not end with .yml or .yaml"),
    ],
)
def test_a_file_that_is_passed_over_for_its_name_is_told(write: Write, name: str, reason: str) -> None:
    folder = write(a="emails: []")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{{ nothing of this", encoding="utf-8")
    found = read(folder)
    assert (found.resources, found.without_objects) == ({"emails": []}, (f"{name} ({reason})",))


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "{}\n"])
def test_a_file_without_a_list_of_any_kind_is_told(write: Write, text: str) -> None:
    found = read(write(a="emails:\n", b=text))
    assert (found.resources, found.without_objects) == ({"emails": []}, ("b.yml (has no list of any kind)",))


@pytest.mark.parametrize(
    "name",
    [".git/x.yml", ".gitignore", "README.md", "clients/readme", ".a.yml.x1y2.hosting-panel-unfinished"],
)
def test_what_may_be_beside_the_files_is_not_told(write: Write, name: str) -> None:
    folder = write(a="emails: []")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("{{ nothing of this", encoding="utf-8")
    found = read(folder)
    assert (found.resources, found.without_objects) == ({"emails": []}, ())


@pytest.mark.parametrize("name", ["A.YML", "A.Yaml"])
def test_the_ending_may_be_in_capital_letters(write: Write, name: str) -> None:
    folder = write(b="plans: []")
    (folder / name).write_text("emails: [{email: a@x.example}]", encoding="utf-8")
    assert read(folder).resources == {"emails": [{"email": "a@x.example"}], "plans": []}


def test_a_pipe_is_refused_before_it_is_opened(write: Write) -> None:
    folder = write(a="emails: []")
    os.mkfifo(folder / "b.yml")
    assert "b.yml: this is a pipe, a device or a socket, and no regular file; name one that is." in problems(folder)


@pytest.mark.parametrize("second", ["emails: [{email: b@x.example}]\n", "\n"])
def test_a_second_document_in_a_file_is_refused(write: Write, second: str) -> None:
    said = problems(write(a=f"emails: [{{email: a@x.example}}]\n---\n{second}"))
    assert ": holds more than one YAML document, and a file holds one." in said


def test_the_file_of_passwords_may_be_in_the_folder(write: Write) -> None:
    folder = write(a="emails: []", passwords="generated_passwords: []")
    assert read_folder(folder, VAULT, without=[folder / "passwords.yml"]).resources == {"emails": []}
    assert "there is no kind generated_passwords" in problems(folder)


def test_what_an_export_wrote_is_read_as_it_was(write: Write) -> None:
    resources: dict[str, list[dict[str, Any]]] = {
        "clients": [{"username": "acme", "notes": "{{ no }} \n\n x ", "delete_on": "2031-01-01", "contact_data": {}}],
        "dns": [{"domain": "a.example", "records": [{"host": "@", "type": "TXT", "ttl": 60, "value": "{% x"}]}],
        "domains": [{"domain": "a.example", "client": "acme", "php_version": "8.3"}],
        "scheduled_tasks": [{"client": "acme", "description": "é: - {", "schedule": {"minute": "0", "hour": "*"}}],
    }
    files = {path.removesuffix(".yml").replace("/", "__"): text_of(items) for path, items in split(resources).items()}
    assert read(write(**files)).resources == resources


def test_dates_are_texts(write: Write) -> None:
    assert (
        read(write(a="clients: [{username: a, delete_on: 2031-01-01}]")).resources["clients"][0]["delete_on"]
        == "2031-01-01"
    )


@pytest.mark.parametrize("text", ['\'{{ lookup("pipe", "id") }}\'', "'{% if x %}'", "|\n      a {{ b }}\n"])
def test_templates_are_a_mistake_and_never_evaluated(write: Write, text: str) -> None:
    message = problems(write(a=f"---\nclients:\n  - username: acme\n    notes: {text}\n"))
    assert message.startswith("a.yml: line 4, column 12: templates are not evaluated in these files.")
    assert "lookup" not in message


@pytest.mark.parametrize(
    ("text", "column"), [("notes: {{ x }}", 33), ("{{ x }}: a", 25), ("[a, b]: c", 25), ("{{ x }}: a, {{ y }}: b", 25)]
)
def test_a_template_without_quotes_is_a_mistake_with_its_place(write: Write, text: str, column: int) -> None:
    message = problems(write(a=f"clients: [{{username: a, {text}}}]"))
    assert message.startswith("2 mistakes: a.yml" if "y" in text else "a.yml")
    assert f"a.yml: line 1, column {column}: there is a list or a dictionary in the place of a name" in message


def test_the_same_mistake_of_many_places_is_told_once_from_the_first_line_on(write: Write) -> None:
    items = "".join(f"  - {{username: c{number}, notes: '{{{{ x }}}}'}}\n" for number in range(14))
    message = problems(write(a=f"clients:\n{items}", b=f"clients:\n{items.replace('username: c', 'username: d')}"))
    assert message.startswith("28 mistakes: a.yml: line 2, column 27: templates are not evaluated in these files.")
    assert message.count("templates are not evaluated") == 1
    assert message.endswith(
        "The same at a.yml: line 3, column 27, a.yml: line 4, column 27, a.yml: line 5, column 27 and 24 more. Nothing was written."
    )


def test_a_text_that_is_meant_as_it_stands_is_marked(write: Write) -> None:
    assert (
        read(write(a="clients: [{username: a, notes: !unsafe '{{ x }}'}]")).resources["clients"][0]["notes"]
        == "{{ x }}"
    )


def test_secrets_may_be_encrypted_one_by_one(write: Write) -> None:
    folder = write(a=f"emails:\n  - email: a@x.example\n    password: {inline('gehëim {{ x }}', '      ')}")
    assert read(folder).resources["emails"][0]["password"] == "gehëim {{ x }}"


def test_whole_files_may_be_encrypted(write: Write) -> None:
    assert read(write(a=encrypted("emails: [{email: a@x.example}]"))).resources == {
        "emails": [{"email": "a@x.example"}]
    }


def test_a_damaged_secret_is_not_told_as_one_of_another_password(write: Write) -> None:
    folder = write(a=encrypted("emails: []").rstrip()[:-1])
    assert problems(folder).startswith("a.yml: is damaged, and no secret decrypts it.")


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_secret_that_cannot_be_decrypted_is_a_mistake_that_shows_nothing_of_it(write: Write, is_whole: bool) -> None:
    secret = "emails: [{email: a@x.example, password: gehëim}]"
    folder = write(
        a=encrypted(secret)
        if is_whole
        else f"emails:\n  - email: a@x.example\n    password: {inline(secret, '      ')}"
    )
    where = "a.yml: " if is_whole else "a.yml: line 3, column 15: "
    other = VaultLib(secrets=[("default", VaultSecret(b"another"))])
    assert problems(folder, other).startswith(f"{where}none of this run's Vault secrets decrypts it.")
    message = problems(folder, VaultLib())
    assert message.startswith(
        f"{where}holds secrets that are encrypted with Ansible Vault, and this run has no Vault secret."
    )
    assert "gehëim" not in message


def test_an_object_may_be_in_several_files(write: Write) -> None:
    folder = write(
        a="certificates: [{name: one, client: acme, components: {certificate: CERT}}]\nemails: [{email: info@müller.example, max_size: 1G}]",
        secrets="certificates: [{name: one, components: {private_key: KEY}}]\n"
        "emails: [{email: Info@xn--mller-kva.example, password: x}, {email: new@x.example, password: y}]",
    )
    assert read(folder).resources == {
        "certificates": [
            {"name": "one", "client": "acme", "components": {"certificate": "CERT", "private_key": "KEY"}}
        ],
        "emails": [
            {"email": "info@müller.example", "max_size": "1G", "password": "x"},
            {"email": "new@x.example", "password": "y"},
        ],
    }


@pytest.mark.parametrize(
    ("second", "conflicts"),
    [
        ("max_size: 2G", {"max_size": (31, 31)}),
        # In the first file is nothing but the object.
        ("state: absent", {"state": (10, 31)}),
        ("max_size: 2G, aliases: [b@x.example]", {"aliases": (45, 45), "max_size": (31, 31)}),
    ],
)
def test_an_option_with_two_values_is_a_mistake_with_both_places(
    write: Write, second: str, conflicts: dict[str, tuple[int, int]]
) -> None:
    folder = write(
        a="emails: [{email: a@x.example, max_size: 1G, aliases: []}]", b=f"emails: [{{email: A@x.example, {second}}}]"
    )
    said = problems(folder)
    for option, (one, two) in conflicts.items():
        words = f"emails a@x.example: {option} is one thing in a.yml: line 1, column {one} and another in b.yml: line 1, column {two}."
        assert words in said
    assert said.count("is one thing in") == len(conflicts)


def test_nested_options_contradict_each_other_too(write: Write) -> None:
    folder = write(
        a="domains: [{domain: x.example, security: {is_hsts: true}}]",
        b="domains: [{domain: x.example, security: {is_hsts: false, lets_encrypt: true}}]",
    )
    assert (
        "security.is_hsts is one thing in a.yml: line 1, column 42 and another in b.yml: line 1, column 42"
        in problems(folder)
    )


def test_the_same_object_twice_in_one_file_is_a_mistake(write: Write) -> None:
    folder = write(a="emails: [{email: a@x.example}, {email: b@x.example}, {email: A@X.example}]")
    assert (
        problems(folder)
        == "a.yml: line 1, column 54: emails[2] (a@x.example) names the same object as emails[0]. Nothing was written."
    )


def test_items_without_a_key_are_left_to_the_module(write: Write) -> None:
    assert read(write(a="emails: [{id: 1}, {max_size: 1G}]", b="emails: [{id: 2}]")).resources["emails"] == [
        {"id": 1},
        {"max_size": "1G"},
        {"id": 2},
    ]


def test_an_object_without_a_key_is_none_whose_name_reads_like_one(write: Write) -> None:
    items = [{"id": 1}, {"username": "None"}]
    assert read(write(a="clients: [{id: 1}, {username: None}]")).resources["clients"] == items


def test_a_key_that_is_there_twice_is_a_mistake(write: Write) -> None:
    folder = write(a="emails: [{email: a@x.example}]\nplans: []\nemails: [{email: b@x.example}]\n")
    assert problems(folder) == "a.yml: line 3, column 1: emails is there twice. Nothing was written."


@pytest.mark.parametrize("number", ["0123", "0x1F", "1_000", "12:30:45"])
def test_a_number_that_yaml_makes_another_one_of_is_a_mistake(write: Write, number: str) -> None:
    message = problems(write(a=f"clients:\n- username: {number}\n"))
    assert message.startswith("a.yml: line 2, column 13: YAML reads another number than is written here (")


def test_all_mistakes_of_all_files_are_reported_together(write: Write) -> None:
    folder = write(
        a="mailboxes: []\nemails: {}\nplans: [x]",
        b="- email: a@x.example",
        c="emails: [",
        d="emails: [{email: a@x.example, description: '{{ x }}'}]",
    )
    (folder / "e.yml").write_bytes(b"emails: [{email: \xff}]")
    message = problems(folder)
    assert message.startswith("7 mistakes: ")
    for words in (
        "a.yml: line 1, column 1: there is no kind mailboxes; the kinds are plans, admins,",
        "a.yml: line 2, column 1: emails must be a list of dictionaries.",
        "a.yml: line 3, column 1: plans must be a list of dictionaries.",
        "b.yml: line 1, column 1: must hold a list of objects for each kind",
        "c.yml: line ",
        "d.yml: line 1, column 44: templates are not evaluated",
        "e.yml: line 1, column 18: the file is not in UTF-8.",
    ):
        assert words in message, words


@pytest.mark.parametrize(
    "text",
    [
        "emails: !!python/object:os.system x",
        "a: &a [*a, *a]\nb: *missing",
        "%",
        "emails: [\x01]",
        "emails: !vault [x]",
        "emails: !!map x",
    ],
)
def test_broken_yaml_is_a_mistake_without_a_traceback(write: Write, text: str) -> None:
    assert problems(write(a=text)).startswith("a.yml: ")


@pytest.mark.parametrize(
    "text",
    [
        "emails:\n- password: !S3cret",
        "emails:\n- password: !S3cret'more",
        "emails:\n- password: *S3cret",
        "emails:\n- {password: &S3cret a, other: &S3cret b, *S3cret}",
        "emails:\n- password: !!int S3cret",
        "emails:\n- password: !!bool S3cret",
        "emails:\n- password: !S3cret!x y",
        "emails:\n- password: 'S3cret",
        "emails:\n- password: %S3cret",
        "emails:\n- password: @S3cret",
        'emails:\n- password: "S3cret\\q"',
        "emails:\n- password: !!binary S3cret",
        "emails:\n- password: 'a' S3cret",
    ],
)
def test_a_value_that_is_no_yaml_is_not_told(write: Write, text: str) -> None:
    assert problems(write(a=text)).startswith("a.yml: ")
    assert "S3cret" not in problems(write(a=text))


@pytest.mark.parametrize("name", ["missing", "a.yml"])
def test_what_is_no_folder_is_a_mistake(write: Write, name: str) -> None:
    assert "there is no such folder" in problems(write(a="emails: []") / name)


def test_a_folder_without_files_is_a_mistake(tmp_path: Path) -> None:
    assert "there is no file whose name ends with .yml" in problems(tmp_path)


def test_messages_about_items_name_the_file(write: Write) -> None:
    folder = write(a="emails: [{email: a@x.example}, {email: b@x.example}]", b="emails: [{email: c@x.example}]")
    message = "emails[2] (c@x.example) max_size: wrong. emails[1] wrong. records[2] and emails[9] stay."
    assert read(folder).in_files(message) == (
        "b.yml: line 1, column 10: emails[0] (c@x.example) max_size: wrong. a.yml: line 1, column 32: emails[1] wrong. "
        "records[2] and emails[9] stay."
    )


def test_messages_about_an_option_name_the_file_that_has_it(write: Write) -> None:
    folder = write(a="emails: [{email: a@x.example}]", b="\nemails: [{email: a@x.example, max_size: 1}]")
    message = "emails[0] (a@x.example) max_size: wrong. emails[0] (a@x.example) aliases: wrong."
    assert read(folder).in_files(message) == (
        "b.yml: line 2, column 31: emails[0] (a@x.example) max_size: wrong. "
        "a.yml: line 1, column 10: emails[0] (a@x.example) aliases: wrong."
    )


def test_messages_about_an_option_name_its_line(write: Write) -> None:
    folder = write(
        a="clients:\n  - username: acme\n    emial: a@x.example\n    contact_data:\n      company: A\n    aliases:\n      - x\n"
    )
    message = "clients[0] (acme) emial: wrong. clients[0] (acme) contact_data.company: wrong. clients[0] (acme) aliases[0]: wrong."
    assert read(folder).in_files(message) == (
        "a.yml: line 3, column 5: clients[0] (acme) emial: wrong. a.yml: line 5, column 7: clients[0] (acme) contact_data.company: wrong. "
        "a.yml: line 7, column 9: clients[0] (acme) aliases[0]: wrong."
    )


def test_a_secret_in_plain_text_in_a_file_of_the_export_is_refused_with_its_line(write: Write) -> None:
    exported = text_of({"emails": [{"email": "a@x.example"}]})
    folder = write(a=f"{exported}    password: hunter2\n", own="emails: [{email: b@x.example, password: p}]")
    said = problems(folder)
    assert said.startswith(
        f"a.yml: line {exported.count(chr(10)) + 1}: password is a secret in plain text in a file that"
    )
    assert "hunter2" not in said


@pytest.mark.parametrize("is_inline", [True, False])
def test_an_encrypted_secret_may_be_in_a_file_of_the_export(write: Write, is_inline: bool) -> None:
    exported = text_of({"emails": [{"email": "a@x.example"}]})
    text = (
        f"{exported}    password: {inline('s', '      ')}" if is_inline else encrypted(f"{exported}    password: s\n")
    )
    assert read(write(a=text)).resources["emails"] == [{"email": "a@x.example", "password": "s"}]


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("more.yml", "outside.yml", "more.yml: this is a link that leads out of the folder"),
        ("more.yml", "nowhere.yml", "more.yml: this is a link that leads out of the folder"),
        ("more", "others", "more: this is a link that leads to a folder"),
    ],
)
def test_a_link_out_of_the_folder_is_not_followed_and_what_it_leads_to_does_not_count_as_missing(
    write: Write, tmp_path: Path, name: str, target: str, words: str
) -> None:
    write(folder__a="emails: []", outside="emails: [{email: a@x.example}]", others__b="emails: []")
    (tmp_path / "folder" / name).symlink_to(tmp_path / target)
    assert words in problems(tmp_path / "folder")


def test_links_within_the_folder_and_the_folder_itself_are_followed(write: Write, tmp_path: Path) -> None:
    write(folder__a="plans: [{name: Basic}]", **{"folder__.data__b": "emails: [{email: a@x.example}]"})
    (tmp_path / "folder" / "b.yml").symlink_to(tmp_path / "folder" / ".data" / "b.yml")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    found = read(tmp_path / "link")
    assert found.resources == {"plans": [{"name": "Basic"}], "emails": [{"email": "a@x.example"}]}
    assert not found.without_objects


def test_the_file_of_passwords_may_be_a_link(write: Write, tmp_path: Path) -> None:
    write(folder__a="emails: []", passwords="generated_passwords: []")
    link = tmp_path / "folder" / "passwords.yml"
    link.symlink_to(tmp_path / "passwords.yml")
    assert read_folder(tmp_path / "folder", VAULT, without=[link]).resources == {"emails": []}


def test_a_folder_that_cannot_be_looked_into_is_an_error(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(a="emails: []", clients__acme="emails: []")
    scan = os.scandir

    def denied(path: Any) -> Any:
        if str(path).endswith("clients"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", denied)
    assert "clients: Permission denied. Nothing was written." in problems(folder)


def test_all_links_that_are_not_followed_are_told_at_once(write: Write) -> None:
    folder = write(a="emails: []")
    for name in ("b", "c"):
        (folder / f"{name}.yml").symlink_to(folder / "nowhere" / name)
    message = problems(folder)
    assert message.startswith(f"2 mistakes: {folder}/b.yml: this is a link that leads out of the folder")
    assert f"{folder}/c.yml: this is a link that leads out of the folder" in message
    assert message.count("Nothing was written.") == 1
