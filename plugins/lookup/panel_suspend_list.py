# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_suspend_list
short_description: Read a list of clients to suspend or release, with their due dates
version_added: 1.0.0
description:
  - Reads CSV and TSV files, and takes clients from a variable. A client in several rows counts once, with its earliest due date.
  - All mistakes are reported together, with file and line.
author:
  - the hosting.panel contributors (!UNKNOWN)
options:
  _terms:
    description:
      - CSV or TSV files in UTF-8, relative to the directory in which you start C(ansible-playbook). They can be encrypted with Ansible Vault.
      - The first line names the columns, in any case. Commas, semicolons or tabs separate them. A line C(sep=;) of Excel can be above it.
      - A cell has no line breaks, also in quotes.
    type: list
    elements: str
  clients:
    description:
      - Usernames, or dictionaries with C(username), C(due) and C(reason), in addition to the files. Without files it is required.
      - A client without C(due) is due at once, also with a grace period.
      - Put a username of digits in quotes.
    type: list
    elements: raw
  username_column: {description: "Column of the usernames.", type: str, default: username}
  due_column:
    description:
      - Column of the due dates, V(YYYY-MM-DD) or V(DD.MM.YYYY). The default is C(due), if a file has it.
      - An empty cell means due at once, unless O(needs_due) is V(true).
    type: str
  reason_column: {description: "Column of the reasons. The default is C(reason), if a file has it.", type: str}
  needs_due:
    description: Whether a file without a column of due dates, or an empty due date, is a mistake. Set it if you allow a grace period.
    type: bool
    default: false
  option_names:
    description: By option the name of the variable that sets it, which messages then use, such as C(clients) with C(suspend_clients).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show the unpaid clients
  ansible.builtin.debug:
    msg: "{{ query('hosting.panel.panel_suspend_list', clients=['acme', {'username': 'beta', 'due': '2026-11-01', 'reason': 'Invoice 4711'}]) }}"
"""

RETURN = r"""
_list:
  description:
    - For each client C(username), C(due), empty if due at once, C(reason), and C(place), its entry or line.
    - C(at_once) is V(true) if a client of O(clients) has no C(due). An empty due date is no such client.
  type: list
  elements: dict
  sample:
    - {username: beta, due: "2026-11-01", reason: Invoice 4711, place: "clients[1]", at_once: false}
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import join_problems
from ..module_utils._secrets.redaction import on_one_line
from ..module_utils._values.value_types import problem_of_text, shortened
from ..plugin_utils._ansible.untrusted import untrusted
from ..plugin_utils._ansible.vault import vault_of
from ..plugin_utils._customers.tables import column_name, read_table
from ..plugin_utils._variables.rule import is_empty

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T00:00:00)?")
_GERMAN_DATE = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_FIELDS = ("username", "due", "reason")


class LookupModule(LookupBase):
    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[dict[str, Any]]:
        self.set_options(var_options=variables, direct=kwargs)
        names = self.get_option("option_names") or {}
        mistakes: list[str] = []
        entries: dict[str, dict[str, Any]] = {}
        clients = self.get_option("clients")
        if clients is None and not terms:
            mistakes.append("Neither a list of clients nor a file is there; give one of them.")
        named = list(_of_clients(clients or [], names.get("clients", "clients"), mistakes))
        columns = {name: self.get_option(f"{name}_column") for name in _FIELDS}
        due_option = names.get("due_column", "due_column")
        vault, needs_due = vault_of(self._loader), self.get_option("needs_due")
        for term in terms:
            named += _of_file(Path(str(term)).expanduser(), vault, columns, needs_due, due_option, mistakes)
        for place, fields in named:
            entry = _entry(place, fields, self.get_option("needs_due"), mistakes)
            # An empty due date is the earliest: due at once.
            if entry is not None and entry["due"] <= entries.get(entry["username"], entry)["due"]:
                entries[entry["username"]] = entry
        if mistakes:
            raise AnsibleLookupError(on_one_line(join_problems(mistakes)))
        return list(untrusted([*entries.values()]))


def _of_clients(clients: Iterable[Any], option: str, mistakes: list[str]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the place and the fields of each client of a list. option: what messages call the list."""
    for index, given in enumerate(clients):
        place = f"{option}[{index}]"
        fields = given if isinstance(given, Mapping) else {"username": given}
        unknown = [name for name in fields if name not in _FIELDS]
        mistakes += [f"{place}: {name}: unknown; a client has {', '.join(_FIELDS)}." for name in unknown]
        yield place, fields


def _of_file(
    path: Path, vault: Any, columns: Mapping[str, str | None], needs_due: bool, due_option: str, mistakes: list[str]
) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the place and the fields of each client of a table. due_option: what messages call the name of that column."""
    table = read_table(path, path.name, vault)
    if table.mistakes:
        mistakes += [mistake.sentence for mistake in table.mistakes]
        return
    header = f"{path.name}: line {table.header_line}"
    sought = {name: column_name(column or name) for name, column in columns.items()}
    found = {name: column for name, column in sought.items() if column in table.columns}
    there = ", ".join(filter(None, table.columns))
    lacking = [name for name in sought if name not in found and (columns[name] or (name == "due" and needs_due))]
    wrong = [f"{header}: there is no column {columns[name] or name}; there are {there}." for name in lacking]
    dates = [column for column in table.columns if "due" in column]
    if dates and "due" not in found and not wrong:
        # Without such a column everyone would be due at once.
        wrong.append(f"{header}: the column {dates[0]} is not read. Specify it in {due_option}, or call it due.")
    mistakes += wrong
    for line, cells in table.rows if not wrong else ():
        # Without a column, a due date is empty in each row. It is no row that someone named without one.
        yield f"{path.name}: line {line}", {"due": None, **{name: cells.get(column) for name, column in found.items()}}


def _entry(place: str, given: Mapping[str, Any], needs_due: bool, mistakes: list[str]) -> dict[str, Any] | None:
    username = given.get("username")
    if isinstance(username, (int, float, datetime.date)):
        mistakes.append(f"{place}: username: {problem_of_text(username)}")
        return None
    name = username.strip() if isinstance(username, str) else ""
    if not name or not name.isprintable():
        mistakes.append(f"{place} has no username.")
        return None

    is_undated = "due" not in given
    due = given.get("due")
    if needs_due and not is_undated and is_empty(due):
        mistakes.append(f"{place} ({name}): due: empty. With a grace period, give each client a due date.")
        return None
    date = "" if is_empty(due) else _date(due)
    if date is None:
        sentence = f"due: {_display(due)} is not accepted; it must be a date, YYYY-MM-DD or DD.MM.YYYY."
        mistakes.append(f"{place} ({name}): {sentence}")
        return None

    reason = " ".join(str(given.get("reason") or "").split())
    return {"username": name, "due": date, "reason": reason, "place": place, "at_once": is_undated}


def _date(value: Any) -> str | None:
    """Return a due date as YYYY-MM-DD, or None for what is no date.

    Args:
        value: A text, or the date or time that YAML made of one without quotes.
    """
    if isinstance(value, datetime.date):
        value = value.isoformat()
    if not isinstance(value, str):
        return None
    text = value.strip()
    parts = [found.groups() for found in [_DATE.fullmatch(text)] if found]
    parts += [found.groups()[::-1] for found in [_GERMAN_DATE.fullmatch(text)] if found]
    try:
        return datetime.date(*map(int, parts[0])).isoformat() if parts else None
    except ValueError:
        return None


def _display(value: Any) -> str:
    """Show a wrong due date as YAML read it."""
    if isinstance(value, str):
        return repr(str(value).strip())
    return value.isoformat() if isinstance(value, datetime.date) else shortened(value)
