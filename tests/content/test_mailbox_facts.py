"""How much a mailbox of a real Dovecot holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.mailbox.facts import (
    MailboxFacts,
    read_mailbox,
)
from tests.support.dovecot import RealMailbox, make_mail_folder, make_mailbox
from tests.support.needed import require_content_tools


@pytest.fixture
def mailbox() -> Iterator[RealMailbox]:
    """Yield an empty mailbox whose folders begin with INBOX."""
    require_content_tools("doveadm")
    with make_mail_folder() as folder:
        yield make_mailbox(folder / "mailbox")


def test_folders_below_a_prefix_count(mailbox: RealMailbox) -> None:
    mailbox.make_folders("INBOX.Work", "INBOX.Empty")
    mailbox.deliver("first")
    mailbox.deliver("second", "INBOX.Work")
    facts = read_mailbox("info@mail.example", mailbox.arguments)
    messages = mailbox.list_messages("INBOX", "size.virtual")
    messages += mailbox.list_messages("INBOX.*", "size.virtual")
    size = sum(int(message["size.virtual"]) for message in messages)
    assert facts == MailboxFacts("info@mail.example", folders=3, messages=2, bytes=size)


def test_folder_that_does_not_open_leaves_the_others(mailbox: RealMailbox) -> None:
    mailbox.deliver("first")
    (mailbox.maildir / ".a\nb").mkdir()
    assert read_mailbox("info@mail.example", mailbox.arguments).messages == 1
