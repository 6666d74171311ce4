# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at both hosts before a tree is copied: rsync's release, and what of the tree stays behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..content_errors import NOTHING_WRITTEN, ContentError
from ..host_tools import Ended, run_command
from ..shown_text import show_name, show_output
from ..source_host import SSH_FAILED, SourceHost, make_unreachable_error, run_on_source
from .commands import (
    OLDEST_RSYNC,
    Transfer,
    join_ways,
    make_account_command,
    make_listing_command,
    make_scan_command,
    make_version_command,
)
from .output import read_listed, read_release
from .process import run_rsync
from .scan import Entry, LeftOut, find_left_out, find_maildirs, read_entries

# rsync ends with these where it could not read all of what it lists, or something has gone since.
_LISTED_IN_PART = (0, 23, 24)
# A directory that goes while find reads it lets find end with an error.
_MOST_SCANS = 5


def refuse_old_rsync(source: SourceHost | None) -> None:
    """Refuse a release whose races a user of the source could use.

    Raises:
        ContentError: Either host has such a release, or none.
    """
    _check_version("this host", run_command(make_version_command()))
    if source is not None:
        _check_version(source.host, run_on_source(source, make_version_command()))


def find_what_stays(transfer: Transfer) -> list[LeftOut]:
    """Return what of a tree is not copied though the task does not exclude it.

    Raises:
        ContentError: The tree cannot be read, or has a Maildir.
    """
    entries = _scan(transfer)
    left_out = list(find_left_out(entries[1:], entries[0]))
    maildirs = find_maildirs(entries)
    if not left_out and not maildirs:
        return []

    if transfer.exclude:
        paths = [entry.path for entry in left_out]
        for names in maildirs.values():
            paths += names
        included = list_included(transfer, paths)
        left_out = [entry for entry in left_out if entry.path in included]
        maildirs = {
            path: names for path, names in maildirs.items() if _is_any_listed(names, included)
        }
    if maildirs:
        raise _make_maildir_error(sorted(maildirs))

    return left_out


def list_included(transfer: Transfer, paths: Sequence[bytes]) -> set[bytes]:
    """Return which of these paths ``exclude`` does not leave out, as rsync itself says.

    Raises:
        ContentError: The source cannot be reached, or the patterns cannot be read.
    """
    lines: list[bytes] = []
    ended = run_rsync(make_listing_command(transfer), join_ways(paths), lines.append)
    if transfer.source is not None and ended.code == SSH_FAILED:
        raise make_unreachable_error(transfer.source, ended)
    if ended.code not in _LISTED_IN_PART:
        raise ContentError(
            f"rsync cannot read the patterns or list the tree: {ended.shown_errors}",
            "exclude",
            effect=NOTHING_WRITTEN,
        )

    return set(read_listed(lines))


def _is_any_listed(paths: Iterable[bytes], listed: Iterable[bytes]) -> bool:
    """Return whether rsync lists one of some paths, a link with where it leads to."""
    wanted = set(paths)

    return any(entry in wanted or entry.partition(b" -> ")[0] in wanted for entry in listed)


def name_host(source: SourceHost | None) -> str:
    """Return what messages call the host of ``src``."""
    return "this host" if source is None else source.host


def _check_version(host: str, ended: Ended) -> None:
    release = read_release(ended.output)
    if ended.code or release is None:
        answer = show_output(ended.errors or ended.output)
        raise ContentError(
            f"rsync on {host} does not tell its version: {answer}",
            effect=NOTHING_WRITTEN,
        )
    if release.is_old:
        oldest = ".".join(str(number) for number in OLDEST_RSYNC)
        raise ContentError(
            f"rsync {show_name(release.name)} on {host} is older than {oldest}, which closed the races of links that are swapped while it runs.",
            "allow_old_rsync",
            effect=NOTHING_WRITTEN,
            advice="Update it, or set the option to true.",
        )


def _scan(transfer: Transfer) -> list[Entry]:
    """Return the tree itself, then what matters below it."""
    for _attempt in range(_MOST_SCANS):
        ended = run_on_source(
            transfer.source, make_scan_command(transfer.source_owner, transfer.src)
        )
        entries = _read_scan(transfer, ended)
        if ended.code == 0:
            break
    if ended.code or not entries[0].is_readable:
        raise _make_unreadable_source_error(transfer, ended)

    return entries


def _read_scan(transfer: Transfer, ended: Ended) -> list[Entry]:
    """Return what a scan has listed, at least the tree itself.

    Raises:
        ContentError: The tree is not there, or is no directory.
    """
    try:
        entries = read_entries(ended.output)
    except ValueError as error:
        raise _make_unreadable_source_error(transfer, ended) from error

    has_tree = bool(entries) and not entries[0].path
    if ended.code and not has_tree:
        raise _make_missing_source_error(transfer, ended)
    if not has_tree or entries[0].kind != b"d":
        host = name_host(transfer.source)
        raise ContentError(
            f"{show_name(transfer.src)} on {host} is no directory; a link is not followed.",
            "src",
            effect=NOTHING_WRITTEN,
        )

    return entries


def _make_missing_source_error(transfer: Transfer, ended: Ended) -> ContentError:
    host = name_host(transfer.source)
    account = run_on_source(transfer.source, make_account_command(transfer.source_owner))
    if account.code:
        return ContentError(
            f"{host} has no user {show_name(transfer.source_owner)}.",
            "owner" if transfer.source_owner == transfer.owner else "source_owner",
            effect=NOTHING_WRITTEN,
        )

    return ContentError(
        f"{show_name(transfer.src)} is not on {host}, or {transfer.source_owner} cannot reach it: {ended.shown_errors}",
        "src",
        effect=NOTHING_WRITTEN,
    )


def _make_unreadable_source_error(transfer: Transfer, ended: Ended) -> ContentError:
    return ContentError(
        f"{transfer.source_owner} cannot read {show_name(transfer.src)} on {name_host(transfer.source)}: {ended.shown_errors}",
        "src",
        effect=NOTHING_WRITTEN,
    )


def _make_maildir_error(paths: Sequence[bytes]) -> ContentError:
    first = show_name(paths[0] or b".")
    if len(paths) > 1:
        first += f" (one of {len(paths)})"

    return ContentError(
        f"it has a Maildir, {first}: a second copy of files doubles and loses mail.",
        "src",
        effect=NOTHING_WRITTEN,
        advice="Copy mail with panel_mailbox_sync, and leave the Maildir out with exclude.",
    )
