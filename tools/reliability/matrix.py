# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which promise was tried with which operation, so that a zero in the table can be read: made of the experiments' own numbers.

The operations are those that the collection has: a new module, role or playbook is a line of "not tried" until an experiment covers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tools.layout import ROOT
from tools.reliability.figures import Row

FAULTS, LATE, KILLED, FULL, AT_ONCE, SECRETS, ODD = (
    "a request fails",
    "an effect comes late",
    "killed",
    "disk full",
    "many at once",
    "nothing secret shown",
    "odd values",
)
PROMISES = (FAULTS, LATE, KILLED, FULL, AT_ONCE, SECRETS, ODD)
_READS = "reads only"
_NO_FILE = "writes no file"
_NO_STATE = "no state to compare"
_AS_TOLD = "sends what it is told"
_AS_IT_IS = "writes what is there already"
_TESTED = "in tests of its own"
_NO_PANEL = "only for trying out"
_ITS_OWN = "one test client, which `panel_verify_client` removes"

# Why there is nothing to try: by operation, for some promises or for all that are not named.
REASONS: Mapping[str, Mapping[str, str]] = {
    **{
        name: dict.fromkeys((FAULTS, LATE, KILLED, AT_ONCE), _READS) | {FULL: _NO_FILE}
        for name in (
            "module panel_ping",
            "playbook ping",
        )
    },
    # panel_plan_file is a file of theirs.
    **{name: dict.fromkeys((FAULTS, LATE, KILLED, AT_ONCE), _READS) for name in ("playbook drift", "playbook plan")},
    **{
        name: {FULL: _NO_FILE}
        for name in (
            *(f"module panel_{kind}" for kind in ("admin", "certificate", "client", "database")),
            *(
                f"module panel_{kind}"
                for kind in ("directory_protection", "dns", "domain", "email", "ftp_user", "plan")
            ),
            *(f"module panel_{kind}" for kind in ("resources", "scheduled_task")),
            "role suspend",
        )
    },
    **{
        name: {LATE: _READS}
        for name in (
            "module panel_export",
            "module panel_report",
            "role report",
            "playbook export",
            "playbook report",
        )
    },
    "module panel_reboot": {FULL: _NO_FILE, **dict.fromkeys((LATE, KILLED, AT_ONCE), _NO_STATE)},
    "module panel_api": {FULL: _NO_FILE, **dict.fromkeys((FAULTS, LATE, KILLED, AT_ONCE), _AS_TOLD)},
    "playbook retry": {FULL: _NO_FILE, **dict.fromkeys((FAULTS, LATE, KILLED, AT_ONCE), _AS_IT_IS)},
    **{
        name: {KILLED: _ITS_OWN, **dict.fromkeys((FAULTS, LATE, AT_ONCE, SECRETS), _TESTED)}
        for name in ("module panel_verify", "playbook verify")
    },
    **{
        name: dict.fromkeys((FAULTS, KILLED, SECRETS), _TESTED)
        for name in ("role certificate", "playbook certificates")
    },
    "module panel_secrets": dict.fromkeys(PROMISES, _TESTED),
    "role simulator": dict.fromkeys(PROMISES, _NO_PANEL),
    "playbook demo": dict.fromkeys(PROMISES, _NO_PANEL),
    "playbook play": dict.fromkeys(PROMISES, _NO_PANEL),
}
NOT_TRIED = "**Not tried**"


def operations_on_disk() -> list[str]:
    """Every module that does not only read, every role and every playbook, by the names that experiments use."""
    modules = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("panel_*.py"))
    roles = sorted(path.name for path in (ROOT / "roles").iterdir() if (path / "tasks").is_dir())
    playbooks = sorted(path.stem for path in (ROOT / "playbooks").glob("*.yml"))
    return [
        *(f"module {name}" for name in modules if not name.endswith("_info")),
        *(f"role {name}" for name in roles),
        *(f"playbook {name}" for name in playbooks),
    ]


def matrix(rows: Iterable[Row]) -> str:
    """A table of Markdown: a line for each operation, a column for each promise."""
    tried: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for operation, number in row.covered.items():
            tried[row.promise, operation] += number
    known = operations_on_disk()
    lines: list[tuple[str, ...]] = [("Operation", *PROMISES)]
    lines += [(name, *(_cell(tried[promise, name], name, promise) for promise in PROMISES)) for name in known]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    heading, *body = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    rule = " | ".join("-" * width for width in widths)
    return "".join(f"| {line} |\n" for line in (heading, rule, *body))


def _cell(number: int, operation: str, promise: str) -> str:
    if number:
        return f"{number:,}"
    reason = REASONS.get(operation, {}).get(promise)
    return f"*{reason}*" if reason else NOT_TRIED
