# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what another panel says from the controller's disk: a folder of answers, or a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from .dump_file import read_dump
from .froxlor.mysql_users import add_users_beside
from .froxlor.reader import read_froxlor
from .froxlor.tables import FROXLOR_FORMS, read_froxlor_answers
from .ispconfig.answers import read_ispconfig_answers
from .ispconfig.reader import read_ispconfig
from .ispconfig.tables import FORM_BY_TABLE
from .source_answers import Answers, find_answers
from .source_shape import Source
from .source_tables import SourceError, TableForm, Tables

FROXLOR = "froxlor"
ISPCONFIG = "ispconfig"


class AnswersForm(NamedTuple):
    """How answers of a panel's API are read.

    Attributes:
        marks: Functions that no other panel has.
        make_tables: Makes the tables of the panel's database of the answers.
    """

    marks: frozenset[str]
    make_tables: Callable[[Answers], Tables]


class SourcePanel(NamedTuple):
    """A panel that is read.

    Attributes:
        title: What people call it.
        forms: The tables of its database that the reader needs.
        mark: A table that no other panel has.
        read: Reads the tables.
        answers: How answers of its API are read; None where only its dump is.
        add_files: Adds to the tables what files say beside the dump, or in or beside the
            directory of answers; None where the panel has no such file.
    """

    title: str
    forms: Sequence[TableForm]
    mark: str
    read: Callable[[Tables], Source]
    answers: AnswersForm | None = None
    add_files: Callable[[Tables, Path], Tables] | None = None

    @property
    def row_titles(self) -> Mapping[str, str]:
        """Return by table what people call a row that is none of the new panel's objects."""
        return {form.name: form.title for form in self.forms if form.title}

    @property
    def address_tables(self) -> frozenset[str]:
        """Return the tables with such a title whose rows are addresses of mail all the same."""
        return frozenset(form.name for form in self.forms if form.has_addresses)


PANELS = {
    ISPCONFIG: SourcePanel(
        title="ISPConfig",
        forms=tuple(FORM_BY_TABLE.values()),
        mark="web_domain",
        read=read_ispconfig,
        answers=AnswersForm(
            frozenset({"client_get", "client_get_all", "sites_web_domain_get"}),
            read_ispconfig_answers,
        ),
    ),
    FROXLOR: SourcePanel(
        title="froxlor",
        forms=FROXLOR_FORMS,
        mark="panel_customers",
        read=read_froxlor,
        answers=AnswersForm(frozenset({"Customers.listing"}), read_froxlor_answers),
        add_files=add_users_beside,
    ),
}
"""The panels by their names in the option source. `LIVE_PANELS` has those that can be asked."""


def read_path(panel: str, path: Path, vault: VaultLib) -> Source:
    """Return what a panel says in a folder of answers or in a dump.

    Args:
        panel: The name of the panel.
        path: The folder, or the file.
        vault: Decrypts the answers that a run has kept.

    Raises:
        SourceError: Nobody can read it.
    """
    if path.is_dir():
        _require_answers(panel, str(path))
        return read_answers(panel, find_answers(path, _make_decrypt(vault)), path)

    titles_by_mark = {foreign.mark: foreign.title for foreign in _list_others(panel)}
    tables = read_dump(path, PANELS[panel].forms, titles_by_mark)
    return _read_tables(panel, tables, path)


def read_answers(panel: str, answers: Answers, directory: Path | None = None) -> Source:
    """Return what a panel says in answers of its API.

    Args:
        panel: The name of the panel.
        answers: The answers.
        directory: Where they are kept; None where they are not.

    Raises:
        SourceError: An answer is missing, refused, or of another version or panel.
    """
    form = _require_answers(panel, answers.location)
    _refuse_answers_of_others(panel, answers)
    return _read_tables(panel, form.make_tables(answers), directory)


def _list_others(panel: str) -> list[SourcePanel]:
    """Return all panels but one."""
    return [other for name, other in PANELS.items() if name != panel]


def _require_answers(panel: str, location: str) -> AnswersForm:
    """Return how the answers of a panel are read; raises SourceError where they are not."""
    source_panel = PANELS[panel]
    if source_panel.answers is None:
        raise SourceError(
            location,
            f"answers of an API of {source_panel.title} are not read. Give a dump of its database.",
        )
    return source_panel.answers


def _refuse_answers_of_others(panel: str, answers: Answers) -> None:
    """Raise SourceError for answers that another panel gave."""
    names = answers.list_names()
    for other in _list_others(panel):
        if other.answers is not None and not other.answers.marks.isdisjoint(names):
            reason = f"these are answers of {other.title}."
            raise SourceError(answers.location, reason, other.title)


def _read_tables(panel: str, tables: Tables, path: Path | None) -> Source:
    """Return what the tables of a panel say, and files beside them.

    Args:
        panel: The name of the panel.
        tables: Its tables.
        path: The dump or the directory of answers; None where there is neither.
    """
    source_panel = PANELS[panel]
    if source_panel.add_files is not None and path is not None:
        tables = source_panel.add_files(tables, path)
    return source_panel.read(tables)


def _make_decrypt(vault: VaultLib) -> Callable[[bytes], bytes]:
    """Return what decrypts a file of answers, and raises ValueError where this run cannot."""

    def decrypt(content: bytes) -> bytes:
        try:
            return bytes(vault.decrypt(content))
        except AnsibleError:
            raise ValueError("no password of this run decrypts it") from None

    return decrypt
