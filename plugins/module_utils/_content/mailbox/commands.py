# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the commands of doveadm for one mailbox: pure functions of what names the mailbox.

``list_commands_on_source`` is all that a run wants from the source. A forced command can allow exactly
these lines.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

INBOX = "INBOX"
"""The name of the folder that each mailbox has."""
FOLDER_FIELDS = ("uidvalidity", "guid", "messages", "vsize")
MESSAGE_FIELDS = (
    "mailbox",
    "uid",
    "guid",
    "size.virtual",
    "flags",
    "date.received.unixtime",
)
# A star stays within the namespaces without a prefix: with the prefix INBOX. it finds nothing, and
# doveadm ends with 0. The others find the folders below a prefix, with either separator
# (docs/host_tools.md#prefixes-of-namespaces).
_ALL_FOLDERS = ("*", "INBOX", "INBOX.*", "INBOX/*")
# JSON is the only form of doveadm that a folder's name cannot break: tab and pager write line
# breaks and tabs of a name as they are.
_AS_JSON = ("-f", "json")
# Dovecot 2.4 wants this option where it is to ask no user database, and wants it behind the
# command; earlier releases do not know it (docs/host_tools.md#mailboxes-without-a-user).
_NO_USER_DATABASE = "--no-userdb-lookup"

ROOT_CHILD = "panel/probe"
"""What doveadm takes for the name of an IMAP folder if the IMAP folders have no prefix."""
PREFIXES = ("INBOX.", "INBOX/")
"""The prefixes of IMAP folders that are looked for, each with its separator at the end."""
# What is neither a file nor leads to one, where Dovecot looks for messages of a Maildir. The
# directory is that which the command behind the script prints; no value is in the script.
_SPECIAL_TYPES = " -o ".join(f"-type {kind} -o -type l -xtype {kind}" for kind in "bcps")
_SPECIAL_SCRIPT = (
    'root=$("$@") && [ -d "$root" ] || exit 0; '
    'exec find -H "$root" -ignore_readdir_race '
    f"'(' {_SPECIAL_TYPES} ')' '(' -path '*/cur/*' -o -path '*/new/*' ')' "
    "! -name '.*' -printf '%P\\0'"
)


@dataclass(frozen=True)
class MailboxName:
    """Names a mailbox to doveadm.

    address: What the user database knows it by.
    arguments: Options that name it in place of the address, before the command of doveadm, but
        for ``--no-userdb-lookup``; empty where the user database answers.
    settings: Settings of Dovecot, in place of those of the host.
    """

    address: str
    arguments: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Return what tells the mailbox from all others of a host.

        Mail servers know an address in upper and lower case.
        """
        return shlex.join((self.address.lower(), *self.arguments))


def make_folders_command(name: MailboxName) -> list[str]:
    """Return the command that prints ``FOLDER_FIELDS`` of each folder."""
    command = _begin(name, _AS_JSON, "mailbox", "status")

    return [*command, " ".join(FOLDER_FIELDS), *_ALL_FOLDERS]


def make_names_command(name: MailboxName) -> list[str]:
    """Return the command that prints the names of all folders, also of those that do not open."""
    return [*_begin(name, _AS_JSON, "mailbox", "list"), *_ALL_FOLDERS]


def make_messages_command(name: MailboxName) -> list[str]:
    """Return the command that prints ``MESSAGE_FIELDS`` of each message."""
    command = [*_begin(name, _AS_JSON, "fetch"), " ".join(MESSAGE_FIELDS)]
    for position, folder in enumerate(_ALL_FOLDERS):
        if position:
            command.append("OR")
        command += ["mailbox", folder]

    return command


def make_path_command(name: MailboxName, folder: str) -> list[str]:
    """Return the command that prints the directory of a folder, and does not read the folder."""
    return [*_begin(name, _AS_JSON, "mailbox", "path"), "-t", "mailbox", "--", folder]


def make_special_command(name: MailboxName) -> list[str]:
    """Return the command that lists the pipes, sockets and devices among the messages of a Maildir.

    It prints their paths in the mailbox, each with NUL behind it, and nothing of a mailbox in
    another format. No message is opened.
    """
    path_command = [*_begin(name, (), "mailbox", "path"), "-t", "mailbox", "--", INBOX]

    return ["sh", "-c", _SPECIAL_SCRIPT, "sh", *path_command]


def list_path_commands(name: MailboxName) -> list[list[str]]:
    """Return the commands by which ``folder_names.py`` finds how the folders are named."""
    folders = (ROOT_CHILD, *(make_child(prefix) for prefix in PREFIXES))

    return [make_path_command(name, folder) for folder in folders]


def make_child(prefix: str) -> str:
    """Return a name for an IMAP folder with a prefix, whatever the separator is."""
    return f"{prefix}probe"


def make_settings_command(name: MailboxName) -> list[str]:
    """Return the command that prints the namespaces that the settings have."""
    general = [argument for argument in name.arguments if argument != _NO_USER_DATABASE]

    return ["doveadm", *general, "config", "namespace"]


def make_serving_command(name: MailboxName) -> list[str]:
    """Return the command that serves the mailbox to doveadm on the other access.

    doveadm appends the word dsync-server to a command that does not end with it. With the word at
    the end from the beginning, the command is the same for all releases.
    """
    command = _begin(name, (), "dsync-server")
    if command[-1] != "dsync-server":
        command.append("dsync-server")

    return command


def make_sync_command(
    name: MailboxName, serving: Sequence[str], spared: Sequence[str] = ()
) -> list[str]:
    """Return the command that brings into the mailbox what another has.

    With -1 and -R nothing is written on the other access. Without -f, dsync compares counters
    alone, and loses mail where both sides received one message each
    (docs/host_tools.md#counters-of-dsync).

    Args:
        name: The mailbox on this host.
        serving: The command that reaches the other side and serves it there.
        spared: Names of folders of this mailbox that stay as they are.
    """
    command = [*_begin(name, (), "sync"), "-1", "-R", "-f"]
    for folder in spared:
        command += ["-x", _make_mask(folder)]

    return [*command, *serving]


def make_text_command(name: MailboxName, folder: str, uid: int) -> list[str]:
    """Return the command that prints the text of a message of a folder, by the folder's GUID.

    JSON has a replacement for each byte that is no UTF-8.
    """
    command = _begin(name, ("-f", "pager"), "fetch")

    return [*command, "text", "mailbox-guid", folder, "uid", str(uid)]


def make_flag_command(name: MailboxName, folder: str, uid: int, flags: Sequence[str]) -> list[str]:
    """Return the command that gives flags to a message of a folder, by the folder's GUID."""
    command = [*_begin(name, (), "flags", "add"), "--", " ".join(flags)]

    return [*command, "mailbox-guid", folder, "uid", str(uid)]


def make_expunge_command(name: MailboxName, folder: str, uids: Sequence[int]) -> list[str]:
    """Return the command that removes messages of a folder.

    Args:
        name: The mailbox.
        folder: The folder's GUID.
        uids: The messages.
    """
    chosen = ",".join(str(uid) for uid in uids)

    return [*_begin(name, (), "expunge"), "mailbox-guid", folder, "uid", chosen]


def make_validity_command(name: MailboxName, folder: str, uid_validity: int) -> list[str]:
    """Return the command that gives a folder another UIDVALIDITY, by its name."""
    command = [*_begin(name, (), "mailbox", "update"), "--uid-validity", str(uid_validity)]

    return [*command, "--", folder]


def make_delete_command(name: MailboxName, folder: str) -> list[str]:
    """Return the command that deletes a folder, by its name, if no message is in it."""
    return [*_begin(name, (), "mailbox", "delete"), "-e", "--", folder]


def list_commands_on_source(name: MailboxName) -> list[list[str]]:
    """Return all commands that a run gives to the source of a mailbox."""
    return [
        make_special_command(name),
        make_folders_command(name),
        make_names_command(name),
        make_messages_command(name),
        *list_path_commands(name),
        make_serving_command(name),
    ]


def is_mask_of_one(folder: str) -> bool:
    """Return whether a folder can be left out of a copy without any other one."""
    return _make_mask(folder) == folder


def _make_mask(folder: str) -> str:
    """Return a mask for a folder: a question mark for what a mask cannot say.

    A star would leave out others, and a backslash begins the name of a use of folders.
    """
    mask = folder.replace("*", "?").replace("%", "?")
    if mask.startswith("\\"):
        mask = "?" + mask[1:]

    return mask


def _begin(name: MailboxName, output: Sequence[str], *command_name: str) -> list[str]:
    general = [argument for argument in name.arguments if argument != _NO_USER_DATABASE]
    for setting in name.settings:
        general += ["-o", setting]
    command = ["doveadm", *general, *output, *command_name]
    if not name.arguments:
        command += ["-u", name.address]
    elif _NO_USER_DATABASE in name.arguments:
        command.append(_NO_USER_DATABASE)

    return command
