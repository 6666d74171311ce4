# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets doveadm on the target name IMAP folders as the source does, for the time of a run.

The same folder may be Work on one server and INBOX.Work on another, where their namespaces have
other prefixes or separators. dsync then ends with an error, or makes a folder INBOX within INBOX.
So doveadm on the target gets the prefix and the separator of the source as settings, if both names
of a folder then lead to the same directory (docs/host_tools.md#names-of-imap-folders).
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import NamedTuple

from ..content_errors import NOTHING_WRITTEN, ContentError
from .commands import PREFIXES, ROOT_CHILD, make_child
from .kept_mailbox import KeptMailbox
from .reading import MailboxAccess, find_path, read_namespaces

# In a Maildir, a slash that is no separator divides the name of no folder.
_UNDIVIDED = f"/.{ROOT_CHILD}"


class FolderNames(NamedTuple):
    """Says how IMAP folders are named.

    prefix: What is before the name of each, but for INBOX.
    separator: What is between the names of a folder and of one in it.
    """

    prefix: str
    separator: str

    def show(self) -> str:
        """Return both for a message."""
        return f"the prefix {self.prefix!r} and the separator {self.separator!r}"

    def make_settings(self, namespace: str) -> tuple[str, ...]:
        """Return the settings by which Dovecot names the folders of a namespace so."""
        return (
            f"namespace/{namespace}/prefix={self.prefix}",
            f"namespace/{namespace}/separator={self.separator}",
        )


def name_folders_alike(
    source: MailboxAccess, target: MailboxAccess, kept: KeptMailbox
) -> MailboxAccess:
    """Return the target with the settings by which its folders have names as on the source.

    Args:
        source, target: The mailboxes.
        kept: What is kept of the target. After a copy from this source, it has the settings.

    Raises:
        ContentError: A mailbox is not there, has another prefix than those that are looked for, or
            cannot be given that of the source.
    """
    if kept.origin == source.origin and not kept.was_interrupted:
        return _set(target, kept.settings)

    source_names = _find_names(source)
    target_names = _find_names(target)
    if target_names == source_names:
        return target

    directory = find_path(target, make_child(target_names.prefix))
    for namespace in read_namespaces(target):
        renamed = _set(target, source_names.make_settings(namespace))
        # Dovecot may refuse the settings, as for two namespaces with the same prefix.
        with contextlib.suppress(ContentError):
            same = find_path(renamed, make_child(source_names.prefix)) == directory
            if same and _find_names(renamed) == source_names:
                return renamed

    raise ContentError(
        f"the IMAP folders of {source.name.address} on {source.where} have"
        f" {source_names.show()}. Those of {target.name.address} on {target.where} have"
        f" {target_names.show()}, and doveadm cannot give them other ones for the time of a run.",
        target.option,
        NOTHING_WRITTEN,
        "In the settings of Dovecot on the target, name the namespace of the INBOX, or give it the"
        " prefix and the separator of the source.",
    )


def _set(target: MailboxAccess, settings: tuple[str, ...]) -> MailboxAccess:
    return replace(target, name=replace(target.name, settings=settings))


def _find_names(access: MailboxAccess) -> FolderNames:
    """Find how the folders of a mailbox are named.

    Raises:
        ContentError: The mailbox is not there, or has another prefix.
    """
    directory = find_path(access, ROOT_CHILD)
    if directory:
        return FolderNames("", "." if directory.endswith(_UNDIVIDED) else "/")
    for prefix in PREFIXES:
        if find_path(access, make_child(prefix)):
            return FolderNames(prefix, prefix[-1])

    known = " or ".join(repr(prefix) for prefix in PREFIXES)
    raise ContentError(
        f"the IMAP folders of {access.name.address} on {access.where} have a prefix, and it is not"
        f" {known}.",
        access.option,
        NOTHING_WRITTEN,
        "In the settings of Dovecot, give the namespace of the INBOX one of these prefixes, or"
        " none.",
    )
