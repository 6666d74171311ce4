# SPDX-License-Identifier: GPL-3.0-or-later
"""What ISPConfig noted about a lock is read, and nothing of it is evaluated."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.ispconfig.lock import (
    read_lock,
    read_serialized,
)
from tests.support.ispconfig_sample import LOCK
from tests.support.ispconfig_source import serialize_php


def test_what_was_off_before_a_lock_is_named_by_table_row_and_column():
    lock = read_lock(serialize_php(LOCK))
    assert lock.names("mail_user", "77", "postfix")
    assert lock.names("mail_user", "77", "disablesmtp")
    assert not lock.names("mail_user", "76", "postfix")
    assert not lock.names("web_domain", "77", "active")


def test_an_empty_note_names_nothing():
    assert not read_lock(" ").names("cron", "1", "active")


@pytest.mark.parametrize(
    ("serialized", "value"),
    [
        ("a:0:{}", {}),
        ('a:1:{i:-3;s:2:"ja";}', {"-3": "ja"}),
        ('a:1:{s:1:"x";s:5:"käse";}', {"x": "käse"}),
        ('s:9:"a";s:1:"b";', 'a";s:1:"b'),
        ("b:1;", "1"),
        ("d:0.5;", "0.5"),
        ("N;", None),
    ],
)
def test_a_value_is_read_as_php_writes_it(serialized, value):
    assert read_serialized(serialized.encode()) == value


@pytest.mark.parametrize(
    "text",
    [
        'O:8:"stdClass":0:{}',
        'C:3:"Foo":0:{}',
        "a:1:{i:1;}",
        "a:2:{i:1;i:2;}",
        "a:1:{i:1;i:2;",
        'a:1:{s:99:"x";i:1;}',
        "a:1:{N;i:1;}",
        "a:1:{a:0:{}i:1;}",
        "a:999999999:{}",
        's:99999999999999:"x";',
        "i:1;",
        "perhaps",
        "\udce4",
        "\ud800",
        'a:1:{s:11:"prev_active";i:1;}',
        'a:1:{s:11:"prev_active";a:1:{s:4:"cron";i:1;}}',
        "a:0:{}a:0:{}",
        "a:1:{i:1;" * 5000,
    ],
)
def test_what_is_no_such_note_is_an_error(text):
    with pytest.raises(ValueError):
        read_lock(text)
