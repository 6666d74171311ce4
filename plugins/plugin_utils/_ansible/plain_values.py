# SPDX-License-Identifier: GPL-3.0-or-later
"""Values without the marks of Ansible, which differ from release to release.

Private behaviour of ansible-core:

- Up to 2.18 a text of a variable may be a subclass of ``str`` that says whether it may be a
  template. From 2.19 on every text has tags, and an encrypted one is an object of its own. Each of
  them becomes plain by way of JSON and ``str``.
- What the tag ``!!binary`` of YAML makes is no text on any release, and never becomes one that says
  the same: it would approve a plan, for example.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any


def as_plain(value: Any) -> Any:
    """Return plain values, as a module gets them, with secrets decrypted and dates as texts."""
    try:
        text = json.dumps(value, default=_as_plain_leaf)
    except TypeError:
        text = json.dumps(_with_plain_keys(value), default=_as_plain_leaf)
    return json.loads(text)


def _with_plain_keys(value: Any) -> Any:
    """Return a value in which no dictionary has a key that JSON has no form for, as a date."""
    if isinstance(value, Mapping):
        return {_as_plain_key(key): _with_plain_keys(content) for key, content in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_plain_keys(entry) for entry in value]
    return value


def _as_plain_key(key: Any) -> Any:
    return key if key is None or isinstance(key, (str, int, float)) else _as_plain_leaf(key)


def _as_plain_leaf(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, bytes):
        # Those that a lookup of 2.16 returns would make a text of themselves.
        return bytes.__str__(value)
    return str(value)
