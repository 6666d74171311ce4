# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps what the passes of a copy did with each object.

Pure. A state is a dictionary of the JSON file: ``format``, ``source``, ``target``, ``run`` (the
step that has not ended, the keys of what it has done, and of what a killed run of it had done, which
this one compares), ``is_taken_over`` (whether the step late has begun once, so that customers use
the target) and ``objects`` by key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._content.kept_forms import is_count
from .customers_on_target import explain_overwriting
from .object_pass import FAILED, Pass, has_failed, make_pass
from .pass_plan import COPY, FINAL, FINISHED, INTERRUPTED, LATE, PENDING, SWITCHED, plan_pass
from .state_form import find_damaged_value

FORMAT = "hosting.panel.content"
VERSION = 1
# Steps that prove how both servers are when they end.
_PROVING = (FINAL, LATE)

State = Mapping[str, Any]


def find_problem_of_state(
    state: Any,
    hosts: tuple[str, str],
    step: str = "",
    wanted: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """Return what is wrong with the content of a state file; empty if nothing is.

    Args:
        state: What was read.
        hosts: The source of the content, and its target.
        step: The step that is to follow.
        wanted: The objects that it takes; None if all of the state.
    """
    damage = _find_damage(state)
    if damage:
        return damage
    for host, name in zip(hosts, ("source", "target")):
        if state[name] != host:
            return f"it is about the {name} {state[name]}. Move the file away."
    return explain_overwriting(state, step, wanted)


def _find_damage(state: Any) -> str:
    """Return why this cannot be a state of this release; empty if it can."""
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        return "this is no state of a copy. Move the file away."
    version = state.get("version")
    if is_count(version) and version != VERSION:
        return (
            f"another release wrote this state of a copy, in version {version} of its form. "
            "Use that release."
        )
    damaged = find_damaged_value(state) if is_count(version) else "version"
    if damaged:
        return (
            f"this state of a copy is damaged: {damaged} is missing or has another form. "
            "Restore the file. Move it away only if customers do not use the target yet."
        )
    return ""


def begin_run(state: State, step: str, source: str, target: str) -> dict[str, Any]:
    """Return the state at the start of a step, which goes on where a killed run of it ended.

    What that run had done is done in the step copy. A step that proves something compares it anew.
    """
    run = state.get("run") or {}
    finished_keys: list[str] = []
    to_compare: list[str] = []
    if run.get("step") == step == COPY:
        finished_keys = run["done"]
    elif run.get("step") == step and step in _PROVING:
        to_compare = list(dict.fromkeys([*run["to_compare"], *run["done"]]))

    return {
        "format": FORMAT,
        "version": VERSION,
        "source": source,
        "target": target,
        "run": {"step": step, "done": finished_keys, "failed": [], "to_compare": to_compare},
        "is_taken_over": step == LATE or state.get("is_taken_over", False),
        "objects": dict(state.get("objects", {})),
    }


def find_object_state(state: State, content: Mapping[str, Any], is_continuing: bool = True) -> str:
    """Return in which state an object is for its next pass, a constant of ``pass_plan.py``.

    Args:
        state: The state of this run.
        content: The object.
        is_continuing: Whether an object that failed does not stop the others.
    """
    key = content["key"]
    run = state["run"]
    if run["failed"] and not is_continuing:
        return FINISHED
    if key in run["done"] or key in run["failed"]:
        return FINISHED
    if key in run["to_compare"]:
        return INTERRUPTED

    passes = state["objects"].get(key, {}).get("passes", {})
    if LATE in passes and Pass.read(passes[LATE]).outcome != FAILED:
        return SWITCHED
    return PENDING


def record(
    state: State, content: Mapping[str, Any], module_results: Mapping[str, Any], step: str, now: str
) -> dict[str, Any]:
    """Return the state with what a pass did with an object.

    A pass may only confirm what a killed run has copied. If it does not, the object is still to be
    copied.

    Args:
        state: The state before.
        content: The object.
        module_results: ``result`` of the module, ``comparison`` of the one that compared afterwards, and
            ``repair`` of a second copy that the comparison made necessary. ``option_names`` has
            what an operator writes for options of the modules.
        step: The step of the role.
        now: The time.
    """
    key = content["key"]
    previous = state["objects"].get(key, {})
    run = dict(state["run"])
    plan = plan_pass(content["kind"], step, find_object_state(state, content))
    ended_pass = make_pass(content, module_results, step, plan.proof, now)
    if plan.is_recheck:
        run["to_compare"] = [
            compared_key for compared_key in run["to_compare"] if compared_key != key
        ]
        interrupted_pass = previous.get("passes", {}).get(step)
        if interrupted_pass is None or not _is_confirmed(module_results["result"]):
            return {**state, "run": run}
        ended_pass = Pass.read(interrupted_pass).confirm(ended_pass)

    ending = "failed" if ended_pass.outcome == FAILED else "done"
    run[ending] = [*run[ending], key]
    entry = {
        "kind": content["kind"],
        "from": content["from"],
        "to": content["to"],
        "passes": {**previous.get("passes", {}), step: ended_pass.write()},
        "last": step,
    }
    return {**state, "run": run, "objects": {**state["objects"], key: entry}}


def _is_confirmed(result: Mapping[str, Any]) -> bool:
    """Return whether a comparison says that there is nothing to copy."""
    return not (has_failed(result) or result.get("differences") or result.get("changed"))
