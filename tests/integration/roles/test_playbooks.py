# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks hosting.panel.onboard and hosting.panel.demo, by the names that users type."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.roles.operators import Operator
from tests.support.simulator import Simulator


def test_onboard_runs_the_role_and_says_what_the_customer_has(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("onboarding")
    variables = {
        "site_client": {"username": "acme"},
        "site_domains": [{"domain": "acme.example"}],
        "site_emails": [
            {"email": "info@acme.example", "max_size": "1G"},
            {"email": "old@acme.example", "state": "absent"},
        ],
        "site_credentials_file": "acme.credentials.yml",
    }
    environment = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    predicted = operator.run("hosting.panel.onboard", variables, "--check", environment=environment)
    assert (predicted.code, predicted.writes) == (0, []), predicted.text
    run = operator.run("hosting.panel.onboard", variables, environment=environment)
    assert run.code == 0, run.text
    assert run.writes == ["POST /clients", "POST /domains", "POST /emails"]
    # Relative to the folder that ansible-playbook was started in, not to the collection.
    assert (operator.folder / "acme.credentials.yml").read_text(encoding="ascii").startswith("$ANSIBLE_VAULT;")
    shown = re.findall(r"^ +- (client|domains|mailboxes|passwords|login|databases) +(.*)$", run.text, re.MULTILINE)
    assert dict(shown) == {
        "client": "acme, plan as it was, or the default one",
        "domains": "acme.example",
        "mailboxes": "info@acme.example",
        "passwords": "encrypted with Ansible Vault in acme.credentials.yml",
    }


def test_onboard_names_no_file_of_passwords_where_none_was_made(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("given password")
    variables = {
        "site_client": {"username": "acme", "password": "Given-1"},
        "site_credentials_file": "acme.credentials.yml",
    }
    run = operator.run("hosting.panel.onboard", variables)
    assert run.code == 0, run.text
    assert not (operator.folder / "acme.credentials.yml").exists()
    assert "client        acme" in run.text
    assert "acme.credentials.yml" not in run.text


def test_onboard_writes_the_login_url_to_a_file_and_prints_it_nowhere(make_operator: Callable[[str], Operator]) -> None:
    operator = make_operator("login")
    variables = {"site_client": {"username": "acme", "password": "Given-1"}, "site_login_url": True}
    environment = {"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    unnamed = operator.run("hosting.panel.onboard", variables, "-vvvv", "--diff", vault=False, environment=environment)
    assert unnamed.code == 0, unnamed.text[-3000:]
    assert re.search(r"- login +by a URL that is not shown; onboard_summary_file names", unnamed.text)
    variables["onboard_summary_file"] = "summary.txt"
    named = operator.run("hosting.panel.onboard", variables, "-vvvv", "--diff", vault=False, environment=environment)
    assert named.code == 0, named.text[-3000:]
    assert re.search(r"- login +by a URL that is valid for 60 minutes, in summary.txt", named.text)
    file = operator.folder / "summary.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    (url,) = re.findall(r"^login +(\S+) \(for 60 minutes\)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert url.startswith(operator.simulator.url)
    token = re.split(r"[/=]", url)[-1]
    assert len(token) > 8
    assert token not in named.text
    # The URL of the run without a file is in no file, so its beginning has to do.
    assert url[: -len(token)] not in unnamed.text + named.text


@pytest.mark.parametrize("place", ["missing/summary.txt", "folder"])
def test_onboard_finds_a_summary_that_cannot_be_written_before_the_first_write(
    make_operator: Callable[[str], Operator], place: str
) -> None:
    operator = make_operator(f"no summary in {place.partition('/')[0]}")
    (operator.folder / "folder").mkdir()
    variables = {"site_client": {"username": "acme", "password": "Given-1"}, "onboard_summary_file": place}
    for words in (("--check",), ()):
        run = operator.run("hosting.panel.onboard", variables, *words, vault=False)
        assert (run.code != 0, run.requests) == (True, []), run.text
        said = run.said
        assert f"onboard_summary_file: {operator.folder / place} cannot be written:" in said
        assert "Nothing was read or written." in said


@pytest.mark.parametrize(
    ("package", "said"),
    [
        ("requests", "The collection needs the Python package requests: "),
        ("aiohttp", "The packages that the simulator needs could not be installed: "),
    ],
)
def test_the_demonstration_says_in_a_sentence_what_a_plain_installation_lacks(
    make_operator: Callable[[str], Operator], package: str, said: str
) -> None:
    operator = make_operator(f"without {package}")
    (operator.folder / f"{package}.py").write_text("raise ModuleNotFoundError", encoding="utf-8")
    run = operator.run(
        "hosting.panel.demo",
        {"demo_directory": str(operator.folder / "demo")},
        vault=False,
        environment={"PYTHONPATH": str(operator.folder), "PIP_NO_INDEX": "1"},
    )
    assert run.code != 0
    assert run.times(said) == 1, run.text
    assert "ModuleNotFoundError" not in run.text
    assert "-m pip install " in run.text


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> tuple[str, Path]:
    """The output of the demonstration, and its folder."""
    operator = Operator(tmp_path_factory.mktemp("demo") / "folder with spaces", simulator)
    folder = operator.folder / "of the demo"
    environment = {
        "PANEL_API_URL": "",
        "PANEL_API_KEY": "",
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
        "ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false",
    }
    run = operator.run(
        "hosting.panel.demo", {"demo_directory": str(folder)}, "-vvv", vault=False, environment=environment
    )
    assert run.code == 0, run.text[-4000:]
    # It has a panel of its own.
    assert run.requests == []
    return run.text, folder


def test_the_demonstration_shows_what_it_made_and_a_second_run_without_a_write(demonstration: tuple[str, Path]) -> None:
    text, folder = demonstration
    for words in (
        "client        mueller, plan Business",
        "domains       shop.müller.example, müller.example, fahrrad-mueller.example",
        "mailboxes     info@müller.example, inge@müller.example, werkstatt@fahrrad-mueller.example",
        f"passwords     encrypted with Ansible Vault in {folder}/mueller.credentials.yml",
        f"login         by a URL, in {folder}/summary.txt",
    ):
        assert words in text, words
    assert re.search(r"first run +ok=\d+ +changed=8 +\d+ requests, 12 of them writes", text)
    assert re.search(r"second run +ok=\d+ +changed=0 +\d+ requests, 0 of them writes", text)


def test_the_demonstration_prints_no_secret(demonstration: tuple[str, Path]) -> None:
    text, folder = demonstration
    operator_password = folder / "vault-password"
    secrets = [(folder / "api-key").read_text(encoding="ascii"), operator_password.read_text(encoding="ascii")]
    secrets += re.findall(r"^login +(\S+)", (folder / "summary.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert secrets[-1].startswith("http://127.0.0.1:")
    secrets += (folder / "certificate" / "private_key.pem").read_text(encoding="ascii").splitlines()[1:2]
    assert [secret for secret in secrets if secret in text] == []


def test_the_demonstrations_passwords_can_be_read_as_it_says(
    demonstration: tuple[str, Path], make_operator: Callable[[str], Operator]
) -> None:
    text, folder = demonstration
    operator = make_operator("reading")
    operator.vault_password_file = folder / "vault-password"
    shown = yaml.safe_load(operator.vault("view", str(folder / "mueller.credentials.yml")))["generated_passwords"]
    assert sorted(entry["kind"] for entry in shown) == ["clients", "databases", *["emails"] * 3, "ftp_users"]
    assert [entry["key"] for entry in shown if entry["password"] in text] == []


def test_the_demonstration_leaves_nothing_running(demonstration: tuple[str, Path]) -> None:
    _text, folder = demonstration
    words = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in words if str(folder).encode() in line]
    assert not (folder / "simulator" / "pid").exists()


def test_ping_says_in_a_few_lines_which_server_it_is_and_the_rest_when_asked(
    make_operator: Callable[[str], Operator],
) -> None:
    operator = make_operator("ping")
    run = operator.run("hosting.panel.ping", {}, vault=False)
    assert run.code == 0, run.text
    assert [request["path"] for request in run.requests] == ["/ping", "/server"]
    lines = [line.strip() for line in run.text.splitlines()]
    said = lines[next(number for number, line in enumerate(lines) if line.startswith("TASK [The server]")) + 1 :]
    said = said[: next(number for number, line in enumerate(said) if not line)]
    assert len(said) < 10, run.text
    assert "can be reached, accepts the key" in " ".join(said)
    assert "version: KeyHelp " in " ".join(said)
    assert "kernel" not in run.text
    loud = operator.run("hosting.panel.ping", {}, "-v", vault=False)
    assert "kernel" in loud.text
