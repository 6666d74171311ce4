# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_resources: read, list, plan, guard, apply, report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import Conflict, OptionError, PanelError, Reached, name_subject_in_errors
from .._http.lost_ansible import StartingProcess
from .._items.desired_items import Item, ItemsRead, read_items
from .._kinds.registry import DNS, TABLES
from .._log import log_plan
from .._operation.operation import Operation, Outcome, PlanReport, Task
from .._plan.object_plan import CREATE, DELETE
from .._problems import (
    OptionPath,
    Problem,
    Written,
    abbreviate,
    describe_option_problem,
    format_number_of,
)
from .._secrets.redaction import parse_structure
from .._sources.snapshot_source import SnapshotSource
from .._values.option_marks import NARROWS, TEXT_ONLY_MARK
from .._values.password_hashes import FORMS
from .._values.value_types import describe_name_problem
from .actions import Action
from .bulk_plan import BulkPlan, make_bulk_plan
from .encrypted_values import EncryptedValues
from .plan_lines import format_change_counts, make_plan_text
from .plan_state import PlanState
from .planner import Planner

if TYPE_CHECKING:
    from .carried_hashes import CarriedHashes

MOST_AT_ONCE = 16
_MOST_WARNINGS = 20
_MOST_NAMED = 10
HASHES = "password_hashes_from"
_OPTIONS: dict[str, dict[str, Any]] = {
    "resources": {"type": "dict"},
    "resources_dir": {"type": "path"},
    "rebuild": {"type": "bool", "default": False},
    "purge": {"type": "list", "elements": "str", "choices": list(TABLES), "default": []},
    "max_deletes": {"type": "int", NARROWS: "set no limit"},
    "protect": {"type": "dict", "default": {}, NARROWS: "protect nothing", **TEXT_ONLY_MARK},
    "concurrency": {"type": "int", "default": 4},
    "expected_checksum": {"type": "str", "no_log": False, NARROWS: "approve every plan"},
    "compare": {"type": "bool", "default": False},
    "return_unchanged": {"type": "bool", "default": False},
    "credentials_file": {"type": "path"},
    "rotation": {"type": "str", **TEXT_ONLY_MARK},
    HASHES: {
        "type": "dict",
        "no_log": False,
        "options": {
            "api_url": {"type": "str", "required": True, **TEXT_ONLY_MARK},
            "api_key": {"type": "str", "required": True, "no_log": True},
            "validate_certs": {"type": "bool"},
            "ca_path": {"type": "path"},
            "timeout": {"type": "int"},
            "retry_time": {"type": "int"},
            "refused_forms": {
                "type": "list",
                "elements": "str",
                "choices": list(FORMS),
                "default": [],
            },
        },
    },
}


class WrongItems(PanelError):
    """There are mistakes in the desired objects; nothing was written."""

    listed_in = "mistakes"
    means_nothing_written = True

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


class PlanChanged(PanelError):
    """The plan is not the expected one; nothing was written."""

    means_nothing_written = True


def build_resources_operation() -> Operation:
    """Return the operation of the module panel_resources."""
    constraints = {
        name: [["resources", "resources_dir"]] for name in ("mutually_exclusive", "required_one_of")
    }
    return Operation(
        options=_OPTIONS,
        run=_run,
        constraints=constraints,
        summarized={"resources": count_resources},
    )


def count_resources(resources: Any) -> Any:
    """Return how many items there are of each kind; thousands of them are nothing to look at."""
    if isinstance(resources, str):
        resources = parse_structure(resources)
    if not isinstance(resources, dict):
        return "(no dictionary)"
    return {str(plural): _describe_count(items) for plural, items in resources.items()}


def _describe_count(items: Any) -> str:
    if not isinstance(items, list):
        return "(no list)"
    return format_number_of(len(items), "item", "items")


class _Draft(NamedTuple):
    """What a task is about to do, before anything of it is written.

    items: The items as they were planned.
    source: The lists of the panel, with what is planned.
    state: What the planner knows.
    plan: The plan.
    carried: The hashes of another panel; None where the task names none.
    """

    items: Mapping[str, list[Item]]
    source: SnapshotSource
    state: PlanState
    plan: BulkPlan
    carried: CarriedHashes | None


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    """Compare the items with the panel, or make the panel what they say."""
    starting_process = StartingProcess()
    items = _read_items(params, task)
    if params.get("compare"):
        return _compare(params, items, task)
    return _change(params, items, starting_process, task)


def _compare(params: Mapping[str, Any], items: Mapping[str, list[Item]], task: Task) -> Outcome:
    """Return all that differs, whatever a task that writes may do about it."""
    comparison_params = _as_comparison(params, task)
    draft = _make_draft(comparison_params, _without_purge_limits(items), task)
    fields = _describe_draft(comparison_params, draft)
    fields["not_compared"] = [omission.as_result() for omission in draft.state.spared]
    return _make_outcome(bool(draft.plan.actions), fields, draft)


def _change(
    params: Mapping[str, Any],
    items: Mapping[str, list[Item]],
    starting_process: StartingProcess,
    task: Task,
) -> Outcome:
    """Plan and guard, and carry out the plan unless the task is in check mode.
    starting_process: as of ``Applier``.
    """
    draft = _make_draft(params, items, task)
    _guard_plan(params, draft.plan, task)
    if any(action.generates_password for action in draft.plan.actions):
        task.warn_of_lost_password()

    fields = _describe_draft(params, draft)
    is_changed = bool(draft.plan.actions)
    if is_changed and not task.check_mode:
        is_changed = _carry_out(params, draft, fields, starting_process, task)
    return _make_outcome(is_changed, fields, draft)


def _make_draft(params: Mapping[str, Any], items: Mapping[str, list[Item]], task: Task) -> _Draft:
    """Read the panel, and plan; raises WrongItems."""
    carried = _read_hashes(params, items, task)
    if carried is not None:
        items = carried.give(items)

    source = SnapshotSource(lambda: task.session)
    state = _plan_items(params, items, source, task).state
    encrypted = EncryptedValues.from_json(task.handover.encrypted)
    plan = make_bulk_plan(state.actions, len(state.unchanged), encrypted)
    log_plan("all items", format_change_counts(plan.summary))
    task.plan = PlanReport(bool(plan.actions), checksum=plan.checksum)
    task.passwords_set += [action.name for action in plan.actions if action.sets_password]
    return _Draft(items, source, state, plan, carried)


def _describe_draft(params: Mapping[str, Any], draft: _Draft) -> dict[str, Any]:
    """Return the fields of the result before anything is written, as check mode has them."""
    plan = draft.plan
    fields: dict[str, Any] = {
        "plan": plan.displayed,
        "results": [
            *map(_predict_result, plan.actions),
            *_list_results_without_action(params, draft.state),
        ],
    }
    if draft.carried is not None:
        created = [action.name for action in plan.actions if action.action == CREATE]
        fields["password_hashes"] = draft.carried.report(draft.items, draft.source, created)
    return fields


def _carry_out(
    params: Mapping[str, Any],
    draft: _Draft,
    fields: dict[str, Any],
    starting_process: StartingProcess,
    task: Task,
) -> bool:
    """Carry out the plan, and tell whether anything was written; raises what ``action_report``
    makes of a plan that was not carried out to its end.

    Args:
        params: The options.
        draft: The plan.
        fields: Of the result, to which the results of the actions are added.
        starting_process: As of ``Applier``.
        task: The running task.
    """
    from .action_report import build_results, has_written, make_incomplete_error  # noqa: PLC0415 - as the next
    from .applying import Applier  # noqa: PLC0415 - most runs find everything right

    task.local.before_writes(task.passwords_set)
    is_exact = params.get("expected_checksum") is not None
    results = Applier(draft.source, task, starting_process, is_exact).apply(draft.plan.waves)
    task.effects += [result.effect for result in results]

    secrets = task.session.secrets
    unplanned = _list_results_without_action(params, draft.state)
    fields |= build_results(results, unplanned, secrets)
    error = make_incomplete_error(results, fields, secrets)
    if error is not None:
        raise error
    return has_written(results)


def _make_outcome(is_changed: bool, fields: Mapping[str, Any], draft: _Draft) -> Outcome:
    """Return the outcome of a task that has not failed."""
    # Every failure is raised before. The action on the controller says of each that it is not.
    return Outcome(
        is_changed, {**fields, "is_complete": True}, prepared=make_plan_text(draft.plan.displayed)
    )


def _read_hashes(
    params: Mapping[str, Any], items: Mapping[str, list[Item]], task: Task
) -> CarriedHashes | None:
    """Return the hashes of the other panel; None where the task names no other panel."""
    if params.get(HASHES) is None:
        return None
    from .carried_hashes import read_hashes  # noqa: PLC0415 - few tasks have another panel

    carried = read_hashes(params[HASHES], items, task)
    task.session.secrets.add(carried.list_secrets())
    return carried


def _predict_result(action: Action) -> dict[str, Any]:
    """Return the result of an action as check mode foresees it."""
    return {"kind": action.plural, "key": action.key, "id": action.id, "result": "changed"}


def _list_results_without_action(
    params: Mapping[str, Any], state: PlanState
) -> list[Mapping[str, Any]]:
    """Return the results of the objects with which nothing is done: those that are left out, and
    the unchanged ones where the task asks for them.
    """
    results: list[Mapping[str, Any]] = [*state.left_out.values()]
    if params["return_unchanged"]:
        for plural, key, identifier in state.unchanged:
            results.append({"kind": plural, "key": key, "id": identifier, "result": "unchanged"})
    return results


def _as_comparison(params: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Return the options of a task that only compares: everything surplus is shown."""
    if not task.check_mode:
        cause = "needs check mode, since it only compares. Set check_mode: true on the task."
        raise OptionError(cause, option="compare", written=Written.NOTHING)
    return {**params, "purge": list(TABLES), "protect": {}}


def _without_purge_limits(items: Mapping[str, list[Item]]) -> dict[str, list[Item]]:
    """Return the items with zones of which any number of records may differ."""
    unlimited = dict(items)
    unlimited[DNS] = []
    for item in items.get(DNS, ()):
        zone = item.zone
        if zone is not None:
            zone = zone._replace(max_delete_percent=100)
        unlimited[DNS].append(replace(item, zone=zone))
    return unlimited


def _plan_items(
    params: Mapping[str, Any], items: Mapping[str, list[Item]], source: SnapshotSource, task: Task
) -> Planner:
    """Return the planner that has decided about everything; raises WrongItems."""
    session = task.session
    session.allow_at_once(params["concurrency"])
    session.secrets.add(
        secret for item in chain.from_iterable(items.values()) for secret in item.list_secrets()
    )

    planner = Planner(source, items, params["purge"], task.local.say)
    with name_subject_in_errors(written=Written.NOTHING):
        planner.plan()
        if planner.deleting:
            _plan_deletions(planner, params, task)
        if params["protect"]:
            from .deletion_guards import describe_unprotected_names  # noqa: PLC0415 - few protect

            planner.state.add_warnings(
                describe_unprotected_names(source, params["protect"], task.name_option)
            )

    _warn(planner.state.warnings, task)
    if planner.state.mistakes:
        raise WrongItems(planner.state.mistakes)
    return planner


def _plan_deletions(planner: Planner, params: Mapping[str, Any], task: Task) -> None:
    """Add the deletions to the plan, with what a purge spares."""
    # Few tasks delete.
    from .deletions import plan_deletions  # noqa: PLC0415
    from .purge import describe_spared_objects, describe_uncompared_objects  # noqa: PLC0415

    state = planner.state
    actions, contradictions = plan_deletions(
        state, planner.reader, params["purge"], params["protect"], task.name_option
    )
    state.add_deletions(actions)
    # A comparison deletes nothing, and files may hold a part of a panel.
    if params.get("compare"):
        state.add_warnings(describe_uncompared_objects(state.spared))
    else:
        # What contradicts such a deletion is no mistake of the items.
        mistakes = list(_describe_deletions_without_list(actions, task))
        state.add_mistakes(mistakes or contradictions)
        state.add_warnings(describe_spared_objects(state.spared, task.name_option("purge")))


def _describe_deletions_without_list(actions: Iterable[Action], task: Task) -> Iterator[Problem]:
    """Describe the kinds of which a purge would delete all objects, since no file has a list of
    them.
    """
    names: dict[str, list[str]] = {}
    for action in actions:
        if action.item is None and action.plural in task.handover.unlisted:
            names.setdefault(action.plural, []).append(action.key)

    folder = task.name_option("resources_dir")
    for plural, keys in names.items():
        yield describe_option_problem(
            task.name_option("purge"),
            f"no file of {folder} has a list {plural}, and the panel has "
            f"{abbreviate(keys, _MOST_NAMED)}",
            advice=f"To delete all of them, write {plural}: [] into panel.yml.",
        )


def _warn(warnings: Sequence[str | Problem], task: Task) -> None:
    """Hand the first warnings to the task, and the number of the others."""
    for warning in warnings[:_MOST_WARNINGS]:
        task.warn(warning)
    if len(warnings) > _MOST_WARNINGS:
        task.warn(f"and {len(warnings) - _MOST_WARNINGS} more")


def _guard_plan(params: Mapping[str, Any], plan: BulkPlan, task: Task) -> None:
    """Raise before the first write if the plan may not be carried out. The failure shows it."""
    try:
        if plan.summary[DELETE]:
            from .deletion_guards import check_deletions  # noqa: PLC0415

            check_deletions(
                plan.actions, params["protect"], params.get("max_deletes"), task.name_option
            )
        _check_approval(params.get("expected_checksum"), plan, task)
    except (Conflict, PlanChanged) as error:
        error.reached = Reached(fields={"plan": plan.displayed})
        raise


def _check_approval(expected: str | None, plan: BulkPlan, task: Task) -> None:
    """Raise PlanChanged if another plan was approved, or the panel changed meanwhile."""
    if expected is not None and expected != plan.checksum:
        if plan.actions:
            counts = format_change_counts(plan.summary)
            cause = f"the plan has changed since it was approved (now {counts})."
            advice = "Make and approve a new plan."
        else:
            cause = "there is nothing left to do: the plan was applied already, "
            cause += "or someone has done the same."
            advice = ""
        raise PlanChanged(
            cause,
            subject=task.name_option("expected_checksum"),
            written=Written.NOTHING,
            advice=advice,
            expected=expected,
            checksum=plan.checksum,
        )
    if task.handover.approved_checksum not in ("", plan.checksum):
        cause = "The panel changed while the task made its plan."
        raise PlanChanged(cause, written=Written.NOTHING, advice="Run the task again.")


# Options


def _read_items(params: Mapping[str, Any], task: Task) -> Mapping[str, list[Item]]:
    """The items by kind; raises what is wrong with them, and with the other options."""
    if params.get("resources_dir") is not None:
        problem = "is read on the controller, and this task ran without the collection's action plugin there."
        raise OptionError(problem, option="resources_dir")
    resources = params["resources"]
    if isinstance(resources, str):
        resources = parse_structure(resources)
    if not isinstance(resources, dict):
        raise OptionError(
            "must be a dictionary with a list of objects for each type.", option="resources"
        )
    reading: ItemsRead = task.local.items or read_items(resources)
    # An export writes no list of a kind of which the panel has nothing.
    unlisted = [
        plural
        for plural in params["purge"]
        if resources.get(plural) is None and plural not in task.handover.unlisted
    ]
    mistakes = [*reading.mistakes, *_find_mistakes_in_options(params, unlisted, task.name_option)]
    if mistakes:
        raise WrongItems(mistakes)
    return reading.items


def _find_mistakes_in_options(
    params: Mapping[str, Any], unlisted: Iterable[str], name_option: Callable[[str], str]
) -> Iterable[Problem]:
    """Describe what is wrong with options. unlisted: the kinds to purge without a list."""
    for plural in unlisted:
        yield describe_option_problem(
            name_option("purge"),
            f"resources has no {plural}; give an empty list to delete all of them.",
        )
    if not 1 <= params["concurrency"] <= MOST_AT_ONCE:
        cause = f"{params['concurrency']} is not accepted; it must be a whole number from 1 to {MOST_AT_ONCE}."
        yield describe_option_problem(name_option("concurrency"), cause)
    if params.get("expected_checksum") == "":
        cause = "is empty, which would approve every plan; omit it where none is expected."
        yield describe_option_problem(name_option("expected_checksum"), cause)
    if (params.get("max_deletes") or 0) < 0:
        cause = f"{params['max_deletes']} is not accepted; it must be a whole number from 0."
        yield describe_option_problem(name_option("max_deletes"), cause)
    if params.get("credentials_file") is not None:
        # The controller's front end takes it out; nothing else may make passwords that no file
        # keeps.
        cause = "needs the action plugin of this module, which keeps the file on the controller."
        yield describe_option_problem(name_option("credentials_file"), cause)
    elif params.get("rotation") is not None:
        credentials = name_option("credentials_file")
        cause = f"needs {credentials}, where it finds what has its new password already."
        yield describe_option_problem(name_option("rotation"), cause)
    if params.get("rebuild"):
        # The controller's front end takes it out with the directory.
        folder = name_option("resources_dir")
        cause = f"needs {folder}, whose files may be another panel's; omit it with resources."
        yield describe_option_problem(name_option("rebuild"), cause)
    yield from _find_mistakes_in_protect(params["protect"], name_option("protect"))


def _find_mistakes_in_protect(protect: Mapping[str, Any], option: str) -> Iterable[Problem]:
    """Describe what is wrong with the option protect. option: what messages call it."""
    for plural, patterns in protect.items():
        if plural not in TABLES:
            yield describe_option_problem(
                option, f"there is no type {plural}; there are {', '.join(TABLES)}."
            )
        elif not isinstance(patterns, list):
            yield describe_option_problem(
                (option, plural), "must be a list of names or shell patterns."
            )
        else:
            yield from _find_mistakes_in_patterns(patterns, (option, plural))


def _find_mistakes_in_patterns(patterns: Sequence[Any], path: OptionPath) -> Iterable[Problem]:
    for index, pattern in enumerate(patterns):
        cause = _describe_pattern_problem(pattern)
        if cause:
            yield describe_option_problem((*path, index), cause)


def _describe_pattern_problem(pattern: Any) -> str:
    """What is wrong with an entry of protect; empty for nothing."""
    problem = describe_name_problem(pattern)
    if not problem and not pattern.strip():
        return "is empty, which would protect nothing; name an object, or take the entry out."
    return problem
