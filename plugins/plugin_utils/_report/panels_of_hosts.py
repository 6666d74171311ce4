# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that are hosts of a play, as the variables of each host describe them.

A mistake in a variable is one of that host's panel alone: the others are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ...module_utils._http.connection_settings import ENVIRONMENT
from .._ansible.error_messages import describe_problem_of_template
from .._ansible.plain_values import as_plain
from .._variables.rule import read_variables

# By variable of a host the option of a panel.
OPTIONS = {f"panel_{name}": name for name in (*ENVIRONMENT, "disk_space")}
OPTIONS["panel_dir"] = "export_dir"
VARIABLES = {option: variable for variable, option in OPTIONS.items()}
# How these variables are read, as those of the playbooks are.
_RULES = {
    "panel_api_url": {"type": "text"},
    "panel_api_key": {"type": "secret"},
    "panel_validate_certs": {"type": "switch"},
    "panel_ca_path": {"type": "text"},
    "panel_timeout": {"type": "number"},
    "panel_retry_time": {"type": "number"},
    "panel_disk_space": {"type": "raw"},
    "panel_dir": {"type": "text"},
}


class HostPanel(NamedTuple):
    """A host of the play.

    Attributes:
        name: As the inventory calls it.
        options: Those of its panel that its variables set.
        mistakes: By variable what is wrong with it, in a sentence that begins with its name.
    """

    name: str
    options: dict[str, Any]
    mistakes: dict[str, str]


def read_hosts(
    hosts: Iterable[str],
    hostvars: Mapping[str, Any],
    has_key: Callable[[str], bool],
    is_template: Callable[[Any], bool],
) -> list[HostPanel]:
    """Return the hosts of a play; none if no host has panel_api_url.

    Args:
        hosts: Their names.
        hostvars: Ansible's variable of this name.
        has_key: Whether a host has a key without a variable of its own.
        is_template: Whether a value is still a template.
    """
    panels = [_read_host(host, hostvars[host], is_template) for host in dict.fromkeys(hosts)]
    if not any(_is_set(panel, "panel_api_url") for panel in panels):
        return []

    for panel in panels:
        variables = ["panel_api_url"]
        if not has_key(panel.name):
            variables.append("panel_api_key")
        for variable in variables:
            if not _is_set(panel, variable):
                panel.mistakes[variable] = (
                    f"{variable}: missing. Each host of the play needs its own."
                )
    return panels


def _read_host(
    host: str, variables: Mapping[str, Any], is_template: Callable[[Any], bool]
) -> HostPanel:
    """Return a host, with a mistake for each variable that cannot be evaluated or is wrong."""
    panel = HostPanel(host, {"name": host}, {})
    for variable, rules in _RULES.items():
        try:
            # Releases differ in where they evaluate and decrypt: here, or as the value is read.
            value = variables.get(variable)
            plain_value = as_plain(value)
        except Exception as error:  # a template raises whatever an expression in it raises
            panel.mistakes[variable] = f"{variable}: {describe_problem_of_template(error)}"
            continue

        if is_template(value):
            panel.mistakes[variable] = f"{variable}: its template has no value."
            continue
        reading = read_variables({variable: plain_value}, {variable: rules})
        if reading.mistakes:
            panel.mistakes[variable] = " ".join(reading.mistakes)
        elif variable in reading.settings:
            panel.options[OPTIONS[variable]] = reading.settings[variable]
    return panel


def _is_set(panel: HostPanel, variable: str) -> bool:
    """Return whether a host gives a variable a value, right or wrong."""
    return OPTIONS[variable] in panel.options or variable in panel.mistakes
