# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of an inventory file, and what they show. No message holds a key."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ...module_utils._errors import OptionError, raise_if_any
from ...module_utils._http.connection_settings import find_key_of_another_panel
from ...module_utils._http.panel_session import PanelSession
from ...module_utils._kinds.tables import CLIENT, DOMAIN, PLAN
from ...module_utils._secrets.redaction import Secrets, remove_secrets
from ...module_utils._sources.checked_answers import read_objects, require_distinct_ids
from .._ansible.error_messages import format_message_with_help
from .._run.nested_text import SAFE_LOADER, check_depth
from .._run.panel_connections import NamedPanel, make_named_panels

LISTS = {"clients": CLIENT, "hosting_plans": PLAN, "domains": DOMAIN}
# The value of api_key in a file that is not quite YAML: a dictionary, a list, a quoted text or a
# word.
_KEY = re.compile(r"""api_key["']?\s*:\s*(\{.*?\}|\[.*?\]|"[^"]*"?|'[^']*'?|[^\s,}]+)""")
_TEXT_IN_KEY = re.compile(r"""[^\s"',:{}\[\]]+""")
_PLAIN_TYPES = (str, int, float, datetime.date, list, dict, type(None))
# By plural kind the objects of a panel.
Reading = Mapping[str, list[dict[str, Any]]]


def has_plugin_line(path: str, plugin: str) -> bool:
    """Tell whether an inventory file has the line with which it asks for a plugin."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        return any(line.split()[:2] == ["plugin:", plugin] for line in lines)
    return False


def refuse_deep_file(path: str) -> None:
    """Raise TooDeep for an inventory file that would end Ansible's own reader with an error of Python.

    What else is wrong with the file, Ansible says when it reads it.
    """
    with contextlib.suppress(OSError, UnicodeDecodeError, yaml.YAMLError):
        check_depth(Path(path).read_text(encoding="utf-8"))


def explain_file_error(error: Exception, path: str) -> str:
    """Return what Ansible says about an inventory file, without the keys in it."""
    try:
        content = Path(path).read_text(encoding="utf-8")
        yaml.compose(content, SAFE_LOADER)
    except (OSError, ValueError, yaml.YAMLError) as problem:
        mark = getattr(problem, "problem_mark", None)
        if mark is None:
            return "the file is not in UTF-8, or cannot be read."
        return f"line {mark.line + 1}: is no YAML."

    keys = _TEXT_IN_KEY.findall(" ".join(_KEY.findall(content)))
    return Secrets(keys).mask(format_message_with_help(error))


def read_panels(
    panels: Any, shared: Mapping[str, Any], written: Mapping[str, Any]
) -> list[NamedPanel]:
    """Return the panels of an inventory file.

    Args:
        panels: The option; None for the panel of the connection options.
        shared: Connection options beside it.
        written: Those of them that the file has, also without a value.

    Raises:
        OptionError: A panel cannot be reached as the file says.
    """
    if panels is None:
        raise_if_any([*find_key_of_another_panel(written)])
        return make_named_panels(None, shared)

    entries = []
    for index, entry in enumerate(panels or ()):
        if not isinstance(entry, Mapping):
            raise OptionError("must be a dictionary with api_url.", option=("panels", index))
        entries.append({str(name): _as_plain_value(value) for name, value in entry.items()})

    raise_if_any([*find_key_of_another_panel({**written, "panels": entries}, "panels")])
    return make_named_panels(entries, shared)


def _as_plain_value(value: Any) -> Any:
    """Return the value as plain data: some releases of ansible-core hand over what the file
    encrypts as objects."""
    return value if isinstance(value, _PLAIN_TYPES) else str(value)


def read_panel(panel: NamedPanel, secrets: Secrets) -> Reading:
    """Return all clients, hosting plans and domains, without secrets.

    Args:
        panel: The panel.
        secrets: Those that are known, which a customer's text may repeat.

    Raises:
        PanelError: The panel cannot be read.
    """
    reading = {}
    with contextlib.closing(PanelSession(panel.connection)) as session:
        for plural, kind in LISTS.items():
            items = read_objects(session.get(kind.path), kind.path, kind)
            # An object that is shown twice would be two hosts of one name.
            require_distinct_ids(items, kind)
            reading[plural] = secrets.mask_given_value(remove_secrets(items))
    return reading


def compute_digest(readings: Any) -> str:
    """Return what tells whether readings of a cache are still those that were put there.

    Args:
        readings: The readings by panel, or whatever the cache has in their place.
    """
    text = json.dumps(readings, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
