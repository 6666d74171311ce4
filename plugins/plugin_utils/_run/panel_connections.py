# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a task, or one panel among several: its name in files, and its connection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError, collect_problems, raise_if_any
from ...module_utils._http.connection_settings import (
    ENVIRONMENT,
    REQUIRED_OPTIONS,
    Connection,
    build_connection_argument_spec,
    name_panel,
    read_connection,
)
from ...module_utils._operation.validation import check_options, describe_unknown_name
from ...module_utils._problems import OptionPath, Problem, Written, describe_option_problem
from ...module_utils._values.value_types import describe_text_problem


def _drop_substitutes(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of an option without its default and its variable of the environment."""
    return {rule: value for rule, value in rules.items() if rule not in ("default", "fallback")}


# The environment is looked into afterwards, since an option of the task comes before it.
CONNECTION: dict[str, dict[str, Any]] = {
    name: _drop_substitutes(rules) for name, rules in build_connection_argument_spec().items()
}
MISSING = "missing. Each of several panels needs its own; {} counts where one panel alone is named."


def get_panel_host(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return host and port of api_url.

    Args:
        options: Those of the task.
        environment: What the task adds to the run's own.
    """
    variable = ENVIRONMENT["api_url"]
    address = options.get("api_url") or environment.get(variable) or os.environ.get(variable)
    # What is no address is refused before anything is sent.
    return name_panel(str(address or ""))


def refuse_panel_of_another(address: Any, environment: Mapping[str, str]) -> None:
    """Refuse a task without api_url that would take the environment's panel on another one's host.

    Args:
        address: The panel_api_url of the host.
        environment: What the task adds to the run's own.

    Raises:
        OptionError: The environment names another panel.
    """
    if not address:
        return
    host_of_environment = get_panel_host({}, environment)
    host_of_inventory = get_panel_host({"api_url": address}, environment)
    if host_of_environment not in ("", host_of_inventory):
        cause = (
            f"missing: {ENVIRONMENT['api_url']} names {host_of_environment}, and this host has "
            f"{host_of_inventory} in panel_api_url, which modules do not read."
        )
        advice = (
            "Give api_url, for example in module_defaults or with -a 'api_url={{ panel_api_url }}'."
        )
        raise OptionError(cause, option="api_url", written=Written.NOTHING_SENT, advice=advice)


def delete_empty_variables() -> None:
    """Delete empty options of the connection from the environment of the process.

    Ansible itself reads an empty string as false, as the current folder, or as a mistake.
    """
    for variable in ENVIRONMENT.values():
        if os.environ.get(variable) == "":
            del os.environ[variable]


def without_empty_connection(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return what ``set_options`` of a plugin takes its options from, without empty options of the
    connection. options: those of the plugin, or variables.
    """
    options = options or {}
    names = [*ENVIRONMENT, *(f"panel_{option}" for option in ENVIRONMENT)]
    empty = {name for name in names if name in options and options[name] == ""}
    if not empty:
        return options
    return {name: value for name, value in options.items() if name not in empty}


def choose_named_panel(variables: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return address and key of the panel that a lookup names; None for what it does not name.

    Args:
        variables: Of the play, with the options of the connection as ``panel_api_key``.
        options: Those of the lookup, which come first.
    """
    return {name: options.get(name) or variables.get(f"panel_{name}") for name in REQUIRED_OPTIONS}


def make_connection(
    panel: Mapping[str, Any],
    options: Mapping[str, Any],
    environment: Mapping[str, str],
    is_only_one: bool,
) -> dict[str, Any]:
    """Return the connection of a panel.

    Its own options come before the task's, and these before the environment's.

    Args:
        panel: Its own options.
        options: Those of the task.
        environment: What the task adds to the run's own.
        is_only_one: Whether the task names no other panel.

    Raises:
        OptionError: An option is missing or wrong.
    """
    connection: dict[str, Any] = {}
    for name, variable in ENVIRONMENT.items():
        sources = [panel.get(name), options[name]]
        if is_only_one or name not in REQUIRED_OPTIONS:
            sources += [environment.get(variable), os.environ.get(variable)]
        values = [value for value in sources if value not in (None, "")]
        connection[name] = values[0] if values else None
        if not values and name in REQUIRED_OPTIONS and not is_only_one:
            raise OptionError(MISSING.format(variable), option=name)
    return check_options(connection, ArgumentSpecValidator(CONNECTION))


class NamedPanel(NamedTuple):
    """One panel of several, or the only one.

    Attributes:
        name: Its name in files.
        options: Those of its connection, checked, with the key.
        connection: How to reach it.
    """

    name: str
    options: Mapping[str, Any]
    connection: Connection


def check_names(names: Iterable[Any], specification: Iterable[str]) -> None:
    """Raise OptionError for options that do not exist, which Ansible ignores.

    Args:
        names: The names of the options that are written.
        specification: Those of the options that exist.
    """
    option_names = list(specification)
    unknown_names = [name for name in names if name not in option_names]
    raise_if_any(
        [
            describe_option_problem(str(name), describe_unknown_name(name, option_names))
            for name in unknown_names
        ]
    )


def make_named_panels(
    several: Sequence[Mapping[str, Any]] | None,
    options: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    specification: Iterable[str] = ("name", *CONNECTION),
) -> list[NamedPanel]:
    """Return the panels, or without any the one of the options.

    Args:
        several: The panels that the task names, each with its own options; None if it names none.
        options: Those of the task.
        environment: What the task adds to the run's own.
        specification: The options that a panel may have.

    Raises:
        OptionError: Options are missing or wrong; it has the place of each mistake.
    """
    if several == []:
        raise OptionError(
            "is empty; name a panel, or omit it for the one of api_url.", option="panels"
        )
    is_only_one = several is None or len(several) == 1
    panels: dict[str, NamedPanel] = {}
    problems: list[Problem] = []
    for index, described in enumerate(several or [{}]):
        problems_of_panel: list[Problem] = []
        with collect_problems(problems_of_panel):
            panel = make_named_panel(
                described, options, environment or {}, specification, is_only_one
            )
            _refuse_same_name(panel, panels)
            panels[panel.name] = panel
        path_of_panel: OptionPath = () if several is None else ("panels", index)
        problems += [
            replace(problem, path=(*path_of_panel, *problem.path)) for problem in problems_of_panel
        ]
    raise_if_any(problems)
    return list(panels.values())


def _refuse_same_name(panel: NamedPanel, earlier: Mapping[str, NamedPanel]) -> None:
    """Raise OptionError for a panel that is there already, or that has the name of another one."""
    other = earlier.get(panel.name)
    if other is None:
        return
    if other.connection.base_url == panel.connection.base_url:
        raise OptionError(f"{panel.name} is there twice; name each panel once.", option="name")
    problem = f"{panel.name} is the name of another panel; give each panel another name."
    raise OptionError(problem, option="name")


def find_shared_addresses(panels: Iterable[NamedPanel]) -> Iterator[Problem]:
    """Yield a problem for each panel of a list that has the address of an earlier one."""
    names: dict[str, str] = {}
    for index, panel in enumerate(panels):
        address = panel.connection.base_url
        if address in names:
            cause = describe_shared_address(panel.name, names[address])
            yield describe_option_problem(("panels", index, "api_url"), cause)
        names.setdefault(address, panel.name)


def describe_shared_address(name: str, other_name: str) -> str:
    """Return what is wrong with the address of a panel that another one has, too."""
    return f"{name} and {other_name} have the same address; name each panel once."


def make_named_panel(
    described: Mapping[str, Any],
    options: Mapping[str, Any],
    environment: Mapping[str, str],
    specification: Iterable[str],
    is_only_one: bool,
) -> NamedPanel:
    """Return one panel, with the connection that its own options and those of the task make.

    Args:
        described: Its own options.
        options: Those of the task.
        environment: What the task adds to the run's own.
        specification: The options that a panel may have.
        is_only_one: Whether the task names no other panel.

    Raises:
        OptionError: Options are missing or wrong; it has each mistake.
    """
    check_names(described, specification)
    connection = make_connection(described, options, environment, is_only_one)
    _check_required(connection)
    name = described.get("name") or get_panel_host(connection, {})
    cause = describe_text_problem(name)
    if cause:
        raise OptionError(cause, option="name")
    return NamedPanel(name, connection, read_connection(connection))


def _check_required(connection: Mapping[str, Any]) -> None:
    for option in REQUIRED_OPTIONS:
        if not connection[option]:
            variable = ENVIRONMENT[option]
            raise OptionError(
                f"missing. Set it, or the environment variable {variable}.", option=option
            )
