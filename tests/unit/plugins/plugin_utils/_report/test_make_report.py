"""The task panel_report on a panel in memory: its options, the requests, and the files."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.action.panel_report import ActionModule
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    build_connection_argument_spec,
)
from panel_simulator.answering import Reply
from tests.support import pem
from tests.support.in_memory import InMemory
from tests.support.memory import ANSWERS, Session
from tests.support.mixed_panel import make_mixed_objects
from tests.support.tasks import CONNECTION
from tools.layout import ROOT

pytestmark = pytest.mark.long

MORNING, NOON, TOMORROW = (f"2026-11-{day}:00:00+01:00" for day in ("20T06", "20T12", "21T06"))
KEY = "k1234567.secret-key-of-a-test"
SHORT = {
    "clients": ["id_hosting_plan"],
    "domains": ["security", "id_user"],
    "certificates": ["valid_till"],
    "emails": ["max_size"],
}


class Panel(InMemory):
    """A panel, and the files of its reports, in a folder that is not there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(make_mixed_objects(pem.make_texts(), clients=3))
        self.folder = folder / "new"
        names = {"file": "r.html", "json_file": "r.json", "metrics_file": "r.prom"}
        self.files = {option: str(self.folder / name) for option, name in names.items()}

    def report(self, **options: Any) -> dict[str, Any]:
        """Make the report of the panel."""
        return self.run("panel_report", **{"time": MORNING, **self.files, **options})

    def read_output(self, option: str) -> str:
        """Return the text of one of the files."""
        return Path(self.files[option]).read_text(encoding="utf-8")

    @property
    def data(self) -> dict[str, Any]:
        """Return the report in JSON."""
        document: dict[str, Any] = json.loads(self.read_output("json_file"))
        return document


@pytest.fixture
def panel(tmp_path: Path) -> Panel:
    """Make a panel and the paths of its report."""
    return Panel(tmp_path)


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel answers under any address."""
    request = Session._request

    def redirect(self: Session, method: str, url: str, **arguments: Any) -> Any:
        return request(
            self, method, re.sub("https://[^/]+", CONNECTION["api_url"], url), **arguments
        )

    monkeypatch.setattr(Session, "_request", redirect)


def test_check_mode_predicts_and_a_run_writes_three_files_with_their_modes_and_nothing_to_the_panel(
    panel: Panel,
) -> None:
    paths = [*panel.files.values()]
    predicted = panel.report(check_mode=True)

    assert predicted["changed"] is True
    assert predicted["written"] == paths
    assert panel.folder.exists() is False
    assert predicted["lines"][-1] == f"would be written: {', '.join(paths)}"

    result = panel.report()
    assert result["changed"] is True
    assert result["written"] == paths
    assert result["unread"] == []
    assert [oct(Path(path).stat().st_mode & 0o777) for path in paths] == ["0o640", "0o640", "0o644"]
    assert sorted(map(str, panel.folder.iterdir())) == sorted(paths)
    assert list(panel.data.items())[:2] == [("format", "hosting.panel.report"), ("version", 1)]
    assert panel.data["generated_at"] == MORNING
    assert panel.data["summary"] == result["summary"]

    output = json.dumps(result) + "".join(map(panel.read_output, panel.files))
    assert panel.writes == []
    assert CONNECTION["api_key"] not in output
    assert "PRIVATE KEY" not in output


def test_the_same_report_of_that_day_is_not_written_again_but_metrics_tell_the_time(
    panel: Panel,
) -> None:
    paths = [*panel.files.values()]
    panel.report()
    before = [panel.read_output(option) for option in panel.files]

    second_run = panel.report(time=NOON)

    assert second_run["changed"] is False
    assert second_run["written"] == []

    same = [
        panel.read_output(option) == text for option, text in zip(panel.files, before, strict=True)
    ]
    assert same == [True, True, False]
    assert panel.report(time=TOMORROW)["written"] == paths[:2]

    panel.run("panel_client", username="new", password="Correct-Horse-4711")
    assert panel.report(time=TOMORROW)["written"] == paths


def test_the_requests_are_as_documented_and_months_that_are_over_are_asked_for_once(
    panel: Panel,
) -> None:
    clients = len(panel.list_objects("clients"))
    first = panel.report()
    zones = len({request["path"] for request in panel.log if request["path"].startswith("/dns/")})

    assert first["requests"] == len(panel.log) == 1 + 9 + clients * (1 + 6) + zones
    assert panel.log[0]["path"].endswith("/server")
    assert panel.data["mail_dns"][0]["findings"]

    second = panel.report(mail_dns=False)
    assert "Not checked: mail DNS" in panel.read_output("file")
    assert panel.data["mail_dns"] == []
    assert second["requests"] == first["requests"] - zones - clients * 5
    assert panel.data["months_over"][0].keys() == {"server", "address", "id", "client", "months"}

    text = " ".join((ROOT / "plugins/modules/panel_report.py").read_text(encoding="utf-8").split())
    assert (
        f"these are {1 + 9 + 500 * (2 + 6)}. With O(json_file), later runs cost {1 + 9 + 500 * 3}."
        in text
    )


def test_lists_that_leave_something_out_make_the_same_report(panel: Panel) -> None:
    panel.report()
    before = panel.data
    panel.panel.settings.merge({"short_lists": SHORT})

    panel.report()

    assert panel.data == before
    assert {client["plan"] for client in before["clients"]} >= {"Business", "Agency 100 %"}


def test_a_panel_that_is_not_read_fails_the_task_after_the_report(panel: Panel) -> None:
    panels = [
        {"name": "one"},
        {"name": "two", "api_url": "https://two.example", "api_key": "wrong"},
    ]
    result = panel.report(panels=panels, months=0)

    assert result["failed"]
    assert result["unread"] == ["two"]
    assert result["written"] == [*panel.files.values()]
    assert result["msg"].startswith("1 of 2 panels could not be read. two: ")
    assert [server["server"] for server in panel.data["servers"] if server["failure"]] == ["two"]

    warned = panel.report(panels=panels, months=0, fail_on_unread=False)
    assert not warned.get("failed")
    assert warned["unread"] == ["two"]
    assert result["msg"] in warned["warnings"]


def test_a_panel_that_fails_in_the_middle_is_shown_with_what_it_did_say(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = Session.reply_to

    def without_stats(self: Session, call: Any, entry: dict[str, Any], timeout: float) -> Any:
        return (
            ANSWERS["500 with JSON"]
            if call.path.endswith("/stats")
            else reply(self, call, entry, timeout)
        )

    monkeypatch.setattr(Session, "reply_to", without_stats)

    result = panel.report(retry_time=1)
    [server] = panel.data["servers"]
    clients = panel.data["clients"]

    assert not result.get("failed")
    assert {client["is_read"] for client in clients} == {False}

    start = f"Use and traffic of {len(clients)} of {len(clients)} clients could not be read: "
    assert server["problems"][0].startswith(start)
    assert len(server["problems"]) == 2
    # Not each client is asked in vain.
    assert (
        len({request["path"] for request in panel.log if request["path"].endswith("/stats")}) <= 4
    )


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("file", "page of a report"),
        ("json_file", "JSON file of a report"),
        ("metrics_file", "metrics file of a report"),
    ],
)
def test_a_file_that_no_report_wrote_is_not_replaced(panel: Panel, name: str, title: str) -> None:
    panel.folder.mkdir()
    Path(panel.files[name]).write_text("mine", encoding="utf-8")

    result = panel.report()

    assert result["failed"]
    assert f"{name}: {panel.files[name]}: that file is no {title}" in result["msg"]
    assert panel.read_output(name) == "mine"
    assert panel.log == []


def test_a_full_disk_leaves_no_half_of_a_file_and_says_what_was_written(panel: Panel) -> None:
    with limit_room(4):
        result = panel.report()
    assert result["failed"]
    assert "Nothing was written." in result["msg"]
    assert result["msg"].startswith(panel.files["file"])
    assert [*panel.folder.iterdir()] == []


def test_all_mistakes_are_told_at_once_before_any_request_and_without_a_secret(
    panel: Panel, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    panels = [
        {"name": at, "api_url": f"https://{at}.example", "api_key": KEY}
        for at in ("a", "b", "c", "d", "e")
    ]
    panels[1]["name"] = "a"
    panels[2]["api_url"], panels[3]["api_url"] = "http://c.example", "http://d.example"
    panels[4]["disk_space"] = "2 TB"

    result = panel.report(
        panels=panels,
        near_percent=101,
        urgent_days=40,
        months=25,
        time="noon",
        export_dir=str(tmp_path / "none"),
        file=str(tmp_path / "r"),
        json_file=str(tmp_path / "r"),
        metrics_file=str(tmp_path / "file" / "r.prom"),
    )

    assert result["failed"]
    assert KEY not in json.dumps(result)
    assert panel.log == []

    messages = (
        "a is the name of another panel",
        "plain http would show the API key",
        "'2 TB' is not accepted",
        "panels[3].api_url: plain http",
        "is more than soon_days",
        "near_percent: 101 is not accepted; it must be a whole number from 1 to 100.",
        "months: 25",
        "'noon' is no time",
        "there is no directory",
        f"file, json_file: both are one file, {tmp_path}/r;",
        f"{tmp_path}/file is no directory",
        "Nothing was read or written.",
    )

    assert [message for message in messages if message not in result["msg"]] == []
    assert result["msg"].count("Nothing was read or written.") == 1
    assert result["msg"].endswith("Nothing was read or written.")


def test_a_wrong_option_is_named_as_playbooks_and_as_people_know_it(panel: Panel) -> None:
    names = {"time": "report_time"}

    result = panel.report(time="noon", task_vars={"__panel_option_names": names})

    assert result["error"] == {"type": "OptionError", "option": "time"}
    assert result["msg"] == (
        "report_time: 'noon' is no time such as 2026-11-20T06:00:00+01:00. "
        "Nothing was read or written."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"panels": []}, "is empty; name a panel"),
        ({"panels": [{"colour": "red"}]}, "colour"),
        ({"panels": [{"name": at, "api_url": "a.example", "api_key": KEY} for at in "ab"]}, "panels[1].api_url: b and a have the same address"),
        ({"unknown": 1}, "unknown"),
        ({"json_file": ""}, "json_file: is empty"),
        ({"panels": [{"name": "a", "api_url": "a.example"}, {"name": "b", "api_key": KEY}], "api_url": ""}, "missing. Each of several panels"),
    ],
)  # fmt: skip
def test_other_mistakes_are_told_too(panel: Panel, options: dict[str, Any], message: str) -> None:
    result = panel.report(**options)
    assert result["failed"]
    assert message in result["msg"]
    assert panel.log == []


def test_an_empty_text_in_an_option_of_the_connection_counts_as_not_given(panel: Panel) -> None:
    panels = [{"name": "one", "ca_path": "", "timeout": "", "validate_certs": "", "api_key": ""}]
    assert not panel.report(ca_path="", retry_time="", panels=panels).get("failed")


@pytest.mark.usefixtures("anywhere")
def test_hosts_with_an_address_are_the_panels(panel: Panel) -> None:
    variables = {
        "panel_api_url": CONNECTION["api_url"],
        "panel_api_key": CONNECTION["api_key"],
        "panel_disk_space": "2T",
    }
    hosts: dict[str, Any] = {
        "web-1": {**variables, "panel_ca_path": ""},
        "web-2": {**variables, "panel_api_url": "https://b.example"},
    }

    def run(**more: Any) -> dict[str, Any]:
        variables = {"hostvars": {**hosts, **more}}
        return panel.report(task_vars=variables, hosts=[*hosts, *more], api_key="", months=0)

    assert not run().get("failed")

    servers = [
        (server["server"], server["disk_space"]["capacity"]) for server in panel.data["servers"]
    ]

    assert servers == [("web-1", 2 << 40), ("web-2", 2 << 40)]


class BrokenVariables(dict[str, Any]):
    """The variables of a host, of which one has a template that divides by zero."""

    def __init__(self, broken: str, variables: dict[str, Any]) -> None:
        super().__init__(variables)
        self.broken = broken

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a variable; raises where its template does."""
        if name == self.broken:
            raise ZeroDivisionError("division by zero")
        return super().get(name, default)


HOST = {"panel_api_url": CONNECTION["api_url"], "panel_api_key": CONNECTION["api_key"]}
# By case the variables of a host with a mistake, and what is said of it.
MISTAKEN_HOSTS: dict[str, tuple[dict[str, Any], str]] = {
    "no address": ({"panel_api_key": KEY}, "panel_api_url: missing."),
    "no key": ({"panel_api_url": "https://b.example"}, "panel_api_key: missing."),
    "an address of another": (
        HOST,
        "panel_api_url: bad and good have the same address; name each panel once.",
    ),
    "plain http": ({**HOST, "panel_api_url": "http://b.example"}, "panel_api_url: plain http"),
    "a list": ({**HOST, "panel_api_url": []}, "panel_api_url: a list is invalid."),
    "no time": ({**HOST, "panel_timeout": "-5"}, "panel_timeout: '-5' is invalid."),
    "no switch": ({**HOST, "panel_validate_certs": "perhaps"}, "panel_validate_certs: 'perhaps'"),
    "no size": ({**HOST, "panel_disk_space": "lots"}, "panel_disk_space: 'lots' is not"),
    "no directory": ({**HOST, "panel_dir": {}}, "panel_dir: a dictionary is invalid."),
    "a broken key": (
        BrokenVariables("panel_api_key", HOST),
        "panel_api_key: it cannot be evaluated: division by zero.",
    ),
    "a broken address": (
        BrokenVariables("panel_api_url", HOST),
        "panel_api_url: it cannot be evaluated: division by zero.",
    ),
}


@pytest.mark.parametrize(("variables", "message"), MISTAKEN_HOSTS.values(), ids=MISTAKEN_HOSTS)
@pytest.mark.parametrize("hosts", [["good", "bad"], ["bad", "good"]], ids=str)
def test_a_host_with_a_mistaken_variable_is_unread_and_costs_the_others_nothing(
    panel: Panel, hosts: list[str], variables: dict[str, Any], message: str
) -> None:
    if "same address" in message and hosts[0] == "bad":
        message = message.replace("bad and good", "good and bad")
    hostvars = {"hostvars": {"good": HOST, "bad": variables}}

    done = panel.report(task_vars=hostvars, hosts=hosts, api_key="", months=0)

    (unread,) = done["unread"]
    assert f"1 of 2 panels could not be read. {unread}: {message}" in done["msg"]
    assert (done["failed"], "defect" in done["msg"]) == (True, False)
    servers = {server["server"]: server["failure"] for server in panel.data["servers"]}
    assert list(servers) == hosts
    assert message in servers.pop(unread)
    assert list(servers.values()) == [""]

    warned = panel.report(
        task_vars=hostvars, hosts=hosts, api_key="", months=0, fail_on_unread=False
    )
    assert not warned.get("failed")
    assert done["msg"] in warned["warnings"]


def test_a_fleet_of_mistaken_hosts_is_refused_before_anything_is_written(panel: Panel) -> None:
    hosts = {"a": {"panel_api_url": "https://a.example"}, "b": {**HOST, "panel_timeout": "soon"}}

    done = panel.report(task_vars={"hostvars": hosts}, hosts=[*hosts], api_key="")

    assert done["msg"].startswith("a: panel_api_key: missing.")
    assert "b: panel_timeout: 'soon' is invalid." in done["msg"]
    assert (panel.log, panel.folder.exists()) == ([], False)


@pytest.mark.usefixtures("anywhere")
def test_exports_are_in_a_directory_of_the_panels_name_and_differences_are_drift(
    panel: Panel, tmp_path: Path
) -> None:
    for name in ("one", "a%2Fb"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "panel.yml").write_text(
            "clients: [{username: gone, email: a@b.example}]", encoding="utf-8"
        )

    urls = {"one": CONNECTION["api_url"], "a/b": "https://b.example", "x": "https://x.example"}
    panels = [
        {"name": name, "api_url": url, "api_key": CONNECTION["api_key"]}
        for name, url in urls.items()
    ]

    panel.report(panels=panels, export_dir=str(tmp_path), months=0)

    assert [(server["server"], server["is_compared"]) for server in panel.data["drift"]] == [
        ("one", True),
        ("a/b", True),
        ("x", False),
    ]

    changes = panel.data["drift"][0]["changes"]
    assert {"kind": "clients", "key": "gone", "what": "missing", "details": ""} in changes
    assert {change["what"] for change in changes} == {"missing", "surplus"}


def test_no_file_is_written_where_it_would_be_read_as_one_of_an_export(
    panel: Panel, tmp_path: Path
) -> None:
    (tmp_path / "exports" / "one").mkdir(parents=True)
    inside = str(tmp_path / "exports" / "one" / "report.yml")
    exports = {"export_dir": str(tmp_path / "exports"), "panels": [{"name": "one"}]}

    result = panel.report(file=inside, **exports)

    assert result["failed"]
    assert panel.log == []
    assert (
        f"file: {inside} would be read as a file of export_dir, {tmp_path}/exports/one;"
        in result["msg"]
    )

    panels = [
        {"name": "a"},
        {"name": "two", "api_url": "https://b.example", "export_dir": str(tmp_path / "exports")},
    ]
    for entry in panels:
        entry["api_key"] = KEY

    result = panel.report(metrics_file=inside, panels=panels)

    assert (
        f"metrics_file: {inside} would be read as a file of panels[1].export_dir, {tmp_path}/exports;"
        in result["msg"]
    )

    variables = {
        "panel_api_url": CONNECTION["api_url"],
        "panel_api_key": KEY,
        "panel_dir": str(tmp_path / "exports"),
    }
    task_vars = {"hostvars": {"web-1": variables}}

    result = panel.report(json_file=inside, task_vars=task_vars, hosts=["web-1"], api_key="")

    assert (
        f"json_file: {inside} would be read as a file of panel_dir of web-1, {tmp_path}/exports;"
        in result["msg"]
    )
    assert panel.log == []
    assert not Path(inside).exists()


def test_files_of_a_report_may_be_beside_exports_and_pages_among_them(
    panel: Panel, tmp_path: Path
) -> None:
    (tmp_path / "exports" / "one").mkdir(parents=True)
    (tmp_path / "exports" / "one" / "panel.yml").write_text("plans: []\n", encoding="utf-8")
    files = {
        "file": str(tmp_path / "exports" / "one" / "report.html"),
        "metrics_file": str(tmp_path / "exports" / "report.yml"),
    }
    panels = [{"name": "one"}]

    assert not panel.report(export_dir=str(tmp_path / "exports"), panels=panels, **files).get(
        "failed"
    )


@pytest.mark.usefixtures("anywhere")
def test_an_export_of_another_panel_is_not_compared(panel: Panel, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "panel.yml").write_text(
        "panel: other.example\nplans: []\n", encoding="utf-8"
    )

    panel.report(panels=[{"name": "one", **CONNECTION}], export_dir=str(tmp_path), months=0)
    (drift,) = panel.data["drift"]

    assert not drift["is_compared"]
    assert "other.example" in drift["failure"]
    assert "panel.example" in drift["failure"]


def test_the_role_has_the_options_of_the_module_with_the_same_defaults() -> None:
    path = ROOT / "roles" / "report" / "meta" / "argument_specs.yml"
    described = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"][
        "options"
    ]
    described = {
        name.removeprefix("report_"): spec
        for name, spec in described.items()
        if name.startswith("report_")
    }
    of_module = {
        name: spec
        for name, spec in ActionModule.specification.items()
        if name not in {"hosts", *build_connection_argument_spec()}
    }
    defaults = [
        {name: spec.get("default") for name, spec in options.items()}
        for options in (described, of_module)
    ]

    assert defaults[0] == defaults[1]

    for name, spec in described.items():
        # What the rule of the roles' variables reads is of no type before.
        assert spec["type"] in ("raw", of_module[name]["type"]), name

    assert described["panels"]["options"].keys() == of_module["panels"]["options"].keys()


# The table of usage.


def read_usage(panel: Panel) -> list[dict[str, str]]:
    """Return the rows of the table of usage."""
    with Path(panel.folder, "usage.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def report_usage(panel: Panel, **options: Any) -> dict[str, Any]:
    """Make a report with a table of usage."""
    return panel.report(usage_file=str(panel.folder / "usage.csv"), **options)


def test_a_table_of_usage_is_written_beside_the_page_with_its_mode(panel: Panel) -> None:
    path = panel.folder / "usage.csv"
    predicted = report_usage(panel, check_mode=True)
    assert (str(path) in predicted["written"], path.exists()) == (True, False)

    result = report_usage(panel)

    assert result["usage_file"] == str(path)
    assert str(path) in result["written"]
    assert oct(path.stat().st_mode & 0o777) == "0o640"
    assert not result.get("warnings")
    rows = read_usage(panel)
    months = ["2026-06", "2026-07", "2026-08", "2026-09", "2026-10", "2026-11"]
    clients = sorted(client["username"] for client in panel.list_objects("clients"))
    assert [(row["client"], row["month"]) for row in rows] == [
        (client, month) for client in clients for month in months
    ]
    newest = rows[5]
    assert (newest["plan"], newest["mailboxes"], newest["databases"]) == ("Agency 100 %", "3", "2")
    assert newest["disk_limit"] == "734003200"
    assert newest["days_over_limit"] == "0"
    assert rows[4]["disk_bytes"] == rows[4]["mailboxes"] == ""
    assert rows[4]["traffic_bytes"].isdecimal()
    assert report_usage(panel)["written"] == []


def test_the_numbers_of_customers_are_in_the_table_also_where_a_list_leaves_them_out(
    panel: Panel,
) -> None:
    username = panel.list_objects("clients")[0]["username"]
    panel.run("panel_client", username=username, contact_data={"client_id": "K-17"})
    report_usage(panel, months=0)
    before = read_usage(panel)
    assert [row["client_id"] for row in before if row["client"] == username] == ["K-17"]
    assert [row["month"] for row in before] == ["2026-11"] * len(panel.list_objects("clients"))

    panel.panel.settings.merge({"short_lists": {"clients": ["contact_data"]}})
    report_usage(panel, months=0)
    assert read_usage(panel) == before


@pytest.mark.parametrize("name", ["file", "json_file", "usage_file"])
def test_an_unchanged_file_that_others_may_read_gets_its_mode_again(
    panel: Panel, name: str
) -> None:
    files = {
        "file": panel.folder / "report.html",
        "json_file": panel.folder / "report.json",
        "usage_file": panel.folder / "usage.csv",
    }
    options = {option: str(path) for option, path in files.items()}
    panel.report(**options)
    text = files[name].read_text(encoding="utf-8")
    files[name].chmod(0o666)

    predicted = panel.report(**options, check_mode=True)
    mode_after_prediction = oct(files[name].stat().st_mode & 0o777)
    results = [panel.report(**options) for _run in range(2)]

    assert (predicted["written"], mode_after_prediction) == ([options[name]], "0o666")
    assert [result["written"] for result in results] == [[options[name]], []]
    assert oct(files[name].stat().st_mode & 0o777) == "0o640"
    assert files[name].read_text(encoding="utf-8") == text


def test_separator_and_decimal_are_options(panel: Panel) -> None:
    report_usage(panel, usage_separator=";", usage_decimal=",", months=0)
    text = Path(panel.folder, "usage.csv").read_text(encoding="utf-8")
    assert text.startswith("panel;client;client_id;plan;month;disk_bytes;disk_limit;")
    assert not report_usage(panel, usage_separator="tab", months=0).get("failed")


# By case the options of a table of usage, and what is said of them.
WRONG_TABLES: dict[str, tuple[dict[str, Any], str]] = {
    "no separator": ({"usage_separator": ""}, "usage_separator: "),
    "a letter": ({"usage_separator": "x"}, "usage_separator: 'x' is not one of , ; | and tab."),
    "two characters": ({"usage_separator": ",,"}, "usage_separator: ',,' is not one of"),
    "a decimal": ({"usage_decimal": "x"}, "usage_decimal: 'x' is neither a point nor a comma."),
    "both the same": ({"usage_decimal": ","}, "usage_separator, usage_decimal: both are ','; "),
}


@pytest.mark.parametrize(("options", "message"), WRONG_TABLES.values(), ids=WRONG_TABLES)
def test_a_mistake_in_the_form_of_the_table_is_named_before_any_request(
    panel: Panel, options: dict[str, Any], message: str
) -> None:
    result = report_usage(panel, **options)
    assert result["failed"]
    assert message in result["msg"]
    assert (panel.log, panel.folder.exists()) == ([], False)


def test_a_file_that_is_no_table_of_usage_is_not_replaced(panel: Panel) -> None:
    panel.folder.mkdir()
    path = panel.folder / "usage.csv"
    path.write_text("panel,client,revenue\n", encoding="utf-8")

    result = report_usage(panel)

    assert f"usage_file: {path}: that file is no table of usage" in result["msg"]
    assert (path.read_text(encoding="utf-8"), panel.log) == ("panel,client,revenue\n", [])


@pytest.mark.parametrize("detail", ["stats", "traffic"])
def test_an_odd_figure_of_a_client_ends_only_its_own_rows_and_is_named(
    panel: Panel, monkeypatch: pytest.MonkeyPatch, detail: str
) -> None:
    clients = panel.list_objects("clients")
    odd = clients[0]
    reply = Session.reply_to
    figures = {"disk_space": {"value": "much"}, "http": {"in": "much"}}

    def with_odd_figures(self: Session, call: Any, entry: dict[str, Any], timeout: float) -> Any:
        is_month = detail == "stats" or call.query.get("month") == "2026-11"
        if call.path == f"/clients/{odd['id']}/{detail}" and is_month:
            return Reply(200, json.dumps(figures).encode(), "application/json")
        return reply(self, call, entry, timeout)

    monkeypatch.setattr(Session, "reply_to", with_odd_figures)

    result = report_usage(panel, months=2)

    assert not result.get("failed")
    name = odd["username"]
    column = "disk_bytes" if detail == "stats" else "traffic_bytes"
    empty = [
        (row["client"], row["month"])
        for row in read_usage(panel)
        if row[column] == "" and (row["month"] == "2026-11" or column == "traffic_bytes")
    ]
    assert empty == [(name, "2026-11")]
    warnings = [text for text in result["warnings"] if text.startswith("usage_file: ")]
    assert len(warnings) == 1
    assert f"panel.example {name} 2026-11" in warnings[0]
    (server,) = panel.data["servers"]
    assert any("shows " in problem and "much" in problem for problem in server["problems"])


def test_a_figure_that_is_odd_in_every_month_is_one_problem(
    panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = panel.list_objects("clients")[0]
    reply = Session.reply_to

    def with_odd_traffic(self: Session, call: Any, entry: dict[str, Any], timeout: float) -> Any:
        if call.path == f"/clients/{odd['id']}/traffic":
            return Reply(200, b'{"http": {"in": "much"}}', "application/json")
        return reply(self, call, entry, timeout)

    monkeypatch.setattr(Session, "reply_to", with_odd_traffic)

    assert not panel.report(months=4).get("failed")
    (server,) = panel.data["servers"]
    assert len(server["problems"]) == 1
    assert f"/clients/{odd['id']}/traffic" in server["problems"][0]


def test_a_panel_that_is_not_read_has_no_rows_and_is_named(panel: Panel) -> None:
    panels = [
        {"name": "one"},
        {"name": "two", "api_url": "https://two.example", "api_key": "wrong"},
    ]

    result = report_usage(panel, panels=panels, months=0, fail_on_unread=False)

    assert {row["panel"] for row in read_usage(panel)} == {"one"}
    assert "usage_file: figures are missing for two (all)." in result["warnings"]


def test_days_over_a_limit_are_kept_in_the_json_file_from_day_to_day(panel: Panel) -> None:
    usernames = [client["username"] for client in panel.list_objects("clients")]
    for day, limit in (("19", -1), ("20", 1), ("20", -1), ("21", 1)):
        panel.run("panel_plan", name="Business", resources={"email_accounts": limit})
        for username in usernames:
            panel.run("panel_client", username=username, hosting_plan="Business", reapply_plan=True)
        report_usage(panel, months=1, time=f"2026-11-{day}T06:00:00+01:00")

    assert {row["days_over_limit"] for row in read_usage(panel)} == {"2"}

    report_usage(panel, months=1, json_file=None)
    assert {row["days_over_limit"] for row in read_usage(panel)} == {""}


def test_a_panel_whose_name_could_be_a_template_keeps_its_days_and_months(panel: Panel) -> None:
    panels = [{"name": "{{ web }}"}]
    panel.run("panel_plan", name="Business", resources={"email_accounts": 1})
    for client in panel.list_objects("clients"):
        panel.run(
            "panel_client",
            username=client["username"],
            hosting_plan="Business",
            reapply_plan=True,
        )

    first = report_usage(panel, panels=panels, months=2, time="2026-11-19T06:00:00+01:00")
    second = report_usage(panel, panels=panels, months=2, time="2026-11-20T06:00:00+01:00")

    assert panel.data["servers"][0]["server"] == {"__ansible_unsafe": "{{ web }}"}
    assert {row["days_over_limit"] for row in read_usage(panel)} >= {"2"}
    assert second["requests"] < first["requests"]


def test_a_full_disk_leaves_the_table_of_the_run_before(panel: Panel) -> None:
    report_usage(panel)
    before = Path(panel.folder, "usage.csv").read_text(encoding="utf-8")
    panel.run("panel_client", username="new", password="Correct-Horse-4711")

    with limit_room(4):
        result = report_usage(panel)

    assert result["failed"]
    assert Path(panel.folder, "usage.csv").read_text(encoding="utf-8") == before


@contextlib.contextmanager
def limit_room(size: int) -> Iterator[None]:
    """Whoever writes more into a file gets an error from the system."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
