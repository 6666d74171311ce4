# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks another panel for everything that its reader needs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._problems import Written
from .._import_source.read_source import FROXLOR, ISPCONFIG, PANELS
from . import froxlor_calls, ispconfig_session
from .asked_answers import AskedAnswers
from .froxlor_calls import ask_froxlor
from .ispconfig_calls import ask_ispconfig
from .ispconfig_session import IspconfigSession
from .source_api import Access, SourceApi, connect, read_access


class LivePanel(NamedTuple):
    """How a panel is asked.

    Attributes:
        path: Of its API, where the address has none.
        ask: Asks it.
    """

    path: str
    ask: Callable[[SourceApi], AskedAnswers]


def _ask_in_session(api: SourceApi) -> AskedAnswers:
    with IspconfigSession(api) as session:
        return ask_ispconfig(session)


LIVE_PANELS = {
    ISPCONFIG: LivePanel(ispconfig_session.PATH, _ask_in_session),
    FROXLOR: LivePanel(froxlor_calls.PATH, ask_froxlor),
}
"""The panels with an API that an import asks, by their names in the option source."""


def read_live_access(
    panel: str, options: Mapping[str, Any], name_option: Callable[[str], str]
) -> Access:
    """Return where a panel is and who asks it.

    Args:
        panel: The name of the panel.
        options: Those of the task.
        name_option: What messages call an option.

    Raises:
        OptionError: The panel has no API, or an option is missing or wrong.
    """
    live_panel = LIVE_PANELS.get(panel)
    if live_panel is None:
        raise OptionError(
            f"{PANELS[panel].title} has no API that an import asks.",
            option="source_url",
            written=Written.NOTHING,
            advice=f"Set {name_option('path')} to a dump of its database.",
        )
    return read_access(options, live_panel.path, name_option)


def ask_panel(panel: str, access: Access) -> AskedAnswers:
    """Return what a panel answers. Only functions that read are called.

    Args:
        panel: The name of the panel.
        access: Where it is, and who asks it.

    Raises:
        OptionError: The panel refuses the login.
        SourceError: It refuses a function, or does not answer.
        MissingLibrary: Ansible's Python has no library for requests.
    """
    with contextlib.closing(connect(access)) as session:
        return LIVE_PANELS[panel].ask(SourceApi(session, access))
