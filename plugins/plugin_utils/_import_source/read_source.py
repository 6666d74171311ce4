# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what another panel says from the controller's disk: a folder of answers, or a dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from .dump_file import read_dump
from .froxlor.mysql_users import add_mysql_users, find_mysql_users
from .froxlor.reader import read_froxlor
from .froxlor.tables import FROXLOR_FORMS, tables_of_froxlor_answers
from .ispconfig.answers import tables_of_ispconfig_answers
from .ispconfig.reader import read_ispconfig
from .ispconfig.tables import FORM_BY_TABLE
from .source_answers import Answers, find_answers
from .source_shape import Source
from .source_tables import TableForm, Tables

FROXLOR = "froxlor"
ISPCONFIG = "ispconfig"


class SourcePanel(NamedTuple):
    """A panel that is read.

    Attributes:
        title: What people call it.
        forms: The tables of its database that the reader needs.
        mark: A table that no other panel has.
        tables_of_answers: Makes these tables of the answers of its API.
        read: Reads the tables.
    """

    title: str
    forms: Sequence[TableForm]
    mark: str
    tables_of_answers: Callable[[Answers], Tables]
    read: Callable[[Tables], Source]

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
        "ISPConfig",
        tuple(FORM_BY_TABLE.values()),
        "web_domain",
        tables_of_ispconfig_answers,
        read_ispconfig,
    ),
    FROXLOR: SourcePanel(
        "froxlor", FROXLOR_FORMS, "panel_customers", tables_of_froxlor_answers, read_froxlor
    ),
}
"""The panels by their names in the option source."""


def read_path(panel: str, path: Path, vault: VaultLib) -> Source:
    """Return what a panel says in a folder of answers or in a dump.

    Args:
        panel: The name of the panel.
        path: The folder, or the file.
        vault: Decrypts the answers that a run has kept.

    Raises:
        SourceError: Nobody can read it.
    """
    source_panel = PANELS[panel]
    if path.is_dir():
        answers = find_answers(path, _make_decrypt(vault))
        tables = source_panel.tables_of_answers(answers)
    else:
        titles_by_mark = {
            foreign.mark: foreign.title for name, foreign in PANELS.items() if name != panel
        }
        tables = read_dump(path, source_panel.forms, titles_by_mark)

    return _read_tables(panel, tables, path)


def read_answers(panel: str, answers: Answers, directory: Path | None = None) -> Source:
    """Return what a panel says in answers that this run has asked for.

    Args:
        panel: The name of the panel.
        answers: The answers.
        directory: Where this run keeps them; None where it does not.

    Raises:
        SourceError: An answer is missing, refused, or of another version.
    """
    tables = PANELS[panel].tables_of_answers(answers)
    return _read_tables(panel, tables, directory)


def _read_tables(panel: str, tables: Tables, path: Path | None) -> Source:
    """Return what the tables of a panel say, with the file about its database server.

    Args:
        panel: The name of the panel.
        tables: Its tables.
        path: The dump or the directory of answers; None where there is neither.
    """
    mysql_users = None
    if panel == FROXLOR and path is not None:
        mysql_users = find_mysql_users(path)
    if mysql_users is not None:
        tables = add_mysql_users(tables, mysql_users)
    return PANELS[panel].read(tables)


def _make_decrypt(vault: VaultLib) -> Callable[[bytes], bytes]:
    """Return what decrypts a file of answers, and raises ValueError where this run cannot."""

    def decrypt(content: bytes) -> bytes:
        try:
            return bytes(vault.decrypt(content))
        except AnsibleError:
            raise ValueError("no password of this run decrypts it") from None

    return decrypt
