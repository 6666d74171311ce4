# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies or compares a tree: the work of panel_files_sync, from its options to its result."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pwd
import stat
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..._log import log_plan
from ..content_errors import NOTHING_WRITTEN, ContentError
from ..host_tools import Ended
from ..kept_forms import KeptKind, is_mapping
from ..kept_state import STATE_DIRECTORY, hold_object
from ..shown_text import ShownNames, show_count, show_name
from ..source_host import SOURCE_OPTIONS, SSH_FAILED, SourceHost, make_unreachable_error
from .commands import (
    Transfer,
    excludes_exactly,
    join_patterns,
    make_copy_command,
    make_trial_command,
    name_pattern,
    normalize_path,
)
from .output import Tally
from .process import describe_process, end_former_process, run_rsync
from .scan import LeftOut, find_mounts
from .source import find_what_stays, list_included, name_host, refuse_old_rsync
from .temporary import Owner, make_temporary_directory

KEPT = KeptKind("files", {"process": is_mapping})
FILES_OPTIONS: dict[str, Any] = {
    "source": {"type": "dict", "options": SOURCE_OPTIONS},
    "src": {"type": "str", "required": True},
    "dest": {"type": "str", "required": True},
    "owner": {"type": "str", "required": True},
    "source_owner": {"type": "str"},
    "mode": {"type": "str", "choices": ["copy", "final", "compare"], "default": "copy"},
    "delete": {"type": "bool", "default": False},
    "max_delete": {"type": "int", "default": 1000},
    "exclude": {"type": "list", "elements": "str", "default": []},
    "checksum": {"type": "bool", "default": False},
    "bandwidth": {"type": "int"},
    "timeout": {"type": "int", "default": 0},
    "allow_old_rsync": {"type": "bool", "default": False},
}
"""The options of panel_files_sync, as argument_spec has them."""
_MOUNTS = "/proc/self/mountinfo"
_KEPT_CONTENT = "excluded content"
# The exit codes of rsync, by its manual.
_VANISHED = 24
_TOO_MANY_DELETIONS = 25
_TIMED_OUT = (30, 35)
_CONNECTION_ENDED = (10, 12, SSH_FAILED)
_WRITING_FAILED = 11


def sync_files(
    options: Mapping[str, Any], check_mode: bool, state_directory: str = STATE_DIRECTORY
) -> dict[str, Any]:
    """Copy or compare a tree, and return the result of the module.

    Args:
        options: The options of the module, complete.
        check_mode: Whether nothing is written.
        state_directory: Where this host keeps what runs did.

    Raises:
        ContentError: The tree cannot be copied or compared as the options want it.
    """
    owner = _read_owner(options["owner"])
    transfer = _read_transfer(options)
    _check_dest(transfer, owner)
    if not options["allow_old_rsync"]:
        refuse_old_rsync(transfer.source)

    mode = options["mode"]
    if mode == "compare":
        return _compare(transfer, owner)
    _refuse_mounts(transfer)
    if check_mode:
        left_out = find_what_stays(transfer)
        _log_plan(transfer, mode, left_out)
        return _make_result(transfer, _try(transfer, left_out, mode), left_out)

    with hold_object(KEPT, transfer.dest, state_directory) as held:
        end_former_process(held.kept.get("process"))
        with make_temporary_directory(owner, transfer.dest) as temporary:
            left_out = find_what_stays(transfer)
            _log_plan(transfer, mode, left_out)
            # rsync would delete as many as it may, and then say that there are more.
            if transfer.delete:
                _try(transfer, left_out, mode)
            tally = Tally()

            def note_process(process: int) -> None:
                held.keep({"process": describe_process(process)})

            ended = run_rsync(
                make_copy_command(transfer, temporary.path, temporary.kept_name),
                join_patterns([entry.path for entry in left_out]),
                tally.take_line,
                note_process,
            )
            held.keep({})
        # rsync names an entry before its content is there.
        copied = show_count(tally.sent, "entry was", "entries were")
        effect = f"At most {copied} copied and {tally.deleted} deleted before that."
        _check_end(transfer, ended, mode, effect)

    return _make_result(transfer, tally, left_out)


def _compare(transfer: Transfer, owner: Owner) -> dict[str, Any]:
    whole = dataclasses.replace(transfer, delete=True, checksum=True)
    left_out = find_what_stays(whole)
    _log_plan(whole, "compare", left_out)
    differences = ShownNames()
    seen: set[bytes] = set()
    tally = Tally()

    def take_line(line: bytes) -> None:
        item = tally.take_line(line)
        if item is not None:
            differences.add(item.path)
            seen.add(item.path)

    patterns = join_patterns([entry.path for entry in left_out])
    ended = run_rsync(make_trial_command(whole), patterns, take_line)
    _check_end(whole, ended, "compare", NOTHING_WRITTEN)
    foreign = _find_foreign(whole, owner, left_out)
    # Without patterns, what stays is in use, as a mount point.
    used = set() if transfer.exclude else tally.staying
    for path in sorted((foreign | used) - seen):
        differences.add(path)

    result = _make_result(transfer, Tally(staying=tally.staying - seen), left_out)
    return {**result, "differences": differences.list_all()}


def _log_plan(transfer: Transfer, mode: str, left_out: list[LeftOut]) -> None:
    omitted = show_count(len(left_out), "entry", "entries")
    log_plan(f"tree {show_name(transfer.dest)}", f"{mode}, leave out {omitted}")


def _find_foreign(transfer: Transfer, owner: Owner, left_out: list[LeftOut]) -> set[bytes]:
    """Return what of ``dest`` belongs to another user, and is neither excluded nor left out.

    rsync does not run as root, so it compares no owners.
    """
    omitted = {entry.path for entry in left_out}
    foreign = dict(_list_foreign(os.fsencode(transfer.dest), owner, omitted))
    if not foreign:
        return set()

    target = dataclasses.replace(transfer, source=None, src=transfer.dest)
    included = list_included(target, list(foreign.values()))

    return {path for listed, path in foreign.items() if listed in included}


def _list_foreign(
    dest: bytes, owner: Owner, omitted: Collection[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield what rsync lists for each entry of another user, a link with where it leads to, and the
    path below ``dest``.
    """
    for directory, names, files, descriptor in os.fwalk(dest):
        relative = os.path.relpath(directory, dest)
        way = relative + b"/"
        if way == b"./":
            way = b""
        names[:] = [name for name in names if way + name not in omitted]
        kept_files = [name for name in files if way + name not in omitted]
        for name in (*names, *kept_files):
            # It may be gone by now.
            with contextlib.suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if status.st_uid == owner.uid:
                    continue
                path = way + name
                target = b""
                if stat.S_ISLNK(status.st_mode):
                    target = b" -> " + os.readlink(name, dir_fd=descriptor)
                yield path + target, path


def _try(transfer: Transfer, left_out: list[LeftOut], mode: str) -> Tally:
    """Return what a copy would do.

    Raises:
        ContentError: It would delete more than it may, or fail.
    """
    tally = Tally()
    patterns = join_patterns([entry.path for entry in left_out])
    ended = run_rsync(make_trial_command(transfer), patterns, tally.take_line)
    _check_end(transfer, ended, mode, NOTHING_WRITTEN)
    if transfer.delete:
        _refuse_deletions(transfer, tally)

    return tally


def _refuse_deletions(transfer: Transfer, tally: Tally) -> None:
    """Refuse to delete more than was meant.

    A source with nothing in it is hardly ever what a customer has emptied: it is a file system that
    is not mounted, or another directory.

    Raises:
        ContentError: The source has nothing to copy, or more would be deleted than may be.
    """
    has_entries = tally.entries > 1
    deleted = show_count(tally.deleted, "entry", "entries")
    if tally.deleted and not has_entries:
        raise ContentError(
            f"{show_name(transfer.src)} on {name_host(transfer.source)} has nothing to copy,"
            f" and {deleted} of {show_name(transfer.dest)} would be deleted.",
            "src",
            effect=NOTHING_WRITTEN,
            advice="Mount what is missing there. If it is meant to be empty, empty the target.",
        )
    if tally.deleted > transfer.max_delete:
        raise ContentError(
            f"{deleted} of {show_name(transfer.dest)} would be deleted, and {transfer.max_delete} may be.",
            "max_delete",
            effect=NOTHING_WRITTEN,
            advice="If they are meant, raise the number.",
        )


def _make_result(transfer: Transfer, tally: Tally, left_out: list[LeftOut]) -> dict[str, Any]:
    staying = [LeftOut(path, _KEPT_CONTENT) for path in tally.list_staying() if transfer.exclude]
    return {
        "changed": tally.changes > 0,
        "sent": tally.sent,
        "deleted": tally.deleted,
        "bytes": tally.size,
        "left_out": [
            {"path": show_name(entry.path), "why": entry.reason} for entry in [*left_out, *staying]
        ],
        "differences": [],
    }


def _read_owner(name: str) -> Owner:
    try:
        account = pwd.getpwnam(name)
    except (KeyError, ValueError) as error:
        raise ContentError(
            f"this host has no user {show_name(name)}.", "owner", effect=NOTHING_WRITTEN
        ) from error
    if os.geteuid() != 0:
        raise ContentError(
            f"only root can work as {show_name(name)}.",
            "owner",
            effect=NOTHING_WRITTEN,
            advice="Set become: true.",
        )

    return Owner(name, account.pw_uid, account.pw_gid)


def _read_transfer(options: Mapping[str, Any]) -> Transfer:
    """Return what the options ask for.

    Raises:
        ContentError: A value cannot be meant.
    """
    for name, least in (("max_delete", 0), ("timeout", 0), ("bandwidth", 1)):
        value = options[name]
        if value is not None and value < least:
            raise ContentError(f"{value} is less than {least}.", name)
    exclude = tuple(options["exclude"] or ())
    for pattern in exclude:
        if not pattern.strip("/") or "\0" in pattern or not _is_encodable(pattern):
            raise ContentError(f"{pattern!r} is no pattern of names.", "exclude")

    source = SourceHost.read(options["source"])
    source_owner = options["source_owner"] or options["owner"]
    if source is None and source_owner != options["owner"]:
        raise ContentError("it is the user of another host, and source is missing.", "source_owner")

    return Transfer(
        source=source,
        src=_read_path(options["src"], "src"),
        dest=_read_path(options["dest"], "dest"),
        owner=options["owner"],
        source_owner=source_owner,
        exclude=exclude,
        delete=options["delete"],
        max_delete=options["max_delete"],
        checksum=options["checksum"],
        bandwidth=options["bandwidth"] or 0,
        timeout=options["timeout"],
    )


def _is_encodable(pattern: str) -> bool:
    """Tell whether a command can be given a pattern, which half of a character prevents."""
    try:
        os.fsencode(pattern)
    except UnicodeEncodeError:
        return False
    return True


def _read_path(path: str, option: str) -> str:
    normal = normalize_path(path)
    if not normal:
        raise ContentError(
            f"{show_name(path)} is not the whole path of a directory, with a slash at its start and without ..",
            option,
        )

    return normal


def _check_dest(transfer: Transfer, owner: Owner) -> None:
    dest = transfer.dest
    try:
        status = os.lstat(dest)
    except OSError as error:
        raise ContentError(
            f"{show_name(dest)} cannot be read: {error.strerror}.",
            "dest",
            effect=NOTHING_WRITTEN,
        ) from error
    if os.path.islink(dest) or not os.path.isdir(dest):
        raise ContentError(
            f"{show_name(dest)} is no directory; a link is not followed.",
            "dest",
            effect=NOTHING_WRITTEN,
        )
    if status.st_uid != owner.uid:
        raise ContentError(
            f"{show_name(dest)} belongs to another user than {owner.name}.",
            "dest",
            effect=NOTHING_WRITTEN,
        )
    if transfer.source is None:
        _refuse_overlap(transfer.src, dest)


def _refuse_overlap(src: str, dest: str) -> None:
    """Refuse trees of this host of which one is in the other."""
    source = os.path.realpath(src)
    target = os.path.realpath(dest)
    common = os.path.commonpath([source, target])
    if common in (source, target):
        raise ContentError(
            f"{show_name(dest)} and {show_name(src)} are one directory, or one is in the other.",
            "dest",
            effect=NOTHING_WRITTEN,
        )


def _refuse_mounts(transfer: Transfer) -> None:
    """Refuse to write where something else is mounted in ``dest``.

    rsync takes a directory that is mounted from the same file system for a part of the tree.

    Raises:
        ContentError: Something is mounted there that the task does not exclude.
    """
    with open(_MOUNTS, "rb") as file:
        mounts = find_mounts(file.read(), os.fsencode(os.path.realpath(transfer.dest)))
    for path in mounts:
        if not excludes_exactly(transfer.exclude, os.fsdecode(path)):
            raise ContentError(
                f"{show_name(path)} in {show_name(transfer.dest)} is a mount point,"
                " and what is mounted there would be overwritten or deleted.",
                "dest",
                effect=NOTHING_WRITTEN,
                advice=f"Unmount it, or exclude {_show_pattern(path)} and copy that directory alone.",
            )


def _show_pattern(path: bytes) -> str:
    """Return the pattern that names a path, as a task has it where its characters can be shown."""
    pattern = name_pattern(os.fsdecode(path))

    return pattern if pattern.isprintable() else show_name(pattern)


def _check_end(transfer: Transfer, ended: Ended, mode: str, effect: str) -> None:
    """Raise what an exit code of rsync means.

    Raises:
        ContentError: It did not do all of its work.
    """
    code = ended.code
    errors = ended.shown_errors
    source = transfer.source
    advice = "Run the task again."
    if code == 0 or (code == _VANISHED and mode == "copy"):
        return
    if code == _VANISHED:
        raise ContentError(
            f"files vanished from the source during the run: {errors}", "mode", effect, advice
        )
    if code == _TOO_MANY_DELETIONS:
        raise ContentError(f"more would be deleted: {errors}", "max_delete", effect, advice)
    if code in _TIMED_OUT:
        raise ContentError(f"no data came for that time: {errors}", "timeout", effect, advice)
    if source is not None and code in _CONNECTION_ENDED:
        if code == SSH_FAILED:
            raise make_unreachable_error(source, ended)
        raise ContentError(
            f"the connection to {source.host} has ended: {errors}", "source", effect, advice
        )

    advice = "Correct what it names, and run the task again."
    if code == _WRITING_FAILED:
        advice = "Make space on the target or raise the quota, and run the task again."
    raise ContentError(f"rsync ended with {code}: {errors}", effect=effect, advice=advice)
