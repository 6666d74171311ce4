# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_resources: read, list, plan, guard, apply, report. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._errors import NOTHING_WRITTEN, Conflict, OptionError, PanelError, about, first_lines, told
from .._items.wanted_items import Item, read_items
from .._kinds.registry import TABLES
from .._log import log_plan
from .._object.deciding import DELETE
from .._object.objects import Panel
from .._secrets.redaction import structured
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import problem_of_text
from .encrypted_values import EncryptedValues
from .plan_lines import counts_of, plan_text
from .planner import Action, Planner, in_waves, shown_plan

MOST_AT_ONCE = 16
_MOST_WARNINGS = 20
_OPTIONS: dict[str, dict[str, Any]] = {
    "resources": {"type": "dict"},
    "resources_dir": {"type": "path"},
    "rebuild": {"type": "bool", "default": False},
    "purge": {"type": "list", "elements": "str", "choices": list(TABLES), "default": []},
    "max_deletes": {"type": "int"},
    "protect": {"type": "dict", "default": {}},
    "concurrency": {"type": "int", "default": 4},
    "expected_checksum": {"type": "str", "no_log": False},
    "compare": {"type": "bool", "default": False},
    "return_unchanged": {"type": "bool", "default": False},
    "credentials_file": {"type": "path"},
    "rotation": {"type": "str"},
}


class WrongItems(PanelError):
    """There are mistakes in the wanted objects; nothing was written."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__(told(mistakes, "error.mistakes"), mistakes=list(dict.fromkeys(mistakes)))


class PlanChanged(PanelError):
    """The plan is not the expected one; nothing was written."""


def resources_operation() -> Operation:
    constraints = {name: [["resources", "resources_dir"]] for name in ("mutually_exclusive", "required_one_of")}
    return Operation(options=_OPTIONS, run=_run, constraints=constraints, summarized={"resources": counted})


def counted(resources: Any) -> Any:
    """How many items there are of each kind; thousands of them are nothing to look at."""
    resources = structured(resources) if isinstance(resources, str) else resources
    if not isinstance(resources, dict):
        return "(no dictionary)"
    return {
        str(kind): f"{len(items)} item{'' if len(items) == 1 else 's'}" if isinstance(items, list) else "(no list)"
        for kind, items in resources.items()
    }


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    parent = os.getppid()
    wanted = _read_items(params, task)
    compares = params.get("compare")
    if compares:
        if not task.check_mode:
            problem = "needs check mode, since it only compares. Set check_mode: true on the task. Nothing was written."
            raise OptionError("compare", problem)
        params = {**params, "purge": list(TABLES), "protect": {}}
    client, items = task.client, [item for items in wanted.values() for item in items]
    for item in items if compares else ():
        # Any number of records may differ.
        item.zone = item.zone and item.zone._replace(max_delete_percent=100)
    client.allow_at_once(params["concurrency"])
    client.secrets.add(secret for item in items for secret in item.secrets())
    panel = Panel(lambda: client, keeps_lists=True)
    planner = Planner(panel, wanted, params["purge"], task.say)
    with about(written=NOTHING_WRITTEN):
        planner.plan()
        if planner.deleting:
            from .deletions import plan_deletions  # noqa: PLC0415 - few tasks delete

            mistakes = plan_deletions(planner, params["purge"], params["protect"])
            # A comparison deletes nothing, and files may hold a part of a panel.
            planner.mistakes += [] if compares else mistakes
    if params["protect"]:
        from .deletions import unprotected_names  # noqa: PLC0415 - few tasks protect anything

        planner.warnings += unprotected_names(planner, params["protect"])
    for warning in first_lines(planner.warnings, _MOST_WARNINGS):
        task.warn(warning)
    if planner.mistakes:
        raise WrongItems(planner.mistakes)
    waves = in_waves(planner.actions)
    actions = [action for wave in waves for action in wave]
    plan = shown_plan(actions, len(planner.unchanged))
    log_plan("all items", counts_of(plan["summary"]))
    displayed_plan = EncryptedValues.of_task(task.encrypted).masked_plan(plan)
    if not compares:
        try:
            _guard(params, actions, plan, task)
        except (Conflict, PlanChanged) as error:
            error.details["result"] = {"plan": displayed_plan}
            raise
    others = [*planner.left_out.values()]
    if params["return_unchanged"]:
        right = planner.unchanged
        others += [{"kind": kind, "key": key, "id": one, "result": "unchanged"} for kind, key, one in right]
    shown = [{"kind": one.kind, "key": one.key, "id": one.id, "result": "changed"} for one in actions]
    changed, reached = bool(actions), {"plan": displayed_plan, "results": shown + others}
    if changed and not task.check_mode:
        from .applying import Applier, report  # noqa: PLC0415 - most runs find everything right

        is_exact = params.get("expected_checksum") is not None
        changed = report(Applier(panel, task, parent, is_exact).apply(waves), reached, others, client.secrets)
    return Outcome(changed, reached, prepared=plan_text(displayed_plan))


def _guard(params: Mapping[str, Any], actions: Sequence[Action], plan: Mapping[str, Any], task: Task) -> None:
    """Raises before the first write where the plan may not be carried out."""
    if plan["summary"][DELETE]:
        from .deletions import check_deletions  # noqa: PLC0415

        check_deletions(actions, params["protect"], params.get("max_deletes"), task.name_of)
    expected = params.get("expected_checksum")
    if expected is not None and expected != plan["checksum"]:
        changed = f"the plan has changed since it was approved (now {counts_of(plan['summary'])}). Nothing was written. Make and approve a new plan."
        done = "there is nothing left to do: the plan was applied already, or someone has done the same. Nothing was written."
        problem = f"{task.name_of('expected_checksum')}: {changed if actions else done}"
        raise PlanChanged(problem, expected=expected, checksum=plan["checksum"])
    if task.planned not in ("", plan["checksum"]):
        raise PlanChanged("The panel changed while the task made its plan. Nothing was written. Run the task again.")


# Options


def _read_items(params: Mapping[str, Any], task: Task) -> Mapping[str, list[Item]]:
    """The items by kind; raises what is wrong with them, and with the other options."""
    if params.get("resources_dir") is not None:
        problem = "is read on the controller, and this task ran without the collection's action plugin there."
        raise OptionError("resources_dir", problem)
    given = params["resources"]
    resources = structured(given) if isinstance(given, str) else given
    if not isinstance(resources, dict):
        raise OptionError("resources", "must be a dictionary with a list of objects for each type.")
    reading = read_items(resources)
    mistakes = [*reading.mistakes, *_mistakes_in_options(params, resources, task.name_of)]
    if mistakes:
        raise WrongItems(mistakes)
    return reading.items


def _mistakes_in_options(
    params: Mapping[str, Any], resources: Mapping[str, Any], name_of: Callable[[str], str]
) -> Iterable[str]:
    for kind in params["purge"]:
        if resources.get(kind) is None:
            yield f"{name_of('purge')}: resources has no {kind}; give an empty list to delete all of them."
    if not 1 <= params["concurrency"] <= MOST_AT_ONCE:
        yield f"{name_of('concurrency')}: {params['concurrency']} is not accepted; it must be a whole number from 1 to {MOST_AT_ONCE}."
    if params.get("expected_checksum") == "":
        yield f"{name_of('expected_checksum')}: is empty, which would approve every plan; omit it where none is expected."
    if (params.get("max_deletes") or 0) < 0:
        yield f"{name_of('max_deletes')}: {params['max_deletes']} is not accepted; it must be a whole number from 0."
    if params.get("credentials_file") is not None:
        # The controller's front end takes it out; nothing else may make passwords that no file keeps.
        yield "credentials_file: needs the action plugin of this module, which keeps the file on the controller."
    elif params.get("rotation") is not None:
        yield "rotation: needs credentials_file, where it finds what has its new password already."
    if params.get("rebuild"):
        # The controller's front end takes it out with the directory.
        yield "rebuild: needs resources_dir, whose files may be another panel's; omit it with resources."
    for kind, patterns in params["protect"].items():
        if kind not in TABLES:
            yield f"{name_of('protect')}: there is no type {kind}; there are {', '.join(TABLES)}."
        elif not isinstance(patterns, list):
            yield f"{name_of('protect')}.{kind}: must be a list of names or shell patterns."
        else:
            problems = map(_problem_of_pattern, patterns)
            yield from (
                f"{name_of('protect')}.{kind}[{at}]: {problem}" for at, problem in enumerate(problems) if problem
            )


def _problem_of_pattern(pattern: Any) -> str:
    """What is wrong with an entry of protect; empty for nothing."""
    problem = problem_of_text(pattern)
    if not problem and not pattern.strip():
        return "is empty, which would protect nothing; name an object, or take the entry out."
    return problem
