"""How the content modules reach a source, run tools and keep what they did."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import stat
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.hosting.panel.plugins.module_utils._content import kept_state
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
    explain_system_errors,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.copy import (
    KEPT as DATABASE,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.files.task import KEPT as FILES
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import (
    Streams,
    run_command,
    start_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.kept_forms import KeptKind
from ansible_collections.hosting.panel.plugins.module_utils._content.kept_state import (
    hold_object,
    make_state_path,
    read_kept,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.kept_mailbox import (
    KEPT as MAILBOX,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.shown_text import (
    show_count,
    show_name,
    show_output,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.source_host import (
    SOURCE_OPTIONS,
    SourceHost,
)


@pytest.fixture
def source_options(tmp_path: Path) -> dict[str, Any]:
    """Return the members of the option source, with their files."""
    for name in ("key", "known hosts"):
        (tmp_path / name).write_text("", encoding="utf-8")
    return {
        "host": "old.example",
        "port": 2222,
        "user": "root",
        "key_file": str(tmp_path / "key"),
        "known_hosts_file": str(tmp_path / "known hosts"),
    }


def test_a_command_for_the_source_is_quoted_for_the_shell_of_the_other_side(
    source_options: dict[str, Any],
) -> None:
    source = SourceHost.read(source_options)
    assert source is not None

    command = source.make_command(["stat", "it's; rm -rf /"])

    assert command[-3:] == ["--", "old.example", """stat 'it'"'"'s; rm -rf /'"""]
    assert command[:3] == ["ssh", "-F", "none"]
    assert "StrictHostKeyChecking=yes" in command
    assert f'UserKnownHostsFile="{source.known_hosts_file}"' in command


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("host", "-oProxyCommand=touch x"),
        ("host", ""),
        ("host", "a\nb"),
        ("port", 0),
        ("port", 65536),
        ("key_file", "/nowhere/key"),
        ("known_hosts_file", "/nowhere/hosts"),
    ],
)
def test_a_member_that_cannot_be_meant_is_named(
    source_options: dict[str, Any], name: str, value: Any
) -> None:
    with pytest.raises(ContentError) as raised:
        SourceHost.read({**source_options, name: value})

    assert raised.value.option == f"source.{name}"


def test_only_root_can_be_the_user_of_a_source(source_options: dict[str, Any]) -> None:
    validator = ArgumentSpecValidator(SOURCE_OPTIONS)

    assert validator.validate(source_options).error_messages == []
    [complaint] = validator.validate({**source_options, "user": "admin"}).error_messages
    assert complaint == "value of user must be one of: root, got: admin"


def test_a_message_controls_no_terminal() -> None:
    error = ContentError("the table \x1b[1m\nmail\\x0a cannot be read.", "name", advice="Go\r on.")

    assert error.compose() == ("name: the table \\x1b[1m\\x0amail\\x0a cannot be read. Go\\x0d on.")


def test_a_source_that_is_left_out_is_this_host() -> None:
    assert SourceHost.read(None) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"a\xffb", "a\\xffb"),
        ("line\nbreak", "line\\x0abreak"),
        ("back\\slash", "back\\\\slash"),
        ("\u202eright", "\\u202eright"),
        ("ü b", "ü b"),
    ],
)
def test_a_name_is_shown_on_one_line(name: bytes | str, expected: str) -> None:
    assert show_name(name) == expected


def test_what_a_tool_printed_is_cut_to_its_end() -> None:
    output = show_output(b"\x1b[31m" + b"a " * 600 + b"why")

    assert len(output) == 500
    assert output.endswith("a a why")


def test_a_missing_tool_is_an_error_with_its_package() -> None:
    with pytest.raises(ContentError) as raised:
        run_command(["no-such-tool"])

    assert raised.value.compose() == "no-such-tool is not installed here. Install no-such-tool."


def test_a_tool_that_does_not_end_is_killed() -> None:
    with pytest.raises(ContentError) as raised:
        run_command(["sleep", "60"], timeout=0.1)

    assert raised.value.problem == "sleep did not end within 0.1 seconds."


def test_what_a_run_kept_is_there_in_the_next(tmp_path: Path) -> None:
    directory = str(tmp_path / "state")
    with hold_object(MAILBOX, "a@b.example", directory) as held:
        assert held.kept == {}
        held.keep({"digest": "abc"})
        assert held.kept == {"digest": "abc"}

    with hold_object(MAILBOX, "a@b.example", directory) as held:
        assert held.kept == {"digest": "abc"}
    assert read_kept(MAILBOX, "a@b.example", directory) == {"digest": "abc"}
    assert stat.S_IMODE(Path(directory).stat().st_mode) == 0o700
    path = make_state_path("mailbox", "a@b.example", directory)
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def test_what_a_run_kept_is_on_the_disk_under_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(make_state_path("files", "/srv", str(tmp_path)))
    on_disk = []

    def note(descriptor: int) -> None:
        on_disk.append((Path(f"/proc/self/fd/{descriptor}").readlink(), path.exists()))

    monkeypatch.setattr(os, "fsync", note)
    with hold_object(FILES, "/srv", str(tmp_path)) as held:
        held.keep({})

    assert on_disk == [(Path(f"{path}.new"), False), (tmp_path, True)]


def test_a_state_that_cannot_be_written_is_named_with_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_disk = SimpleNamespace(f_bavail=0, f_frsize=1024, f_files=9, f_favail=9)

    def refuse(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = make_state_path("files", "/srv", str(tmp_path))
    with hold_object(FILES, "/srv", str(tmp_path)) as held:
        held.keep({"rsync": "3.5.0"})
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(ContentError) as elsewhere:
            held.keep({})
        monkeypatch.setattr(os, "statvfs", lambda _path: full_disk)
        with pytest.raises(ContentError) as raised:
            held.keep({})

    problem = (
        f"{path} cannot be written: No space left on device. What was copied until then stays."
    )
    assert elsewhere.value.compose() == f"{problem} Run the task again when that is settled."
    assert raised.value.compose() == (
        f"{problem} The disk of {tmp_path} has 0 KiB left: make room there, and run the task again."
    )
    assert read_kept(FILES, "/srv", str(tmp_path)) == {"rsync": "3.5.0"}


def test_a_directory_in_the_place_of_the_lock_is_named(tmp_path: Path) -> None:
    path = Path(f"{make_state_path('files', '/srv', str(tmp_path))}.lock")
    path.mkdir()

    with pytest.raises(ContentError) as raised, hold_object(FILES, "/srv", str(tmp_path)):
        pass

    assert raised.value.compose() == (
        f"{path} cannot be opened: Is a directory. Nothing was written. "
        "If it is no file, remove it. Then run the task again."
    )


def test_a_second_run_of_an_object_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_state, "MOST_SECONDS", 0.3)
    with (
        hold_object(FILES, "/srv", str(tmp_path)),
        pytest.raises(ContentError) as raised,
        hold_object(FILES, "/srv", str(tmp_path)),
    ):
        pass

    assert raised.value.problem == "another run works on /srv."


def test_a_run_waits_for_one_that_goes_on_after_its_ansible_was_killed(tmp_path: Path) -> None:
    with contextlib.ExitStack() as former_run:
        former_run.enter_context(hold_object(FILES, "/srv", str(tmp_path)))
        began = time.monotonic()
        end = threading.Timer(0.5, former_run.close)
        end.start()
        with hold_object(FILES, "/srv", str(tmp_path)):
            assert time.monotonic() - began >= 0.5
        end.join()


def test_the_lock_of_a_killed_run_is_free_although_a_program_of_it_goes_on(tmp_path: Path) -> None:
    """Start a program while the object is held, end as by a kill, and hold the object."""
    with contextlib.ExitStack() as killed_run:
        killed_run.enter_context(hold_object(FILES, "/srv", str(tmp_path)))
        with start_command(["sleep", "60"], Streams(subprocess.DEVNULL)) as program:
            killed_run.close()
            began = time.monotonic()
            with hold_object(FILES, "/srv", str(tmp_path)):
                assert time.monotonic() - began < kept_state.MOST_SECONDS / 2
            program.kill()


def test_a_file_system_that_cannot_lock_is_not_taken_for_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(ContentError) as raised, hold_object(FILES, "/srv", str(tmp_path)):
        pass

    path = make_state_path("files", "/srv", str(tmp_path))
    assert raised.value.compose() == (
        f"{path}.lock cannot be locked: No locks available."
        " Nothing was written. Run the task again when that is settled."
    )


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"format": 2}), "{}", "[" * 100_000])
def test_a_state_that_cannot_be_read_is_an_error(tmp_path: Path, text: str) -> None:
    path = Path(make_state_path("files", "/srv", str(tmp_path)))
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ContentError) as raised, hold_object(FILES, "/srv", str(tmp_path)):
        pass

    assert str(path) in raised.value.problem
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (DATABASE, {"tables": "t"}),
        (DATABASE, {"unmakeable": [["view"]]}),
        (DATABASE, {"programs": [["view", "v", "x"]]}),
        (DATABASE, {"programs": [["view", 5]]}),
        (DATABASE, {"checksums": {"t": ["1 2"]}}),
        (DATABASE, {"checksums": [["t", "1 2"]]}),
        (MAILBOX, {"seen": 5}),
        (MAILBOX, {"seen": [["a"]]}),
        (MAILBOX, {"of_folders": {"a": "b"}}),
        (MAILBOX, {"of_folders": ["a"]}),
        (MAILBOX, {"messages": "5"}),
        (MAILBOX, {"folders": True}),
        (MAILBOX, {"origin": None}),
        (FILES, {"process": 5}),
    ],
)
def test_a_state_with_a_value_of_another_form_is_an_error_that_names_the_file(
    tmp_path: Path, kind: KeptKind, values: dict[str, Any]
) -> None:
    path = Path(make_state_path(kind.name, "acme", str(tmp_path)))
    text = json.dumps({"format": 1, **values})
    path.write_text(text, encoding="utf-8")

    with pytest.raises(ContentError) as raised, hold_object(kind, "acme", str(tmp_path)):
        pass
    with pytest.raises(ContentError, match=re.escape(str(path))):
        read_kept(kind, "acme", str(tmp_path))

    assert raised.value.problem == f"{path} is not the state of an earlier run."
    assert raised.value.effect == "Nothing was written."
    assert path.read_text(encoding="utf-8") == text


def test_check_mode_makes_no_directory(tmp_path: Path) -> None:
    directory = tmp_path / "state"

    assert read_kept(FILES, "/srv", str(directory)) == {}
    assert not directory.exists()


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (
            OSError(28, "No space left on device", "/srv/a\nb"),
            "refused /srv/a\\x0ab: No space left",
        ),
        (OSError(28, "No space left on device", b"/srv/\xff"), "refused /srv/\\xff: No space left"),
        (
            OSError(30, "Read-only file system"),
            "refused a file or a process of this run: Read-only",
        ),
        (BrokenPipeError(), "refused a file or a process of this run: BrokenPipeError"),
    ],
)
def test_what_the_host_refuses_is_an_error_with_its_reason(error: OSError, problem: str) -> None:
    with pytest.raises(ContentError) as raised, explain_system_errors():
        raise error

    assert problem in raised.value.problem


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries")]
)
def test_one_thing_is_counted_in_the_singular(number: int, expected: str) -> None:
    assert show_count(number, "entry", "entries") == expected
