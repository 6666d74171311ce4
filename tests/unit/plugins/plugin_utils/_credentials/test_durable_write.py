"""What becomes of new passwords, on the panel and in their encrypted file, on a panel in memory."""

from __future__ import annotations

import contextlib
import errno
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._errors import OutcomeUnknown
from ansible_collections.hosting.panel.plugins.module_utils._http import pacing
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._items import desired_items
from ansible_collections.hosting.panel.plugins.module_utils._operation import locks
from ansible_collections.hosting.panel.plugins.module_utils._operation.locks import Busy
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import (
    durable_write,
    encrypted_file,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials.credentials_file import (
    CredentialsFile,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials.item_files import FILE
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_action import ModuleAction
from ansible_collections.hosting.panel.plugins.plugin_utils._written_files.named_file import (
    inspect_file,
)
from panel_simulator.answering import Reply
from tests.support import memory
from tests.support.in_memory import VAULT, InMemory, make_folder_of_run
from tests.support.memory import RESET, TIMED_OUT, Loss, MemoryPlace
from tests.support.module_process import execute_module, imitate_processes
from tests.support.playbook import IN_PROCESS, MODULE, WAYS

pytestmark = pytest.mark.long

SEED = {
    "clients": [{"username": "acme"}, {"username": "beta"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "beta.example", "client": "beta"},
    ],
}
BOXES = ["info@acme.example", "sales@acme.example"]
PASSWORD = re.compile(r"(?=.*[-_.])[A-HJ-NP-Za-km-z2-9._-]{24}")


@pytest.fixture(params=WAYS)
def panel(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InMemory]:
    """Make the panel of the tests, and run its modules in each of the two ways."""
    if request.param == MODULE:
        imitate_processes(monkeypatch)
    with make_folder_of_run(tmp_path):
        yield InMemory(SEED)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Name the file of the passwords."""
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "acme.yml"


def read_content(file: Path) -> dict[str, Any]:
    """Return what a file holds, decrypted."""
    document: dict[str, Any] = yaml.safe_load(VAULT.decrypt(file.read_bytes()))
    return document


def read_passwords(file: Path, field: str = "generated_passwords") -> dict[str, str]:
    """Return the passwords of a file by the names of their objects."""
    return {entry["key"]: entry["password"] for entry in read_content(file).get(field, ())}


def list_passwords_on_panel(
    panel: InMemory, kind: str = "emails", key: str = "email"
) -> dict[str, str]:
    """Return the passwords that the panel has, by the names of their objects."""
    return {
        stored.data[key]: stored.hidden["password"] for stored in panel.panel.store.list_all(kind)
    }


def put(file: Path, document: dict[str, Any], vault: VaultLib = VAULT) -> None:
    """Write an encrypted file."""
    file.write_bytes(vault.encrypt(yaml.safe_dump(document)))


def make_entry(
    key: str = "info@acme.example", password: str = "Kept-before.2345", **more: str
) -> dict[str, str]:
    """Return an entry of the file."""
    return {"panel": "panel.example", "kind": "emails", "key": key, "password": password, **more}


def make_mailbox_items(*addresses: str, **options: Any) -> dict[str, Any]:
    """Return the items of some mailboxes."""
    return {"emails": [{"email": address, **options} for address in addresses or BOXES]}


@pytest.mark.parametrize(
    "path", ["$KEPT/acme.yml", "${KEPT}/{client}.yml", "~/acme.yml"], ids=["$", "${}", "~"]
)
def test_the_file_is_where_the_checks_of_conflicts_look_for_it(
    panel: InMemory, file: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("KEPT", str(file.parent))
    monkeypatch.setenv("HOME", str(file.parent))
    checked_file = inspect_file(FILE, path.replace("{client}", "acme"))

    result = panel.run("panel_email", email=BOXES[0], credentials_file=path)

    assert result["credentials_file"] == str(file) == checked_file.path
    assert list(read_passwords(file)) == [BOXES[0]]


def test_the_name_of_a_client_is_part_of_the_path_as_it_is(
    panel: InMemory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("kept", "elsewhere")
    items = {"clients": [{"username": "$kept"}]}
    pattern = str(file.parent / "{client}.yml")

    panel.run("panel_resources", resources=items, credentials_file=pattern)

    assert [path.name for path in file.parent.glob("*.yml")] == ["$kept.yml"]


def test_new_objects_have_their_passwords_in_the_file_and_not_in_the_result(
    panel: InMemory, file: Path
) -> None:
    result = panel.run("panel_email", email=BOXES[0], credentials_file=str(file), diff=True)
    (password,) = read_passwords(file).values()

    assert PASSWORD.fullmatch(password)
    assert password not in str(result)
    assert result["credentials_file"] == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    requested = {
        **make_mailbox_items(),
        "databases": [{"database_name": "acme_shop", "client": "acme"}],
    }
    many = panel.run("panel_resources", resources=requested, credentials_file=str(file))

    assert not {"generated_password", "generated_passwords"} & {*result, *many}
    assert read_passwords(file) == {
        **list_passwords_on_panel(panel),
        **list_passwords_on_panel(panel, "databases", "database_name"),
    }
    assert len(read_passwords(file)) == 3
    assert read_passwords(file, "pending_passwords") == {}

    before = file.read_bytes()
    second_run = panel.run("panel_resources", resources=requested, credentials_file=str(file))

    assert second_run["changed"] is False
    assert second_run["credentials_file"] == str(file)
    assert file.read_bytes() == before
    assert len(panel.writes) == 3


TASKS = [
    ("panel_email", {"email": BOXES[0]}),
    ("panel_resources", {"resources": make_mailbox_items(BOXES[0])}),
]
IN_EACH_FORM = pytest.mark.parametrize(("module", "options"), TASKS, ids=["alone", "in bulk"])


@IN_EACH_FORM
def test_check_mode_foresees_the_real_run_and_makes_no_file(
    panel: InMemory, file: Path, module: str, options: dict[str, Any]
) -> None:
    foreseen = panel.run(module, check_mode=True, diff=True, credentials_file=str(file), **options)

    assert not file.exists()

    result = panel.run(module, diff=True, credentials_file=str(file), **options)

    assert foreseen["changed"] == result["changed"]
    assert foreseen["diff"] == result["diff"]
    assert foreseen.keys() == result.keys()
    assert foreseen.get("plan") == result.get("plan")


def test_the_result_counts_the_passwords_that_are_in_the_file_because_of_the_task(
    panel: InMemory, file: Path
) -> None:
    def count(resources: dict[str, Any], **options: Any) -> Any:
        result = panel.run(
            "panel_resources", resources=resources, credentials_file=str(file), **options
        )
        return result["new_passwords"]

    assert count({"domains": [{"domain": "new.example", "client": "acme"}]}) == 0
    assert not file.exists()
    assert count(make_mailbox_items(), check_mode=True) == 0
    assert count(make_mailbox_items()) == 2
    assert count(make_mailbox_items(description="x")) == 0


def test_each_client_has_its_own_file_whatever_says_whose_an_object_is(
    panel: InMemory, file: Path
) -> None:
    _acme, beta = panel.list_objects("clients")
    pattern = str(file.parent / "{client}.yml")
    requested = {
        "clients": [{"username": "gamma"}],
        "emails": [{"email": BOXES[0]}, {"email": "info@beta.example", "id_user": beta["id"]}],
        "databases": [{"database_name": "acme_shop", "client": "acme"}],
    }

    result = panel.run("panel_resources", resources=requested, credentials_file=pattern)

    assert result["credentials_file"] == pattern

    kept = {path.name: set(read_passwords(path)) for path in file.parent.iterdir()}
    assert kept == {
        "acme.yml": {BOXES[0], "acme_shop"},
        "beta.yml": {"info@beta.example"},
        "gamma.yml": {"gamma"},
    }

    # An object that exists does not have to name its client.
    second_run = panel.run(
        "panel_database",
        database_name="acme_shop",
        regenerate_password=True,
        credentials_file=pattern,
    )

    assert second_run["credentials_file"] == str(file)


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize(
    ("options", "is_filed"),
    [
        ({"username": "root2", "email": "it@acme.example"}, True),
        ({"username": "admin"}, False),
        ({"username": "admin", "email": "it@acme.example"}, False),
        ({"username": "admin", "password": "Given-before.2345"}, False),
        (
            {"username": "admin", "password": "Given-before.2345", "update_password": "always"},
            False,
        ),
        ({"username": "admin", "regenerate_password": True}, True),
        ({"username": "root2", "state": "absent"}, False),
    ],
    ids=lambda value: (
        " ".join(f"{name}={text}" for name, text in value.items())
        if isinstance(value, dict)
        else ""
    ),
)
def test_the_file_of_an_admin_has_its_own_name(
    panel: InMemory,
    file: Path,
    options: dict[str, Any],
    is_filed: bool,
    in_bulk: bool,
    check_mode: bool,
) -> None:
    pattern = str(file.parent / "{client}.yml")
    mailbox = {"email": BOXES[0]}
    requested: dict[str, Any] = (
        {"resources": {"admins": [options], "emails": [mailbox]}} if in_bulk else options
    )
    module = "panel_resources" if in_bulk else "panel_admin"

    result = panel.run(module, credentials_file=pattern, check_mode=check_mode, **requested)

    assert not result.get("failed"), result["msg"]

    names = {options["username"]} if is_filed else set()
    names |= {"acme"} if in_bulk else set()

    assert {path.stem for path in file.parent.iterdir()} == (set() if check_mode else names)

    if is_filed and not check_mode:
        assert read_passwords(file.parent / f"{options['username']}.yml").keys() == {
            options["username"]
        }

    second_run = panel.run(module, credentials_file=pattern, check_mode=True, **requested)

    assert not second_run.get("failed"), second_run["msg"]


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        (
            "panel_admin",
            {"username": "a/b"},
            (
                "{client} has no value, because a/b cannot be a part of a file's name. Nothing "
                "was written. Correct the username, or give a path without {client}."
            ),
        ),
        (
            "panel_client",
            {"username": ".acme"},
            (
                "{client} has no value, because .acme cannot be a part of a file's name. Nothing "
                "was written. Correct the username, or give a path without {client}."
            ),
        ),
        ("panel_email", {"email": "a@nowhere.example"}, "{client} has no value"),
        ("panel_email", {"id": 1, "regenerate_password": True}, "id: give email instead"),
        ("panel_resources", {"resources": {}, "rotation": " "}, "rotation: is empty"),
        ("panel_resources", {"resources": {"emails": [{"email": "no address"}]}}, "emails[0]"),
    ],
    ids=str,
)
def test_what_cannot_be_filed_is_refused_before_anything_is_written(
    panel: InMemory, file: Path, module: str, options: dict[str, Any], message: str
) -> None:
    result = panel.run(module, credentials_file=str(file.parent / "{client}.yml"), **options)
    assert result["failed"]
    assert message in result["msg"]
    assert panel.writes == []
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            {"domains": ["new.example"], **make_mailbox_items("a@new.example")},
            "domains[0]: must be a dictionary of options. Nothing was written.",
        ),
        (
            {"domains": [{"domain": 3}], **make_mailbox_items()},
            "domains[0] (3) domain: 3 is a number, and YAML may have changed its digits",
        ),
    ],
    ids=["no dictionary", "a number"],
)
def test_what_is_wrong_with_items_is_told_before_the_panel_is_asked_whose_they_are(
    panel: InMemory, file: Path, items: dict[str, Any], message: str, check_mode: bool
) -> None:
    pattern = str(file.parent / "{client}.yml")

    result = panel.run(
        "panel_resources", resources=items, credentials_file=pattern, check_mode=check_mode
    )

    assert result["failed"]
    assert result["msg"].startswith(message)
    assert panel.log == []
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("panel_email", {"email": BOXES[0], "colour": "red"}),
        ("panel_email", {"email": BOXES[0], "wait": "perhaps"}),
        ("panel_email", {"email": BOXES[0], "timeout": "soon"}),
        ("panel_resources", {"resources": make_mailbox_items(), "max_deletes": "few"}),
        ("panel_resources", {"resources": make_mailbox_items(), "colour": "red"}),
    ],
    ids=str,
)
def test_wrong_options_are_told_before_the_panel_is_asked_whose_the_objects_are(
    panel: InMemory, file: Path, module: str, options: dict[str, Any], check_mode: bool
) -> None:
    pattern = str(file.parent / "{client}.yml")
    without_file = panel.run(module, check_mode=check_mode, **options)

    result = panel.run(module, credentials_file=pattern, check_mode=check_mode, **options)

    assert without_file["failed"]
    assert (result["msg"], result["error"]) == (without_file["msg"], without_file["error"])
    assert panel.log == []
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("task", [{"async_val": 60}, {"transport": "ssh"}], ids=str)
def test_it_needs_a_local_connection_and_no_async(
    panel: InMemory, file: Path, task: dict[str, Any]
) -> None:
    result = panel.run("panel_email", email=BOXES[0], credentials_file=str(file), task=task)

    assert "local connection and no async" in result["msg"]
    assert list_passwords_on_panel(panel) == {}


@IN_EACH_FORM
def test_a_module_without_its_action_plugin_refuses_the_file(
    panel: InMemory, file: Path, module: str, options: dict[str, Any]
) -> None:
    options = {**options, "credentials_file": str(file)}
    result = MemoryPlace.run(panel, "x", module, options).result

    assert "action plugin" in result["msg"]
    assert list_passwords_on_panel(panel) == {}


# What of a task or of its run has a module run as a process.
AS_PROCESS: dict[str, tuple[str, dict[str, Any]]] = {
    "become": ("1", {"become": object()}),
    "the environment of the run": ("0", {}),
    "the environment of the task": ("1", {"environment": [{"PANEL_IN_PROCESS": "0"}]}),
}


@pytest.mark.parametrize("way", AS_PROCESS)
@IN_EACH_FORM
def test_the_process_of_ansible_keeps_the_file_also_where_a_module_of_its_own_runs(
    panel: InMemory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    options: dict[str, Any],
    way: str,
) -> None:
    in_process, task = AS_PROCESS[way]
    ran: list[str] = []

    def as_module(action: Any, **named: Any) -> Any:
        ran.append(action._task.action)
        return execute_module(action, **named)

    monkeypatch.setattr(ModuleAction, "_execute_module", as_module)
    monkeypatch.setattr(ModuleAction, "_remove_tmp_path", lambda _self, _path: None)
    monkeypatch.setenv("PANEL_IN_PROCESS", in_process)

    assert panel.run(module, credentials_file=str(file), task=task, **options)["changed"]
    assert ran == [f"hosting.panel.{module}"] * 2
    assert read_passwords(file) == list_passwords_on_panel(panel) != {}


def allow_mailboxes(panel: InMemory, number: int) -> None:
    """Let the client have so many mailboxes."""
    client = next(
        client
        for client in panel.panel.store.list_all("clients")
        if client.data["username"] == "acme"
    )
    client.data["resource_limits"]["email_accounts"] = number


@IN_EACH_FORM
def test_what_the_panel_refuses_is_withdrawn(
    panel: InMemory, file: Path, module: str, options: dict[str, Any]
) -> None:
    allow_mailboxes(panel, 0)

    assert panel.run(module, credentials_file=str(file), **options)["failed"]
    assert read_passwords(file) == read_passwords(file, "pending_passwords") == {}


@IN_EACH_FORM
def test_what_the_panel_may_have_stays_pending_through_a_refusal_until_a_run_sets_it(
    panel: InMemory, file: Path, module: str, options: dict[str, Any]
) -> None:
    panel.loss = Loss(TIMED_OUT, None)

    lost_answer = panel.run("panel_email", email=BOXES[0], credentials_file=str(file), retry_time=0)

    assert lost_answer["failed"]
    assert lost_answer["error"]["type"] == "OutcomeUnknown"
    assert f"The passwords are in {file}; the next run sets them again." in lost_answer["msg"]

    pending = read_passwords(file, "pending_passwords")
    assert pending.keys() == {BOXES[0]}
    assert read_passwords(file) == {}

    allow_mailboxes(panel, 0)

    assert panel.run(module, credentials_file=str(file), **options)["failed"]
    assert read_passwords(file, "pending_passwords") == pending

    allow_mailboxes(panel, 2)
    second_run = panel.run("panel_email", email=BOXES[0], credentials_file=str(file))

    assert second_run["changed"]
    assert list_passwords_on_panel(panel) == read_passwords(file) == pending


REFUSED = Reply(400, b'{"code": "400", "message": "Taken."}', "application/json")


@pytest.mark.parametrize("module", ["panel_email", "panel_resources"])
@pytest.mark.parametrize(
    ("is_there", "loss", "reply", "message"),
    [
        # After the lost answer another key is wanted, so that the look fails behind what comes
        # next.
        (True, Loss("503 with JSON", 0.0), None, "Denied.*may have been written"),
        (
            False,
            Loss(RESET, None),
            REFUSED,
            "OutcomeUnknown.*looking for it failed too.*may have been created",
        ),
        (
            False,
            None,
            Reply(200, b"{}", "application/json"),
            "UnexpectedAnswer.*an id .*may have been created",
        ),
    ],
    ids=["set before a refusal", "refused behind a lost creation", "created without an id"],
)
def test_a_password_that_the_panel_may_have_stays_pending(
    panel: InMemory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    is_there: bool,
    loss: Any,
    reply: Any,
    message: str,
) -> None:
    if is_there:
        panel.run("panel_email", email=BOXES[0], password="Given-before.2345")

    answered = memory.answer_call

    def interfere(session: Any, call: Any) -> Any:
        if call.method == "GET":
            return answered(session, call)
        came = reply or answered(session, call)
        panel.panel.api_key = "another" if loss else panel.panel.api_key

        return came

    monkeypatch.setattr(memory, "answer_call", interfere)
    monkeypatch.setattr(pacing, "FIRST_WAIT", 0.0)
    panel.loss = loss
    new = {"email": BOXES[0], "regenerate_password": is_there}
    options = new if module == "panel_email" else {"resources": {"emails": [new]}}

    result = panel.run(module, credentials_file=str(file), **options)
    (failure,) = result.get("results") or [result]

    assert re.match(message, f"{failure['error']['type']}: {failure['msg']}")
    assert "results" not in result or "1 may have been" in result["msg"]

    pending = read_passwords(file, "pending_passwords")
    assert pending.keys() == {BOXES[0]}
    assert read_passwords(file) == {}
    assert list_passwords_on_panel(panel) == (pending if is_there else {})


PROTECTION = {"path": "/www", "username": "boss", "client": "acme"}


@pytest.mark.parametrize(
    ("reason", "module", "options"),
    [
        ("Busy", "panel_directory_protection", PROTECTION),
        ("Busy", "panel_resources", {"resources": {"directory_protections": [PROTECTION]}}),
        ("WrongItems", *TASKS[0]),
        ("WrongItems", *TASKS[1]),
    ],
)
def test_a_write_that_certainly_was_not_made_leaves_nothing_pending(
    panel: InMemory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
    module: str,
    options: dict[str, Any],
) -> None:
    replace_file = encrypted_file.replace_file

    def interfere(*arguments: Any) -> Any:
        if reason == "WrongItems":
            for domain in list(panel.panel.store.list_all("domains")):
                panel.panel.store.remove(domain)
        else:
            monkeypatch.setattr(locks, "hold_lock", raise_busy)
        return replace_file(*arguments)

    def raise_busy(*_arguments: Any) -> Any:
        raise Busy("acme: another task. Nothing was written.")

    monkeypatch.setattr(encrypted_file, "replace_file", interfere)

    result = panel.run(module, credentials_file=str(file), **options)

    assert result["failed"], result
    assert read_passwords(file) == read_passwords(file, "pending_passwords") == {}
    assert "Run again" not in result["msg"]


def test_all_files_of_a_task_are_its_own_from_their_reading_to_the_last_write(
    panel: InMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: set[str] = set()
    written: list[bool] = []

    @contextlib.contextmanager
    def lock_files(files: Any) -> Iterator[None]:
        held.update(locked_file.path for locked_file in files)
        # While it waited, another task wrote this file.
        put(tmp_path / "acme.yml", {"note": "mine"})

        yield

        held.clear()

    def replace_file(path: Any, *arguments: Any, **named: Any) -> Any:
        written.append(str(path) in held)
        return real_replace(path, *arguments, **named)

    real_replace = encrypted_file.replace_file
    monkeypatch.setattr(durable_write, "lock_files", lock_files)
    monkeypatch.setattr(encrypted_file, "replace_file", replace_file)

    requested = make_mailbox_items("a@acme.example", "b@beta.example")

    assert panel.run(
        "panel_resources", resources=requested, credentials_file=f"{tmp_path}/{{client}}.yml"
    )["changed"]
    assert written == [True] * 4
    assert read_content(tmp_path / "acme.yml")["note"] == "mine"


@pytest.mark.parametrize(
    ("module", "options"),
    [*TASKS, ("panel_resources", {"resources": make_mailbox_items(BOXES[0], max_size="3G")})],
)
@pytest.mark.parametrize("moment", ["replace_file", "answer_call"])
def test_an_object_that_someone_else_makes_meanwhile_keeps_its_password(
    panel: InMemory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    options: dict[str, Any],
    moment: str,
) -> None:
    patched: Any = encrypted_file if moment == "replace_file" else memory
    real = getattr(patched, moment)

    def interfere(*arguments: Any) -> Any:
        is_write = moment == "replace_file" or arguments[1].method == "POST"
        if is_write and not panel.list_objects("emails"):
            panel.put(panel.get_state(), {"emails": [{"email": BOXES[0], "client": "acme"}]})
        return real(*arguments)

    monkeypatch.setattr(patched, moment, interfere)

    panel.run(module, credentials_file=str(file), **options)

    assert list_passwords_on_panel(panel).keys() == {BOXES[0]}
    assert read_passwords(file) == read_passwords(file, "pending_passwords") == {}


@pytest.mark.parametrize("answer", ["lost wait", "lost read_back", "lost change", "refused change"])
def test_the_password_of_someone_elses_object_is_not_kept_where_the_task_fails_afterwards(
    panel: InMemory, file: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    real = memory.answer_call
    is_made = False

    def interfere(*arguments: Any) -> Any:
        nonlocal is_made
        method = arguments[1].method
        if method == "POST" and not is_made:
            is_made = True
            panel.put(panel.get_state(), {"emails": [{"email": BOXES[0], "client": "acme"}]})
        result = real(*arguments)
        has_changed = bool(panel.list_objects("emails")) and _has_description(panel)
        if answer == "refused change" and method == "PUT":
            return REFUSED
        if has_changed and (method == "PUT" or answer != "lost change"):
            return Reply(500, b'{"code": "500", "message": "Broken."}', "application/json")
        return result

    monkeypatch.setattr(memory, "answer_call", interfere)
    waiting = {"wait": True} if answer == "lost wait" else {}
    if answer == "lost read_back":
        waiting = {"read_back": True}

    result = panel.run(
        "panel_email", email=BOXES[0], description="Mine", credentials_file=str(file), **waiting
    )
    monkeypatch.setattr(memory, "answer_call", real)

    assert is_made
    assert result["failed"], result
    assert read_passwords(file) == read_passwords(file, "pending_passwords") == {}

    before = list_passwords_on_panel(panel)
    panel.run("panel_email", email=BOXES[0], description="Yours", credentials_file=str(file))
    assert list_passwords_on_panel(panel) == before
    assert read_passwords(file) == read_passwords(file, "pending_passwords") == {}


def _has_description(panel: InMemory) -> bool:
    """Return whether the task's change has reached the panel."""
    return any(item.get("description") == "Mine" for item in panel.list_objects("emails"))


def test_a_rotation_is_continued_and_not_repeated(panel: InMemory, file: Path) -> None:
    kept = {"credentials_file": str(file), "rotation": "2026-11"}
    panel.run("panel_resources", resources=make_mailbox_items(), **kept)
    first = read_passwords(file)

    without_file = panel.run(
        "panel_resources",
        resources=make_mailbox_items(regenerate_password=True),
        rotation="2026-11",
    )

    assert "rotation: needs credentials_file" in without_file["msg"]
    assert all("rotation" not in entry for entry in read_content(file)["generated_passwords"])

    panel.run(
        "panel_resources", resources=make_mailbox_items(BOXES[0], regenerate_password=True), **kept
    )
    half = read_passwords(file)

    assert half[BOXES[0]] != first[BOXES[0]]

    result = panel.run(
        "panel_resources", resources=make_mailbox_items(regenerate_password=True), **kept
    )
    assert [result["key"] for result in result["results"]] == [BOXES[1]]
    assert read_passwords(file)[BOXES[0]] == half[BOXES[0]]
    assert read_passwords(file) == list_passwords_on_panel(panel)
    assert not panel.run(
        "panel_resources", resources=make_mailbox_items(regenerate_password=True), **kept
    )["changed"]

    kept["rotation"] = "2026-12"
    assert (
        len(
            panel.run(
                "panel_resources", resources=make_mailbox_items(regenerate_password=True), **kept
            )["results"]
        )
        == 2
    )


@pytest.mark.parametrize("host", ["PANEL.example", "panel.example.", "panel.example:443"])
def test_an_entry_counts_for_its_panel_in_every_spelling_of_the_host(
    panel: InMemory, file: Path, host: str
) -> None:
    kept = {"credentials_file": str(file), "rotation": "2026-11"}
    items = make_mailbox_items(BOXES[0], regenerate_password=True)
    panel.run("panel_resources", resources=make_mailbox_items(BOXES[0]))
    panel.run("panel_resources", resources=items, **kept)
    document = read_content(file)
    document["generated_passwords"][0]["panel"] = host
    put(file, document)

    assert not panel.run("panel_resources", resources=items, **kept)["changed"]


def test_a_new_rotation_does_not_set_what_an_older_one_left_pending(
    panel: InMemory, file: Path
) -> None:
    panel.run("panel_email", email=BOXES[0], password="Given-before.2345")
    older_entry = make_entry(password="Left-behind.2345", rotation="2026-11")
    put(file, {"generated_passwords": [make_entry()], "pending_passwords": [older_entry]})

    result = panel.run(
        "panel_resources",
        resources=make_mailbox_items(BOXES[0], regenerate_password=True),
        credentials_file=str(file),
        rotation="2026-12",
    )

    assert result["changed"]
    assert read_content(file).get("pending_passwords") is None
    assert [entry["rotation"] for entry in read_content(file)["generated_passwords"]] == ["2026-12"]
    assert read_passwords(file) == list_passwords_on_panel(panel)


def test_entries_of_other_panels_clients_and_tools_stay(panel: InMemory, file: Path) -> None:
    foreign_entry = {**make_entry(), "panel": "elsewhere.example"}
    waiting = make_entry("gone@acme.example")
    put(
        file,
        {
            "note": "mine",
            "generated_passwords": [foreign_entry],
            "pending_passwords": [foreign_entry, waiting],
        },
    )

    panel.run("panel_email", email=BOXES[0], credentials_file=str(file))
    document = read_content(file)

    assert document["note"] == "mine"
    assert document["generated_passwords"][0] == foreign_entry
    assert document["pending_passwords"] == [foreign_entry, waiting]
    assert list_passwords_on_panel(panel) == {
        BOXES[0]: document["generated_passwords"][1]["password"]
    }


FOREIGN = VaultLib(secrets=[("work", VaultSecret(b"another"))])


def test_a_file_keeps_its_vault_password_also_where_the_run_has_several(
    panel: InMemory, file: Path
) -> None:
    put(file, {"note": "mine"}, FOREIGN)
    secrets = [*VAULT.secrets, *FOREIGN.secrets]

    assert panel.run(
        "panel_email", email=BOXES[0], credentials_file=str(file), vault=VaultLib(secrets)
    )["changed"]
    assert yaml.safe_load(FOREIGN.decrypt(file.read_bytes()))["note"] == "mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty. Restore it from a backup"),
        (b"generated_passwords: []\n", "not encrypted"),
        (VAULT.encrypt("generated_passwords: []\n")[:90], "damaged"),
        (VAULT.encrypt("generated_passwords: []\n")[:-30], "file"),
        (FOREIGN.encrypt("generated_passwords: []\n"), "no Vault password of this run decrypts"),
        (VAULT.encrypt("[]\n"), "no dictionary"),
        (VAULT.encrypt("generated_passwords: no list\n"), "no lists"),
        (
            VAULT.encrypt(f"generated_passwords: {'[' * 50_000}"),
            "the content is nested too deeply.",
        ),
    ],
    # What is encrypted is another text in each process.
    ids=[
        "empty",
        "plain",
        "cut off early",
        "cut off late",
        "another password",
        "no dictionary",
        "no list",
        "deep",
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_a_file_that_cannot_be_used_is_an_error_and_stays_as_it_was(
    panel: InMemory, file: Path, text: bytes, message: str, check_mode: bool
) -> None:
    file.write_bytes(text)
    result = panel.run(
        "panel_email", email=BOXES[0], credentials_file=str(file), check_mode=check_mode
    )

    assert result["failed"] is True
    assert result["error"]["type"] == "FileError"
    assert message in result["msg"]
    assert str(file) in result["msg"]
    assert file.read_bytes() == text
    assert panel.writes == []


@pytest.mark.parametrize("check_mode", [False, True], ids=["a real run", "check mode"])
@pytest.mark.parametrize("problem", ["no directory", "no Vault password", "a directory"])
@pytest.mark.parametrize("module", dict(TASKS))
def test_that_the_file_can_be_written_is_checked_before_the_first_write(
    panel: InMemory, file: Path, module: str, check_mode: bool, problem: str
) -> None:
    path = {"no directory": file.parent / "none" / "acme.yml", "a directory": file.parent}.get(
        problem, file
    )
    vault = VaultLib() if problem == "no Vault password" else VAULT

    options = {**dict(TASKS)[module], "credentials_file": str(path)}
    result = panel.run(module, check_mode=check_mode, vault=vault, **options)

    assert result["failed"]
    assert "Nothing was written." in result["msg"]
    assert panel.writes == []
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("check_mode", [False, True], ids=["a real run", "check mode"])
@pytest.mark.parametrize("module", dict(TASKS))
def test_that_the_disk_has_room_for_the_file_is_checked_before_the_first_write(
    panel: InMemory, file: Path, module: str, check_mode: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_disk_full(_path: Path, _size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(encrypted_file, "try_to_write", raise_disk_full)

    options = {**dict(TASKS)[module], "credentials_file": str(file)}
    result = panel.run(module, check_mode=check_mode, **options)

    assert result["failed"]
    assert "No space left on device" in result["msg"]
    assert "Nothing was written." in result["msg"]
    assert panel.writes == []
    assert list(file.parent.iterdir()) == []


@IN_EACH_FORM
def test_a_disk_that_is_full_after_the_write_is_told_as_what_it_is(
    panel: InMemory,
    file: Path,
    module: str,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raise_disk_full(*_arguments: object) -> None:
        cause = f"{file}: cannot be written: No space left on device."
        raise encrypted_file.FileError(cause, written=Written.NOTHING)

    monkeypatch.setattr(CredentialsFile, "make_settled_content", raise_disk_full)

    result = panel.run(module, credentials_file=str(file), **options)

    assert result["failed"] is True
    assert result["changed"] is True
    assert result["error"]["type"] == "FileError"
    assert "Nothing was written" not in result["msg"]
    assert "No space left on device. The next run sets them again." in result["msg"]


def test_a_misspelt_placeholder_in_the_path_is_refused_before_anything_is_written(
    panel: InMemory, file: Path
) -> None:
    result = panel.run(
        "panel_email", email=BOXES[0], credentials_file=str(file.parent / "{clint}.yml")
    )

    assert "only {client} can stand for something in a path" in result["msg"]
    assert panel.writes == []
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("check_mode", [False, True])
@IN_EACH_FORM
def test_no_file_is_returned_where_what_exists_needs_no_password(
    panel: InMemory, file: Path, module: str, options: dict[str, Any], check_mode: bool
) -> None:
    """Name a new file for a mailbox that the panel has already."""
    panel.run("panel_email", email=BOXES[0], password="Given-before.2345")
    result = panel.run(module, check_mode=check_mode, credentials_file=str(file), **options)

    assert result["changed"] is False
    assert "credentials_file" not in result
    assert not file.exists()


def test_given_passwords_changes_and_deletions_need_no_file(panel: InMemory, file: Path) -> None:
    password = "Given-before.2345"
    result = panel.run("panel_email", email=BOXES[0], password=password, credentials_file=str(file))

    assert result["changed"] is True
    assert "credentials_file" not in result
    assert panel.run("panel_email", email=BOXES[0], max_size="3G", credentials_file=str(file))[
        "changed"
    ]

    many = panel.run(
        "panel_resources",
        resources=make_mailbox_items(BOXES[0], max_size="2G"),
        credentials_file=str(file),
    )

    assert many["changed"] is True
    assert list_passwords_on_panel(panel) == {BOXES[0]: password}
    assert panel.run("panel_email", email=BOXES[0], state="absent", credentials_file=str(file))[
        "changed"
    ]
    assert not file.exists()


def delete_before(
    panel: InMemory, monkeypatch: pytest.MonkeyPatch, method: str, number: int
) -> None:
    """Delete the first mailbox right before the request about mailboxes with this number."""
    answered = memory.answer_call
    requests: list[str] = []

    def interfere(session: Any, call: Any) -> Any:
        if call.method == method and call.path.startswith("/emails"):
            requests.append(call.path)
            if len(requests) == number:
                store = panel.panel.store
                for stored in list(store.list_all("emails")):
                    if stored.data["email"] == BOXES[0]:
                        store.remove(stored)

        return answered(session, call)

    monkeypatch.setattr(memory, "answer_call", interfere)


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "in bulk": (
        "panel_resources",
        {"resources": make_mailbox_items(BOXES[0], max_size="3G")},
    ),
    "alone": ("panel_email", {"email": BOXES[0], "max_size": "3G"}),
}


@pytest.mark.parametrize(
    ("panel", "next_request"),
    [
        pytest.param(IN_PROCESS, ("PUT", 1), id="in process, before its write"),
        pytest.param(MODULE, ("PUT", 1), id="as a process, before its write"),
        # The first process makes its plan while it is still there.
        pytest.param(MODULE, ("GET", 2), id="as a process, before its second plan"),
    ],
    indirect=["panel"],
)
@pytest.mark.parametrize("form", CHANGES)
def test_what_is_deleted_before_the_write_is_not_made_again_with_a_password_that_no_file_keeps(
    panel: InMemory,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    form: str,
    next_request: tuple[str, int],
) -> None:
    module, options = CHANGES[form]
    panel.run("panel_resources", resources=make_mailbox_items(), credentials_file=str(file))
    delete_before(panel, monkeypatch, *next_request)

    result = panel.run(module, credentials_file=str(file), **options)

    assert result["failed"]
    assert BOXES[0] not in list_passwords_on_panel(panel)


@IN_EACH_FORM
@pytest.mark.parametrize(
    ("panel", "plans"), [(IN_PROCESS, 1), (MODULE, 2)], indirect=["panel"], ids=WAYS
)
def test_a_task_reads_the_panel_once_for_each_process_that_has_to_plan(
    panel: InMemory, file: Path, module: str, options: dict[str, Any], plans: int
) -> None:
    assert panel.run(module, credentials_file=str(file), **options)["changed"]

    paths = [request["path"] for request in panel.log if request["method"] == "GET"]
    assert len([path for path in paths if path.startswith("/domains")]) == plans
    assert read_passwords(file) == list_passwords_on_panel(panel)


@pytest.mark.parametrize(
    ("panel", "readings"), [(IN_PROCESS, 1), (MODULE, 3)], indirect=["panel"], ids=WAYS
)
def test_items_are_read_once_by_each_process(
    panel: InMemory, file: Path, monkeypatch: pytest.MonkeyPatch, readings: int
) -> None:
    read = desired_items._read_kind
    kinds: list[str] = []

    def read_and_count(plural: str, *arguments: Any) -> Any:
        kinds.append(plural)
        return read(plural, *arguments)

    monkeypatch.setattr(desired_items, "_read_kind", read_and_count)

    assert panel.run("panel_resources", resources=make_mailbox_items(), credentials_file=str(file))[
        "changed"
    ]
    assert kinds == ["emails"] * readings


@pytest.mark.parametrize("loss", [None, Loss(RESET, 0.0)], ids=["answered", "lost"])
@pytest.mark.parametrize("module", ["panel_database", "panel_resources"])
def test_the_password_of_what_the_panel_keeps_under_another_name_stays_under_that_name(
    panel: InMemory, file: Path, module: str, loss: Loss | None
) -> None:
    panel.panel.settings.merge({"kept_texts": "prefixed"})
    panel.loss = loss
    requested = {"database_name": "shop", "client": "acme"}
    options = (
        {"resources": {"databases": [requested]}} if module == "panel_resources" else requested
    )

    result = panel.run(module, credentials_file=str(file), **options)

    assert result["failed"]
    assert "under another name, acme_shop (id 1). It was created." in result["msg"]
    assert (
        read_passwords(file) == list_passwords_on_panel(panel, "databases", "database_name") != {}
    )
    assert read_passwords(file, "pending_passwords") == {}


def test_a_password_stays_pending_under_its_name_where_several_new_objects_may_be_the_one(
    panel: InMemory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = PanelSession.post

    def lose_answer(
        self: PanelSession, path: str, body: dict[str, Any], is_repeat: bool = False
    ) -> Any:
        for name in (
            "acme_shop1",
            "acme_other",
        ):  # as a naming scheme keeps it, and somebody else's
            post(self, path, {**body, "database_name": name}, is_repeat)
        raise OutcomeUnknown(f"POST {path} failed: lost.", method="POST", path=path, attempts=1)

    monkeypatch.setattr(PanelSession, "post", lose_answer)
    resources = {"databases": [{"database_name": "shop", "client": "acme"}]}

    result = panel.run("panel_resources", resources=resources, credentials_file=str(file))
    message = "several new databases by now, acme_shop1 (id 1), acme_other (id 2). Another run may make one more: find yours"

    assert message in result["results"][0]["msg"]
    assert read_passwords(file) == {}
    assert [*read_passwords(file, "pending_passwords")] == ["shop"]
