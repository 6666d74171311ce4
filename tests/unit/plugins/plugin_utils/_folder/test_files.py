"""Names of clients' files, which files of a directory count, and links, which are none of it."""

from __future__ import annotations

import os
import socket
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.files import (
    FolderError,
    list_files_in,
    make_file_name,
)
from tests.support.in_memory import VAULT, InMemory

# Names

NAMES = {
    "a.b_c-d": "a.b_c-d",
    "readme": "readme",
    "readme-web": "readme-web",
    "passwords": "passwords",
    "panel": "panel",
    ".hidden": "%2Ehidden",
    "../etc": "%2E.%2Fetc",
    "README-web": "%52%45%41%44%4D%45-web",
    "con": "%63on",
    "nul.web": "%6Eul.web",
    "console": "console",
    "ü": "%C3%BC",
    "u\u0308": "u%CC%88",
    "a b": "a%20b",
    "100%": "100%25",
    "\ud800": "%ED%A0%80",
}


@pytest.mark.parametrize(("username", "name"), NAMES.items(), ids=map(ascii, NAMES))
def test_a_file_is_called_after_its_client_as_far_as_any_file_system_takes_that(
    username: str, name: str
) -> None:
    assert make_file_name(username) == f"clients/{name}.yml"


def as_a_file_system_may_fold_it(name: str) -> str:
    """Return the name that a file system takes a name for."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


usernames = st.one_of(
    st.text(min_size=1, max_size=12),
    st.text("aAäÄ.%2eE_~-ﬁſK", min_size=1, max_size=6),
    st.text("aA%.", min_size=150, max_size=260),
)


@given(usernames, usernames)
def test_no_two_clients_have_one_file_whatever_the_file_system_takes_for_the_same(
    first: str, second: str
) -> None:
    names = [as_a_file_system_may_fold_it(make_file_name(username)) for username in (first, second)]
    assert (names[0] == names[1]) is (first == second)


@given(usernames)
def test_a_file_name_is_one_visible_part_of_a_path_that_every_file_system_takes(
    username: str,
) -> None:
    folder, _slash, name = make_file_name(username).partition("/")
    assert folder == "clients"
    assert name[-4:] == ".yml"
    assert name.isascii()
    assert name.isprintable()
    assert not set(name) & set('/\\:*?"<>| ')
    assert len(name) <= 200
    assert not name.startswith(".")


# Which files count

OBJECTS = "emails:\n  - email: {}@acme.example\n"
COUNT = [
    "panel.yml",
    "mail.yaml",
    "README.yml",
    "more/readme.yaml",
    "clients/acme.yml",
    "clients/readme.yml",
    "clients/README-web.yml",
    "clients/.hidden.yml",
    "clients/.yml",
    "clients/.YAML",
    "clients/old/.yml",
    "clients/passwords.yml",
    "clients/con.YML",
    "clients/old/readme.yml",
    "clients/.old/acme.yml",
]
PASSED_OVER = [
    ".hidden.yml",
    ".yml",
    "more/.yaml",
    ".git/config.yml",
    "README",
    "README.md",
    "clients/readme.txt",
    "clients/.acme.yml.swp",
    "passwords.yml",
    "passwords.yml.lock",
]


def write(folder: Path, name: str, text: str) -> Path:
    """Write a file below a directory."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("home", ["", "$PANEL_DIR", "~"], ids=["path", "$", "~"])
def test_every_yaml_file_counts_that_may_be_a_clients_or_is_not_hidden(
    tmp_path: Path, in_memory: Any, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    monkeypatch.setenv("PANEL_DIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    written_folder = f"{home or tmp_path}/panel"
    panel: InMemory = in_memory(
        {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "id_user": 2}]}
    )
    folder = tmp_path / "panel"
    for number, name in enumerate(COUNT):
        write(folder, name, OBJECTS.format(f"a{number}"))

    for name in PASSED_OVER:
        write(folder, name, OBJECTS.format("passed-over"))

    options = {
        "resources_dir": written_folder,
        "credentials_file": f"{written_folder}/passwords.yml",
    }
    # The file of passwords holds objects here, so only its name is looked at.
    (folder / "passwords.yml").write_bytes(VAULT.encrypt("{}", secret=VAULT.secrets[0][1]))
    (folder / "passwords.yml").chmod(0o600)

    result = panel.run("panel_resources", purge=["emails"], check_mode=True, **options)

    assert not result.get("failed"), result["msg"]
    assert "warnings" not in result

    keys = {action["key"] for action in result["plan"]["actions"]}
    assert keys == {f"a{number}@acme.example" for number in range(len(COUNT))}


def test_files_of_passwords_below_the_clients_are_files_of_clients(
    tmp_path: Path, in_memory: Any
) -> None:
    panel: InMemory = in_memory({})
    write(
        tmp_path,
        "clients/passwords.yml",
        "clients:\n  - username: passwords\n    email: a@b.example\n    password: geheim-1A\n",
    )
    options = {
        "resources_dir": str(tmp_path),
        "credentials_file": str(tmp_path / "clients/{client}.yml"),
    }

    result = panel.run("panel_resources", check_mode=True, **options)

    assert [action["key"] for action in result["plan"]["actions"]] == ["passwords"]
    assert "geheim" not in str(result)


# From the panel to files and back

CLIENTS = [
    "readme",
    "readme-web",
    "readme.md",
    "passwords",
    ".hidden",
    "..",
    "con",
    "panel",
    "a.b",
    "clients",
    "yml",
    "-",
    "_",
]
SECRET = "a canary of the notes"


@pytest.mark.parametrize("username", CLIENTS)
def test_whatever_a_client_is_called_its_file_counts_and_keeps_what_it_encrypts(
    tmp_path: Path, in_memory: Any, username: str
) -> None:
    panel: InMemory = in_memory(
        {"clients": [{"username": "acme", "email": "a@b.example", "notes": SECRET}]}
    )
    # The panel takes fewer names than the collection.
    (client,) = panel.panel.store.list_all("clients")
    client.data["username"] = username
    folder = tmp_path / "panel"

    assert make_file_name(username) in panel.run("panel_export", dir=str(folder))["written"]

    compared = panel.run(
        "panel_resources", resources_dir=str(folder), compare=True, check_mode=True
    )

    assert compared["differences"] == []
    assert "warnings" not in compared

    purged = panel.run(
        "panel_resources", resources_dir=str(folder), purge=["clients"], check_mode=True
    )

    assert purged["plan"]["actions"] == []

    path = folder / make_file_name(username)
    lines = VAULT.encrypt(SECRET, secret=VAULT.secrets[0][1]).decode().splitlines()
    secret = "!vault |\n" + "\n".join(f"      {line}" for line in lines)
    path.write_text(path.read_text("utf-8").replace(SECRET, secret), "utf-8")

    assert panel.run("panel_export", dir=str(folder))["changed"] is False

    client.data["email"] = "new@b.example"
    result = panel.run("panel_export", dir=str(folder), diff=True)

    assert result["written"] == [make_file_name(username)]
    assert SECRET not in str(result)
    assert "!vault" in path.read_text("utf-8")
    assert SECRET not in path.read_text("utf-8")


# Links

LINKS = {
    "a file": ("clients/acme.yml", "elsewhere/acme.yml"),
    "the file of the rest": ("panel.yml", "elsewhere/acme.yml"),
    "a file of a person": ("mail.yml", "elsewhere/acme.yml"),
    "another file": ("notes.txt", "elsewhere/acme.yml"),
    "a hidden file of a client": ("clients/.hidden.yml", "elsewhere/acme.yml"),
    "a file within the directory": ("clients/again.yml", "panel/clients/beta.yml"),
    "a directory": ("more", "elsewhere"),
    "the directory of the clients": ("clients", "elsewhere"),
    "a directory of the clients": ("clients/more", "elsewhere"),
    "nothing": ("clients/acme.yml", "nowhere"),
    "nothing, as a directory": ("clients", "nowhere"),
    "itself": ("loop.yml", "panel/loop.yml"),
    "no file": ("clients", "/dev/null"),
    "no file, of a client": ("clients/acme.yml", "/dev/null"),
    "no file, of a person": ("mail.yml", "/dev/null"),
    "no file, of any name": ("more", "/dev/null"),
    "a device": ("clients", "/dev/zero"),
    "a file, as the clients": ("clients", "elsewhere/acme.yml"),
    "a client without a name": ("clients/.yml", "elsewhere/acme.yml"),
    "a hidden directory of the clients": ("clients/.old", "elsewhere"),
    "a hidden directory of the clients that is gone": ("clients/.old", "nowhere"),
    "a directory called like a file": ("clients/.old.yml", "elsewhere"),
    "a directory called readme": ("README", "elsewhere"),
    "a directory of the clients called readme": ("clients/readme-old", "elsewhere"),
}


@dataclass(frozen=True)
class LinkedFolder:
    """A directory of an export with a link in it, and what the link must not reach."""

    panel: InMemory
    path: Path
    link: Path
    outside: Path

    def assert_untouched(self, content: bytes) -> None:
        """Check that nothing was written, neither to the panel nor through the link."""
        assert self.outside.read_bytes() == content
        assert self.panel.writes == []
        assert self.link.is_symlink() is True


@pytest.fixture(params=LINKS.values(), ids=list(LINKS))
def linked(request: pytest.FixtureRequest, tmp_path: Path, in_memory: Any) -> LinkedFolder:
    """Export a panel, put a link into the directory and change the panel."""
    name, target = request.param
    panel: InMemory = in_memory({"clients": [{"username": "acme"}, {"username": "beta"}]})
    folder = tmp_path / "panel"
    panel.run("panel_export", dir=str(folder))
    outside = write(
        tmp_path, "elsewhere/acme.yml", (folder / "clients/acme.yml").read_text("utf-8")
    )
    link = folder / name
    if link.is_dir():
        link.rename(tmp_path / "moved")

    link.unlink(missing_ok=True)
    link.symlink_to(tmp_path / target)
    panel.run("panel_client", username="acme", notes="new")
    panel.log.clear()

    return LinkedFolder(panel, folder, link, outside)


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
@pytest.mark.parametrize("options", [{}, {"clients": ["acme"]}], ids=["all", "a client"])
def test_an_export_names_a_link_and_writes_nothing_through_it(
    linked: LinkedFolder, options: dict[str, Any], check_mode: bool
) -> None:
    before = linked.outside.read_bytes()

    result = linked.panel.run(
        "panel_export", dir=str(linked.path), check_mode=check_mode, **options
    )

    assert result["failed"]
    assert f"{linked.link}: this is a link" in result["msg"]
    assert "No file was written." in result["msg"]
    linked.assert_untouched(before)


def test_a_link_is_not_read_for_the_panel(linked: LinkedFolder) -> None:
    before = linked.outside.read_bytes()

    result = linked.panel.run("panel_resources", resources_dir=str(linked.path))

    assert result["failed"]
    assert f"{linked.link.relative_to(linked.path)}: this is a link" in result["msg"]
    assert "Nothing was written." in result["msg"]
    linked.assert_untouched(before)


@pytest.mark.parametrize("name", ["clients", "mail.yml", "more"])
def test_a_link_to_the_file_of_passwords_is_a_link_unless_the_option_names_it(
    tmp_path: Path, name: str
) -> None:
    passwords = write(tmp_path, "passwords.yml", "")
    folder = tmp_path / "panel"
    write(folder, "panel.yml", "plans: []\n")
    (folder / name).symlink_to(passwords)

    with pytest.raises(FolderError, match="this is a link"):
        list_files_in(folder, str(passwords))

    for own_name in (f"{folder}/{name}", f"{folder}/{{client}}", f"{folder}/x/../{name}"):
        assert name not in [path.name for path in list_files_in(folder, own_name)]


SPECIAL = [
    *("clients", "clients/acme.yml", "clients/.yml", "mail.yml", "more", "clients/more"),
    *("clients/.old.yml", "README.yml"),
]


@pytest.mark.parametrize("make", ["pipe", "socket"])
@pytest.mark.parametrize("name", SPECIAL)
def test_a_pipe_or_a_socket_is_told_and_is_an_error_with_purge(
    tmp_path: Path, in_memory: Any, name: str, make: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel: InMemory = in_memory({"clients": [{"username": "acme"}]})
    folder = tmp_path / "panel"
    path = write(folder, "panel.yml", "plans: []\nclients: []\n").parent / name
    path.parent.mkdir(exist_ok=True)
    if make == "pipe":
        os.mkfifo(path)
    else:
        # Its whole path may be too long for a socket.
        monkeypatch.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)

    purged = panel.run(
        "panel_resources", resources_dir=str(folder), purge=["clients"], max_deletes=9
    )

    assert purged["failed"]
    assert name in purged["msg"]
    assert panel.writes == []

    applied = panel.run("panel_resources", resources_dir=str(folder))
    assert name in str(applied.get("warnings") or applied["msg"])


def test_a_link_to_the_directory_itself_is_followed_and_hidden_ones_do_not_count(
    tmp_path: Path,
) -> None:
    write(tmp_path, "real/panel.yml", "plans: []\n")
    (tmp_path / "real/.git").symlink_to(tmp_path)
    (tmp_path / "real/README.md").symlink_to(tmp_path / "nowhere")

    (tmp_path / "link").symlink_to("real")

    assert [path.name for path in list_files_in(tmp_path / "link")] == ["panel.yml"]
