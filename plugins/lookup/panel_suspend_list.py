# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_suspend_list
short_description:
  "Part of the role hosting.panel.suspend: read a list of clients to suspend or release, with
  their due dates"
version_added: 1.0.0
description:
  - Reads CSV and TSV files, and takes clients from a variable. A client in several rows counts
    once, with its earliest due date.
  - Returns clients and mistakes together, and does not fail because of mistakes in the list.
    Check C(mistakes) before you use C(clients).
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - CSV or TSV files in UTF-8, relative to the directory in which you start C(ansible-playbook).
        They can be encrypted with Ansible Vault.
      - The first line names the columns, in any case. Commas, semicolons or tabs separate them. A
        line C(sep=;) of Excel can be above it. A column that is not read is a mistake.
      - A cell has no line breaks, also in quotes.
    type: list
    elements: str
  clients:
    description:
      - Usernames, or dictionaries with C(username), C(due) and C(reason), in addition to the files.
        Without files it is required.
      - A client without C(due) is due at once, also with a grace period.
      - Put a username of digits in quotes.
    type: list
    elements: raw
  username_column: {description: "Column of the usernames.", type: str, default: username}
  due_column:
    description:
      - Column of the due dates, V(YYYY-MM-DD) or V(DD.MM.YYYY). The default is C(due), if a file
        has it.
      - An empty cell means due at once, unless O(needs_due) is V(true).
    type: str
  reason_column:
    description: Column of the reasons. The default is C(reason), if a file has it.
    type: str
  needs_due:
    description: Whether a file without a column of due dates, or an empty due date, is a mistake.
      Set it if you allow a grace period.
    type: bool
    default: false
  option_names:
    description: By option the name of the variable that sets it, which messages then use, such as
      C(clients) with C(suspend_clients). C(files) stands for the terms.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show the unpaid clients
  ansible.builtin.debug:
    msg: >-
      {{ lookup('hosting.panel.panel_suspend_list',
      clients=['acme', {'username': 'beta', 'due': '2026-11-01', 'reason': 'Invoice 4711'}]
      ).clients }}
"""

RETURN = r"""
_list:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    clients:
      description:
        - For each client C(username), C(due), empty if due at once, C(reason), and C(place), its
          entry or line.
        - C(at_once) is V(true) if a client of O(clients) has no C(due). An empty due date is no
          such client.
        - Empty if there are mistakes.
      type: list
      elements: dict
      returned: always
    mistakes:
      description: All mistakes as one string, with file and line. Empty if there are none.
      type: list
      elements: str
      returned: always
  sample:
    - clients:
        - username: beta
          due: "2026-11-01"
          reason: Invoice 4711
          place: "clients[1]"
          at_once: false
      mistakes: []
"""

import datetime
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import cut_name, format_message
from ..module_utils._values.value_types import describe_name_problem, describe_text_problem, shorten
from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._ansible.vault import get_vault_of
from ..plugin_utils._customers.customer_tables import (
    describe_unknown_columns,
    format_columns,
    normalize_column_name,
    read_table,
)
from ..plugin_utils._run.controller_files import describe_missing_path, expand_path
from ..plugin_utils._variables.odd_values import cut_text
from ..plugin_utils._variables.only_mistakes import gather_mistakes
from ..plugin_utils._variables.plugin_arguments import read_paths, read_switch_argument
from ..plugin_utils._variables.rule import describe_long_text, is_empty

_NAME = "hosting.panel.panel_suspend_list"
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T00:00:00)?")
_GERMAN_DATE = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_FIELDS = ("username", "due", "reason")


# The place of a client in its list, and its fields as they are written.
Written = tuple[str, Mapping[str, Any]]


class LookupModule(LookupBase):
    """Reads lists of clients to suspend or to release."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[Any]:
        """Return the clients of the list, and all mistakes in it.

        Raises:
            AnsibleLookupError: A term or a switch is none.
        """
        self.set_options(var_options=variables, direct=kwargs)
        mistakes: list[str] = []
        entries: dict[str, dict[str, Any]] = {}
        needs_due = read_switch_argument(_NAME, "needs_due", kwargs.get("needs_due"))
        # A template before ansible-core 2.19 makes an empty text of none.
        clients = None if is_empty(kwargs.get("clients")) else self.get_option("clients")
        for location, fields in self._read_all(clients, terms, needs_due, mistakes):
            entry = _read_entry(location, fields, needs_due, mistakes)
            if entry is None:
                continue
            earliest = entries.get(entry["username"], entry)
            # An empty due date is the earliest: due at once.
            if entry["due"] <= earliest["due"]:
                entries[entry["username"]] = entry

        complete = [] if mistakes else [*entries.values()]
        return [mark_untrusted({"clients": complete, "mistakes": gather_mistakes(mistakes)})]

    def _read_all(
        self, clients: Any, files: Sequence[Any], needs_due: bool, mistakes: list[str]
    ) -> list[Written]:
        """Return the clients of the list and of all files.

        Args:
            clients: The list; None without one.
            files: The paths of the files.
            needs_due: Whether each client needs a due date.
            mistakes: Gets a sentence for each thing that is wrong.
        """
        names = self.get_option("option_names") or {}
        list_option = names.get("clients", "clients")
        if clients is None and not files:
            files_option = names.get("files", "files")
            mistakes.append(f"{list_option}, {files_option}: both are empty; give one of them.")

        written = _read_list(clients or [], list_option, mistakes)
        columns = _Columns(
            names={field: self.get_option(f"{field}_column") for field in _FIELDS},
            due_option=names.get("due_column", "due_column"),
            needs_due=needs_due,
        )
        vault = get_vault_of(self._loader)
        for path in read_paths(_NAME, files):
            missing = describe_missing_path(path, names.get("files", ""))
            if missing:
                mistakes.append(missing)
            else:
                written += _read_file(path, vault, columns, mistakes)
        return written


class _Columns(NamedTuple):
    """Which columns of a table are read.

    Attributes:
        names: By field the column that the operator names; None for the one of the field's name.
        due_option: What messages call the name of the column with due dates.
        needs_due: Whether each client needs a due date.
    """

    names: Mapping[str, str | None]
    due_option: str
    needs_due: bool


def _read_list(clients: Iterable[Any], option: str, mistakes: list[str]) -> list[Written]:
    """Return the clients of a list. option: what messages call the list."""
    written = []
    for index, client in enumerate(clients):
        location = f"{option}[{index}]"
        fields = client if isinstance(client, Mapping) else {"username": client}
        for name in fields:
            if name not in _FIELDS:
                problem = f"unknown; a client has {', '.join(_FIELDS)}."
                mistakes.append(f"{location}: {cut_name(str(name))}: {problem}")
        username = fields.get("username")
        problem = describe_name_problem(username) if isinstance(username, str) else ""
        if problem:
            mistakes.append(f"{location}: username: {problem}")
        else:
            written.append((location, fields))
    return written


def _read_file(name: str, vault: Any, columns: _Columns, mistakes: list[str]) -> list[Written]:
    """Return the clients of a table. name: its path, as the operator wrote it."""
    table = read_table(Path(expand_path(name)), name, vault)
    if table.mistakes:
        mistakes += [format_message(mistake.problem) for mistake in table.mistakes]
        return []

    names = _name_columns(columns)
    by_field = {field: column for field, column in names.items() if column in table.columns}
    header = f"{name}: line {table.header_line}"
    mistakes_in_header = _find_mistakes_in_header(columns, by_field, table.columns)
    mistakes += [f"{header}: {mistake}" for mistake in mistakes_in_header]
    if mistakes_in_header:
        return []

    written: list[Written] = []
    for line, cells in table.rows:
        fields = {field: cells.get(column) for field, column in by_field.items()}
        # Without a column, a due date is empty in each row. It is no row that someone named
        # without one.
        fields.setdefault("due", None)
        written.append((f"{name}: line {line}", fields))
    return written


def _name_columns(columns: _Columns) -> dict[str, str]:
    """Return by field the column that is read, as a table has it."""
    return {field: normalize_column_name(name or field) for field, name in columns.names.items()}


def _find_mistakes_in_header(
    columns: _Columns, by_field: Mapping[str, str], present: Collection[str]
) -> list[str]:
    """Return which columns the table lacks, or which of its columns are not read.

    Args:
        columns: Which columns are read.
        by_field: By field its column, if the table has it.
        present: The columns of the table.
    """
    mistakes = []
    for field, name in columns.names.items():
        is_needed = name or (field == "due" and columns.needs_due)
        if field not in by_field and is_needed:
            listed = format_columns(filter(None, present))
            mistakes.append(f"there is no column {name or field}; there are {listed}.")

    dates = [column for column in present if "due" in column]
    if dates and "due" not in by_field and not mistakes:
        # Without such a column everyone would be due at once.
        advice = f"Specify it in {columns.due_option}, or call it due."
        mistakes.append(f"the column {format_columns(dates[:1])} is not read. {advice}")
    unknown = describe_unknown_columns(present, _name_columns(columns).values())
    if unknown and not mistakes:
        mistakes.append(unknown)
    return mistakes


def _read_entry(
    location: str, fields: Mapping[str, Any], needs_due: bool, mistakes: list[str]
) -> dict[str, Any] | None:
    """Return the entry of a client; None if something is wrong with it.

    Args:
        location: Where the client is written.
        fields: As they are written.
        needs_due: Whether each client needs a due date.
        mistakes: Gets a sentence for what is wrong.
    """
    username = fields.get("username")
    if isinstance(username, (int, float, datetime.date)):
        mistakes.append(f"{location}: username: {describe_text_problem(username)}")
        return None
    name = username.strip() if isinstance(username, str) else ""
    if not name:
        mistakes.append(f"{location} has no username.")
        return None
    problem = _find_problem_of_name(name)
    if problem:
        mistakes.append(f"{location}: username: {problem}")
        return None

    is_undated = "due" not in fields
    due = fields.get("due")
    if needs_due and not is_undated and is_empty(due):
        problem = "empty. With a grace period, give each client a due date."
        mistakes.append(f"{location} ({name}): due: {problem}")
        return None
    date = "" if is_empty(due) else _read_date(due)
    if date is None:
        requirement = "it must be a date, YYYY-MM-DD or DD.MM.YYYY."
        problem = f"{_display(due)} is not accepted; {requirement}"
        mistakes.append(f"{location} ({name}): due: {problem}")
        return None

    reason = " ".join(str(fields.get("reason") or "").split())
    return {
        "username": name,
        "due": date,
        "reason": reason,
        "place": location,
        "at_once": is_undated,
    }


def _find_problem_of_name(name: str) -> str:
    """Return why a text can be no username; empty if it can."""
    if not name.isprintable():
        # It would look like the client without them.
        return f"{shorten(name)} has invisible characters; write the name without them."
    return describe_long_text(name)


def _read_date(value: Any) -> str | None:
    """Return a due date as YYYY-MM-DD, or None for what is no date.

    Args:
        value: A text, or the date or time that YAML made of one without quotes.
    """
    if isinstance(value, datetime.date):
        value = value.isoformat()
    if not isinstance(value, str):
        return None
    text = value.strip()
    iso = _DATE.fullmatch(text)
    german = _GERMAN_DATE.fullmatch(text)
    if iso:
        year, month, day = iso.groups()
    elif german:
        day, month, year = german.groups()
    else:
        return None
    try:
        return datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _display(value: Any) -> str:
    """Show a wrong due date as YAML read it."""
    if isinstance(value, str):
        return repr(cut_text(str(value).strip()))
    return value.isoformat() if isinstance(value, datetime.date) else shorten(value)
