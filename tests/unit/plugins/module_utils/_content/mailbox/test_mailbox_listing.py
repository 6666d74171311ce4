"""How the commands for a mailbox are made, and what doveadm prints is read."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.commands import (
    MailboxName,
    list_commands_on_source,
    make_expunge_command,
    make_names_command,
    make_serving_command,
    make_sync_command,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.listing import (
    FolderStatus,
    Mailbox,
    Message,
    UnreadableListing,
    make_folders,
    parse_folders,
    parse_messages,
    parse_names,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.reading import (
    check_address,
    check_arguments,
)

BY_USER = MailboxName("info@mail.example")
BY_ARGUMENTS = MailboxName("info", ("-c", "/srv/the mail.conf"))
STATUS = {"mailbox": "INBOX", "guid": "a1", "uidvalidity": "7", "messages": "2", "vsize": "90"}
MESSAGE = {
    "mailbox": "INBOX",
    "uid": "3",
    "guid": "17.M1.host",
    "size.virtual": "45",
    "flags": "\\Seen \\Recent $Label",
    "date.received.unixtime": "1796043821",
}


def as_output(*rows: Any) -> bytes:
    """Return rows as doveadm prints them."""
    return json.dumps(rows).encode("ascii")


def test_commands_for_the_source_are_these_lines_alone() -> None:
    address = "-u info@mail.example"
    folders = "'*' INBOX 'INBOX.*' 'INBOX/*'"
    fields = "'mailbox uid guid size.virtual flags date.received.unixtime'"
    chosen = "mailbox '*' OR mailbox INBOX OR mailbox 'INBOX.*' OR mailbox 'INBOX/*'"
    special, *commands = list_commands_on_source(BY_USER)
    assert (special[0], special[3]) == ("sh", "sh")
    path = f"doveadm mailbox path {address} -t mailbox -- INBOX"
    assert shlex.join(special[4:]) == path
    assert [shlex.join(command) for command in commands] == [
        f"doveadm -f json mailbox status {address} 'uidvalidity guid messages vsize' {folders}",
        f"doveadm -f json mailbox list {address} {folders}",
        f"doveadm -f json fetch {address} {fields} {chosen}",
        f"doveadm -f json mailbox path {address} -t mailbox -- panel/probe",
        f"doveadm -f json mailbox path {address} -t mailbox -- INBOX.probe",
        f"doveadm -f json mailbox path {address} -t mailbox -- INBOX/probe",
        f"doveadm dsync-server {address} dsync-server",
    ]


def test_arguments_stand_before_the_command_in_place_of_the_address() -> None:
    special, *commands = list_commands_on_source(BY_ARGUMENTS)
    assert special[4:8] == ["doveadm", "-c", "/srv/the mail.conf", "mailbox"]
    assert all(command[:3] == ["doveadm", "-c", "/srv/the mail.conf"] for command in commands)
    assert not any("-u" in command for command in commands)
    assert commands[-1] == ["doveadm", "-c", "/srv/the mail.conf", "dsync-server"]


def test_settings_stand_before_the_command_and_name_no_other_mailbox() -> None:
    name = MailboxName("info", ("-c", "/a.conf"), ("namespace/inbox/prefix=",))
    assert make_names_command(name)[:8] == [
        *("doveadm", "-c", "/a.conf", "-o", "namespace/inbox/prefix=", "-f", "json", "mailbox")
    ]
    assert name.label == MailboxName("info", ("-c", "/a.conf")).label


def test_option_of_dovecot_2_4_against_a_user_database_stands_behind_the_command() -> None:
    name = MailboxName("info@mail.example", ("--no-userdb-lookup", "-c", "/a.conf"))
    command = ["doveadm", "-c", "/a.conf", "-f", "json", "mailbox", "list", "--no-userdb-lookup"]
    assert make_names_command(name)[:8] == command
    assert make_serving_command(name)[-3:] == [
        *("dsync-server", "--no-userdb-lookup", "dsync-server")
    ]


@pytest.mark.parametrize("name", [BY_USER, BY_ARGUMENTS], ids=["user", "arguments"])
def test_last_word_for_the_source_is_the_one_that_doveadm_would_append(name: MailboxName) -> None:
    assert list_commands_on_source(name)[-1][-1] == "dsync-server"


@pytest.mark.parametrize(
    ("name", "mask"),
    [("INBOX.Own", "INBOX.Own"), ("INBOX.*", "INBOX.?"), ("50%", "50?"), ("\\Own", "?Own")],
)
def test_spared_folder_stays_out_of_a_copy_by_a_mask_for_it(name: str, mask: str) -> None:
    command = make_sync_command(BY_USER, ["ssh"], [name])
    assert command[-6:] == ["-1", "-R", "-f", "-x", mask, "ssh"]


def test_copy_is_a_full_pull_in_one_direction() -> None:
    command = make_sync_command(BY_USER, ["ssh", "old.example"])
    assert command == [
        *("doveadm", "sync", "-u", "info@mail.example", "-1", "-R", "-f"),
        *("ssh", "old.example"),
    ]


def test_messages_are_removed_by_the_guid_of_their_folder() -> None:
    command = make_expunge_command(BY_USER, "a1", [3, 5])
    assert command[-4:] == ["mailbox-guid", "a1", "uid", "3,5"]


def test_folders_are_read() -> None:
    assert parse_folders(as_output(STATUS)) == [FolderStatus("INBOX", "a1", 7, 2, 90)]


def test_messages_are_read_by_folder_without_the_flag_that_reading_changes() -> None:
    messages = parse_messages(as_output(MESSAGE))
    wanted = Message(3, "17.M1.host", 45, ("$Label", "\\Seen"), 1796043821)
    assert messages == {"INBOX": [wanted]}


@pytest.mark.parametrize(
    "name",
    [
        "a\tb",
        "a\nb",
        'q"uote',
        "back\\slash",
        "esc\x1b[31m",
        "a/../b",
        "T\xfcr",
        "&AOk-",
        "\f",
        "%",
    ],
)
def test_name_of_a_folder_is_read_as_it_is(name: str) -> None:
    assert parse_names(as_output({"mailbox": name})) == [name]


def test_bytes_that_are_no_utf_8_break_neither_reading_nor_digest() -> None:
    output = as_output(STATUS).replace(b"INBOX", b"IN\xffBOX")
    folders = make_folders(parse_folders(output), {})
    assert folders[0].name == "IN\udcffBOX"
    assert len(Mailbox(folders).digest) == 64


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"[",
        b"{}",
        b"[1]",
        b"\xff",
        b"[" * 100_000,
        as_output({**STATUS, "messages": None}),
        as_output({**STATUS, "messages": ""}),
        as_output({**STATUS, "guid": 1}),
        as_output({"mailbox": "INBOX"}),
    ],
    ids=[
        *("nothing", "half", "no list", "no row", "no text", "deep", "null", "no number"),
        *("number", "without fields"),
    ],
)
def test_anything_but_a_listing_is_refused(output: bytes) -> None:
    with pytest.raises(UnreadableListing):
        parse_folders(output)


def test_digest_does_not_depend_on_the_order_in_which_folders_are_listed() -> None:
    second_status = {**STATUS, "mailbox": "INBOX.Work", "guid": "b2"}
    messages = parse_messages(as_output(MESSAGE, {**MESSAGE, "uid": "1"}))
    swapped = parse_messages(as_output({**MESSAGE, "uid": "1"}, MESSAGE))
    first = make_folders(parse_folders(as_output(STATUS, second_status)), messages)
    second = make_folders(parse_folders(as_output(second_status, STATUS)), swapped)
    assert Mailbox(first).digest == Mailbox(second).digest


@pytest.mark.parametrize(
    "field", ["uid", "guid", "size.virtual", "flags", "date.received.unixtime"]
)
def test_digest_tells_messages_apart_by_each_field(field: str) -> None:
    statuses = parse_folders(as_output(STATUS))
    changed = {**MESSAGE, field: "4"}
    digests = {
        Mailbox(make_folders(statuses, parse_messages(as_output(row)))).digest
        for row in (MESSAGE, changed)
    }
    assert len(digests) == 2


@pytest.mark.parametrize("address", ["*", "*@mail.example", "inf?@mail.example"])
def test_address_with_a_wildcard_is_refused_by_name(address: str) -> None:
    with pytest.raises(ContentError) as caught:
        check_address(address, "source_address")
    assert caught.value.option == "source_address"
    assert "wildcard" in caught.value.problem


@pytest.mark.parametrize("address", ["", "-A", "a\nb", "a\x00b"], ids=repr)
def test_address_that_cannot_be_one_is_refused(address: str) -> None:
    with pytest.raises(ContentError, match="no address"):
        check_address(address, "address")


@pytest.mark.parametrize("argument", ["", "a\x00b"], ids=repr)
def test_argument_that_no_command_can_have_is_refused(argument: str) -> None:
    with pytest.raises(ContentError, match="no argument"):
        check_arguments(["-c", argument], "doveadm_args")
