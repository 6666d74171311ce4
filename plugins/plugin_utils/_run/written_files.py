# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a run may replace: its own of earlier runs, and none that another variable names.

`inspect_file` looks at the disk, and `find_conflicts` judges what it has seen. A new file of the
collection gets its form in `FORMS`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from ...module_utils._problems import Problem
from .controller_files import ANY_NUMBER, check_place, describe_reason, expand_path
from .marked_texts import load_marked_json
from .nested_text import load_json

# How many characters of a file show whose it is.
_BEGINNING = 4096
_CLIENT = "{client}"
_YAML_ENDINGS = (".yml", ".yaml")
# What a directory with the files of a panel reads in any case, also where it is said to be the file
# of passwords.
_PANEL_FILE = "panel.yml"
_CLIENTS_DIRECTORY = "clients"


class Form(NamedTuple):
    """A file that the collection writes.

    Attributes:
        title: What a message calls it.
        beginning: What it begins with, from its first character on.
        fields: Of JSON that a later run reads again, the fields that it needs, with their types.
        can_be_empty: Whether an empty file counts as none.
        remedy: What to do where a later run cannot read the file.
    """

    title: str
    beginning: re.Pattern[str]
    fields: tuple[tuple[str, type], ...] = ()
    can_be_empty: bool = True
    remedy: str = "restore it, or move it away"


_REPORT_PAGE_HEAD = (
    r'<!DOCTYPE html>\n<html lang="en">\n<head>\n(?:<meta [^<>\n]*>\n)*'
    r'<meta name="generator" content="hosting\.panel">\n'
)
_REPORT_FIELDS = r'\{\s*"format": "hosting\.panel\.report"'
_USAGE_LINE = r"panel([,;|\t])client\1client_id\1plan\1month\1"
_METRICS_LINE = r"# TYPE hosting_panel_report_timestamp_seconds gauge\n"
# Also what earlier revisions wrote, such as "No drift of".
_PLAN_TITLE = r"# (?:(?:Plan|No plan) for|(?:Drift|No drift|No comparison) of) `.+\n\n"
_VERIFY_TITLE = r"# What this panel does\n\nPanel version: "
_PROFILE_LINE = r"# (?:How|What) a panel .*; written by hosting\.panel\.verify\.?\n"
_SUMMARY_LINE = r"client {18}\S"
_HAND_OVER_TITLE = r"# Move of .+ from .+ to .+\n\nAs of "
_HAND_OVER_FIELDS = (
    r'\{\n    "at": "[^"\n]*",\n    "client": "[^"\n]*",\n    "(?:content|credentials_file)": '
)
# The name of a panel has a mark where it is an address of IPv6.
_PANEL_OF_ZONES = r'(?:"[^"\n]*"|\{\n        "__ansible_unsafe": "[^"\n]*"\n    \})'
_ZONES_FIELDS = rf'\{{\n    "client": "[^"\n]*",\n    "panel": {_PANEL_OF_ZONES},\n    "zones": '
_IMPORT_TITLE = r"# Import from [^\n]+\n\n## What arrives\n"
# Of other fields, one may come before it.
_CONTENT_STATE_FIELDS = r'(?ms)\{$.*?^    "format": "hosting\.panel\.content"'
_CONTENT_TITLE = r"# Content of .+ from .+, step [a-z]+\n\nAs of "
_CONTENT_FIELDS = r'\{\n    "trees": \['

FORMS = {
    "plan": Form("page of a plan", re.compile(_PLAN_TITLE)),
    "summary": Form("summary of onboard", re.compile(_SUMMARY_LINE)),
    "verify_report": Form("page of verify", re.compile(_VERIFY_TITLE)),
    "verify_profile": Form("profile of verify", re.compile(_PROFILE_LINE)),
    "report_page": Form("page of a report", re.compile(_REPORT_PAGE_HEAD)),
    "report_json": Form("JSON file of a report", re.compile(_REPORT_FIELDS)),
    "report_usage": Form("table of usage", re.compile(_USAGE_LINE)),
    "report_metrics": Form("metrics file of a report", re.compile(_METRICS_LINE)),
    "hand_over_page": Form("hand-over page", re.compile(_HAND_OVER_TITLE)),
    "hand_over_json": Form(
        "JSON file of a hand-over", re.compile(_HAND_OVER_FIELDS), (("at", str),)
    ),
    "import_page": Form("page of an import", re.compile(_IMPORT_TITLE)),
    "import_content": Form("file of an import for the role content", re.compile(_CONTENT_FIELDS)),
    "copy_state": Form(
        "state of a copy",
        re.compile(_CONTENT_STATE_FIELDS),
        # The role says what else is wrong with it.
        (("format", str),),
        can_be_empty=False,
        # Without it, no run knows that the step late has been.
        remedy="restore it; move it away only if customers do not use the target yet",
    ),
    "copy_page": Form("page of a copy", re.compile(_CONTENT_TITLE)),
    # Nothing else knows the zones as they were, so an empty file may be one that was lost.
    "zones_before": Form(
        "file with the zones of a move",
        re.compile(_ZONES_FIELDS),
        (("panel", str), ("zones", dict)),
        can_be_empty=False,
    ),
}
"""By name what the collection writes on the controller and replaces as a whole."""


class NamedFile(NamedTuple):
    """A file or a directory on the controller that an option or a variable names, as it is now.

    Attributes:
        name: The option or variable.
        path: The real path, which may have ``{client}`` in it.
        form: How the collection begins what it writes there; None for a file that it does not
            replace as a whole.
        is_directory: Whether it is the directory with the files of a panel.
        inode: Device and number of what is there; None if there is nothing.
        beginning: The first characters of a file that is replaced; empty if there is none.
        problem: Why no file can be put there; empty if one can.
        is_damaged: Whether a later run could not read what is there.
    """

    name: str
    path: str
    form: Form | None = None
    is_directory: bool = False
    inode: tuple[int, int] | None = None
    beginning: str = ""
    problem: str = ""
    is_damaged: bool = False


def inspect_file(
    name: str,
    path: str | Path,
    form: Form | None = None,
    is_directory: bool = False,
    makes_directory: bool = False,
) -> NamedFile:
    """Look at what an option or a variable names.

    Args:
        name: The option or variable.
        path: Relative to the directory in which ansible-playbook was started; may begin with ``~``
            and have ``$NAME`` in it, as in an option of a module.
        form: How the collection begins what it writes there; None for a file that it does not
            replace as a whole.
        is_directory: Whether it is the directory with the files of a panel.
        makes_directory: Whether the run makes the directory of the file.
    """
    named_path = expand_path(str(path))
    real_path = os.path.realpath(named_path)
    file = NamedFile(name, real_path, form, is_directory, _find_inode(real_path))
    if form is None:
        return file

    try:
        check_place(Path(real_path), ANY_NUMBER if makes_directory else 0)
        beginning = _read_beginning(real_path, form)
        is_damaged = _is_damaged(real_path, form) or _is_out_of_reach(named_path, form)
        return file._replace(beginning=beginning, is_damaged=is_damaged)
    except OSError as error:
        return file._replace(problem=describe_reason(error))


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


def _find_inode(path: str) -> tuple[int, int] | None:
    """Return device and number of what is there; None if there is nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _read_beginning(path: str, form: Form) -> str:
    """Return the beginning of a regular file; empty if there is none.

    JSON that a later run reads again is the same for it however another tool lays it out. It is
    returned as the collection lays it out.

    Raises:
        OSError: It cannot be read.
    """
    try:
        if form.fields:
            with contextlib.suppress(ValueError):  # cut off, or no JSON at all
                values = load_json(Path(path).read_bytes())
                return json.dumps(values, indent=4, sort_keys=True)[:_BEGINNING]
        with open(path, "rb") as file:
            return file.read(4 * _BEGINNING).decode("utf-8", "replace")[:_BEGINNING]
    except FileNotFoundError:
        return ""


def _is_out_of_reach(path: str, form: Form) -> bool:
    """Return whether a file that nothing can replace is behind a link that leads nowhere.

    It may be on a disk that is not mounted.
    """
    return not form.can_be_empty and os.path.islink(path) and not os.path.exists(path)


def _is_damaged(path: str, form: Form) -> bool:
    """Return whether a file that a later run reads again lacks what that run needs.

    Raises:
        OSError: It cannot be read.
    """
    if not form.fields:
        return False
    try:
        content = Path(path).read_text(encoding="utf-8")
        if form.can_be_empty and not content.strip():
            return False
        values = load_marked_json(content)
    except FileNotFoundError:
        return False
    except ValueError:
        return True
    if not isinstance(values, dict):
        return True
    return not all(isinstance(values.get(name), kind) for name, kind in form.fields)
