# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a task on a mailbox, from its options to its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._log import log_plan
from ..content_errors import ContentError
from ..kept_state import STATE_DIRECTORY, hold_object, make_state_path, read_kept
from ..shown_text import show_name
from ..source_host import SOURCE_OPTIONS, SourceHost
from .commands import MailboxName
from .comparison import Difference, show_differences
from .copy import compare_mailboxes, copy_mailbox, foresee_copy
from .folder_names import name_folders_alike
from .kept_mailbox import KEPT, KeptMailbox
from .outcome import MailboxOutcome
from .reading import MailboxAccess, check_address, check_arguments, refuse_special_files

MAILBOX_OPTIONS: dict[str, Any] = {
    "source": {"type": "dict", "options": SOURCE_OPTIONS},
    "address": {"type": "str", "required": True},
    "source_address": {"type": "str"},
    "doveadm_args": {"type": "list", "elements": "str", "default": []},
    "source_doveadm_args": {"type": "list", "elements": "str", "default": []},
    "mode": {"type": "str", "choices": ["copy", "late", "compare"], "default": "copy"},
}
"""The options of ``panel_mailbox_sync``, as argument_spec has them."""

_COMPARE = "compare"
_LATE = "late"


@dataclass(frozen=True)
class MailboxResult:
    """Says how a task ends.

    values: The members of its result.
    warnings: What an operator should know.
    error: Why it fails; None where it does not.
    """

    values: Mapping[str, Any]
    warnings: Sequence[str]
    error: ContentError | None = None

    @property
    def failure(self) -> str:
        """Return the message of a task that fails; empty where it does not."""
        return self.error.compose() if self.error is not None else ""


def sync_mailbox(
    options: Mapping[str, Any], is_check: bool, directory: str = STATE_DIRECTORY
) -> MailboxResult:
    """Copy or compare a mailbox.

    Args:
        options: The options of ``panel_mailbox_sync``, with the defaults of its specification.
        is_check: Whether nothing may be changed.
        directory: Where it is kept what earlier runs did.

    Raises:
        ContentError: An option cannot be meant, or the mailboxes cannot be read or copied.
    """
    source, target = _read_sides(options)
    mode = options["mode"]
    log_plan(f"mailbox {target.name.label}", mode)
    for access in (source, target):
        refuse_special_files(access)
    if mode == _COMPARE:
        kept = _read_kept(target, directory)
        outcome = compare_mailboxes(source, name_folders_alike(source, target, kept), kept)
    elif is_check:
        label = target.name.label
        path = make_state_path(KEPT.name, label, directory)
        kept = KeptMailbox.read(read_kept(KEPT, label, directory))
        target = name_folders_alike(source, target, kept)
        outcome = foresee_copy(source, target, kept, path, is_in_use=mode == _LATE)
    else:
        with hold_object(KEPT, target.name.label, directory) as held:
            kept = KeptMailbox.read(held.kept)
            target = name_folders_alike(source, target, kept)
            outcome = copy_mailbox(source, target, held, is_in_use=mode == _LATE)

    log_plan(f"mailbox {target.name.label}", f"{len(outcome.differences)} differences are left")
    error = None
    if outcome.differences and mode != _COMPARE and not is_check:
        error = _explain(target, outcome.differences)

    return MailboxResult(_show(outcome), outcome.warnings, error)


def _read_sides(options: Mapping[str, Any]) -> tuple[MailboxAccess, MailboxAccess]:
    """Return the mailbox of the source and that of the target.

    Raises:
        ContentError: An option cannot be meant.
    """
    address = options["address"]
    source_address = options["source_address"]
    if source_address is None:
        source_address = address
    check_address(address, "address")
    check_address(source_address, "source_address")
    for option in ("doveadm_args", "source_doveadm_args"):
        check_arguments(options[option], option)

    source = MailboxAccess(
        name=MailboxName(source_address, tuple(options["source_doveadm_args"])),
        option="source_address",
        arguments_option="source_doveadm_args",
        host=SourceHost.read(options["source"]),
    )
    target = MailboxAccess(
        name=MailboxName(address, tuple(options["doveadm_args"])),
        option="address",
        arguments_option="doveadm_args",
    )

    return source, target


def _read_kept(target: MailboxAccess, directory: str) -> KeptMailbox:
    """Return what is kept of the target; nothing if it cannot be read: a comparison needs none."""
    try:
        return KeptMailbox.read(read_kept(KEPT, target.name.label, directory))
    except ContentError:
        return KeptMailbox()


def _show(outcome: MailboxOutcome) -> dict[str, Any]:
    values = {
        "changed": outcome.changed,
        **outcome.totals._asdict(),
        "differences": show_differences(outcome.differences),
    }
    if outcome.deleted is not None:
        values["deleted_on_target"] = outcome.deleted

    return values


def _explain(target: MailboxAccess, differences: Sequence[Difference]) -> ContentError:
    first = differences[0]
    more = ""
    if len(differences) > 1:
        more = f" and {len(differences) - 1} more"

    return ContentError(
        f"Not everything of the source is in {target.name.address}: "
        f"{show_name(first.folder)}: {first.reason}{more}.",
        effect="What was copied stays.",
        advice="Run the task again. If it fails again, its result names all differences.",
    )
