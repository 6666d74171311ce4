# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By which name a panel is known in files on the controller. Private to the collection."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ...module_utils._http.connection_settings import ENVIRONMENT

# Others, such as 127.0.0.2, may be the ends of tunnels to other panels.
_LOOPBACK = re.compile(r"^(localhost|\[::1\])(?=:|$)")
# What of the environment names one panel, and so is no default for each of several; by the words for it.
OF_ONE_PANEL = {"api_url": "an address", "api_key": "a key"}


def panel_host(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The host in api_url, with the port where it is not the usual one; ``environment`` is what the task adds to the run's own.

    Of what is no address it is the text itself; ``read_connection`` refuses that before anything is sent.
    """
    name = ENVIRONMENT["api_url"]
    return _host(options.get("api_url") or environment.get(name) or os.environ.get(name, ""))


def panel_of_another(address: Any, options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """A warning where a task that names no address takes the environment's panel on a host of another one; else empty.

    address: the variable panel_api_url of the host, which playbooks read and modules do not.
    """
    if not address or options.get("api_url"):
        return ""
    taken, own = panel_host(options, environment), _host(address)
    if not taken or taken == own:
        return ""
    return (
        f"This host has {own} in panel_api_url, and the task went to {taken}, which {ENVIRONMENT['api_url']} names, since modules do not read that "
        "variable. Give api_url, for example in module_defaults or with -a 'api_url={{ panel_api_url }}'."
    )


def monitored_name(variables: Mapping[str, Any], host: str) -> str:
    """What a monitoring system calls a panel: the name in the inventory where its address is there, else the host of the address."""
    return str(variables["inventory_hostname"]) if variables.get("panel_api_url") else host


def missing_of_several(option: str, panel: Mapping[str, Any]) -> str:
    """The words for one of several panels without an address or a key. panel: its name and connection options, as far as there are any."""
    name = panel.get("name") or _host(panel.get("api_url") or "")
    return (
        f"missing{f' for {name}' if name else ''}. Each of several panels needs {OF_ONE_PANEL[option]} of its own; {ENVIRONMENT[option]} "
        "counts where one panel alone is named."
    )


def _host(address: Any) -> str:
    text = str(address).strip()
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
    except ValueError:
        return text
    host = parts.netloc.rpartition("@")[2].lower()
    return name_now(host.removesuffix(":80") if parts.scheme == "http" else host)


def name_now(host: str) -> str:
    """The one name of a panel; files may still have it with the port that https has anyway, or with another name of the loopback address."""
    return _LOOPBACK.sub("127.0.0.1", host.removesuffix(":443"))
