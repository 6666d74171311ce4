"""Plans a change without a panel, runs an operation as a task does, and makes the action plugin of
a task as Ansible's workers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import TaskRequest
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import Operation
from ansible_collections.hosting.panel.plugins.module_utils._plan.object_plan import (
    ObjectPlan,
    plan_object,
)
from ansible_collections.hosting.panel.plugins.module_utils._resolve.references import ObjectQuery
from ansible_collections.hosting.panel.plugins.module_utils._resolve.resolution import Resolution
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    read_desired,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import ResolvedReference
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._task.perform import perform

CONNECTION = {"api_url": "https://panel.example", "api_key": "prefix01.Zm9vYmFyYmF6cXV4"}


def make_object_plan(
    kind: Kind,
    options: dict[str, Any],
    current: Mapping[str, Any] | None = None,
    resolved_id: int | None = None,
) -> ObjectPlan:
    """Return the change for an object. resolved_id: the id of what its references lead to."""
    desired = read_desired(kind, options)
    references = tuple(
        ResolvedReference(reference, resolved_id) for reference in desired.references
    )
    request = ObjectQuery(kind, desired, f"{kind.title} {desired.format_label()}")
    actual = None if current is None else dict(current)

    return plan_object(kind, desired, Resolution(request, actual, references))


def run_task(
    operation: Operation, session: PanelSession, options: dict[str, Any], check_mode: bool = False
) -> dict[str, Any]:
    """Run a task with these options, and return its result, diff included."""
    request = TaskRequest({**CONNECTION, **options}, check_mode, diff_mode=True)
    return perform(operation, request, lambda _connection: session)


def run_items(
    session: PanelSession, resources: Mapping[str, Any], check_mode: bool = False, **options: Any
) -> dict[str, Any]:
    """Run panel_resources as a task, and return its result.

    With one request at a time unless ``concurrency`` says otherwise.
    """
    return run_task(
        build_resources_operation(),
        session,
        {"resources": dict(resources), "concurrency": 1, **options},
        check_mode,
    )


def without_new_ids(
    results: Iterable[Mapping[str, Any]], planned: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return results of panel_resources as check mode has them.

    Objects that its plan creates have no id yet.
    """
    new = {(entry["kind"], entry["key"]) for entry in planned["actions"] if entry["id"] is None}
    return [
        {**entry, "id": None} if (entry["kind"], entry["key"]) in new else dict(entry)
        for entry in results
    ]


class FakeTask(SimpleNamespace):
    """A task of a playbook."""

    module_defaults = ()
    register = None

    def copy(self) -> FakeTask:
        """Return a task with the same members."""
        return FakeTask(**vars(self))

    def get_path(self) -> str:
        """Return the file of a task and its line."""
        return "playbook.yml:1"

    def get_ds(self) -> None:
        """Return nothing, as of a task that no file has."""


def make_action(
    args: dict[str, Any],
    module: str = "hosting.panel.panel_client",
    transport: str = "local",
    become: Any = None,
    environment: Any = None,
    plugin: Any = None,
    **task: Any,
) -> Any:
    """Return the action plugin as Ansible makes it for a task.

    It is not there for the tests of modules in `ansible-test units`.
    """
    from ansible_collections.hosting.panel.plugins.action.panel import ActionModule

    fields = {
        "async_val": 0,
        "become": False,
        "check_mode": False,
        "delegate_to": None,
        "diff": False,
        **task,
    }
    shell = SimpleNamespace(tmpdir="/nowhere", env_prefix=lambda **_variables: "")
    fake_connection = SimpleNamespace(
        transport=transport,
        become=become,
        has_native_async=False,
        _shell=shell,
        set_option=lambda _name, _value: None,
    )
    plugin_class: Any = plugin or ActionModule

    return plugin_class(
        task=FakeTask(args=args, action=module, environment=environment, **fields),
        connection=fake_connection,
        play_context=SimpleNamespace(),
        loader=None,
        templar=SimpleNamespace(template=lambda value: value, is_template=lambda _value: False),
        shared_loader_obj=None,
    )


def forget() -> None:
    """Take from this process what the action plugin keeps in it for the items of a loop."""
    from ansible_collections.hosting.panel.plugins.plugin_utils._run import in_process

    for session in in_process._sessions.values():
        session.close()
    in_process._sessions.clear()
