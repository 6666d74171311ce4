"""What whole runs of ansible-playbook do, as data: every writing module, role and playbook, with the panels and files that it begins with."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.integration.roles.customers import customer
from tests.support import pem
from tests.support.bulk import completing, customers, there_and_different
from tests.support.mixed_panel import mixed_panel
from tests.support.operations import (
    CHANGE,
    CREATE,
    CREATE_WITH_PASSWORD,
    DELETE,
    DOUBLED_BY_THE_PANEL,
    Operation,
    operations,
    simulator_with,
    world,
)

Seed = Mapping[str, Any]
# In the variables of an operation: the connection options of its first panel and of its second one.
SOURCE, TARGET = "<source>", "<target>"
# In texts of the variables: the folder that it runs in, where a relative path would lead elsewhere.
FOLDER = "<folder>"
_CLIENT = "client-001"
_PASSWORD = "Correct-horse-7"


@dataclass(frozen=True)
class PlayOperation:
    """One playbook with its variables.

    covers: the modules, roles and playbooks of the collection that it is about. playbook: its name, or plays. seeds: what is on each panel
    before it. existing: what is added to that on the first panel. files: what is in the folder before it, by path. has_own_files: not so
    where another operation writes the same files in the same way.
    """

    name: str
    covers: tuple[str, ...]
    playbook: str | list[dict[str, Any]]
    variables: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ({},)
    files: Mapping[str, str] = field(default_factory=dict)
    existing: Seed = field(default_factory=dict)
    has_own_files: bool = True

    def given(self) -> str:
        """Everything that the operator wrote, to tell given passwords from made ones."""
        return json.dumps([self.playbook, self.variables, self.files], ensure_ascii=False)


@functools.cache
def play_operations() -> tuple[PlayOperation, ...]:
    """All of them, in a fixed order."""
    return (*_of_single_modules(), _resources(), *_of_sites(), *_of_clients(), *_of_moves(), *_of_folders(), _report())


def operation_named(name: str) -> PlayOperation:
    """One of them."""
    return next(operation for operation in play_operations() if operation.name == name)


@functools.cache
def shared_operations() -> tuple[PlayOperation, ...]:
    """What several hosts of one play do at once, beside localhost."""
    return tuple(_of_several_hosts())


def _play(*tasks: Mapping[str, Any], **keywords: Any) -> list[dict[str, Any]]:
    return [{"name": "Manage", "hosts": "localhost", "gather_facts": False, **keywords, "tasks": list(tasks)}]


def _role(name: str) -> list[dict[str, Any]]:
    return [{"name": name, "hosts": "localhost", "gather_facts": False, "roles": [{"role": f"hosting.panel.{name}"}]}]


# Modules


def _of_single_modules() -> Iterable[PlayOperation]:
    """One playbook for each verb, with a task for each kind: what one task is to do is made of the samples of the grid."""
    with simulator_with({"status_delay": 0.0}, world()) as simulator:
        every = operations(simulator)
    for verb, verbs in (
        ("create", (CREATE, CREATE_WITH_PASSWORD)),
        ("change", (CHANGE,)),
        ("delete", (DELETE,)),
    ):
        chosen = _one_of_each_kind(every, verbs)
        existing = _merged(operation.existing for operation in chosen)
        tasks = [
            {"name": operation.name, f"hosting.panel.{operation.module}": dict(operation.options)}
            for operation in (reversed(chosen) if verb == "delete" else chosen)
        ]
        covers = tuple(f"module {operation.module}" for operation in chosen)
        yield PlayOperation(f"single modules, {verb}", covers, _play(*tasks), seeds=(world(),), existing=existing)


def _one_of_each_kind(every: Iterable[Operation], verbs: tuple[str, ...]) -> list[Operation]:
    """With a given password where a kind takes one: nobody is left to be told one that the panel made."""
    chosen: dict[str, Operation] = {}
    for operation in every:
        if (
            operation.verb in verbs
            and operation.kind
            and (operation.kind not in chosen or chosen[operation.kind].generates)
        ):
            chosen[operation.kind] = operation
    return list(chosen.values())


def _merged(seeds: Iterable[Seed]) -> Seed:
    merged: dict[str, list[Any]] = {}
    for seed in seeds:
        for kind, items in seed.items():
            merged.setdefault(kind, []).extend(items)
    return merged


def _resources() -> PlayOperation:
    """Four requests at once, with creations, changes and deletions."""
    seed = _merged(
        [
            there_and_different(2),
            {"clients": [{"username": "gone"}], "emails": [{"email": "old@customer-001.example"}]},
        ]
    )
    task = {"name": "Apply", "hosting.panel.panel_resources": completing(customers(3, mailboxes=2))}
    return PlayOperation("panel_resources", ("module panel_resources",), _play(task), seeds=(seed,))


# Customers


def _of_sites() -> Iterable[PlayOperation]:
    site = customer("credentials.yml")
    yield PlayOperation("role site", ("role site", "module panel_resources"), _role("site"), site)
    yield PlayOperation(
        "playbook onboard",
        ("playbook onboard",),
        "hosting.panel.onboard",
        {**site, "onboard_summary_file": f"{FOLDER}/summary.txt"},
        has_own_files=False,
    )
    first = {name.removeprefix("site_"): value for name, value in site.items() if name != "site_credentials_file"}
    second = {
        "client": {"username": "acme", "password": _PASSWORD},
        "plan": first["plan"],
        "domains": [{"domain": "acme.example"}],
        "emails": [{"email": "info@acme.example"}, {"email": "sales@acme.example"}],
    }
    variables = {"sites": [first, second], "sites_credentials_dir": "credentials"}
    yield PlayOperation(
        "role sites", ("role sites", "module panel_resources"), _role("sites"), variables, files={"credentials/": ""}
    )


_ROTATED: Seed = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "beta"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": f"{name}@acme.example"} for name in ("info", "printer", "sales")],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_web", "client": "acme"}],
}


def _of_clients() -> Iterable[PlayOperation]:
    rotation = {
        "rotate_id": "2026-11",
        "rotate_kinds": ["clients", "emails", "databases", "ftp_users"],
        "rotate_clients": ["acme"],
        "rotate_credentials_file": "rotation.yml",
    }
    yield PlayOperation("role rotate", ("role rotate",), _role("rotate"), rotation, (_ROTATED,))
    names = ["acme", "beta", "gamma"]
    yield PlayOperation(
        "role suspend",
        ("role suspend",),
        _role("suspend"),
        {"suspend_clients": names, "suspend_max": 10},
        ({"clients": [{"username": name} for name in [*names, "delta"]]},),
    )
    seed = mixed_panel(pem.texts(), clients=3)
    letting_go = {"offboard_client": _CLIENT, "offboard_archive_dir": "archives"}
    covers = ("role offboard", "module panel_archive")
    yield PlayOperation("role offboard, suspend", covers, _role("offboard"), letting_go, (seed,))
    confirmed = {**letting_go, "offboard_action": "delete", "offboard_confirm": _CLIENT}
    yield PlayOperation("role offboard, delete", covers, _role("offboard"), confirmed, (seed,), has_own_files=False)


def _of_moves() -> Iterable[PlayOperation]:
    seed = mixed_panel(pem.texts(), clients=3)
    seed["domains"].append({"domain": "plain.example", "client": _CLIENT})
    there: Seed = {"plans": [{"name": "Small"}], "clients": [{"username": "other"}]}
    common = {
        "move_client": _CLIENT,
        "move_source": SOURCE,
        "move_target": TARGET,
        "move_dir": "moves",
        "move_credentials_file": "credentials.yml",
        "move_plans": {"Business": "Small"},
        "move_addresses": {"192.0.2.10": "198.51.100.20", "192.0.2.9": "198.51.100.9"},
        "move_names": {"server.panel.example": "new.panel.example"},
    }
    for step in ("prepare", "copy"):
        covers = ("role move",)
        yield PlayOperation(f"role move, {step}", covers, _role("move"), {**common, "move_step": step}, (seed, there))


# Folders


_FOLDER = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "dns": [{"domain": "acme.example", "records": [{"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.9"}]}],
    "emails": [
        {"email": "info@acme.example", "max_size": "1G"},
        {"email": "sales@acme.example", "password": _PASSWORD},
        {"email": "old@acme.example", "state": "absent"},
    ],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "scheduled_tasks": [{"client": "acme", "description": "backup", "type": "exec", "command": "/bin/a"}],
}


def _of_folders() -> Iterable[PlayOperation]:
    there: Seed = {
        "clients": [{"username": "acme"}],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "emails": [{"email": "old@acme.example"}],
    }
    yield PlayOperation(
        "playbook apply",
        ("playbook apply",),
        "hosting.panel.apply",
        {"panel_dir": "panel", "panel_passwords_file": "passwords.yml", "panel_confirm": False},
        (there,),
        {f"panel/{kind}.yml": json.dumps({kind: items}) for kind, items in _FOLDER.items()},
    )
    yield PlayOperation(
        "playbook export",
        ("playbook export", "module panel_export"),
        "hosting.panel.export",
        {"panel_dir": "exported"},
        (mixed_panel(pem.texts(), clients=2),),
    )


def _report() -> PlayOperation:
    return PlayOperation(
        "role report",
        ("role report", "playbook report", "module panel_report"),
        "hosting.panel.report",
        {"report_file": "report.html", "report_json_file": "report.json", "report_time": "2026-11-21T08:00:00+00:00"},
        (mixed_panel(pem.texts(), clients=2),),
    )


# Several hosts


_HOSTS = "all:!localhost"
_HOST = "{{ inventory_hostname }}"


def _of_what_is_doubled(every: PlayOperation) -> Iterable[PlayOperation]:
    """The panel refuses no second one of these. Each host makes all of them in bulk, one by one, or some hosts so and some so."""
    modules = {f"hosting.panel.{TABLES[kind].module}": kind for kind in DOUBLED_BY_THE_PANEL}
    single = [
        task for play in every.playbook if isinstance(play, dict) for task in play["tasks"] if modules.keys() & task
    ]
    resources = {kind: [task[name]] for task in single for name, kind in modules.items() if name in task}
    bulk = {"name": "Make all", "hosting.panel.panel_resources": {"resources": resources}}
    is_odd = f"{{{{ groups['all'].index({_HOST.strip('{} ')}) % 2 == 1 }}}}"
    by_turns = [{**bulk, "when": is_odd}, *({**task, "when": is_odd.replace("== 1", "== 0")} for task in single)]
    covers = (*(f"module {name.rpartition('.')[2]}" for name in modules), "module panel_resources")
    for name, tasks, covered in (
        ("tasks and protections one by one", single, covers[:-1]),
        ("tasks and protections in bulk", [bulk], covers[-1:]),
        ("tasks and protections both ways", by_turns, covers),
    ):
        yield PlayOperation(name, covered, _play(*tasks, hosts=_HOSTS), {}, every.seeds, existing=every.existing)


def _of_several_hosts() -> Iterable[PlayOperation]:
    """The same objects for all of them, or one of each for each, in one zone, one file or one folder of files."""
    every = operation_named("single modules, create")
    client = {"username": "acme", "email": "it@acme.example", "password": _PASSWORD}
    bulk = {"resources": {"clients": [client], "emails": [{"email": "info@one.example", "password": _PASSWORD}]}}
    domain: Seed = {"clients": [{"username": "one"}], "domains": [{"domain": "one.example", "client": "one"}]}
    record = {"host": _HOST, "type": "A", "ttl": 3600, "value": "192.0.2.3"}
    one_of_all: list[tuple[str, tuple[str, ...], Mapping[str, Any], Seed]] = [
        ("one client", ("module panel_client",), {"hosting.panel.panel_client": client}, {}),
        (
            "one client and mailbox of panel_resources",
            ("module panel_resources",),
            {"hosting.panel.panel_resources": bulk},
            domain,
        ),
        (
            "one zone",
            ("module panel_dns",),
            {"hosting.panel.panel_dns": {"domain": "one.example", "records": [record], "append": True}},
            domain,
        ),
    ]
    for name, covers, task, seed in one_of_all:
        yield PlayOperation(name, covers, _play({"name": name, **task}, hosts=_HOSTS), seeds=(seed,))
    tasks = [task for play in every.playbook if isinstance(play, dict) for task in play["tasks"]]
    covers = tuple(f"module {name.rpartition('.')[2]}" for task in tasks for name in task if ".panel." in name)
    plays = _play(*tasks, hosts=_HOSTS)
    yield PlayOperation("one object of every kind", covers, plays, {}, every.seeds, existing=every.existing)
    yield from _of_what_is_doubled(every)
    customer_of_host = {
        "client": {"username": _HOST},
        "domains": [{"domain": f"{_HOST}.example"}],
        "emails": [{"email": f"info@{_HOST}.example"}],
    }
    site = {f"site_{name}": value for name, value in customer_of_host.items()}
    yield PlayOperation(
        "role site, one file",
        ("role site", "module panel_resources"),
        [{**_role("site")[0], "hosts": _HOSTS}],
        {**site, "site_credentials_file": "credentials.yml"},
    )
    yield PlayOperation(
        "role sites, one folder",
        ("role sites", "module panel_resources"),
        [{**_role("sites")[0], "hosts": _HOSTS}],
        {"sites": [customer_of_host], "sites_credentials_dir": "credentials"},
        files={"credentials/": ""},
    )
    same = {**customer_of_host, "client": {"username": "acme"}, "domains": [{"domain": "acme.example"}]}
    same["emails"] = [{"email": "info@acme.example"}]
    yield PlayOperation(
        "role sites, one customer",
        ("role sites", "module panel_resources"),
        [{**_role("sites")[0], "hosts": _HOSTS}],
        {"sites": [same], "sites_credentials_dir": "credentials"},
        files={"credentials/": ""},
    )
    yield PlayOperation(
        "role site, one customer",
        ("role site", "module panel_resources"),
        [{**_role("site")[0], "hosts": _HOSTS}],
        {**{f"site_{name}": value for name, value in same.items()}, "site_credentials_file": "credentials.yml"},
    )
    rotated: Seed = {"clients": [{"username": f"customer-{number:02}"} for number in range(40)]}
    rotation = {
        "rotate_id": "2026-11",
        "rotate_objects": {"clients": [_HOST]},
        "rotate_credentials_file": "rotation.yml",
    }
    yield PlayOperation(
        "role rotate, one file",
        ("role rotate",),
        [{**_role("rotate")[0], "hosts": _HOSTS}],
        rotation,
        (rotated,),
    )
