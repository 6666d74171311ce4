"""Plans a change without a panel, and runs an operation as a task does, with a client of the test's own."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._object.planning import Plan, make_plan
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Resolved
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, read_wanted
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation, perform

CONNECTION = {"api_url": "https://panel.example", "api_key": "prefix01.Zm9vYmFyYmF6cXV4"}


def plan_of(
    kind: Kind,
    options: dict[str, Any],
    current: Mapping[str, Any] | None = None,
    resolved: Mapping[tuple[str, ...], Resolved] | None = None,
    inherited: Mapping[str, Any] | None = None,
) -> Plan:
    """The change for an object; ``resolved`` has the objects that references lead to, ``inherited`` the ids that it inherits."""
    return make_plan(kind, read_wanted(kind, options), current, resolved or {}, inherited)


def run_task(
    operation: Operation, client: PanelClient, options: dict[str, Any], check_mode: bool = False
) -> dict[str, Any]:
    """The result of a task with these options, diff included."""
    arguments = operation.arguments()
    spec = arguments.pop("argument_spec")
    given = {**CONNECTION, **options}
    validator: Any = ModuleArgumentSpecValidator
    validated = validator(spec, **arguments).validate(copy.deepcopy(given))
    if validated.error_messages:
        return {"failed": True, "msg": validated.errors.msg}
    return perform(operation, validated.validated_parameters, given, check_mode, True, lambda _connection: client)


def without_new_ids(results: Iterable[Mapping[str, Any]], planned: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Results of panel_resources as check mode has them: objects that its plan creates have no id yet."""
    new = {(one["kind"], one["key"]) for one in planned["actions"] if one["id"] is None}
    return [{**one, "id": None} if (one["kind"], one["key"]) in new else dict(one) for one in results]
