# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The task panel_report on a panel in memory: its options, the requests, and the files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import ARGUMENT_SPEC
from tests.support import pem
from tests.support.full_disk import room_for
from tests.support.in_memory import InMemory
from tests.support.mixed_panel import mixed_panel
from tests.support.tasks import CONNECTION
from tools.layout import ROOT
from tools.reliability.memory import ANSWERS, Session

MORNING, NOON, TOMORROW = (f"2026-11-{day}:00:00+01:00" for day in ("20T06", "20T12", "21T06"))
KEY = "k1234567.secret-key-of-a-test"
FILES = ("r.html", "r.json", "r.prom")
SHORT = {"clients": ["id_hosting_plan"], "domains": ["security", "id_user"], "certificates": ["valid_till"], "emails": ["max_size"]}  # fmt: skip


@pytest.fixture
def panel() -> InMemory:
    return InMemory(mixed_panel(pem.texts(), clients=3))


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return dict(
        zip(("file", "json_file", "metrics_file"), (str(tmp_path / "new" / name) for name in FILES), strict=True)
    )


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The panel answers under any address."""
    request = Session._request

    def found(self: Session, method: str, url: str, **arguments: Any) -> Any:
        return request(self, method, re.sub("https://[^/]+", CONNECTION["api_url"], url), **arguments)

    monkeypatch.setattr(Session, "_request", found)


def report_in(files: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(files["json_file"]).read_text(encoding="utf-8"))
    return found


def test_page_json_and_metrics_are_written_with_their_modes_and_nothing_to_the_panel(
    panel: InMemory, files: dict[str, str]
) -> None:
    done = panel.run("panel_report", time=MORNING, **files)
    assert (done["changed"], done["written"], done["unread"]) == (True, [*files.values()], [])
    assert [oct(Path(path).stat().st_mode & 0o777) for path in files.values()] == ["0o640", "0o640", "0o644"]
    assert sorted(one.name for one in Path(files["file"]).parent.iterdir()) == sorted(FILES)
    report = report_in(files)
    assert list(report)[:2] == ["format", "version"]
    assert (report["format"], report["version"], report["generated_at"]) == ("hosting.panel.report", 1, MORNING)
    assert done["summary"] == report["summary"]
    assert panel.writes == []
    texts = "".join(Path(path).read_text(encoding="utf-8") for path in files.values()) + json.dumps(done)
    assert CONNECTION["api_key"] not in texts and "PRIVATE KEY" not in texts


def test_check_mode_reads_predicts_and_writes_nothing(panel: InMemory, files: dict[str, str]) -> None:
    done = panel.run("panel_report", check_mode=True, **files)
    assert (done["changed"], done["written"]) == (True, [*files.values()])
    assert done["lines"][-1] == f"would be written: {', '.join(files.values())}"
    assert not Path(files["file"]).parent.exists()


def test_the_same_report_of_that_day_is_not_written_again_but_metrics_tell_the_time(
    panel: InMemory, files: dict[str, str]
) -> None:
    panel.run("panel_report", time=MORNING, **files)
    before = [Path(path).read_text(encoding="utf-8") for path in files.values()]
    again = panel.run("panel_report", time=NOON, **files)
    after = [Path(path).read_text(encoding="utf-8") for path in files.values()]
    assert (again["changed"], again["written"]) == (False, [])
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, True, False]
    assert panel.run("panel_report", time=TOMORROW, **files)["written"] == [*files.values()][:2]
    panel.run("panel_client", username="new", password="Correct-Horse-4711")
    assert panel.run("panel_report", time=TOMORROW, **files)["written"] == [*files.values()]


def test_the_requests_are_as_documented_and_months_that_are_over_are_asked_for_once(
    panel: InMemory, files: dict[str, str]
) -> None:
    clients = len(panel.objects("clients"))
    first = panel.run("panel_report", months=6, time=MORNING, **files)
    zones = len({one["path"] for one in panel.log if one["path"].startswith("/dns/")})
    assert first["requests"] == len(panel.log) == 1 + 9 + clients * (1 + 6) + zones
    assert panel.log[0]["path"].endswith("/server")
    page = Path(files["file"])
    assert (
        "SPF, DKIM, DMARC and MX of" in page.read_text(encoding="utf-8") and report_in(files)["mail_dns"][0]["findings"]
    )
    second = panel.run("panel_report", months=6, time=MORNING, mail_dns=False, **files)
    assert "Mail DNS" not in page.read_text(encoding="utf-8") and report_in(files)["mail_dns"] == []
    assert second["requests"] == first["requests"] - zones - clients * 5
    assert report_in(files)["months_over"][0].keys() == {"server", "address", "id", "client", "months"}
    text = (ROOT / "roles/report/README.md").read_text(encoding="utf-8")
    assert f"{1 + 9 + 500 * (2 + 6)} requests, and {1 + 9 + 500 * 3} in later runs" in text


def test_lists_that_leave_something_out_make_the_same_report(panel: InMemory, files: dict[str, str]) -> None:
    panel.run("panel_report", time=MORNING, **files)
    before = report_in(files)
    panel.panel.settings.merge({"short_lists": SHORT})
    panel.run("panel_report", time=MORNING, **files)
    assert report_in(files) == before
    assert {client["plan"] for client in before["clients"]} >= {"Business", "Agency 100 %"}


def test_a_panel_that_is_not_read_fails_the_task_after_the_report_and_has_one_metric(
    panel: InMemory, files: dict[str, str]
) -> None:
    panels = [{"name": "one"}, {"name": "two", "api_url": "https://two.example", "api_key": "wrong"}]
    wanted: dict[str, Any] = {"panels": panels, "months": 0, **files}
    done = panel.run("panel_report", **wanted)
    assert done["failed"] and done["unread"] == ["two"] and done["written"] == [*files.values()]
    assert done["msg"].startswith("1 of 2 panels could not be read. two: ")
    assert [one["server"] for one in report_in(files)["servers"] if one["failure"]] == ["two"]
    text = Path(files["metrics_file"]).read_text(encoding="utf-8")
    assert re.findall(r'^.*panel="two".*$', text, re.MULTILINE) == ['hosting_panel_up{panel="two"} 0']
    warned = panel.run("panel_report", fail_on_unread=False, **wanted)
    assert not warned.get("failed") and warned["unread"] == ["two"] and done["msg"] in warned["warnings"]


def test_a_panel_that_fails_in_the_middle_is_shown_with_what_it_did_say(
    panel: InMemory, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = Session.reply_to

    def without_stats(self: Session, call: Any, entry: dict[str, Any], timeout: float) -> Any:
        return ANSWERS["500 with JSON"] if call.path.endswith("/stats") else reply(self, call, entry, timeout)

    monkeypatch.setattr(Session, "reply_to", without_stats)
    done = panel.run("panel_report", retry_time=1, **files)
    assert not done.get("failed")
    report = report_in(files)
    [server], clients = report["servers"], report["clients"]
    assert {one["is_read"] for one in clients} == {False}
    start = f"Use and traffic of {len(clients)} of {len(clients)} clients could not be read: "
    assert server["problems"][0].startswith(start) and len(server["problems"]) == 2
    # Not each client is asked in vain.
    assert len({one["path"] for one in panel.log if one["path"].endswith("/stats")}) <= 4


@pytest.mark.parametrize("name", ["file", "json_file", "metrics_file"])
def test_a_file_that_no_report_wrote_is_not_replaced(panel: InMemory, files: dict[str, str], name: str) -> None:
    path = Path(files[name])
    path.parent.mkdir()
    path.write_text("mine", encoding="utf-8")
    done = panel.run("panel_report", **files)
    assert done["failed"] and f"{name} (report_{name} in the role report): {path}: that file is no" in done["msg"]
    assert (path.read_text(encoding="utf-8"), panel.log) == ("mine", [])


def test_a_full_disk_leaves_the_older_file_and_says_what_was_written(panel: InMemory, files: dict[str, str]) -> None:
    with room_for(4):
        done = panel.run("panel_report", **files)
    assert done["failed"] and done["msg"].startswith(f"{files['file']}: ") and "Nothing was written." in done["msg"]
    assert [*Path(files["file"]).parent.iterdir()] == []


def test_all_mistakes_are_told_at_once_before_any_request_and_without_a_secret(panel: InMemory, tmp_path: Path) -> None:
    def one(name: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "api_url": f"https://{name}.example", "api_key": KEY, **more}

    (tmp_path / "file").touch()
    done = panel.run(
        "panel_report",
        panels=[one("one"), {**one("two"), "name": "one"}, one("three", api_url="http://three.example"),
                one("four", api_url="https://one.example/api/v2"), one("five", disk_space="2 TB")],
        near_percent=101, urgent_days=40, months=25, concurrency=0, time="noon",
        export_dir=str(tmp_path / "none"), file=str(tmp_path / "r"), json_file=str(tmp_path / "r"),
        metrics_file=str(tmp_path / "file" / "r.prom"),
    )  # fmt: skip
    assert done["failed"] and KEY not in json.dumps(done) and panel.log == []
    for words in (
        "one is the name of another panel",
        "plain http would show the API key",
        "panels[3].api_url (report_panels in the role report): is that of one, too",
        "'2 TB' is not accepted",
        "near_percent (report_near_percent in the role report): 101 is not accepted",
        "is more than soon_days",
        "25 is not accepted; it must be a whole number from 0 to 24",
        "0 is not accepted",
        "'noon' is no time",
        "there is no directory",
        "is the same as file",
        f"{tmp_path}/file is no folder",
        "Nothing was read or written.",
    ):
        assert words in done["msg"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"panels": []}, "is empty; name a panel"),
        ({"panels": [{"colour": "red"}]}, "colour"),
        ({"unknown": 1}, "unknown"),
        ({"json_file": ""}, "json_file is empty"),
        ({"panels": [{"name": "a", "api_url": "a.example"}, {"name": "b", "api_key": KEY}], "api_url": ""}, "missing. Each of several panels"),
    ],
)  # fmt: skip
def test_other_mistakes_are_told_too(panel: InMemory, tmp_path: Path, options: dict[str, Any], words: str) -> None:
    done = panel.run("panel_report", **{"file": str(tmp_path / "r.html"), **options})
    assert done["failed"] and words in done["msg"] and panel.log == []


def test_an_empty_text_in_an_option_of_the_connection_counts_as_not_given(
    panel: InMemory, files: dict[str, str]
) -> None:
    panels = [{"name": "one", "ca_path": "", "timeout": "", "validate_certs": "", "api_key": ""}]
    done = panel.run("panel_report", ca_path="", retry_time="", panels=panels, **files)
    assert not done.get("failed"), done["msg"]


@pytest.mark.usefixtures("anywhere")
def test_hosts_with_an_address_are_the_panels(panel: InMemory, files: dict[str, str]) -> None:
    own = {"panel_api_url": CONNECTION["api_url"], "panel_api_key": CONNECTION["api_key"], "panel_disk_space": "2T"}
    hosts: dict[str, Any] = {
        "web-1": {**own, "panel_ca_path": ""},
        "web-2": {**own, "panel_api_url": "https://two.example"},
    }

    def run(**more: Any) -> dict[str, Any]:
        variables = {"hostvars": {**hosts, **more}}
        return panel.run("panel_report", task_vars=variables, hosts=[*hosts, *more], api_key="", months=0, **files)

    assert not run().get("failed")
    shown = report_in(files)["servers"]
    assert [(one["server"], one["disk_space"]["capacity"]) for one in shown] == [("web-1", 2 << 40), ("web-2", 2 << 40)]
    failed = run(localhost={}, **{"web-3": {"panel_api_url": "https://three.example"}})
    assert "panel_api_url: missing for localhost; other hosts of the play have it." in failed["msg"]
    assert "panel_api_key: missing for web-3." in failed["msg"]


@pytest.mark.usefixtures("anywhere")
def test_exports_are_in_a_directory_of_the_panels_name_and_differences_are_drift(
    panel: InMemory, files: dict[str, str], tmp_path: Path
) -> None:
    for name in ("one", "a%2Fb"):
        (tmp_path / name).mkdir()
        text = yaml.safe_dump({"clients": [{"username": "gone", "email": "a@b.example"}]})
        (tmp_path / name / "panel.yml").write_text(text, encoding="utf-8")
    panels = [
        {"name": "one"},
        *({"name": name, "api_url": f"https://{at}.example"} for at, name in enumerate(["a/b", "x"])),
    ]
    for one in panels:
        one.setdefault("api_url", CONNECTION["api_url"])
        one["api_key"] = CONNECTION["api_key"]
    panel.run("panel_report", panels=panels, export_dir=str(tmp_path), months=0, **files)
    drift = {one["server"]: one for one in report_in(files)["drift"]}
    assert [drift[name]["is_compared"] for name in ("one", "a/b", "x")] == [True, True, False]
    changes = drift["one"]["changes"]
    assert {"kind": "clients", "key": "gone", "what": "missing", "details": ""} in changes
    assert {one["what"] for one in changes} == {"missing", "surplus"}


def test_the_role_has_the_options_of_the_module_with_the_same_defaults() -> None:
    path = ROOT / "roles" / "report" / "meta" / "argument_specs.yml"
    described = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]["options"]
    variables = {name: spec for name, spec in described.items() if name.startswith("report_")}
    for variable, spec in variables.items():
        option = ARGUMENT_SPEC[variable.removeprefix("report_")]
        assert (variable, spec["type"], spec.get("default")) == (variable, option["type"], option.get("default"))
    named = {variable.removeprefix("report_") for variable in variables}
    assert ARGUMENT_SPEC.keys() - named - connection_argument_spec().keys() == {"hosts"}
    assert variables["report_panels"]["options"].keys() == ARGUMENT_SPEC["panels"]["options"].keys()
