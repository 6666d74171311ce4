"""The playbooks hosting.panel.onboard, ping and demo, by the names that users type."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.roles.operators import Operator, RoleRun, assert_refused
from tests.support.pebble import find_free_ports
from tests.support.simulator import Simulator

MakeOperator = Callable[[str], Operator]
PANELS = ("web-1", "web-2", "web-3")
BETA = {
    "site_client": {"username": "beta"},
    "site_domains": [{"domain": "beta.example"}],
    "site_emails": [
        {"email": "info@beta.example", "max_size": "1G"},
        {"email": "old@beta.example", "state": "absent"},
    ],
    "site_credentials_file": "beta.credentials.yml",
}


def count_lines(run: RoleRun) -> int:
    """Count the lines of an output that are not blank."""
    return len([line for line in run.text.splitlines() if line.strip()])


def test_onboard_shows_each_object_once_and_nothing_where_nothing_changes(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("onboarding")
    misspelt = {**BETA, "onboard_summary_fil": "x", "panel_purg": []}
    messages = [f"{name}: did you mean {name}e?" for name in ("onboard_summary_fil", "panel_purg")]
    assert_refused(operator.run("hosting.panel.onboard", misspelt), *messages)

    predicted = operator.run("hosting.panel.onboard", BETA, "--check")

    assert (predicted.code, predicted.writes) == (0, []), predicted.text

    variables = {**BETA, "site_login_url": True, "onboard_summary_file": "summary.txt"}
    run = operator.run("hosting.panel.onboard", variables, "-vvvv", "--diff")

    assert (run.code, run.writes) == (0, ["POST /clients", "POST /domains", "POST /emails"]), (
        run.text
    )
    # Relative to the folder that ansible-playbook was started in, not to the collection.
    assert (
        (operator.folder / "beta.credentials.yml")
        .read_text(encoding="ascii")
        .startswith("$ANSIBLE_VAULT;")
    )

    file = operator.folder / "summary.txt"
    assert file.stat().st_mode & 0o777 == 0o600

    summary = dict(
        re.split(r" {2,}", line, maxsplit=1)
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    url = summary.pop("login for 60 minutes")

    assert url.startswith(operator.simulator.url)
    assert url not in run.text and re.split(r"[/=]", url)[-1] not in run.text
    assert summary == {
        "client": "beta",
        "domains": "beta.example",
        "emails": "info@beta.example",
        "passwords": "ansible-vault view beta.credentials.yml",
    }

    written = operator.run("hosting.panel.onboard", variables)
    assert (written.code, written.writes) == (0, []), written.text

    second_run = operator.run("hosting.panel.onboard", BETA)
    assert run.recap["skipped"] == 0, run.text
    for without_summary in (predicted, second_run):
        assert "summary" not in without_summary.text, without_summary.text
    assert (
        second_run.code,
        second_run.writes,
        second_run.recap["changed"],
        count_lines(second_run) <= 20,
    ) == (
        0,
        [],
        0,
        True,
    ), second_run.text


@pytest.mark.parametrize(
    ("summary", "mode", "message"),
    [
        pytest.param(
            "~/new credentials.yml",
            [],
            "onboard_summary_file, site_credentials_file: both are one file, ",
            id="file of passwords",
        ),
        pytest.param(
            "notes.txt",
            [],
            "notes.txt: that file is no summary of onboard, so it is not replaced",
            id="file of the operator",
        ),
        pytest.param(
            "none/summary.txt", ["--check"], "none does not exist; create it.", id="no directory"
        ),
    ],
)
def test_a_summary_replaces_no_other_file(
    make_operator: MakeOperator, summary: str, mode: list[str], message: str
) -> None:
    operator = make_operator("summary")
    notes = operator.folder / "notes.txt"
    notes.write_text("mine", encoding="utf-8")
    variables = {
        **BETA,
        "site_credentials_file": str(operator.folder / "new credentials.yml"),
        "onboard_summary_file": summary,
    }
    home = {"HOME": str(operator.folder)}
    run = operator.run("hosting.panel.onboard", variables, *mode, environment=home)

    assert_refused(run, message)

    assert notes.read_text(encoding="utf-8") == "mine"
    assert not (operator.folder / "new credentials.yml").exists()


def test_ping_is_one_line_a_panel_and_shows_the_rest_when_asked(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("ping")
    run = operator.run("hosting.panel.ping", {}, vault=False)

    assert (run.code, [request["path"] for request in run.requests]) == (0, ["/server"]), run.text
    assert count_lines(run) <= 10
    assert re.search(r"ok: \[localhost\] => \(item=\S+, KeyHelp \S+, ", run.text)
    assert "kernel" not in run.text

    loud = operator.run("hosting.panel.ping", {}, "-v", vault=False)
    assert "kernel" in loud.text


@pytest.fixture(scope="module")
def demonstration(
    tmp_path_factory: pytest.TempPathFactory, simulator: Simulator
) -> tuple[str, Path]:
    """Return the output of the demonstration, and its folder."""
    operator = Operator(tmp_path_factory.mktemp("demo") / "folder with spaces", simulator)
    folder = operator.folder / "of the demo"
    bare = {"PANEL_API_URL": "", "PANEL_API_KEY": ""}
    run = operator.run(
        "hosting.panel.demo", {"demo_directory": str(folder)}, vault=False, environment=bare
    )
    assert run.code == 0, run.text[-4000:]
    assert run.requests == []  # it has its own panel

    return run.text, folder


def test_the_demonstration_shows_what_it_made_and_a_second_run_without_a_write(
    demonstration: tuple[str, Path],
) -> None:
    text, folder = demonstration
    assert len(text.splitlines()) <= 25 and "login" not in text

    for line in (
        "2. Onboarding mueller: 11 writes",
        "3. Onboarding mueller again: 0 writes",
        f"Log: {folder}/log.txt",
    ):
        assert line in text, line


def test_the_demonstration_shows_no_secret_and_leaves_nothing_running(
    demonstration: tuple[str, Path], make_operator: MakeOperator
) -> None:
    text, folder = demonstration
    operator = make_operator("reading")
    operator.vault_password_file = folder / "vault-password"
    passwords = yaml.safe_load(operator.run_vault("view", str(folder / "mueller.credentials.yml")))[
        "generated_passwords"
    ]

    assert sorted(entry["kind"] for entry in passwords) == [
        "clients",
        "databases",
        *["emails"] * 3,
        "ftp_users",
    ]

    secrets = [entry["password"] for entry in passwords]
    secrets += [
        (folder / name).read_text(encoding="ascii") for name in ("api-key", "vault-password")
    ]
    log = (folder / "log.txt").read_text(encoding="utf-8")

    assert len(secrets) == 8
    assert [secret for secret in secrets if secret in text + log] == []

    command_lines = [
        path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()
    ]
    assert not [line for line in command_lines if str(folder).encode() in line]


@pytest.mark.parametrize(
    ("playbook", "name"), [("demo", "vault-password"), ("demo", "log.txt"), ("play", "hosts.yml")]
)
def test_files_of_an_operator_are_neither_overwritten_nor_removed(
    make_operator: MakeOperator, tmp_path: Path, playbook: str, name: str
) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "id_ed25519").write_text("mine", encoding="utf-8")

    operator = make_operator("files")

    for state in ("started", "stopped"):
        variables = {f"{playbook}_directory": str(tmp_path), "play_state": state}
        run = operator.run(f"hosting.panel.{playbook}", variables, vault=False)
        assert run.code != 0
        message = f"{tmp_path}/{name}: this playbook did not write this file. Choose another {playbook}_directory. Nothing "
        assert message in run.text

    files = {
        path.relative_to(tmp_path).as_posix(): path.read_text()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert files == {name: "mine", "keys/id_ed25519": "mine"}


@pytest.mark.parametrize("name", ["", "keys", "simulators"])
def test_a_file_in_the_place_of_a_directory_of_the_practice_fleet_is_named(
    make_operator: MakeOperator, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "fleet"
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine", encoding="utf-8")
    if name:
        (folder / ".panel-play").write_text("of an earlier run", encoding="utf-8")
    operator = make_operator("files")

    for state in ("started", "stopped"):
        variables = {"play_directory": str(folder), "play_state": state}
        run = operator.run("hosting.panel.play", variables, vault=False)
        assert run.code != 0
        assert f"{file}: this is no directory. Move it away, or choose another" in run.said
        assert "Nothing was started or stopped." in run.said

    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("directory", ["", None], ids=["empty", "null"])
def test_a_practice_fleet_without_a_directory_is_in_the_home_directory(
    make_operator: MakeOperator, directory: str | None
) -> None:
    operator = make_operator("home")
    file = operator.folder / "panel-play" / "hosts.yml"
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    home = {"HOME": str(operator.folder)}

    run = operator.run(
        "hosting.panel.play", {"play_directory": directory}, vault=False, environment=home
    )

    assert run.code != 0
    assert f"{file}: this playbook did not write this file." in run.said


def test_a_relative_directory_of_the_demonstration_is_below_the_own_one(
    make_operator: MakeOperator,
) -> None:
    operator = make_operator("relative")
    folder = operator.folder / "demo 1"
    folder.mkdir()
    (folder / "log.txt").write_text("mine", encoding="utf-8")

    run = operator.run("hosting.panel.demo", {"demo_directory": "demo 1"}, vault=False)

    assert run.code != 0
    assert f"{folder.resolve()}/log.txt: this playbook did not write this file." in run.said


@pytest.mark.parametrize("port", [0, -1, 65534, 70000])
def test_a_port_that_does_not_exist_is_refused_before_anything_is_written(
    make_operator: MakeOperator, tmp_path: Path, port: int
) -> None:
    folder = tmp_path / "fleet"
    operator = make_operator("ports")
    variables = {"play_first_port": port, "play_directory": str(folder)}

    run = operator.run("hosting.panel.play", variables, vault=False)

    assert run.code != 0
    assert "play_first_port: " in run.said
    assert not folder.exists()


def test_a_port_under_another_name_is_refused_with_the_right_name(
    make_operator: MakeOperator, tmp_path: Path
) -> None:
    folder = tmp_path / "fleet"
    variables = {"play_port": 18301, "play_directory": str(folder)}

    run = make_operator("ports").run("hosting.panel.play", variables, vault=False)

    assert run.code != 0
    assert "play_port: did you mean play_first_port? Nothing was started or stopped." in run.said
    assert not folder.exists()


def test_a_fleet_with_a_port_of_another_program_is_not_started_at_all(
    make_operator: MakeOperator, tmp_path: Path
) -> None:
    folder = tmp_path / "fleet"
    operator = make_operator("fleet")
    ports = find_free_ports(3)
    variables = {
        "play_directory": str(folder),
        "play_ports": dict(zip(PANELS, ports, strict=True)),
    }

    with socket.create_server(("127.0.0.1", ports[1])):
        run = operator.run("hosting.panel.play", variables, vault=False)

    assert run.code != 0
    assert (
        f"{PANELS[1]}: port {ports[1]} is in use by another program. Choose the first" in run.said
    )
    assert "-e play_first_port=" in run.said
    assert "Nothing was started." in run.said
    assert str(ports[0]) not in run.said.partition("Check the ports")[2]
    assert not folder.exists()


def test_check_mode_of_the_practice_fleet_writes_nothing(
    make_operator: MakeOperator, tmp_path: Path
) -> None:
    operator = make_operator("fleet")
    folder = tmp_path / "fleet"
    variables = {
        "play_directory": str(folder),
        "play_ports": dict(zip(PANELS, find_free_ports(3), strict=True)),
    }

    check = operator.run("hosting.panel.play", variables, "--check", vault=False)

    assert check.code == 0, check.text
    assert not folder.exists()


@pytest.mark.release
def test_what_the_practice_fleet_wrote_is_removed_and_nothing_else(
    make_operator: MakeOperator, tmp_path: Path
) -> None:
    operator = make_operator("fleet")
    folder = tmp_path / "fleet"
    variables = {
        "play_directory": str(folder),
        "play_ports": dict(zip(PANELS, find_free_ports(3), strict=True)),
    }

    started = operator.run("hosting.panel.play", variables, vault=False)

    assert started.code == 0, started.text

    for name in ("mine.yml", "keys/mine", "simulators/mine.json"):
        (folder / name).write_text("mine", encoding="utf-8")
    for _run in range(2):
        stopped = operator.run(
            "hosting.panel.play", {**variables, "play_state": "stopped"}, vault=False
        )
        assert stopped.code == 0, stopped.text
        names = {
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        }
        assert names == {".panel-play", "mine.yml", "keys/mine", "simulators/mine.json"}

    third_run = operator.run("hosting.panel.play", variables, vault=False)
    operator.run("hosting.panel.play", {**variables, "play_state": "stopped"}, vault=False)

    assert third_run.code == 0, third_run.text
