"""How a source is reached with the real ssh."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import (
    SourceHost,
    run_on_source,
)
from tests.support.needed import require_content_tools
from tests.support.real_ssh import RealSsh, run_ssh

ODD = 'a\'b "c" $(touch /nowhere) \\ ; *\n-é'


def read(server: RealSsh) -> SourceHost:
    """Return the server as the modules have it."""
    source = SourceHost.read(server.source)
    assert source is not None
    return source


def test_a_command_arrives_word_by_word(ssh_server: RealSsh) -> None:
    ended = run_on_source(read(ssh_server), ["printf", "%s|", ODD, ""])

    assert (ended.code, ended.text) == (0, f"{ODD}||")


def test_a_host_key_that_is_not_known_is_an_error_that_names_the_file(ssh_server: RealSsh) -> None:
    ssh_server.trust(ssh_server.folder / "key.pub")
    try:
        with pytest.raises(ContentError) as raised:
            run_on_source(read(ssh_server), ["true"])
    finally:
        ssh_server.trust()

    assert raised.value.option == "source.known_hosts_file"
    # The words of ssh advise to remove the old key.
    assert "ssh-keygen" not in str(raised.value)
    assert "on the server itself" in raised.value.advice


def test_a_key_that_may_not_log_in_is_an_error_that_names_the_source(
    ssh_server: RealSsh,
) -> None:
    other_key = dataclasses.replace(read(ssh_server), key_file=str(ssh_server.folder / "host_key"))

    with pytest.raises(ContentError) as raised:
        run_on_source(other_key, ["true"])

    assert raised.value.option == "source"


def test_a_host_that_does_not_answer_is_an_error_that_names_the_source(
    ssh_server: RealSsh,
) -> None:
    silent = dataclasses.replace(read(ssh_server), port=1)

    with pytest.raises(ContentError) as raised:
        run_on_source(silent, ["true"])

    assert raised.value.option == "source"


def test_a_tool_that_the_source_lacks_is_named(ssh_server: RealSsh) -> None:
    with pytest.raises(ContentError) as raised:
        run_on_source(read(ssh_server), ["no-such-tool"])

    assert "no-such-tool" in raised.value.problem


def list_running(processes: list[int]) -> list[int]:
    """Return those of processes that have not ended."""
    return [process for process in processes if Path(f"/proc/{process}/exe").exists()]


def is_sleeping(server: RealSsh) -> bool:
    """Return whether the server runs the command sleep."""
    names = []
    for process in server.find_commands():
        with contextlib.suppress(OSError):
            names.append(Path(f"/proc/{process}/comm").read_text())
    return "sleep\n" in names


def test_what_runs_on_the_source_ends_with_the_server(tmp_path: Path) -> None:
    require_content_tools("ssh", "ssh-keygen", "sshd")
    with run_ssh(tmp_path / "ssh") as server:
        command = read(server).make_command(["sleep", "60"])
        with subprocess.Popen(command) as client:
            end = time.monotonic() + 20
            # Before somebody is logged in, sshd has two processes as well.
            while not is_sleeping(server) and time.monotonic() < end:
                time.sleep(0.02)
            commands = server.find_commands()
            server.stop()
            client.wait()

    assert len(commands) >= 2
    # What is killed ends when the system gets to it.
    end = time.monotonic() + 20
    while list_running(commands) and time.monotonic() < end:
        time.sleep(0.02)
    assert list_running(commands) == []
