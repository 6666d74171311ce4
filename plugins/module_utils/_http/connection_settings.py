# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection options, declared once for modules, action plugin and lookup."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ansible.module_utils.common.validation import check_type_bool
from ansible.module_utils.errors import AnsibleFallbackNotFound

from .._errors import OptionError
from .._problems import Problem
from .._values.value_types import check_seconds

# The API has its version in the path (docs/panel_api.md#base-address).
API_PATH = "/api/v2"

# api_url and api_key are required, here or through the environment; read_connection says so in
# better words than Ansible.
_SPECIFICATIONS: dict[str, dict[str, Any]] = {
    "api_url": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "timeout": {"type": "int", "default": 30},
    "retry_time": {"type": "int", "default": 60},
}
ENVIRONMENT = {name: f"PANEL_{name.upper()}" for name in _SPECIFICATIONS}


def connection_argument_spec() -> dict[str, dict[str, Any]]:
    return {
        name: {**specification, "fallback": (_from_environment, [ENVIRONMENT[name]])}
        for name, specification in _SPECIFICATIONS.items()
    }


def _from_environment(variable: str) -> str:
    text = os.environ.get(variable)
    if not text:
        raise AnsibleFallbackNotFound
    return text


@dataclass(frozen=True)
class Connection:
    """Where the panel is and how to talk to it. ``timeout`` and ``retry_time`` are seconds."""

    base_url: str
    api_key: str = field(repr=False)
    verify: bool | str
    timeout: int
    retry_time: int
    is_loopback: bool

    @property
    def panel(self) -> str:
        """The host, and the port where it is not the usual one: the name of the panel in files."""
        return self.base_url.partition("://")[2].partition("/")[0]


def with_source(problem: Problem, values: Mapping[str, Any]) -> Problem:
    """Return the problem with the variable of the environment that has the value, since nobody may
    have written the option.
    """
    variable = ENVIRONMENT.get(problem.option, "")
    if os.environ.get(variable) != str(values.get(problem.option)):
        return problem
    return replace(
        problem, cause=f"{problem.cause} The value is that of {variable} in the environment."
    )


def read_connection(params: Mapping[str, Any]) -> Connection:
    """The checked connection options; raises OptionError and never shows the key.

    An option that is null or an empty string has its default, so that a template without a value
    never switches the TLS check off.
    """
    try:
        return _connection(params)
    except OptionError as error:
        error.problems = (with_source(error.problem, params),)
        raise


def _connection(params: Mapping[str, Any]) -> Connection:
    given = {name: value for name, value in params.items() if value not in (None, "")}
    params = {
        name: given.get(name, rules.get("default")) for name, rules in _SPECIFICATIONS.items()
    }
    for option in ("api_url", "api_key"):
        if not params[option]:
            ways = "Set it in the task, once for all tasks in module_defaults (group/hosting.panel.panel), or in the environment variable"
            raise OptionError(option, f"missing. {ways} {ENVIRONMENT[option]}.")
    base_url, is_loopback = base_of(params["api_url"])
    api_key, ca_path = params["api_key"], params["ca_path"]
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise OptionError(
            "api_key", "holds white space or another character that no key has; copy it again."
        )
    for option, least in (("timeout", 1), ("retry_time", 0)):
        check_seconds(option, params[option], least)
    verify: bool | str = check_type_bool(params["validate_certs"])
    if verify and ca_path:
        if not os.path.isfile(ca_path):
            raise OptionError(
                "ca_path", f"there is no file {ca_path} on the machine that runs the task."
            )
        verify = ca_path
    return Connection(
        base_url, api_key, verify, params["timeout"], params["retry_time"], is_loopback
    )


_ADDRESS = re.compile(
    r"(?:(https?)://)?([^\s/?#@:[\]]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?(/[^?#]*)?",
    re.ASCII | re.IGNORECASE,
)
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|\[::1\]", re.ASCII)
_FORM = "use https://HOST or https://HOST:PORT, with or without /api/v2, or a bare host name, without user name and password"


@functools.lru_cache  # once for all items of a loop
def base_of(address: str) -> tuple[str, bool]:
    """``https://host[:port]/api/v2`` from the forms that users write, and whether the host is a
    loopback address; raises OptionError.
    """
    match = _ADDRESS.fullmatch(address.strip())
    if match is None:
        raise OptionError("api_url", f"is not the address of a panel; {_FORM}.")
    scheme, host = (match[1] or "https").lower(), match[2].lower()
    is_loopback = bool(_LOOPBACK.fullmatch(host))
    if (match[4] or "").rstrip("/") not in ("", API_PATH):
        raise OptionError("api_url", f"has the path {match[4]}, the API is at {API_PATH}; {_FORM}.")
    if scheme == "http" and not is_loopback:
        problem = "plain http would show the API key to others; use https:// (http is for loopback addresses only)."
        raise OptionError("api_url", problem)
    port = match[3] if match[3] != {"https": "443", "http": "80"}[scheme] else None
    return f"{scheme}://{host}{f':{port}' if port else ''}{API_PATH}", is_loopback
