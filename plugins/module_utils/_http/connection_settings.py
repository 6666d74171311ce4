# SPDX-License-Identifier: GPL-3.0-or-later
"""Declares the connection options, once for modules, action plugin and lookup."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ansible.module_utils.common.validation import check_type_bool
from ansible.module_utils.errors import AnsibleFallbackNotFound

from .._errors import OptionError
from .._problems import OptionPath, Problem, describe_option_problem
from .._values.option_marks import TEXT_ONLY_MARK

# The API has its version in the path (docs/panel_api.md#base-address).
API_PATH = "/api/v2"

# The first two are required, here or through the environment; read_connection says so in better
# words than Ansible.
_SPECIFICATIONS: dict[str, dict[str, Any]] = {
    "api_url": {"type": "str", **TEXT_ONLY_MARK},
    "api_key": {"type": "str", "no_log": True},
    "validate_certs": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "timeout": {"type": "int", "default": 30},
    "retry_time": {"type": "int", "default": 60},
}
# Without a default. In the environment they name one panel, and so count for none of several.
REQUIRED_OPTIONS = ("api_url", "api_key")
ENVIRONMENT = {name: f"PANEL_{name.upper()}" for name in _SPECIFICATIONS}


def build_connection_argument_spec() -> dict[str, dict[str, Any]]:
    """Return the options of a connection, in Ansible's words."""
    return {
        name: {**specification, "fallback": (_from_environment, [ENVIRONMENT[name]])}
        for name, specification in _SPECIFICATIONS.items()
    }


def _from_environment(variable: str) -> str:
    """Return what a variable of the environment says, in place of an option."""
    text = os.environ.get(variable)
    if not text:
        raise AnsibleFallbackNotFound
    return text


@dataclass(frozen=True)
class Connection:
    """Says where the panel is and how to talk to it.

    base_url: The address of the API.
    api_key: The key.
    verify: Whether certificates are checked, or the file of the authorities that are trusted.
    timeout: The seconds that a request may take.
    retry_time: The seconds that all repeats of a task may take.
    is_loopback: Whether the panel is on this machine.
    names: By option the variable of a role, a playbook or the environment that sets it, for
        messages.
    """

    base_url: str
    api_key: str = field(repr=False)
    verify: bool | str
    timeout: int
    retry_time: int
    is_loopback: bool
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def name_option(self, option: str) -> str:
        """Return what messages call an option: the variable that the operator wrote, or the option
        itself.
        """
        return self.names.get(option, option)

    @property
    def panel(self) -> str:
        """Return the host, and the port where it is not the usual one: the name of the panel in
        files.
        """
        return self.base_url.partition("://")[2].partition("/")[0]


def add_source(problem: Problem, values: Mapping[str, Any]) -> Problem:
    """Return the problem with the variable of the environment that has the value, since nobody may
    have written the option.
    """
    option = problem.option
    variable = ENVIRONMENT.get(option, "")
    if os.environ.get(variable) != str(values.get(option)):
        return problem
    return replace(problem, detail=f"The value is that of {variable} in the environment.")


def find_key_of_another_panel(arguments: Mapping[str, Any], several: str = "") -> Iterator[Problem]:
    """Yield the problem of a panel that is named without its key, where the environment has the key
    of another one.

    A key may be left out, or come of a look-up that found nothing. That of the environment belongs
    to the panel that the environment names. Of several panels each has its own key, and the
    environment replaces none.

    Args:
        arguments: Options as they were given.
        several: The option that may list panels, each with its own options; empty where there is
            none.
    """
    entries = arguments.get(several) or [{}]
    if not isinstance(entries, list) or len(entries) > 1 or not isinstance(entries[0], dict):
        return

    settings = {name: entries[0].get(name) or arguments.get(name) for name in REQUIRED_OPTIONS}
    cause = _describe_key_of_another_panel(settings["api_url"], settings["api_key"])
    is_of_entry = bool(arguments.get(several)) and "api_key" not in arguments
    path: OptionPath = (several, 0) if is_of_entry else ()
    if cause:
        yield describe_option_problem((*path, "api_key"), cause)


def _describe_key_of_another_panel(address: Any, key: Any) -> str:
    """Return what is wrong where the key of the environment would count for an address; empty if
    nothing is.
    """
    address_of_environment = os.environ.get(ENVIRONMENT["api_url"])
    has_key = bool(os.environ.get(ENVIRONMENT["api_key"]))
    if key or not address or not address_of_environment or not has_key:
        return ""

    panel = name_panel(str(address))
    panel_of_environment = name_panel(address_of_environment)
    if panel == panel_of_environment:
        return ""
    return (
        f"missing, and {ENVIRONMENT['api_key']} has the key of {panel_of_environment}, not of "
        f"{panel}. Give the key of {panel}."
    )


def read_connection(
    params: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Connection:
    """Return the checked connection options; raises OptionError and never shows the key.

    An option that is null or an empty string has its default, so that a template without a value
    never switches the TLS check off.

    Args:
        params: The options of a task.
        names: By option the variable of a role or playbook that sets it.
    """
    try:
        return _make_connection(params, names or {})
    except OptionError as error:
        error.problems = (add_source(error.problem, params),)
        raise


def _make_connection(params: Mapping[str, Any], names: Mapping[str, str]) -> Connection:
    """Return the checked options, without the source of a wrong value."""
    # An action that starts a module needs the names of these options alone.
    from .._values.value_types import check_seconds  # noqa: PLC0415

    options = _complete_options(params, names)
    base_url, is_loopback = parse_address(options["api_url"])
    api_key = options["api_key"]
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        cause = "holds white space or another character that no key has; copy it again."
        raise OptionError(cause, option="api_key")
    check_seconds("timeout", options["timeout"], 1)
    check_seconds("retry_time", options["retry_time"], 0)

    return Connection(
        base_url,
        api_key,
        _read_verify(options["validate_certs"], options["ca_path"]),
        options["timeout"],
        options["retry_time"],
        is_loopback,
        {**_find_variables_of_environment(params), **names},
    )


def _find_variables_of_environment(params: Mapping[str, Any]) -> dict[str, str]:
    """Return by option the variable of the environment that has its value."""
    return {
        name: variable
        for name, variable in ENVIRONMENT.items()
        if os.environ.get(variable) == str(params.get(name))
    }


def _complete_options(params: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the options with their defaults; raises OptionError for one that is missing."""
    options: dict[str, Any] = {}
    for name, rules in _SPECIFICATIONS.items():
        options[name] = params.get(name)
        if options[name] in (None, ""):
            options[name] = rules.get("default")

    for name in REQUIRED_OPTIONS:
        if not options[name]:
            places = (
                "in the task, once for all tasks in module_defaults (group/hosting.panel.panel)"
            )
            if name in names:
                places = "for the host, its group or the playbook"
            raise OptionError(
                f"missing. Set it {places}, or in the environment variable {ENVIRONMENT[name]}.",
                option=name,
            )
    return options


def _read_verify(validate_certs: Any, ca_path: str | None) -> bool | str:
    """Return whether certificates are checked, or the file of the authorities for that."""
    is_checked = bool(check_type_bool(validate_certs))
    if not is_checked or not ca_path:
        return is_checked
    check_authorities("ca_path", ca_path)
    return ca_path


def check_authorities(option: str, path: str) -> None:
    """Raise OptionError if an option names no file of trusted authorities."""
    if not os.path.isfile(path):
        raise OptionError(
            f"there is no file {path} on the machine that runs the task.", option=option
        )


_ADDRESS = re.compile(
    r"(?:(https?)://)?([^\s/?#@:[\]]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?(/[^?#]*)?",
    re.ASCII | re.IGNORECASE,
)
_BEGINNING = re.compile(r"\s*[a-z]{3,5}(?::/{1,3}|//)", re.ASCII | re.IGNORECASE)
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|\[::1\]", re.ASCII)
_DEFAULT_PORTS = {"https": "443", "http": "80"}
_FORM = (
    "use https://HOST or https://HOST:PORT, with or without /api/v2, or a bare host name, "
    "without user name and password"
)


def name_panel(address: str) -> str:
    """Return host and port of an address, by which files name its panel.

    Of what is no address, return what stands where they would: no scheme, user, password or path.
    """
    with contextlib.suppress(OptionError):
        address = parse_address(address)[0]
    authority = address.rpartition("@")[2].rpartition("://")[2]
    return authority.partition("/")[0]


class Address(NamedTuple):
    """Has the parts of an address, with the host spelled in the one way.

    origin: Scheme, host, and the port where it is not the usual one.
    path: As it was written; empty where there is none.
    is_loopback: Whether the host is this machine.
    """

    origin: str
    path: str
    is_loopback: bool


def split_address(option: str, address: str, form: str, secret: str) -> Address:
    """Return the parts of an address, which may be a bare host name.

    Args:
        option: The option that has it.
        address: As users write it.
        form: What to write, for a message.
        secret: What plain http would show to others, for a message.

    Raises:
        OptionError: It is no address, or plain http to another machine.
    """
    match = _ADDRESS.fullmatch(address.strip())
    host = _normalize_host(match[2]) if match else ""
    if match is None or not host:
        displayed = _display_address(address)
        raise OptionError(f"{displayed}is not the address of a panel; {form}.", option=option)

    scheme = (match[1] or "https").lower()
    is_loopback = bool(_LOOPBACK.fullmatch(host))
    if scheme == "http" and not is_loopback:
        raise OptionError(
            f"plain http would show {secret} to others; use https:// (http is for loopback "
            "addresses only).",
            option=option,
        )

    if match[3] and match[3] != _DEFAULT_PORTS[scheme]:
        host = f"{host}:{match[3]}"
    return Address(f"{scheme}://{host}", match[4] or "", is_loopback)


def _display_address(address: str) -> str:
    """Return a wrong address and a blank, without what may be secret in it.

    Empty for what does not begin as an address: somebody may have given the key in its place.
    """
    match = _BEGINNING.match(address)
    if match is None:
        return ""
    from .._values.value_types import quote_value  # noqa: PLC0415 - few addresses are wrong

    # A password may have any character, so all before the last @ goes. One may stand without a
    # host, where a port is; and a key behind the path.
    user, _at, location = address[match.end() :].rpartition("@")
    location = re.sub(r"(?s)([?#]|:(?!\d{1,5}(?:/|$))).*", r"\1…", location)
    if user:
        location = f"…@{location}"
    return f"{quote_value(match[0].strip() + location)} "


@functools.lru_cache  # once for all items of a loop
def parse_address(address: str) -> tuple[str, bool]:
    """Return ``https://host[:port]/api/v2`` from the forms that users write, and whether the host
    is a loopback address; raises OptionError.

    All spellings of a host become one, which names the panel in files: in lower case and punycode,
    without a dot at its end.
    """
    origin, path, is_loopback = split_address("api_url", address, _FORM, "the API key")
    if path.rstrip("/") not in ("", API_PATH):
        raise OptionError(
            f"has the path {path}, the API is at {API_PATH}; {_FORM}.", option="api_url"
        )
    return f"{origin}{API_PATH}", is_loopback


def _normalize_host(text: str) -> str:
    """Return a host in lower case and punycode, without a final dot; empty if it is none."""
    host = text.lower()
    try:
        if not host.isascii():
            from .._values.names import encode_punycode  # noqa: PLC0415 - few hosts need it

            host = encode_punycode(host)
    except ValueError:
        host = ""
    return host.rstrip(".")
