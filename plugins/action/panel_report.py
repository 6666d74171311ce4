# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the report on a fleet of panels: one HTML page, and the same as JSON. It reads the panels and writes nothing to them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ..module_utils._errors import Defect, MissingLibrary
from ..module_utils._front.perform import WITHOUT_VALIDATION
from ..plugin_utils._inputs.plain_values import plain
from ..plugin_utils._report.files import FileFailure, text_for, write
from ..plugin_utils._report.gathering import Wish, gather
from ..plugin_utils._report.lines import lines
from ..plugin_utils._report.options import (
    ARGUMENT_SPEC,
    Options,
    WrongOptions,
    panels_of_hosts,
    read_options,
)
from ..plugin_utils._report.page import page
from ..plugin_utils._report.reading import PanelReading
from ..plugin_utils._report.report import report
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._words.months import months_until

__all__ = ["ARGUMENT_SPEC", "ActionModule"]


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_report."""

    _supports_async = False
    _requires_connection = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        environment: dict[str, Any] = {}
        if self._task.environment:
            self._compute_environment_string(environment)
        try:
            given = self._given(task_vars)
            options = read_options(given, environment, datetime.datetime.now().astimezone())
            readings = self._gather(options)
        except (WrongOptions, MissingLibrary) as error:
            return {**result, "failed": True, "changed": False, "msg": f"{error} Nothing was read or written."}
        try:
            result.update(_written(options, readings, self._task.check_mode))
        except FileFailure as error:
            return {**result, "failed": True, "changed": False, "msg": f"The panels were read, but {error}"}
        except Exception as error:
            return {**result, "failed": True, "changed": False, "msg": f"There is no report. {Defect(error).message}"}
        if any(panel.connection.verify is False for panel in options.panels):
            result["warnings"] = [WITHOUT_VALIDATION]
        _complain(result, options, readings, self._task.check_mode)
        return result

    def _given(self, task_vars: Any) -> dict[str, Any]:
        """The options as they were written, with the panels of the hosts where none are named."""
        given: dict[str, Any] = plain(self._task.args)
        hosts = given.get("hosts")
        if given.get("panels") is None and isinstance(hosts, list):
            given["panels"] = plain(panels_of_hosts(hosts, task_vars["hostvars"], bool(given.get("api_key"))))
        return {name: value for name, value in given.items() if value is not None}

    def _gather(self, options: Options) -> list[PanelReading]:
        months = months_until(options.now, options.thresholds.months)
        wish = Wish(months, options.concurrency, getattr(self._loader, "_vault", VaultLib()))
        return gather(options.panels, wish, self.say)


def _written(options: Options, readings: Sequence[PanelReading], check_mode: bool) -> dict[str, Any]:
    """Writes what has changed; the result of the task."""

    def data(now: datetime.datetime) -> dict[str, Any]:
        return report(readings, now, options.thresholds, options.title)

    def as_json(now: datetime.datetime) -> str:
        return json.dumps(data(now), indent=1, ensure_ascii=False) + "\n"

    def as_page(now: datetime.datetime) -> str:
        return page(data(now))

    makers: list[tuple[Path, Callable[[datetime.datetime], str]]] = [(options.file, as_page)]
    if options.json_file is not None:
        makers.append((options.json_file, as_json))
    # All texts before the first file, so that a text that cannot be made leaves both files as they are.
    texts = [(path, *text_for(path, options.now, make)) for path, make in makers]
    changed = [(path, text) for path, text, is_other in texts if is_other]
    for path, text in [] if check_mode else changed:
        write(path, text, options.mode)
    found = data(options.now)
    return {
        "changed": bool(changed),
        "file": str(options.file),
        "json_file": str(options.json_file) if options.json_file else None,
        "written": [str(path) for path, _text in changed],
        "summary": found["summary"],
        "lines": [*lines(found), _files_line(changed, check_mode)],
        "requests": sum(reading.requests for reading in readings),
    }


def _files_line(changed: Sequence[tuple[Path, str]], check_mode: bool) -> str:
    named = (
        ", ".join(str(path) for path, _text in changed) or "nothing, since the report says the same as earlier today"
    )
    return f"{'would be written' if check_mode else 'written'}: {named}"


def _complain(result: dict[str, Any], options: Options, readings: Sequence[PanelReading], check_mode: bool) -> None:
    """Says which panels are missing in the report."""
    unread: Mapping[str, str] = {reading.name: reading.failure for reading in readings if reading.failure}
    result["unread"] = list(unread)
    if not unread:
        return
    state = "would say so" if check_mode else "says so"
    message = (
        f"{len(unread)} of {len(readings)} panels could not be read. "
        + " ".join(f"{name}: {why}" for name, why in unread.items())
        + f" The report in {options.file} {state}, and shows the others."
    )
    if options.fail_on_unread:
        result["failed"] = True
        result["msg"] = message
    else:
        result.setdefault("warnings", []).append(message)
