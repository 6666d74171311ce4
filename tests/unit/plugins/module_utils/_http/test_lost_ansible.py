# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how a worker knows that the Ansible has ended for which it works."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.lost_ansible import (
    StartingProcess,
    has_lost_ansible,
)

FORK = multiprocessing.get_context("fork")
SECONDS = 20.0


def report_what_is_lost(messages: Connection) -> None:
    """Say whether Ansible is there, and again once it has been killed."""
    messages.send(has_lost_ansible())
    end = time.monotonic() + SECONDS
    while not has_lost_ansible() and time.monotonic() < end:
        time.sleep(0.01)
    messages.send(has_lost_ansible())


def run_ansible(messages: Connection) -> None:
    """Start a worker as Ansible does, and wait."""
    FORK.Process(target=report_what_is_lost, args=(messages,)).start()
    time.sleep(SECONDS)


def test_a_worker_knows_that_its_ansible_was_killed() -> None:
    messages, sending = FORK.Pipe(duplex=False)
    ansible = FORK.Process(target=run_ansible, args=(sending,))
    ansible.start()
    try:
        assert messages.poll(SECONDS) and messages.recv() is False
        assert ansible.pid is not None
        os.kill(ansible.pid, signal.SIGKILL)

        assert messages.poll(SECONDS) and messages.recv() is True
    finally:
        ansible.kill()
        ansible.join(SECONDS)


def test_a_process_that_nothing_has_forked_has_lost_nothing() -> None:
    assert has_lost_ansible() is False


def test_a_process_that_nothing_has_forked_notices_that_the_one_ends_that_started_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starting_process = StartingProcess()

    assert not starting_process.has_ended()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    assert starting_process.has_ended()
    assert not has_lost_ansible()
