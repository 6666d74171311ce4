# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes on one panel what a client has on another, of which only the times to live are changed, in a step of its own before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..module_utils._task.mistakes import first_of
from ..plugin_utils._files.private import check_private_place
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.ids import WithoutId
from ..plugin_utils._move.lowering import check_lowering, lower_ttls
from ..plugin_utils._move.mapping import CannotMove, mapped
from ..plugin_utils._move.options import (
    MAPPING,
    check_two_panels,
    connection_of,
    read_rules,
)
from ..plugin_utils._move.parity import (
    objects_of_a_namesake,
    unexpected_changes,
    without_passwords,
)
from ..plugin_utils._move.reading import read_both
from ..plugin_utils._passwords.ahead import PasswordsAhead
from ..plugin_utils._passwords.file import CredentialsError, CredentialsFile
from ..plugin_utils._passwords.vault import credentials_file
from ..plugin_utils._run.module_runs import ModuleFailed, ModuleRuns
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._words.plan_lines import failure_lines, plan_lines

ARGUMENT_SPEC: dict[str, Any] = {
    **MAPPING,
    "step": {"type": "str", "choices": ["prepare", "copy"], "default": "copy"},
    "ttl": {"type": "int", "default": 300},
    "update": {"type": "bool", "default": False},
    "page": {"type": "path"},
}
_MOST_LINES = 200


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_client_copy."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        result["changed"] = False
        if arguments["step"] == "prepare":
            return self._prepared(result, arguments, task_vars)
        try:
            source = ModuleRuns(self, task_vars, connection_of(self._task.args, "source"), "On the source: ")
            target = ModuleRuns(self, task_vars, connection_of(self._task.args, "target"), "On the target: ")
            check_two_panels(source.panel(), target.panel())
            file = credentials_file(arguments["credentials_file"], self._loader)
            if file is not None:
                file.check()
            if arguments["page"]:
                # It is written after the target was.
                check_private_place(Path(arguments["page"]))
            result.update(_copied(source, target, arguments, file, self._task.check_mode))
            result["warnings"] = [*source.warnings, *target.warnings]
        except CannotMove as error:
            result.update(failed=True, msg=f"{error} Nothing was written.", mistakes=error.mistakes)
        except OSError as error:
            result.update(failed=True, msg=f"page: {arguments['page']}: {error.strerror}. Nothing was written.")
        except CredentialsError as error:
            result.update(failed=True, msg=f"credentials_file: {error} Nothing was written.")
        except ModuleFailed as failure:
            result.update(failed=True, msg=f"{failure} Nothing was written before that.")
        return result

    def _prepared(self, result: dict[str, Any], arguments: Mapping[str, Any], task_vars: Any) -> dict[str, Any]:
        try:
            check_lowering(arguments)
            source = ModuleRuns(self, task_vars, connection_of(self._task.args, "source"), "On the source: ")
            result.update(lower_ttls(source, arguments, self._task.check_mode))
            result["warnings"] = source.warnings
        except CannotMove as error:
            result.update(failed=True, msg=f"{error} Nothing was written.")
        except WithoutId as error:
            result.update(failed=True, msg=f"On the source: {error}")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            result.update(failed=True, msg=f"zones_file: {arguments['zones_file']}: {reason}. No zone was changed.")
        except ModuleFailed as failure:
            result.update(failed=True, msg=str(failure), changed=bool(failure.result.get("changed")))
        return result


def _copied(
    source: ModuleRuns, target: ModuleRuns, arguments: Mapping[str, Any], file: CredentialsFile | None, check_mode: bool
) -> dict[str, Any]:
    rules = read_rules(arguments, source.panel())
    seen = read_both(source, target, rules.client)
    wanted = mapped(seen, rules)
    source.warnings += wanted.warnings
    resources = wanted.resources
    ahead = PasswordsAhead(resources, target.panel(), lambda _kind, _index: file)
    planned = target.succeed("panel_resources", {"resources": ahead.resources()}, check_mode=True)
    plan = planned["plan"]
    generating = ahead.choose(plan["actions"])
    if not arguments["update"]:
        _refuse_changes(unexpected_changes(without_passwords(plan, generating), seen.target))
    _refuse_a_namesake(
        objects_of_a_namesake(without_passwords(plan, generating), resources, seen.target, rules.client), rules.client
    )
    if generating and file is None:
        named = first_of([f"{kind} {key}" for kind, key in generating], 10)
        raise CannotMove(
            [f"credentials_file: missing; there is no file to keep the passwords in that are made for {named}."]
        )
    result = {
        "changed": bool(plan["actions"]),
        "summary": plan["summary"],
        "lines": plan_lines(plan, _MOST_LINES),
        "failures": [],
    }
    if check_mode:
        ahead.check()
    if check_mode or not plan["actions"]:
        return result
    target.warnings += ahead.warnings()
    done = ahead.hand_over(
        lambda filled: target.run("panel_resources", {"resources": filled, "expected_checksum": plan["checksum"]})
    )
    if file is not None and generating:
        result["credentials_file"] = file.path
    result["changed"] = bool(done.get("changed"))
    result["failures"] = failure_lines(done.get("results") or (), _MOST_LINES)
    if done.get("failed"):
        result.update(failed=True, msg=f"On the target: {done.get('msg')}")
    return result


def _refuse_changes(lines: list[str]) -> None:
    if not lines:
        return
    mistake = (
        f"The target has {len(lines)} of these objects already, and they differ: {first_of(lines, 20, '; ')}. Make both panels equal, or delete "
        "them on the target, or set update: true to change them there (move_update in the role move)."
    )
    raise CannotMove([mistake])


def _refuse_a_namesake(objects: list[str], client: str) -> None:
    if not objects:
        return
    mistake = (
        f"client: the client {client} of the target has nothing of the one on the source, and differs from it: it is another customer, who has "
        f"{', '.join(objects[:10])}. Rename one of both."
    )
    raise CannotMove([mistake])
