# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arbitrary options for every module, made from its own specification, and what must not come of them."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation, perform
from ansible_collections.hosting.panel.plugins.module_utils._task.validation import checkable, failed_validation
from tests.support import pem
from tests.support.samples import kinds, members_of, samples
from tests.support.simulated_time import SimulatedTime
from tests.support.tasks import CONNECTION
from tests.support.transcript import connection
from tools.layout import ROOT
from tools.reliability.memory import MemoryPlace, Session

_MODULES = "ansible_collections.hosting.panel.plugins.modules"
# It waits until the panel has gone away and come back, in real time.
_LEFT_OUT = ("panel_reboot",)
# Options that make a module wait for a status, in real time.
_PATIENT = ("wait", "wait_timeout")
DEFECT = "A defect in the collection"

_TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", " ", "\n", "\x00", "\ud800", "..", "/", "a" * 3000, "1G", "1.5G", "-1", "0", "true", "{{ 7 * 7 }}", "[1]", '{"a": 1}', "a=b"]
    ),
    st.sampled_from(["acme", "acme.example", "info@acme.example", "MÜLLER.example", "Business", "2027-12-31", "192.0.2.1", "*/5"]),
)  # fmt: skip
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400), _TEXTS)
_NAMES = st.one_of(st.text(max_size=6), st.sampled_from(["id", "name", "password", "state", "x"]))
ANYTHING = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)),
    max_leaves=6,
)


@dataclass(frozen=True)
class Outcome:
    """How a task ended, and what must not have happened."""

    has_failed: bool
    problems: list[str] = field(default_factory=list)


@cache
def operations() -> dict[str, Operation]:
    """The operation of every module that people call, by the module's name."""
    found: dict[str, Operation] = {}
    for path in sorted((ROOT / "plugins" / "modules").glob("panel_*.py")):
        operation = getattr(importlib.import_module(f"{_MODULES}.{path.stem}"), "OPERATION", None)
        if operation is not None and path.stem not in _LEFT_OUT:
            found[path.stem] = operation
    return found


def any_options(operation: Operation) -> st.SearchStrategy[dict[str, Any]]:
    """Some options of a module with fitting values, of which now and then a few are replaced by anything, or by an option that there is not."""
    options = {name: spec for name, spec in operation.options.items() if name not in _PATIENT}
    fitting = {name: _fitting(name, spec) for name, spec in options.items()}
    if "resources" in operation.summarized:
        fitting["resources"] = _resources()
    names = sorted(fitting)
    key = {name for name in names if name in _keys() or options[name].get("required")}

    @st.composite
    def some(draw: st.DrawFn) -> dict[str, Any]:
        more = draw(st.lists(st.sampled_from(names), max_size=4)) if names else []
        made = {name: draw(fitting[name]) for name in sorted({*key, *more})}
        for name in draw(st.lists(st.sampled_from([*names, "unknown"]), max_size=2)) if draw(st.booleans()) else ():
            made[name] = draw(ANYTHING)
        return made

    return some()


def _fitting(name: str, spec: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values of the right type, and mostly in the right form."""
    known = _known_values().get(name)
    if spec.get("choices"):
        return st.sampled_from(list(spec["choices"]))
    if spec.get("options"):
        inner = {member: _fitting(member, one) for member, one in spec["options"].items()}
        one = st.fixed_dictionaries({}, optional=inner)
        return st.lists(one, max_size=3) if spec.get("type") == "list" else one
    if known:
        return st.one_of(st.sampled_from(known), st.sampled_from(known), st.sampled_from(known), _TEXTS)
    fitting: dict[str, st.SearchStrategy[Any]] = {
        "list": st.lists(_TEXTS, max_size=4),
        "bool": st.booleans(),
        "int": st.sampled_from([1, 2, 11, 31, 41, 51]),
        "dict": st.dictionaries(_NAMES, ANYTHING, max_size=3),
    }
    return fitting.get(str(spec.get("type")), _TEXTS)


@cache
def _keys() -> frozenset[str]:
    """The options that name objects, but for their ids."""
    return frozenset(name for kind in kinds().values() for name in samples()["kinds"][kind.singular]["key"])


def _resources() -> st.SearchStrategy[Any]:
    """Items of every kind, of panel_resources."""
    from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS

    items = {
        plural: st.lists(st.one_of(any_options(operations()[kind.module]), ANYTHING), max_size=3)
        for plural, kind in KINDS.items()
    }
    return st.one_of(st.fixed_dictionaries({}, optional={**items, "unknown": ANYTHING}), ANYTHING)


@cache
def _known_values() -> dict[str, list[Any]]:
    """The sample values of every member, by the name of its option, and those of the keys."""
    found: dict[str, list[Any]] = {}
    for kind in kinds().values():
        for member in members_of(kind):
            plain = [sample.option for sample in member.values if not isinstance(sample.option, dict)]
            found.setdefault(member.path.rpartition(".")[2], []).extend(plain)
        for name, described in samples()["kinds"][kind.singular]["key"].items():
            value = described["option"] if isinstance(described, dict) else described
            found.setdefault(name, []).append(value)
    texts = pem.texts()
    for name in ("certificate", "private_key"):
        found[name] = [texts[f"one.{name}"], texts[f"two.{name}"]]
    return {name: values for name, values in found.items() if values}


def run_with(operation: Operation, options: Mapping[str, Any], is_check: bool) -> Outcome:
    """One task with these options, as the action plugin runs it, on a small panel that answers honestly."""
    place = MemoryPlace({}, {})
    place.put(_small_panel())
    clock = SimulatedTime()
    session = Session(place.panel, clock, None)
    client = PanelClient(connection(retry_time=5), patience=clock.patience(5), session=session)
    try:
        result = _result(operation, client, options, is_check)
        json.dumps(result)
    except Exception as error:
        return Outcome(True, [f"{type(error).__name__}: {str(error)[:200]}"])
    problems = list(_broken_promises(result))
    # A request that the panel refuses writes nothing.
    writes = [entry for entry in session.log if entry["method"] != "GET" and entry["status"] < 400]
    if writes and (is_check or "Nothing was written" in str(result.get("msg", ""))):
        problems.append(
            f"{writes[0]['method']} {writes[0]['path']} in check mode, or although it says that it wrote nothing"
        )
    return Outcome(bool(result.get("failed")), problems)


def _result(operation: Operation, client: PanelClient, options: Mapping[str, Any], is_check: bool) -> dict[str, Any]:
    arguments = operation.arguments()
    spec = arguments.pop("argument_spec")
    given = {**CONNECTION, **copy.deepcopy(dict(options))}
    # What the action plugin does to options of a playbook, which come from YAML and templates.
    given = json.loads(json.dumps(given, default=str))
    validator: Any = ModuleArgumentSpecValidator
    validated = validator(spec, **arguments).validate(checkable(operation.summary(given), spec))
    if validated.error_messages:
        return failed_validation(validated.errors.msg, validated.validated_parameters, given, spec)
    params = operation.whole(validated.validated_parameters, given)
    return perform(operation, params, given, is_check, True, lambda _connection: client)


def _broken_promises(result: Mapping[str, Any]) -> Iterator[str]:
    text = json.dumps(result)
    if DEFECT in text or "Traceback" in text:
        start = text.find(DEFECT)
        yield text[max(0, start) :][:220]
    if result.get("failed") and not str(result.get("msg", "")).strip():
        yield "it failed without saying why"


@cache
def _small_panel() -> dict[str, Any]:
    seed = {
        "plans": [{"name": "Business"}],
        "clients": [{"username": "acme", "hosting_plan": "Business"}],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "emails": [{"email": "info@acme.example"}],
        "databases": [{"database_name": "acme_shop", "client": "acme"}],
    }
    return MemoryPlace(seed, {"status_delay": 0.0}).state()
