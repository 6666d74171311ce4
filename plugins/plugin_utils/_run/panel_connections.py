# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a task, or one panel among several: its name in files, and its connection. Private to the collection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError, collect_problems, raise_collected
from ...module_utils._http.connection_settings import (
    ENVIRONMENT,
    Connection,
    base_of,
    connection_argument_spec,
    read_connection,
)
from ...module_utils._operation.validation import checked, unknown
from ...module_utils._problems import Problem, option_problem

# The environment is looked into afterwards, since an option of the task comes before it.
CONNECTION: dict[str, dict[str, Any]] = {
    name: {"type": spec["type"], "no_log": bool(spec.get("no_log"))}
    for name, spec in connection_argument_spec().items()
}
# What of the environment names one panel, and so is no default for each of several.
OF_ONE_PANEL = ("api_url", "api_key")
MISSING = "missing. Each of several panels needs its own; {} counts where one panel alone is named."


def panel_host(options: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Host and port of api_url. environment: what the task adds to the run's own."""
    variable = ENVIRONMENT["api_url"]
    address = str(options.get("api_url") or environment.get(variable) or os.environ.get(variable) or "")
    with contextlib.suppress(OptionError):  # what is no address is refused before anything is sent
        address = base_of(address)[0]
    return address.partition("://")[2].partition("/")[0] or address


def refuse_panel_of_another(address: Any, environment: Mapping[str, str]) -> None:
    """Raises OptionError where a task without api_url would take the environment's panel on a host of another one. address: its panel_api_url."""
    if not address:
        return
    taken, own = panel_host({}, environment), panel_host({"api_url": address}, environment)
    if taken not in ("", own):
        raise OptionError(
            "api_url",
            f"missing: {ENVIRONMENT['api_url']} names {taken}, and this host has {own} in panel_api_url, which modules do not read. Nothing was "
            "sent. Give api_url, for example in module_defaults or with -a 'api_url={{ panel_api_url }}'.",
        )


def given_options(*sources: Mapping[str, Any] | None) -> list[Any]:
    """What ``set_options`` of a plugin takes its options from, without connection options that are empty; the environment loses them too.

    Ansible itself reads an empty string as false, as the current folder, or as a mistake.
    """
    for variable in ENVIRONMENT.values():
        if os.environ.get(variable) == "":
            del os.environ[variable]
    empty = {name for option in ENVIRONMENT for name in (option, f"panel_{option}")}
    return [
        {name: value for name, value in given.items() if name not in here} if here else given
        for given in (source or {} for source in sources)
        for here in [{name for name in empty if name in given and given[name] == ""}]
    ]


def connection_of(
    panel: Mapping[str, Any], options: Mapping[str, Any], environment: Mapping[str, str], is_only_one: bool
) -> dict[str, Any]:
    """The panel's own options before the task's, and these before the environment's. Raises OptionError."""
    found: dict[str, Any] = {}
    for name, variable in ENVIRONMENT.items():
        sources = [panel.get(name), options[name]]
        if is_only_one or name not in OF_ONE_PANEL:
            sources += [environment.get(variable), os.environ.get(variable)]
        found[name] = next((value for value in sources if value not in (None, "")), None)
        if found[name] is None and name in OF_ONE_PANEL and not is_only_one:
            raise OptionError(name, MISSING.format(variable))
    return checked(found, ArgumentSpecValidator(CONNECTION))


class NamedPanel(NamedTuple):
    """One panel of several, or the only one. options: those of its connection, checked, with the key."""

    name: str
    options: Mapping[str, Any]
    connection: Connection


def check_names(given: Iterable[Any], known: Iterable[str]) -> None:
    """Raises OptionError for options that there are not, which Ansible ignores."""
    names = list(known)
    raise_collected([option_problem(str(name), unknown(name, names)) for name in given if name not in names])


def named_panels(
    several: Sequence[Mapping[str, Any]] | None,
    options: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    known: Iterable[str] = ("name", *CONNECTION),
) -> list[NamedPanel]:
    """The panels, or without any the one of the options. known: options of one. Raises OptionError with the place of each mistake."""
    if several == []:
        raise OptionError("panels", "is empty; name a panel, or omit it for the one of api_url.")
    found: dict[str, NamedPanel] = {}
    problems: list[Problem] = []
    for index, panel in enumerate(several or [{}]):
        wrong: list[Problem] = []
        with collect_problems(wrong):
            check_names(panel, known)
            own = connection_of(panel, options, environment or {}, is_only_one=several is None or len(several) == 1)
            for option in (option for option in OF_ONE_PANEL if not own[option]):
                raise OptionError(option, f"missing. Set it here or in the environment variable {ENVIRONMENT[option]}.")
            name = str(panel.get("name") or panel_host(own, {}))
            if name in found:
                raise OptionError("name", f"{name} is the name of another panel; give each panel another name.")
            found[name] = NamedPanel(name, own, read_connection(own))
        place = "" if several is None else f"panels[{index}]."
        problems += [replace(problem, option=f"{place}{problem.option}") for problem in wrong]
    raise_collected(problems)
    return list(found.values())
