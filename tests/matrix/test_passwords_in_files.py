"""Each way of credentials_file, on every supported ansible-core, in process, as a module and with
become: files and panel have the same passwords."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.support.playbook import BECOME, IN_PROCESS, MODULE, Run, make_task, play
from tests.support.simulator import Simulator

SECRET = "the Vault password of a run"
VAULT = VaultLib(secrets=[("default", VaultSecret(SECRET.encode()))])
RELEASE = pytest.mark.release
NOT_ROOT = pytest.mark.skipif(
    os.geteuid() != 0, reason="root alone becomes root without a password"
)
# By kind the options of one object, and the name under which its password is filed.
OBJECTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "admins": ("panel_admin", {"username": "second", "email": "second@panel.example"}, "second"),
    "clients": ("panel_client", {"username": "acme", "email": "it@acme.example"}, "acme"),
    "emails": (
        "panel_email",
        {"email": "info@acme.example", "max_size": "1G"},
        "info@acme.example",
    ),
    "databases": ("panel_database", {"database_name": "acme_shop", "client": "acme"}, "acme_shop"),
    "ftp_users": ("panel_ftp_user", {"username": "acme_web", "client": "acme"}, "acme_web"),
    "directory_protections": (
        "panel_directory_protection",
        {"client": "acme", "path": "/www", "username": "anna"},
        "acme:/www:anna",
    ),
}
ALL = tuple(OBJECTS)
ON_PUSH = ("clients", "emails")
KEYS = {
    "admins": "username",
    "clients": "username",
    "emails": "email",
    "databases": "database_name",
    "ftp_users": "username",
}
RESOURCES = {
    "clients": [{"username": "beta"}, {"username": "gamma", "password": "Given-by-hand.2345"}],
    "domains": [{"domain": "beta.example", "client": "beta"}],
    "emails": [{"email": "info@beta.example"}, {"email": "sales@beta.example"}],
    "databases": [{"database_name": "beta_shop", "client": "beta"}],
}
REGENERATED = {"emails": [{"email": "info@beta.example", "regenerate_password": True}]}
FOLDER_FILE = "clients:\n  - username: delta\nemails: []\n"


class Kept(NamedTuple):
    """What a run left: its recordings, and the folder of its files."""

    kinds: tuple[str, ...]
    run: Run
    folder: Path
    panel: dict[tuple[str, str], str]

    def read_files(self, member: str = "generated_passwords") -> dict[tuple[str, str], str]:
        """Return the passwords of all files by kind and key."""
        passwords = {}
        for path in self.folder.glob("*.yml"):
            content = yaml.safe_load(VAULT.decrypt(path.read_bytes()))
            passwords |= {
                (entry["kind"], entry["key"]): entry["password"]
                for entry in content.get(member, ())
            }

        return passwords


def make_single_tasks(folder: Path, kinds: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield tasks that create an object of each kind, repeat that and set a new password."""
    for plural in kinds:
        module, options, _key = OBJECTS[plural]
        options_with_file = {**options, "credentials_file": str(folder / "{client}.yml")}
        yield make_task(f"{plural}: foreseen", module, options_with_file, check_mode=True)
        yield make_task(f"{plural}: made", module, options_with_file)
        yield make_task(f"{plural}: again", module, options_with_file)
        yield make_task(
            f"{plural}: anew", module, {**options_with_file, "regenerate_password": True}
        )
        if plural == "clients":
            yield make_task(
                "a domain", "panel_domain", {"domain": "acme.example", "client": "acme"}
            )


def make_bulk_tasks(folder: Path, directory: Path) -> Iterator[dict[str, Any]]:
    """Yield tasks that do the same with many objects at once."""
    one_file = {"credentials_file": str(folder / "all.yml")}
    each = {"credentials_file": str(folder / "{client}.yml")}

    yield make_task(
        "bulk: foreseen", "panel_resources", {"resources": RESOURCES, **each}, check_mode=True
    )

    yield make_task("bulk: made", "panel_resources", {"resources": RESOURCES, **each})

    yield make_task("bulk: again", "panel_resources", {"resources": RESOURCES, **each})

    yield make_task(
        "rotation: made",
        "panel_resources",
        {"resources": REGENERATED, **each, "rotation": "2026-11"},
    )

    yield make_task(
        "rotation: again",
        "panel_resources",
        {"resources": REGENERATED, **each, "rotation": "2026-11"},
    )

    yield make_task(
        "directory: made", "panel_resources", {"resources_dir": str(directory), **one_file}
    )

    yield make_task(
        "directory: again", "panel_resources", {"resources_dir": str(directory), **one_file}
    )

    yield make_task(
        "read back",
        "panel_email",
        {"email": "late@beta.example", "read_back": True, "wait": True, **each},
    )

    reset = {"kind": "reset", "method": "POST", "path": "^/emails", "when": "before", "times": 9}
    later = {"email": "lost@beta.example", **each}

    yield make_task(
        "lost: asked",
        "panel_email",
        {**later, "retry_time": 0},
        before=[["POST", "/faults", reset]],
    )

    yield make_task("lost: again", "panel_email", later, before=[["DELETE", "/faults", None]])


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((MODULE, ON_PUSH), id="module, on a push"),
        pytest.param((IN_PROCESS, ALL), marks=RELEASE, id=IN_PROCESS),
        pytest.param((MODULE, ALL), marks=RELEASE, id=MODULE),
        pytest.param((BECOME, ALL), marks=[RELEASE, NOT_ROOT], id=BECOME),
    ],
)
def kept(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kept]:
    """Play all tasks, and return what the panel and the files have then."""
    folder = tmp_path_factory.mktemp("passwords")
    files = folder / "kept"
    directory = folder / "panel"
    files.mkdir()
    directory.mkdir()
    (directory / "delta.yml").write_text(FOLDER_FILE, encoding="utf-8")
    (folder / "vault").write_text(SECRET, encoding="utf-8")

    with Simulator.start(settings={"status_delay": 0.0}) as simulator:
        way, kinds = request.param
        tasks = [*make_single_tasks(files, kinds), *make_bulk_tasks(files, directory)]
        arguments = ["--vault-password-file", str(folder / "vault")]
        run = play(tasks, simulator, folder / "play", way, arguments)

        yield Kept(kinds, run, files, list_passwords(simulator))


def list_passwords(simulator: Simulator) -> dict[tuple[str, str], str]:
    """Return the passwords of the panel by kind and key."""
    objects = simulator.get_state()["objects"]
    passwords = {
        (plural, entry["data"][key]): entry["hidden"]["password"]
        for plural, key in KEYS.items()
        for entry in objects[plural]
        if entry["hidden"].get("password")
    }
    clients = {client["id"]: client["data"]["username"] for client in objects["clients"]}

    for entry in objects["directory_protections"]:
        data = entry["data"]
        key = f"{clients[data['id_user']]}:{data['path']}:{data['username']}"
        passwords["directory_protections", key] = entry["hidden"]["password"]

    return passwords


def list_outcomes(run: Run) -> dict[str, tuple[str, bool]]:
    """Return how each task ended, and whether it changed something."""
    return {recording.name: (recording.outcome, recording.changed) for recording in run.recordings}


def get_expected_outcome(name: str) -> tuple[str, bool]:
    """Return how a task has to end, and whether it has to change something."""
    if name == "lost: asked":
        return "failed", False
    return "ok", not name.endswith(": again") or name == "lost: again"


def test_each_task_does_what_it_says_and_the_second_one_nothing(kept: Kept) -> None:
    actual = list_outcomes(kept.run)
    assert len(actual) == 4 * len(kept.kinds) + 1 + 10, kept.run.text[-3000:]
    assert actual == {name: get_expected_outcome(name) for name in actual}, kept.run.text[-3000:]


def test_no_task_warns_of_anything_but_what_it_sets_again(kept: Kept) -> None:
    warnings = {
        recording.name: recording.result["warnings"]
        for recording in kept.run.recordings
        if recording.result.get("warnings")
    }

    assert list(warnings) == ["lost: again"]
    assert "They are set again" in str(warnings)
    assert "Traceback" not in kept.run.text
    assert "Unexpected failure" not in kept.run.text


def test_files_and_panel_have_the_same_passwords_and_nothing_is_left_pending(kept: Kept) -> None:
    filed = kept.read_files()
    by_hand = {("clients", "gamma")}
    of_the_panel_itself = {
        name for name in kept.panel if name[0] == "admins" and name[1] != "second"
    }

    assert filed == {
        name: text for name, text in kept.panel.items() if name not in by_hand | of_the_panel_itself
    }
    assert {(plural, OBJECTS[plural][2]) for plural in kept.kinds} <= filed.keys()
    assert ("clients", "delta") in filed
    assert kept.read_files("pending_passwords") == {}


def test_no_password_is_in_what_the_run_printed(kept: Kept) -> None:
    assert [name for name, password in kept.panel.items() if password in kept.run.text] == []


def test_the_result_names_the_file_and_holds_no_password(kept: Kept) -> None:
    for recording in kept.run.recordings:
        if recording.name.endswith(("made", "anew")):
            assert recording.result["credentials_file"].endswith(".yml"), recording.name
            assert not {"generated_password", "generated_passwords"} & recording.result.keys(), (
                recording.name
            )
