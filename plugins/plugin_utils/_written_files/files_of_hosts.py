# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds files and directories that several hosts of a play name, of which each would write all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...module_utils._problems import Problem
from .._variables.rule import describe_odd_character, is_empty
from .conflicts import describe_shared, find_nested, find_shared
from .named_file import NamedFile, inspect_file
from .terms import Term, inspect_files


def find_conflicts_of_hosts(
    terms: Sequence[Term],
    files: Iterable[NamedFile],
    names: Collection[str],
    hosts: Sequence[str],
    variables: Mapping[str, Any],
) -> list[Problem]:
    """Return a problem for each file that another host names, too.

    Args:
        terms: What is said about the files of this host, also of those that it does not write.
        files: The files that this host writes.
        names: The names of the files that a host writes.
        hosts: The hosts of the play.
        variables: Those of this host, with ``hostvars`` and ``inventory_hostname``.
    """
    host = variables["inventory_hostname"]
    hostvars = variables["hostvars"]
    variables_by_host = {name: hostvars[name] for name in hosts if name != host}
    conflicts: list[Problem] = []
    for file in files:
        if file.is_directory:
            directories = _read_directories(file.name, variables_by_host)
            conflicts += find_nested(file, host, directories)

    in_question = [file for file in files if find_owner(file.path, set(hosts)) != host]
    if not in_question:
        return conflicts

    # A variable of a play is not in hostvars. Its value without the name of the host is taken
    # for that of every host.
    of_play = list(_find_variables_of_play(terms, in_question, hostvars[host]))
    files_elsewhere = _inspect_files_elsewhere(terms, variables_by_host.values())
    written_elsewhere = set(names).difference(of_play)
    shared = find_shared(in_question, files_elsewhere, written_elsewhere)
    return [*conflicts, *map(describe_shared, of_play), *shared]


def find_owner(path: str, hosts: Collection[str]) -> str:
    """Return the host whose name a path has; empty if it has none.

    A part of the path has the name of a host if it is the name, or begins with it and a dot. Of
    several names the last one counts, in one part the longest, so that a path never has two owners.
    """
    for folder_or_file in reversed(Path(path).parts):
        labels = folder_or_file.split(".")
        for count in range(len(labels), 0, -1):
            name = ".".join(labels[:count])
            if name in hosts:
                return name
    return ""


def _find_variables_of_play(
    terms: Iterable[Term], files: Iterable[NamedFile], variables: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the names of the files whose values are not those of the host's variables.

    Args:
        terms: What is said about files, with the values.
        files: The files in question.
        variables: Those of the host.
    """
    values = {term.name: term.path for term in terms}
    for file in files:
        if values[file.name] != _read_text_variable(variables, file.name):
            yield file.name


def _inspect_files_elsewhere(
    terms: Iterable[Term], variables_of_hosts: Iterable[Mapping[str, Any]]
) -> Iterator[NamedFile]:
    """Yield the files that the same variables name on other hosts."""
    for variables in variables_of_hosts:
        for term in terms:
            path = _read_text_variable(variables, term.name)
            yield from inspect_files([replace(term, path=path)])


def _read_directories(
    name: str, variables_by_host: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, NamedFile]]:
    """Yield the directory that a variable names on each other host, with the name of the host."""
    for host, variables in variables_by_host.items():
        path = _read_text_variable(variables, name)
        if not is_empty(path):
            yield host, inspect_file(name, path, is_directory=True)


def _read_text_variable(variables: Mapping[str, Any], name: str) -> str:
    """Return the value of a host's variable; empty if it is no text, or one that no path can be.

    The host itself refuses both.
    """
    try:
        value = variables.get(name)
    except Exception:  # a template raises whatever an expression in it raises
        return ""
    if not isinstance(value, str) or is_empty(value) or describe_odd_character(value):
        return ""
    return value
