# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of panel_verify, checked before anything is sent. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT, Connection, connection_argument_spec, read_connection
from ...module_utils._values.value_types import check_seconds
from .._run.controller_files import check_place, reason_of
from .._run.own_files import OwnFiles
from .marks import GIVEN_FORM, GIVEN_NAME
from .texts import PAGES, PROFILES

# Twice as long, beside everything else, is still far below the time after which a client counts as left over.
LONGEST_WAIT = 120

OWN: dict[str, Any] = {
    "writes": {"type": "bool", "default": False},
    "client": {"type": "str"},
    "wrong_key": {"type": "bool", "default": False},
    "wait_timeout": {"type": "int", "default": 20},
    "profile_file": {"type": "path"},
    "report_file": {"type": "path"},
    "openapi": {"type": "path"},
}
ARGUMENT_SPEC: dict[str, Any] = {**OWN, **connection_argument_spec()}


@dataclass(frozen=True)
class Options:
    """client: the throw-away name that the user wants, empty for one at random."""

    connection: Connection
    writes: bool
    client: str
    wrong_key: bool
    wait_timeout: int
    profile_file: Path | None
    report_file: Path | None
    openapi: Path | None


def read_options(arguments: Mapping[str, Any], given: Mapping[str, Any], environment: Mapping[str, str]) -> Options:
    """Raises OptionError. given: the options as they were written. environment: what the task adds to the run's own."""
    client = arguments.get("client") or ""
    if client and not GIVEN_NAME.fullmatch(client):
        raise OptionError("client", f"{client!r} is no name for a throw-away client; it must be {GIVEN_FORM}.")
    check_seconds("wait_timeout", arguments["wait_timeout"], 0, LONGEST_WAIT)
    paths = {
        name: Path(arguments[name]).expanduser() if arguments.get(name) else None
        for name in ("profile_file", "report_file", "openapi")
    }
    if paths["profile_file"] is not None and paths["profile_file"] == paths["report_file"]:
        raise OptionError("report_file", "is the same file as profile_file.")
    for name, own in (("profile_file", PROFILES), ("report_file", PAGES)):
        _check_writable(name, paths[name], own)
    return Options(
        connection=read_connection(_connection(arguments, given, environment)),
        writes=arguments["writes"],
        client=client,
        wrong_key=arguments["wrong_key"],
        wait_timeout=arguments["wait_timeout"],
        **paths,
    )


def _check_writable(name: str, path: Path | None, own: OwnFiles) -> None:
    try:
        if path is not None:
            check_place(path, own=own)
    except OSError as error:
        raise OptionError(name, f"{path} cannot be written: {reason_of(error)}.") from None


def _connection(
    arguments: Mapping[str, Any], given: Mapping[str, Any], environment: Mapping[str, str]
) -> dict[str, Any]:
    """The connection options; what the task adds to the environment stands for those that it does not name."""
    added = {
        name: environment[variable]
        for name, variable in ENVIRONMENT.items()
        if given.get(name) is None and variable in environment
    }
    spec = {name: {"type": option["type"]} for name, option in connection_argument_spec().items()}
    validated = ArgumentSpecValidator(spec).validate(added)
    if validated.error_messages:
        name = next((name for name in added if f"'{name}'" in validated.error_messages[0]), next(iter(added)))
        raise OptionError(name, f"{ENVIRONMENT[name]} in the environment of the task has no value of the right type.")
    options = {name: arguments.get(name) for name in ENVIRONMENT}
    return {**options, **{name: value for name, value in validated.validated_parameters.items() if name in added}}
