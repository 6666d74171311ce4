"""One odd value does not end a fleet.

Each field of each kind with each odd value, through report, event source, inventory, reads and
export.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import (
    DETAILS,
    KINDS,
    OWNED,
    SERVER_FIELDS,
    TABLES,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import TaskRequest
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from ansible_collections.hosting.panel.plugins.module_utils._task.perform import perform
from ansible_collections.hosting.panel.plugins.plugin_utils._events.detect_events import (
    TYPES,
    list_needed_kinds,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import watch
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.hosts import make_hosts
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.panels import (
    LISTS,
    read_panel,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.metrics import render_metrics
from ansible_collections.hosting.panel.plugins.plugin_utils._report.months import (
    list_months_to_keep,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.panel_reading import (
    PanelReading,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.read_panels import (
    REPORTED,
    PanelToRead,
    ReadOptions,
    read_panels,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import (
    format_summary_lines,
    render_page,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_connections import NamedPanel
from tests.support.in_memory import InMemory
from tests.support.odd_panel import (
    OPTIONS,
    Change,
    change_odd_panel,
    get_connection,
    get_path_of_client,
    make_change_of_first,
)
from tests.support.odd_values import ODD, Place, fits, list_fields, with_value_at

NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.UTC)
CASES = [(kind, field) for kind in TABLES.values() for field in list_fields(kind.answer_form)]
NAMES_OF_ODD = list(ODD)
# In one round each field has one of the odd values, in all of them each field has each.
ROUNDS = len(ODD) if settings().max_examples > 50 else 1


def repeat_in_rounds(test: Any) -> Any:
    """Runs a test once for each round."""
    return pytest.mark.long(
        pytest.mark.hypothesis(pytest.mark.parametrize("turn", range(ROUNDS))(test))
    )


def list_cases(turn: int, *kinds: str) -> Iterator[tuple[Kind, Place, Any]]:
    """Of each field of these kinds its odd value in this round."""
    for number, (kind, field) in enumerate(CASES):
        if kind.plural in kinds:
            yield kind, field, ODD[NAMES_OF_ODD[(number + turn) % len(ODD)]]


def print_nothing(_line: str) -> None:
    """Print nothing."""


def list_readings() -> list[PanelReading]:
    """Both panels as the report reads them."""
    panels = [
        PanelToRead(name, f"{name}.example", get_connection(name)) for name in ("odd", "sound")
    ]
    return read_panels(panels, ReadOptions(["2026-11"], 1, None), print_nothing)


def report() -> list[str]:
    """Why each of the two panels was not read; everything that the report says of them is made."""
    read = list_readings()
    report = build_report(read, NOW)
    assert [server["server"] for server in report["servers"]] == ["odd", "sound"]
    text = (
        json.dumps({**report, "months_over": list_months_to_keep(read, ["2026-11"])})
        + render_page(report)
        + render_metrics(report)
    )
    assert "defect" not in text + " ".join(format_summary_lines(report))

    return [reading.failure for reading in read]


class Enough(Exception):
    """One reading is done."""


class Queue:
    """Takes events as ansible-rulebook does."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    async def put(self, event: dict[str, Any]) -> None:
        """Take an event, as ansible-rulebook does."""
        self.events.append(json.loads(json.dumps(event))["panel"])


def watch_panels(readings: int = 1) -> list[dict[str, Any]]:
    """The events of both panels in so many readings of each."""
    queue = Queue()
    countdown = [readings * len(OPTIONS)]

    async def pause(_seconds: float) -> None:
        countdown[0] -= 1
        if countdown[0] == 0:
            raise Enough
        # The one that has read enough waits for the other one.
        await asyncio.sleep(0 if countdown[0] >= len(OPTIONS) else 60)

    panels = [{"name": name, **options} for name, options in OPTIONS.items()]
    with contextlib.suppress(Enough):
        asyncio.run(watch(queue, {"panels": panels}, pause))

    return queue.events


def list_hosts() -> dict[str, Any]:
    """What an inventory reads of the odd panel, made into hosts of both kinds.

    Raises PanelError.
    """
    odd_panel_by_name = NamedPanel("odd", OPTIONS["odd"], get_connection("odd"))
    read = {"odd": read_panel(odd_panel_by_name, Secrets())}
    for kind in ("clients", "domains"):
        make_hosts(
            read, kind, ("main_domains", "subdomains", "system_domains"), panel_in_names=False
        )

    return read


def run_one(module: str, **options: Any) -> dict[str, Any]:
    """The result of one task for the odd panel."""
    operation = importlib.import_module(
        f"ansible_collections.hosting.panel.plugins.modules.{module}"
    ).OPERATION
    request = TaskRequest({**OPTIONS["odd"], **options}, check_mode=False, diff_mode=True)
    return perform(operation, request, PanelSession)


@repeat_in_rounds
def test_the_report_shows_the_other_panel(turn: int) -> None:
    for kind, field, odd in list_cases(turn, *REPORTED):
        with change_odd_panel(kind.path, make_change_of_first(field.path, odd)):
            failure, of_sound = report()
        assert of_sound == "", (kind.plural, field.name)
        is_nameless = (kind.plural, field.name) == ("clients", "username") and odd in (None, "")
        is_read = fits(field, odd) and not is_nameless
        beginning = "" if fits(field, odd) else f"{kind.titles}: GET {kind.path} shows "
        assert failure.startswith(beginning), (kind.plural, field.name, failure)
        assert bool(failure) == (not is_read), (kind.plural, field.name, failure)


def list_twice(data: Any) -> Any:
    """Show the first object of a list once more."""
    return [*data, *data[:1]]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        *(
            pytest.param(kind, list_twice, "shows an id twice", id=f"{kind} twice")
            for kind in REPORTED
        ),
        *(
            pytest.param(
                "clients",
                make_change_of_first(("username",), username),
                "shows the client with id 3 without its username.",
                id=f"username {username!r}",
            )
            for username in ("", " ", None)
        ),
    ],
)
def test_the_report_refuses_what_an_export_refuses_and_reads_the_other_panel(
    kind: str, change: Change, message: str
) -> None:
    with change_odd_panel(KINDS[kind].path, change):
        failure, of_sound = report()
        exported = run_one("panel_resources_info")

    assert of_sound == ""
    assert f"GET {KINDS[kind].path} {message}" in failure
    assert exported["error"]["type"] == "UnexpectedAnswer"
    assert f"GET {KINDS[kind].path} {message}" in exported["msg"]


@repeat_in_rounds
def test_the_event_source_watches_the_other_panel(
    turn: int, caplog: pytest.LogCaptureFixture
) -> None:
    for kind, field, odd in list_cases(turn, *list_needed_kinds(TYPES)):
        caplog.clear()
        with change_odd_panel(kind.path, make_change_of_first(field.path, odd)):
            events = watch_panels()
        assert {event["panel"] for event in events} >= {"sound"}, (kind.plural, field.name)
        is_tracked = fits(field, odd) and not (field.name == "id" and odd is None)
        warned = [message for message in caplog.messages if message.startswith("odd: the list of ")]
        assert len(warned) == (0 if is_tracked else 1), (kind.plural, field.name, caplog.messages)
        away = [
            event["object"]["reason"] for event in events if event["type"] == "panel_unreachable"
        ]
        assert len(away) == (1 if kind.plural == "clients" and not is_tracked else 0), (
            field.name,
            away,
        )
        assert "defect" not in caplog.text + json.dumps(events)


@pytest.mark.parametrize("kind", list_needed_kinds(TYPES))
def test_the_event_source_warns_once_of_a_list_with_an_object_twice(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with change_odd_panel(KINDS[kind].path, list_twice):
        events = watch_panels(readings=2)

    [warning] = [message for message in caplog.messages if message.startswith("odd: ")]
    assert warning.startswith(f"odd: the list of {kind} cannot be read")
    assert f"GET {KINDS[kind].path} shows an id twice" in warning
    about_odd = [(event["type"], event["kind"]) for event in events if event["panel"] == "odd"]
    assert (("panel_unreachable", "panels") in about_odd) == (kind == "clients")
    assert kind not in {kind_of_event for _type, kind_of_event in about_odd}


@pytest.mark.parametrize("kind", LISTS.values(), ids=LISTS)
def test_the_inventory_refuses_a_list_with_an_object_twice(kind: Kind) -> None:
    with (
        change_odd_panel(kind.path, list_twice),
        pytest.raises(PanelError, match=f"GET {kind.path} shows an id twice"),
    ):
        list_hosts()


@repeat_in_rounds
def test_the_inventory_fails_with_what_the_panel_shows(turn: int) -> None:
    for kind, field, odd in list_cases(turn, *(kind.plural for kind in LISTS.values())):
        with change_odd_panel(kind.path, make_change_of_first(field.path, odd)):
            if fits(field, odd):
                list_hosts()
                continue
            with pytest.raises(PanelError) as caught:
                list_hosts()
        assert str(caught.value).startswith(f"GET {kind.path} shows "), (
            field.name,
            str(caught.value),
        )


@repeat_in_rounds
def test_a_read_and_an_export_fail_with_what_the_panel_shows(turn: int) -> None:
    for kind, field, odd in list_cases(turn, *TABLES):
        for module in (f"panel_{kind.singular}_info", "panel_resources_info"):
            with change_odd_panel(kind.path, make_change_of_first(field.path, odd)):
                result = run_one(module)
            json.dumps(result)
            if fits(field, odd):
                assert result.get("error", {}).get("type") != "Defect", (module, field.name, result)
            else:
                assert result["error"]["type"] == "UnexpectedAnswer", (module, field.name, result)
                assert f"GET {kind.path} shows " in result["msg"], (module, field.name, result)


# What a client has and uses, and the server.

STATS, TRAFFIC = (f"{get_path_of_client()}/{name}" for name in ("stats", "traffic"))
DETAILED = [
    (path, field)
    for path, form in (
        ("/server", SERVER_FIELDS),
        (STATS, DETAILS["stats"]),
        (TRAFFIC, DETAILS["traffic"]),
    )
    for field in list_fields(form)
]


@repeat_in_rounds
def test_an_odd_number_of_a_client_or_of_the_server_leaves_the_rest_of_the_report(
    turn: int,
) -> None:
    for number, (path, field) in enumerate(DETAILED):
        odd = ODD[NAMES_OF_ODD[(number + turn) % len(ODD)]]
        with change_odd_panel(path, functools.partial(with_value_at, path=field.path, value=odd)):
            read = list_readings()
            build_report(read, NOW)
        of_odd, of_sound = read
        assert of_sound.failure == "", (path, field.name)
        assert of_sound.problems == (), (path, field.name)
        message = of_odd.failure + "".join(of_odd.problems)
        assert (f"GET {path} shows {field.name}" in message) == (not fits(field, odd)), (
            path,
            field.name,
            message,
        )


# What ended the work for all panels before.

EXAMPLES: dict[str, tuple[str, Change]] = {
    "id_certificate": ("domains", make_change_of_first(("security", "id_certificate"), [])),
    "id_user": ("emails", make_change_of_first(("id_user",), [])),
    "status": ("clients", make_change_of_first(("status",), [])),
    "secured_domains": ("certificates", make_change_of_first(("secured_domains",), -1)),
    "a mailbox without id": (
        "emails",
        lambda data: [{name: data[0][name] for name in data[0] if name != "id"}, *data[1:]],
    ),
}


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_one_odd_value_is_told_and_the_other_panel_is_read(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    kind, change = EXAMPLES[name]

    with change_odd_panel(KINDS[kind].path, change):
        failure, of_sound = report()
        events = watch_panels()
        if kind in ("clients", "domains"):
            with pytest.raises(PanelError, match="shows "):
                list_hosts()

    assert of_sound == ""
    assert bool(failure) == (name != "a mailbox without id")
    assert [
        message
        for message in caplog.messages
        if message.startswith(f"odd: the list of {kind} cannot be read")
    ]
    assert {event["panel"] for event in events} >= {"sound"}


# What no field can hold, in each answer of the panel.

NAME = "client-000"
DOMAIN = "client-000.example"
RECORD = {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}
WRITES: dict[str, dict[str, Any]] = {
    "panel_plan": {"name": "Business", "resources": {"domains": 7}},
    "panel_admin": {"username": "night.shift", "language": "en"},
    "panel_client": {"username": NAME, "notes": "x"},
    "panel_certificate": {"name": f"{NAME} 2026", "new_name": "x"},
    "panel_domain": {"domain": DOMAIN, "php_version": "8.3"},
    "panel_dns": {"domain": DOMAIN, "records": [RECORD]},
    "panel_email": {"email": f"info@{DOMAIN}", "description": "x"},
    "panel_database": {"database_name": f"{NAME}_shop", "description": "x"},
    "panel_ftp_user": {"username": f"{NAME}_web", "description": "x"},
    "panel_directory_protection": {
        "client": NAME,
        "path": "/shop/admin",
        "username": "anna",
        "auth_name": "x",
    },
    "panel_scheduled_task": {"client": NAME, "description": "Backup", "is_enabled": False},
    "panel_resources": {"resources": {"clients": [{"username": NAME, "notes": "x"}]}},
    "panel_reboot": {"wait": False},
}
TASKS: dict[str, dict[str, Any]] = {
    **{f"panel_{kind.singular}_info": {} for kind in KINDS.values()},
    "panel_resources_info": {},
    "panel_server_info": {},
    "panel_login_info": {"username": NAME},
    "panel_api": {"path": "/clients"},
    "panel_export": {"dir": "export"},
    "panel_archive": {"username": NAME, "dir": "archives"},
    "panel_report": {"file": "report.html", "months": 0},
    "panel_verify": {"report_file": "verify.md"},
    **WRITES,
}
# As texts of JSON, since Python writes no value so deep.
UNUSABLE = {
    "nested": ("JSON nested more than 64 levels deep", '{"a": [' * 900 + "]}" * 900),
    "surrogate": ("JSON with a half of a character", '"\\ud800"'),
}
MARK = "the value"


class OddPlace(InMemory):
    """A panel whose answers to a path, or without one all answers, are changed."""

    def __init__(self, change: Change, path: str | None = None) -> None:
        super().__init__()
        self._change = change
        self._path = path

    @contextlib.contextmanager
    def as_panel(self) -> Iterator[None]:
        """Answer the requests of a task with the odd answer among them."""
        with change_odd_panel(self._path, self._change):
            yield


def make_change_beside(text: str) -> Change:
    """Puts a value beside everything that an answer should have. text: the value as JSON."""

    def change(data: Any) -> Any:
        # A pong stays one, since there is nothing to ask for without it.
        if isinstance(data, dict) and "response" not in data:
            data = {**data, "further": MARK}
        elif isinstance(data, list):
            data = [*data, {"id": 4711, "further": MARK}]
        return json.dumps(data or MARK).replace(f'"{MARK}"', text).encode()

    return change


@pytest.mark.parametrize("module", list(TASKS))
@pytest.mark.parametrize("name", list(UNUSABLE))
def test_json_that_cannot_be_used_is_a_clear_error_of_each_task(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message, text = UNUSABLE[name]
    monkeypatch.chdir(tmp_path)
    for folder in ("export", "archives"):
        (tmp_path / folder).mkdir()

    result = OddPlace(make_change_beside(text)).run(module, **{**OPTIONS["odd"], **TASKS[module]})

    output = json.dumps(result, ensure_ascii=False).encode().decode()

    # A check of verify is unknown then, and its other checks go on.
    assert message in output or module == "panel_verify", output
    assert not [
        word_of_defect
        for word_of_defect in ("defect", "Recursion", "codec", "Traceback")
        if word_of_defect in output
    ], output

    if module not in ("panel_report", "panel_verify", "panel_archive", "panel_export"):
        assert result["error"]["type"] in ("UnexpectedAnswer", "OutcomeUnknown"), output


def without_id(item: Any) -> dict[str, Any]:
    """An object as a panel shows it, but for its id."""
    return {name: value for name, value in item.items() if name != "id"}


@pytest.mark.parametrize("kind", OWNED)
@pytest.mark.parametrize("place_of_it", ["list", "resources"])
def test_an_archive_names_what_is_shown_without_an_id(
    kind: str, place_of_it: str, tmp_path: Path
) -> None:
    def change(data: Any) -> Any:
        if place_of_it == "list":
            return [without_id(data[0]), *data[1:]] if data else data
        return {**data, kind: [without_id(data[kind][0]), *data[kind][1:]]}

    path = KINDS[kind].path if place_of_it == "list" else f"{get_path_of_client()}/resources"
    options = {**OPTIONS["odd"], "username": NAME, "dir": str(tmp_path)}

    result = OddPlace(change, path).run("panel_archive", **options)

    assert result["failed"]
    assert f"shows {KINDS[kind].title} " in result["msg"]
    assert " without an id. Nothing was written." in result["msg"]
    assert list(tmp_path.iterdir()) == []
