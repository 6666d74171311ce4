"""How content is copied between the tools of this machine's Debian and those of Debian 13."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import host_tools
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from tests.content import (
    test_copied_programs,
    test_database_checksums,
    test_database_differences,
    test_database_sync,
    test_database_tables,
    test_mailbox_sync,
    test_mariadb_facts,
)
from tests.content.test_database_tables import UNUSUAL_TABLES
from tests.content.test_mailbox_sync import ADDRESS, Move, fill
from tests.content.test_special_files_in_mailboxes import NAME, make_pipe
from tests.support.database_pair import Pair
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
from tests.support.real_mariadb import RealMariadb, run_mariadb
from tests.support.real_ssh import RealSsh, run_ssh

pytestmark = pytest.mark.release
# Whether source and target have the release of Debian 13.
DIRECTIONS = {
    "to the newer release": (False, True),
    "to the older release": (True, False),
    "between newer releases": (True, True),
}
Direction = tuple[bool, bool]


@pytest.fixture(scope="module")
def programs() -> Path:
    """Return the folder with the programs of Debian 13."""
    require_content_tools(
        *("doveadm", "dovecot", "ssh", "ssh-keygen", "sshd"),
        *("mariadb", "mariadb-dump", "mariadb-install-db", "mariadbd"),
    )
    return require_next_debian()


@pytest.fixture(params=DIRECTIONS.values(), ids=DIRECTIONS)
def direction(request: pytest.FixtureRequest) -> Direction:
    """Return which of source and target are newer."""
    chosen: Direction = request.param
    return chosen


@pytest.fixture(scope="module")
def dovecots(programs: Path) -> dict[bool, DovecotRelease]:
    """Return both releases of Dovecot by whether it is the newer one."""
    newer = DovecotRelease(str(programs / "doveadm"), str(programs / "dovecot"), True)
    return {False: INSTALLED, True: newer}


@pytest.fixture
def move(
    direction: Direction,
    dovecots: dict[bool, DovecotRelease],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Move]:
    """Yield two mailboxes of different releases, the source behind a real SSH server."""
    is_newer_source, is_newer_target = direction
    with ExitStack() as stack:
        folder = stack.enter_context(make_mail_folder())
        old = run_user_database(folder / "old", [ADDRESS], dovecots[is_newer_source])
        new = run_user_database(folder / "new", [ADDRESS], dovecots[is_newer_target])
        source = stack.enter_context(old)[ADDRESS]
        target = stack.enter_context(new)[ADDRESS]
        server = stack.enter_context(run_ssh(folder / "ssh", f"{folder}/old/bin:{PATH}"))
        path = f"{folder}/new/bin:{PATH}"
        monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", path)
        yield fill(Move(folder, source, target, server.source))


@dataclass(frozen=True)
class Release:
    """A release of Debian: running servers of MariaDB, and a host that has its tools."""

    servers: list[RealMariadb]
    host: RealSsh


@pytest.fixture(scope="module")
def releases(
    programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[bool, Release]]:
    """Yield both releases by whether it is the newer one."""
    folder = tmp_path_factory.mktemp("releases")
    with (
        run_mariadb(folder / "a") as older,
        run_mariadb(folder / "b", programs) as newer,
        run_mariadb(folder / "c", programs) as second,
        run_ssh(folder / "ssh-a") as host,
        run_ssh(folder / "ssh-b", f"{programs}:{PATH}") as newer_host,
    ):
        for server in (older, newer):
            server.run("CREATE USER ghost@localhost; GRANT ALL ON *.* TO ghost@localhost;")
        yield {False: Release([older], host), True: Release([newer, second], newer_host)}


@pytest.fixture
def pair(
    direction: Direction,
    releases: dict[bool, Release],
    programs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Pair:
    """Return two databases that are not there yet, the source behind a real SSH server."""
    source, target = (releases[is_newer] for is_newer in direction)
    pair = Pair(source.servers[0], target.servers[-1], tmp_path)
    pair.host = source.host.source
    if target is releases[True]:
        monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", f"{programs}:{PATH}")
    return pair


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
    test_mailbox_sync.test_folders_with_names_that_none_can_have_are_named_and_all_else_copied,
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


def test_pipe_among_messages_is_named_as_between_equal_releases(move: Move) -> None:
    pipes = [mailbox.maildir / "new" / NAME for mailbox in (move.source, move.target)]
    for pipe, option in zip(pipes, ("source_address", "address"), strict=True):
        make_pipe(pipe)
        with pytest.raises(ContentError, match=f"has new/{NAME}") as caught:
            move.run()
        assert caught.value.option == option
        pipe.unlink()


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


@pytest.mark.parametrize("prefix", ["INBOX.", ""], ids=["equal names", "other names"])
def test_mailbox_of_2_4_without_a_user_database_is_copied(
    dovecots: dict[bool, DovecotRelease],
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    prefix: str,
) -> None:
    monkeypatch.setitem(host_tools._ENVIRONMENT, "PATH", f"{programs}:{PATH}")
    with make_mail_folder() as folder:
        newer = dovecots[True]
        source = make_mailbox(folder / "source", prefix, release=newer)
        target = make_mailbox(folder / "target", release=newer)
        move = fill(Move(folder, source, target), f"{prefix}Work")
        result = move.copy()
        assert result["messages"] == 6
        assert len(target.list_subjects("INBOX.Work")) == 3
        assert move.compare() == []
        assert move.copy() == {**result, "changed": False}


DATABASE_SCENARIOS = [
    test_database_sync.test_everything_of_a_database_arrives,
    test_copied_programs.test_definers_that_are_replaced_are_listed,
    test_database_sync.test_a_second_run_changes_nothing,
    test_database_sync.test_a_comparison_names_what_differs_and_changes_nothing,
    test_database_sync.test_a_comparison_of_equal_databases_is_empty,
    test_database_sync.test_check_mode_says_what_would_be_done_and_writes_nothing,
    test_copied_programs.test_a_package_that_changes_keeps_its_body,
    test_copied_programs.test_a_program_keeps_the_characters_in_which_it_was_written,
    test_database_checksums.test_table_whose_times_have_the_form_of_an_old_server_is_copied_and_equal,
    test_database_checksums.test_value_of_each_type_that_differs_is_found_where_checksums_do_not_count,
    test_database_checksums.test_two_equal_rows_that_changed_are_found_where_checksums_do_not_count,
    test_database_checksums.test_setting_of_one_server_that_changes_checksums_changes_no_comparison,
    test_database_tables.test_merge_tables_are_left_out_by_name_and_all_others_arrive,
    test_database_tables.test_merge_table_of_the_target_is_one_that_the_source_has_or_a_difference,
    test_copied_programs.test_a_view_that_takes_from_a_sequence_and_cannot_be_made_stays_a_difference,
]


@pytest.mark.parametrize("scenario", DATABASE_SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_database_is_copied_as_between_equal_releases(
    pair: Pair, scenario: Callable[[Pair], None]
) -> None:
    scenario(pair)


@pytest.mark.parametrize("is_renamed", [False, True], ids=["same name", "another name"])
def test_views_of_a_sequence_are_copied_and_compared_as_between_equal_releases(
    pair: Pair, is_renamed: bool
) -> None:
    test_copied_programs.test_a_view_that_takes_from_a_sequence_arrives_and_is_compared_by_its_text(
        pair, is_renamed
    )


@pytest.mark.parametrize("statements", UNUSUAL_TABLES.values(), ids=UNUSUAL_TABLES)
def test_unusual_table_is_copied_as_between_equal_releases(pair: Pair, statements: str) -> None:
    test_database_tables.test_an_unusual_table_arrives(pair, statements)


def test_tables_with_all_parts_are_copied_as_between_equal_releases(pair: Pair) -> None:
    test_database_tables.test_an_unusual_table_arrives(pair, test_database_differences.TABLES)
    changes = test_database_differences.CHANGES
    for change in ("direction of an index", "ignored index", "comment of a partition"):
        pair.source.run(changes[change], pair.name)

        assert pair.sync(mode="compare")["differences"] != [], change


def test_order_of_triggers_is_compared_as_between_equal_releases(pair: Pair) -> None:
    test_database_differences.test_triggers_run_in_the_order_of_the_source(pair, "FOLLOWS t2")


FACTS = [
    test_mariadb_facts.test_an_index_hint_on_a_view_is_error_1176_and_opens_no_view,
    test_mariadb_facts.test_a_missing_column_is_error_1054_before_a_view_is_opened,
]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.__name__)
def test_fact_about_views_holds_for_the_newer_release(
    releases: dict[bool, Release], fact: Callable[[RealMariadb], None]
) -> None:
    fact(releases[True].servers[0])


ENGINES = ("InnoDB", "MyISAM", "MyISAM ROW_FORMAT=FIXED", "Aria", "MEMORY")


@pytest.mark.parametrize("engine", ENGINES)
def test_checksums_of_both_releases_are_equal_for_each_type(pair: Pair, engine: str) -> None:
    values = dict(test_database_checksums.VALUES)
    if engine == "MEMORY":
        for name in ("text", "empty text", "blob", "json", "point", "compressed"):
            del values[name]
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, _value, _changed) in values.items())
    row = ", ".join(value for _kind, value, _changed in values.values())
    nothing = ", ".join("NULL" for _ in values)
    pair.create(
        f"SET NAMES utf8mb4; SET time_zone = '+00:00'; CREATE TABLE old ({columns}) ENGINE={engine};"
        f" INSERT INTO old VALUES ({row}), ({nothing});"
    )
    assert pair.sync()["differences"] == []
    checksums = [
        test_database_checksums.read_checksum(server, pair.name)
        for server in (pair.source, pair.target)
    ]
    assert checksums[0] == checksums[1]
    assert pair.sync()["changed"] is False


def test_table_of_a_server_that_names_no_collation_gets_the_old_one(
    pair: Pair, direction: Direction, programs: Path
) -> None:
    pair.create("CREATE TABLE t (a VARCHAR(9)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;")
    is_newer_source, _is_newer_target = direction
    tools = f"{programs}:{PATH}" if is_newer_source else PATH
    client = shutil.which("mariadb", path=tools)
    folder = pair.folder / "tools"
    # As an old server shows a table, and each row at once: the run waits for the answer of a client
    # that goes on.
    script = f'#!/bin/sh\n{client} "$@" | sed -u "s/ COLLATE=utf8mb4_general_ci//"\n'
    folder.mkdir()
    (folder / "mariadb").write_text(script, encoding="utf-8")
    (folder / "mariadb").chmod(0o755)
    with run_ssh(pair.folder / "ssh", f"{folder}:{tools}") as server:
        pair.host = server.source
        assert pair.sync()["differences"] == []
        assert pair.sync()["changed"] is False


def test_type_that_the_older_release_lacks_is_an_error_before_anything_is_removed(
    releases: dict[bool, Release], tmp_path: Path
) -> None:
    pair = Pair(releases[True].servers[0], releases[False].servers[0], tmp_path)
    pair.host = releases[True].host.source
    pair.create("CREATE TABLE t (a VECTOR(3));")
    error = pair.run_and_get_error()
    assert "table t cannot be made here" in error.problem
    assert error.effect == "Nothing was written."
