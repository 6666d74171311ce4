# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the terms of the lookup `panel_file_conflicts`, each of which describes a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible.errors import AnsibleLookupError

from .._variables.plugin_arguments import read_switch_argument
from .._variables.rule import describe_odd_character, is_empty
from .forms import FORMS, Form
from .named_file import NamedFile, inspect_file

_NAME = "hosting.panel.panel_file_conflicts"
_FIELDS = frozenset({"variable", "path", "form", "is_directory", "makes_directory"})


@dataclass(frozen=True)
class Term:
    """What a term says about a file.

    Attributes:
        name: The variable.
        path: Its value; empty if there is none.
        form: How the collection begins what it writes there; None for a file that it does not
            replace as a whole.
        is_directory: Whether it is the directory with the files of a panel.
        makes_directory: Whether the run makes the directory of the file.
    """

    name: str
    path: str
    form: Form | None
    is_directory: bool
    makes_directory: bool


def read_term(term: Any) -> Term:
    """Return what a term says.

    Raises:
        AnsibleLookupError: It describes no file.
    """
    if not isinstance(term, Mapping) or "variable" not in term or not _FIELDS.issuperset(term):
        fields = ", ".join(sorted(_FIELDS))
        raise AnsibleLookupError(f"{_NAME}: give dictionaries of {fields}.")
    form_name = term.get("form")
    if form_name and form_name not in FORMS:
        forms = ", ".join(FORMS)
        raise AnsibleLookupError(f"{_NAME}: form must be one of {forms}.")
    path = term.get("path")
    return Term(
        name=str(term["variable"]),
        path="" if is_empty(path) else str(path),
        form=FORMS[form_name] if form_name else None,
        is_directory=read_switch_argument(_NAME, "is_directory", term.get("is_directory")),
        makes_directory=read_switch_argument(_NAME, "makes_directory", term.get("makes_directory")),
    )


def inspect_files(terms: Iterable[Term]) -> Iterator[NamedFile]:
    """Look at each file that has a path, and yield it.

    What checks the variables refuses a path that none can be, so it is passed over here.
    """
    for term in terms:
        if term.path and not describe_odd_character(term.path):
            yield inspect_file(
                term.name, term.path, term.form, term.is_directory, term.makes_directory
            )
