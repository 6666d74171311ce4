# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a mailbox, on this host or on the source."""

from __future__ import annotations

import functools
import hashlib
import os
import pwd
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..content_errors import NOTHING_WRITTEN, ContentError
from ..host_tools import Ended, run_command
from ..shown_text import show_name, show_output
from ..source_host import SourceHost, run_on_source
from .commands import (
    MailboxName,
    make_folders_command,
    make_messages_command,
    make_names_command,
    make_path_command,
    make_settings_command,
    make_special_command,
    make_text_command,
)
from .listing import (
    FolderStatus,
    Mailbox,
    Message,
    UnreadableListing,
    make_folders,
    parse_folders,
    parse_messages,
    parse_names,
    parse_namespaces,
    parse_paths,
)

# What an exit code of doveadm means, by its manual page and the codes of sysexits.h.
USAGE = 64
UNKNOWN_USER = 67
NOT_FOUND = 68
FAILED_FOR_NOW = 75
MEANINGS = {
    2: "the mailboxes changed while it ran",
    USAGE: "it knows no such argument",
    65: "it met data that it does not understand",
    UNKNOWN_USER: "it knows no such user",
    NOT_FOUND: "something was not found",
    73: "something cannot be created",
    FAILED_FOR_NOW: "it failed for the time being",
    77: "it may not do that",
    78: "its settings are wrong",
}
_SHELL_SIGNALS = 128
# A message that arrives or goes while a listing is made leaves its two parts unequal.
_READINGS = 3
MOST_REPEATS = 3
"""Of a command that ends with a code that asks for it."""
_PAUSE = 0.5
"""Seconds before what failed for the time being is read again, as after a full disk."""
_Parsed = TypeVar("_Parsed")


@dataclass(frozen=True)
class MailboxAccess:
    """One of the two mailboxes, and how it is reached.

    name: What names it to doveadm.
    option: The option with its address, for messages.
    arguments_option: The option with its arguments.
    host: Where it is; None for this host.
    """

    name: MailboxName
    option: str
    arguments_option: str
    host: SourceHost | None = None

    @property
    def where(self) -> str:
        """Return the host of the mailbox, for messages."""
        if self.host is None:
            return "this host"

        return self.host.host

    @property
    def origin(self) -> str:
        """Return what tells the mailbox from those of all hosts."""
        host = "" if self.host is None else self.host.host

        return f"{host}: {self.name.label}"


def check_address(address: str, option: str) -> None:
    """Refuse what doveadm would take for many users, or for none.

    Raises:
        ContentError: The address cannot be meant.
    """
    if any(character in address for character in "*?"):
        raise ContentError(
            f"{address!r} has a wildcard, and would be many mailboxes.", option, NOTHING_WRITTEN
        )
    if not address or address.startswith("-") or not address.isprintable():
        raise ContentError(f"{address!r} is no address.", option, NOTHING_WRITTEN)


def check_arguments(arguments: Sequence[str], option: str) -> None:
    """Refuse arguments that no command can have.

    Raises:
        ContentError: One is empty, or has a character that ends it.
    """
    for argument in arguments:
        if not argument or "\0" in argument:
            raise ContentError(f"{argument!r} is no argument.", option, NOTHING_WRITTEN)


def refuse_special_files(access: MailboxAccess) -> None:
    """Refuse a mailbox with a pipe, a socket or a device where its messages are.

    Dovecot would open it as a message, and wait for what nobody writes, or read what has no end
    (docs/host_tools.md#special-files-among-messages). So this comes before anything is read. If
    nothing can be listed, the commands that read the mailbox say the reason.

    Raises:
        ContentError: There is such a thing, or the host cannot be reached.
    """
    listed = _run_once(access, make_special_command(access.name)).output
    paths = sorted(path for path in listed.split(b"\0") if path)
    if not paths:
        return

    first = show_name(paths[0])
    if len(paths) > 1:
        first += f" (one of {len(paths)})"
    raise ContentError(
        f"{access.name.address} on {access.where} has {first}, a pipe, socket or device in place "
        "of a message: Dovecot would wait for it without end.",
        access.option,
        NOTHING_WRITTEN,
        advice="Move it out of the mailbox, and run the task again.",
    )


@dataclass(frozen=True)
class MailboxListing:
    """What doveadm has printed of a mailbox, before it is taken apart.

    folders: How the command for folders ended.
    messages: How the command for messages ended.
    """

    folders: Ended
    messages: Ended

    @property
    def outputs(self) -> tuple[bytes, ...]:
        """Return what was printed; empty if a folder did not open, and other commands say more."""
        if self.folders.code != 0:
            return ()

        return (self.folders.output, self.messages.output)


def fetch_listing(access: MailboxAccess) -> MailboxListing:
    """Fetch what doveadm prints of everything of a mailbox that a copy keeps.

    Raises:
        ContentError: The mailbox is not there, or cannot be read.
    """
    folders = _run_status(access)

    messages = _run(access, make_messages_command(access.name))
    # Where a folder does not open, its messages are not read either.
    has_closed = folders.code != 0 and messages.code in (NOT_FOUND, USAGE)
    if messages.code != 0 and not has_closed:
        raise _make_error(access, messages)

    return MailboxListing(folders, messages)


def read_mailbox_of(
    access: MailboxAccess, other: Mailbox | None = None, listing: MailboxListing | None = None
) -> Mailbox:
    """Read everything of a mailbox that a copy keeps.

    Args:
        access: The mailbox.
        other: A reading of it or of the other side. If doveadm prints the same again, nothing is
            taken apart, and this is returned.
        listing: What doveadm has just printed of it; None if it has to.

    Raises:
        ContentError: The mailbox is not there, or cannot be read.
    """
    for _reading in range(_READINGS):
        if listing is None:
            listing = fetch_listing(access)
        outputs = listing.outputs
        if other is not None and outputs and outputs == other.printed:
            return other

        statuses, unreadable = _parse_folders(access, listing.folders)
        messages = _parse(access, listing.messages, parse_messages)
        if all(_is_complete(status, messages) for status in statuses):
            return Mailbox(make_folders(statuses, messages), unreadable, outputs)
        listing = None

    raise ContentError(
        f"doveadm on {access.where} counts more messages of {access.name.address} than it lists.",
        access.option,
        advice="Run the task again when the mailbox is quiet.",
    )


def read_statuses(access: MailboxAccess) -> list[FolderStatus]:
    """Read what the folders of a mailbox say of themselves; what does not open is left out.

    Raises:
        ContentError: The mailbox is not there, or cannot be read.
    """
    return _parse(access, _run_status(access), parse_folders)


def find_path(access: MailboxAccess, folder: str) -> str:
    """Return the directory of a folder, which need not exist; empty if none can have this name.

    Raises:
        ContentError: The mailbox is not there, or cannot be read.
    """
    ended = _run_successfully(access, make_path_command(access.name, folder))

    return next(iter(_parse(access, ended, parse_paths)), "")


def read_namespaces(access: MailboxAccess) -> list[str]:
    """Return the names of the namespaces in the settings of Dovecot; one may have none.

    Raises:
        ContentError: The settings cannot be read.
    """
    ended = _run_successfully(access, make_settings_command(access.name))

    return parse_namespaces(ended.output)


def digest_texts(access: MailboxAccess, folder: str, uids: Sequence[int]) -> dict[int, str]:
    """Return the SHA-256 of the texts of messages, by their UIDs.

    A message that is gone, or cannot be read, has none.

    Args:
        access: The mailbox.
        folder: The folder's GUID.
        uids: The messages.
    """
    digests = {}
    for uid in uids:
        ended = _run(access, make_text_command(access.name, folder, uid))
        if ended.code == 0 and ended.output:
            digests[uid] = hashlib.sha256(ended.output).hexdigest()

    return digests


def make_environment_of_root() -> dict[str, str]:
    """Return what doveadm wants to know of the user that runs it, if no option names another."""
    user = _read_user(os.geteuid())

    return {"USER": user.pw_name, "HOME": user.pw_dir}


# Each command needs it, and to look it up takes as long as to start the command.
@functools.cache
def _read_user(number: int) -> pwd.struct_passwd:
    return pwd.getpwuid(number)


def repeat_while(code: int, run: Callable[[], Ended], pause: float = 0.0) -> Ended:
    """Run a command, and a few times again while it ends with a code that asks for it.

    Args:
        code: The code.
        run: Runs the command.
        pause: Seconds before each repeat.
    """
    ended = run()
    for _repeat in range(MOST_REPEATS):
        if ended.code != code:
            break
        time.sleep(pause)
        ended = run()

    return ended


def explain_code(code: int) -> str:
    """Return what an exit code means, in a few words."""
    # A shell tells of a signal in this way.
    if _SHELL_SIGNALS < code < _SHELL_SIGNALS + signal.NSIG:
        return f"was ended by signal {code - _SHELL_SIGNALS}"
    if code < 0:
        return f"was ended by signal {-code}"

    if code in MEANINGS:
        return f"ended with {code}, {MEANINGS[code]}"

    return f"ended with {code}"


def _parse_folders(
    access: MailboxAccess, ended: Ended
) -> tuple[list[FolderStatus], tuple[str, ...]]:
    """Return the folders, and the names of those that doveadm lists and cannot open."""
    statuses = _parse(access, ended, parse_folders)
    if ended.code == 0:
        return statuses, ()

    listing = _run_successfully(access, make_names_command(access.name))
    names = _parse(access, listing, parse_names)

    return statuses, _find_unreadable(names, statuses)


def _run_status(access: MailboxAccess) -> Ended:
    ended = _run(access, make_folders_command(access.name))
    # It lists the others where one folder does not open, or has a name that no folder can have.
    if ended.code not in (0, NOT_FOUND, USAGE):
        raise _make_error(access, ended)
    if ended.code == USAGE:
        # With arguments that doveadm does not know, this fails too
        # (docs/host_tools.md#names-of-no-folder).
        _run_successfully(access, make_names_command(access.name))

    return ended


def _find_unreadable(names: Sequence[str], statuses: Sequence[FolderStatus]) -> tuple[str, ...]:
    readable = {status.name for status in statuses}
    closed = sorted(name for name in names if name not in readable)
    # What only holds other folders has no messages, and does not open either.
    holders = _find_holders(names)
    leaves = [name for name in closed if name not in holders]

    return tuple(leaves or closed)


def _find_holders(names: Sequence[str]) -> set[str]:
    """Return the names of which others are the children."""
    holders = set()
    for name in names:
        for separator in ("/", "."):
            holder, _separator, _child = name.rpartition(separator)
            holders.add(holder)

    return holders


def _is_complete(status: FolderStatus, messages: Mapping[str, Sequence[Message]]) -> bool:
    return len(messages.get(status.name, ())) >= status.messages


def _run_successfully(access: MailboxAccess, command: Sequence[str]) -> Ended:
    ended = _run(access, command)
    if ended.code != 0:
        raise _make_error(access, ended)

    return ended


def _run(access: MailboxAccess, command: Sequence[str]) -> Ended:
    """Run a command that reads, and again where it failed for the time being."""
    return repeat_while(FAILED_FOR_NOW, lambda: _run_once(access, command), _PAUSE)


def _run_once(access: MailboxAccess, command: Sequence[str]) -> Ended:
    if access.host is None:
        return run_command(command, environment=make_environment_of_root())

    return run_on_source(access.host, command)


def _parse(access: MailboxAccess, ended: Ended, parse: Callable[[bytes], _Parsed]) -> _Parsed:
    try:
        return parse(ended.output)
    except UnreadableListing as error:
        raise ContentError(
            f"doveadm on {access.where} printed something else than a listing of "
            f"{access.name.address}: {show_output(ended.output)}",
            access.option,
            NOTHING_WRITTEN,
        ) from error


def _make_error(access: MailboxAccess, ended: Ended) -> ContentError:
    address = access.name.address
    if ended.code == UNKNOWN_USER:
        return ContentError(
            f"the user database of {access.where} does not know {address}.",
            access.option,
            NOTHING_WRITTEN,
        )

    option = access.option
    if ended.code == USAGE:
        option = access.arguments_option
    return ContentError(
        f"doveadm cannot read {address} on {access.where}, and {explain_code(ended.code)}: "
        f"{ended.shown_errors}",
        option,
        NOTHING_WRITTEN,
    )
