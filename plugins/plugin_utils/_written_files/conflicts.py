# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a run may replace: its own of earlier runs, and none that another variable names.

Judges what `inspect_file` has seen. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from ...module_utils._problems import Problem
from .named_file import NamedFile

_CLIENT = "{client}"
_YAML_ENDINGS = (".yml", ".yaml")
# What a directory with the files of a panel reads in any case, also where it is said to be the file
# of passwords.
_PANEL_FILE = "panel.yml"
_CLIENTS_DIRECTORY = "clients"


def find_conflicts(
    files: Sequence[NamedFile], written: Collection[str] | None = None
) -> list[Problem]:
    """Return a problem for each file that must not be written.

    Its subject is the name of the option or variable.

    Args:
        files: All files that the options or variables of one host name.
        written: The names of those that this run writes; None for all. The others are compared
            with these.
    """
    names = {file.name for file in files} if written is None else set(written)
    conflicts: list[Problem] = []
    in_conflict: set[NamedFile] = set()

    for first, second in combinations(files, 2):
        if first.name == second.name or not names.intersection((first.name, second.name)):
            continue
        problem = _find_conflict(first, second)
        if problem is not None:
            conflicts.append(problem)
            in_conflict.update((first, second))

    for file in files:
        if file.name in names and file not in in_conflict:
            conflicts += _find_obstacles_to(file)
    return conflicts


def find_shared(
    files: Sequence[NamedFile],
    files_elsewhere: Iterable[NamedFile],
    written: Collection[str],
) -> list[Problem]:
    """Return a problem for each file that a variable of another host names, too.

    This host must not write it.

    Args:
        files: The files of this host.
        files_elsewhere: The files of the other hosts.
        written: The names of those that this host writes.
    """
    written_files = [file for file in files if file.name in written]
    if not written_files:
        return []

    problems = []
    for foreign_file in files_elsewhere:
        problems += [_find_conflict_between_hosts(file, foreign_file) for file in written_files]
    return [problem for problem in dict.fromkeys(problems) if problem is not None]


def describe_shared(name: str) -> Problem:
    """Return the problem of a file that several hosts name. name: its option or variable."""
    return Problem(
        subject=name,
        cause="several panels have the same",
        advice="Put inventory_hostname into its name.",
    )


def _find_conflict_between_hosts(file: NamedFile, foreign_file: NamedFile) -> Problem | None:
    """Return what is wrong with a file of this host and one of another; None if nothing is."""
    if file.name != foreign_file.name:
        title = f"{foreign_file.name} of another host"
        return _find_conflict(file, foreign_file._replace(name=title))
    if file.path == foreign_file.path or _has_same_inode(file, foreign_file):
        return describe_shared(file.name)
    return None


def find_nested(
    directory: NamedFile, host: str, directories_by_host: Iterable[tuple[str, NamedFile]]
) -> list[Problem]:
    """Return a problem for each directory of another host that lies in this host's, or around it.

    The files of the inner one would be read, and replaced, as files of the outer one.

    Args:
        directory: The directory of this host.
        host: The name of this host.
        directories_by_host: The names of other hosts, each with its directory.
    """
    conflicts = []
    for other_host, other_directory in directories_by_host:
        if other_directory.path == directory.path:
            continue
        if Path(directory.path).is_relative_to(other_directory.path):
            places = f"{directory.path} of {host} lies in {other_directory.path} of {other_host}"
        elif Path(other_directory.path).is_relative_to(directory.path):
            places = f"{other_directory.path} of {other_host} lies in {directory.path} of {host}"
        else:
            continue
        advice = "Name directories that do not lie in one another."
        conflicts.append(Problem(subject=directory.name, cause=places, advice=advice))
    return conflicts


def _find_obstacles_to(file: NamedFile) -> Iterator[Problem]:
    """Yield why a file cannot be replaced."""
    if file.form is None:
        return
    if file.problem:
        yield _describe_obstacle(file, file.problem)
    elif file.beginning.strip() and not file.form.beginning.match(file.beginning):
        problem = f"that file is no {file.form.title}, so it is not replaced"
        yield _describe_obstacle(file, f"{problem}; name another one, or move it away")
    elif file.is_damaged:
        problem = f"that {file.form.title} is damaged or cut off"
        yield _describe_obstacle(file, f"{problem}; {file.form.remedy}")


def _describe_obstacle(file: NamedFile, cause: str) -> Problem:
    return Problem(subject=file.name, cause=f"{file.path}: {cause}")


def _find_conflict(first: NamedFile, second: NamedFile) -> Problem | None:
    """Return what is wrong with two files of one host; None if nothing is."""
    if first.is_directory and second.is_directory:
        return None
    if first.is_directory:
        return _find_conflict_with_directory(second, first)
    if second.is_directory:
        return _find_conflict_with_directory(first, second)
    if not _is_same(first, second):
        return None
    paths = first.path if first.path == second.path else f"{first.path} and {second.path}"
    return Problem(
        subject=f"{first.name}, {second.name}",
        cause=f"both are one file, {paths}; name a file for each",
    )


def _find_conflict_with_directory(file: NamedFile, directory: NamedFile) -> Problem | None:
    """Return what is wrong with a file and the directory of a panel; None if nothing is."""
    if file.path == directory.path:
        advice = "name a file for the first, and a directory for the other"
        names = f"{file.name}, {directory.name}"
        return Problem(subject=names, cause=f"both are {file.path}; {advice}")
    if not _is_read_in(file, directory):
        return None
    problem = f"{file.path} would be read as a file of {directory.name}, {directory.path}"
    return Problem(subject=file.name, cause=f"{problem}; name a file elsewhere")


def _is_read_in(file: NamedFile, directory: NamedFile) -> bool:
    """Return whether the directory of a panel would take the file for one of its own."""
    path = Path(file.path)
    if not path.is_relative_to(directory.path) or path.suffix.lower() not in _YAML_ENDINGS:
        return False
    if file.form is not None:
        return True
    parts = path.relative_to(directory.path).parts
    return parts == (_PANEL_FILE,) or parts[0] == _CLIENTS_DIRECTORY


def _is_same(first: NamedFile, second: NamedFile) -> bool:
    """Return whether two names lead to one file, also by the name of some client."""
    if _has_same_inode(first, second):
        return True
    return _covers(first.path, second.path) or _covers(second.path, first.path)


def _has_same_inode(first: NamedFile, second: NamedFile) -> bool:
    """Return whether two names lead to one existing file, also by a link."""
    return first.inode is not None and first.inode == second.inode


def _covers(pattern: str, path: str) -> bool:
    """Return whether a path is that of a file for some client. pattern: may have ``{client}``."""
    expression = "[^/]*".join(map(re.escape, pattern.split(_CLIENT)))
    return re.fullmatch(expression, path) is not None
