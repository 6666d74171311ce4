"""How content is copied between the tools of this machine's Debian and those of Debian 13."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import commands
from tests.content import test_mailbox_sync
from tests.content.test_mailbox_sync import ADDRESS, Move, fill
from tests.support.dovecot import (
    INSTALLED,
    PATH,
    DovecotRelease,
    make_mail_folder,
    make_mailbox,
    run_user_database,
)
from tests.support.needed import require_content_tools
from tests.support.next_debian import require_next_debian
from tests.support.real_ssh import run_ssh

pytestmark = pytest.mark.release
DIRECTIONS = [("2.3", "2.4"), ("2.4", "2.3"), ("2.4", "2.4")]


@pytest.fixture
def programs() -> Path:
    """Return the folder with the programs of Debian 13."""
    require_content_tools("doveadm", "dovecot", "ssh", "ssh-keygen", "sshd")
    return require_next_debian()


@pytest.fixture
def dovecots(programs: Path) -> dict[str, DovecotRelease]:
    """Return both releases of Dovecot."""
    newer = DovecotRelease(str(programs / "doveadm"), str(programs / "dovecot"), True)
    return {"2.3": INSTALLED, "2.4": newer}


@pytest.fixture(params=DIRECTIONS, ids=["2.3 to 2.4", "2.4 to 2.3", "2.4 to 2.4"])
def move(
    request: pytest.FixtureRequest,
    dovecots: dict[str, DovecotRelease],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Move]:
    """Yield two mailboxes of different releases, the source behind a real SSH server."""
    source, target = (dovecots[name] for name in request.param)
    with ExitStack() as stack:
        folder = stack.enter_context(make_mail_folder())
        old = stack.enter_context(run_user_database(folder / "old", [ADDRESS], source))
        new = stack.enter_context(run_user_database(folder / "new", [ADDRESS], target))
        settings = f"SetEnv PATH={folder}/old/bin:{PATH}\n"
        server = stack.enter_context(run_ssh(folder / "ssh", settings))
        path = f"{folder}/new/bin:{PATH}"
        monkeypatch.setitem(commands._ENVIRONMENT, "PATH", path)
        yield fill(Move(folder, old[ADDRESS], new[ADDRESS], server.source))


SCENARIOS = [
    test_mailbox_sync.test_nothing_is_written_on_the_source,
    test_mailbox_sync.test_mail_of_the_target_from_before_the_first_copy_stays,
    test_mailbox_sync.test_what_the_target_has_deleted_stays_deleted,
    test_mailbox_sync.test_what_was_deleted_stays_so_where_dsync_brings_it_back,
    test_mailbox_sync.test_folder_that_the_target_has_renamed_gets_new_mail_under_its_name,
    test_mailbox_sync.test_folder_without_own_mail_is_deleted_as_on_the_source,
    test_mailbox_sync.test_comparison_names_each_difference_and_changes_nothing,
    test_mailbox_sync.test_check_mode_says_what_would_be_copied_and_writes_nothing,
    test_mailbox_sync.test_folder_with_control_characters_is_copied_and_its_other_name_shown,
    test_mailbox_sync.test_folders_that_doveadm_cannot_open_are_named_and_all_else_copied,
    test_mailbox_sync.test_mailbox_of_a_user_comes_over_ssh,
]
SCENARIOS_BY_MODE = [
    test_mailbox_sync.test_one_message_that_arrives_on_each_side_is_on_the_target,
    test_mailbox_sync.test_own_mail_stays_in_a_folder_that_the_source_deletes,
]


def test_first_copy_of_a_mailbox_keeps_everything(move: Move) -> None:
    move.source.flag("\\Flagged $Label", "work-2", "INBOX.Work")
    result = move.copy()
    assert (result["changed"], result["folders"], result["messages"]) == (True, 2, 6)
    assert move.compare() == []
    assert move.copy() == {**result, "changed": False}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_mailbox_is_copied_as_between_equal_releases(
    move: Move, scenario: Callable[[Move], None]
) -> None:
    scenario(move)


@pytest.mark.parametrize("mode", ["copy", "late"])
@pytest.mark.parametrize("scenario", SCENARIOS_BY_MODE, ids=lambda scenario: scenario.__name__)
def test_mailbox_is_copied_in_each_mode_as_between_equal_releases(
    move: Move, scenario: Callable[[Move, str], None], mode: str
) -> None:
    scenario(move, mode)


def test_mailbox_of_2_4_without_a_user_database_is_copied(
    dovecots: dict[str, DovecotRelease], programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(commands._ENVIRONMENT, "PATH", f"{programs}:{PATH}")
    with make_mail_folder() as folder:
        newer = dovecots["2.4"]
        source = make_mailbox(folder / "source", release=newer)
        target = make_mailbox(folder / "target", release=newer)
        move = fill(Move(folder, source, target))
        result = move.copy()
        assert result["messages"] == 6
        assert move.compare() == []
        assert move.copy() == {**result, "changed": False}
