# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The walk of test_new_kind.py, in a process whose plugins know mailing lists: wherever objects of a client go, they go too."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.action import panel_object
from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._items.export_panel import export_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, OWNED
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import text_of
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.read_folder import read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.write_export import split
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory import panels as inventory
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.hosts import hosts_of
from ansible_collections.hosting.panel.plugins.plugin_utils._inventory.panels import InventoryPanel
from ansible_collections.hosting.panel.plugins.plugin_utils._module_run.in_process import operation_of
from ansible_collections.hosting.panel.plugins.plugin_utils._move.differences import differences, only_on_target
from ansible_collections.hosting.panel.plugins.plugin_utils._move.mapping import CannotMove, Rules, mapped
from ansible_collections.hosting.panel.plugins.plugin_utils._move.read_both_panels import read_both
from ansible_collections.hosting.panel.plugins.plugin_utils._offboard.archive_content import (
    differing_from,
    files_of,
    only_in_earlier,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._offboard.read_client import read_client
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.generated_passwords import PasswordsAhead
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.rotate_selection import Wish, select
from ansible_collections.hosting.panel.plugins.plugin_utils._report import read_panels
from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import faults
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.check_objects import mistakes_in
from ansible_collections.hosting.panel.plugins.plugin_utils._sites.customers import read_sites
from tests.support.memory_panel import GENERATED, MemoryPanel, zone
from tests.support.tasks import CONNECTION, run_task
from tests.support.transcript import connection

PATH = "/mailing-lists"
CLIENT = {"id": 1, "username": "acme", "id_hosting_plan": 9}
NEWS = {"id": 5, "id_user": 1, "address": "news@acme.example", "id_moderator": "1", "members": ["a@b.example"]}
# As a task says it.
ITEM = {"address": "news@acme.example", "client": "acme", "moderator": "acme", "members": ["a@b.example"]}
LATE = {"id": 60, "id_user": 1, "address": "late@acme.example"}


class Panel(MemoryPanel):
    """With what a panel tells about itself and about a client."""

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        first, _slash, last = path.rpartition("/")
        if path == "/server" or last in ("stats", "traffic"):
            return {}
        if last == "resources":
            owner = super().get(first)["id"]
            found = {kind: self.objects.get(KINDS[kind].path, []) for kind in OWNED}
            return {kind: [item for item in items if item["id_user"] == owner] for kind, items in found.items()}
        return super().get(path, query)

    def asked(self) -> int:
        return len(self.calls)

    # As a role reads it.

    def succeed(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        result = run_task(operation_of(module)[0], self, copy.deepcopy(dict(options)))  # type: ignore[arg-type]
        assert not result.get("failed"), result["msg"]
        return result

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:
        return self.succeed(module, options)[member]


def world(*lists: Mapping[str, Any], **objects: Any) -> Panel:
    """A client with a domain and these mailing lists."""
    domain = {"id": 2, "id_user": 1, "domain": "acme.example", "id_parent_domain": 0}
    there = {"/hosting-plans": [{"id": 9, "name": "Business"}], "/clients": [CLIENT], "/domains": [domain]}
    return Panel({**there, "/dns": [zone(2, "acme.example")], PATH: lists, **objects})


def bulk(panel: Panel, resources: Mapping[str, Any], check_mode: bool = False, **options: Any) -> dict[str, Any]:
    given = {"resources": copy.deepcopy(dict(resources)), **options}
    return run_task(resources_operation(), panel, given, check_mode)  # type: ignore[arg-type]


def exported(panel: Panel) -> dict[str, Any]:
    resources: dict[str, Any] = panel.read("panel_resources_info", "resources", {"clients": ["acme"]})
    return resources


def deletion(panel: Panel) -> dict[str, Any]:
    """What the plan says of the client's deletion."""
    absent = {"clients": [{"username": "acme", "state": "absent"}]}
    (action,) = bulk(panel, absent, check_mode=True, max_deletes=9)["plan"]["actions"]
    return dict(action)


def test_its_module_makes_it_once_with_a_password_of_the_panels() -> None:
    panel = world()
    made = panel.succeed("panel_mailing_list", ITEM)
    assert made["generated_password"] == GENERATED.format(1)
    body = {"address": "news@acme.example", "id_user": 1, "id_moderator": 1, "members": ["a@b.example"]}
    assert panel.writes == [("POST", PATH, body)]
    assert not panel.succeed("panel_mailing_list", {**ITEM, "address": "News@ACME.example"})["changed"]


def test_its_info_module_shows_ids_of_others_as_numbers() -> None:
    (shown,) = world(NEWS).read("panel_mailing_list_info", "mailing_lists", {"address": "news@acme.example"})
    assert (shown["id"], shown["id_moderator"]) == (5, 1)


def test_many_objects_have_it_after_what_it_refers_to() -> None:
    panel = Panel()
    wanted = {
        "mailing_lists": [ITEM],
        "domains": [{"domain": "acme.example", "client": "acme"}],
        "clients": [{"username": "acme"}],
    }
    assert bulk(panel, wanted)["changed"]
    assert [path for _method, path, _body in panel.writes] == ["/clients", "/domains", PATH]
    assert not bulk(panel, wanted)["changed"]


def test_a_purge_takes_it_unless_it_is_protected() -> None:
    options: dict[str, Any] = {"purge": ["mailing_lists"], "max_deletes": 1}
    kept = bulk(world(NEWS), {"mailing_lists": []}, protect={"mailing_lists": ["news@*"]}, **options)
    gone = bulk(world(NEWS), {"mailing_lists": []}, **options)
    assert (kept["changed"], gone["changed"]) == (False, True)


@pytest.mark.parametrize(
    "absent", [{"clients": [{"username": "acme"}]}, {"domains": [{"domain": "acme.example"}]}], ids=["client", "domain"]
)
def test_it_counts_among_what_goes_with_its_client_and_its_domain(absent: dict[str, Any]) -> None:
    going = {kind: [{**item, "state": "absent"} for item in items] for kind, items in absent.items()}
    refused = bulk(world(NEWS), going)
    assert "1 mailing_list)" in refused["msg"]
    (action,) = bulk(world(NEWS), going, check_mode=True, max_deletes=9)["plan"]["actions"]
    assert action["also_deleted"]["mailing_lists"] == ["news@acme.example"]
    assert action["also_deleted_ids"]["mailing_lists"] == [5]


def test_a_client_goes_before_others_come_though_lists_name_it_as_moderator() -> None:
    panel = world(NEWS)
    assert bulk(panel, {"clients": [{"username": "acme", "state": "absent"}, {"username": "next"}]}, max_deletes=9)[
        "changed"
    ]
    assert [call[:2] for call in panel.writes] == [("DELETE", "/clients/1"), ("POST", "/clients")]


def test_an_export_holds_it_and_rebuilds_it() -> None:
    panel = world(NEWS)
    resources = panel.read("panel_resources_info", "resources", {})
    assert resources["mailing_lists"] == [ITEM]
    assert not bulk(panel, resources, purge=[kind for kind in resources if kind != "dns"])["changed"]
    rebuilt = Panel()
    assert bulk(rebuilt, resources)["changed"]
    assert run_task(export_operation(), rebuilt, {})["resources"] == resources  # type: ignore[arg-type]


def test_a_folder_has_it_in_the_file_of_its_client(tmp_path: Path) -> None:
    (content,) = (items for path, items in split(exported(world(NEWS))).items() if path == "clients/acme.yml")
    (tmp_path / "acme.yml").write_text(text_of(content), encoding="utf-8")
    assert read_folder(tmp_path, VaultLib([])).resources["mailing_lists"] == [ITEM]


def test_an_archive_holds_it_and_misses_it_when_it_is_gone() -> None:
    material, later = (read_client(panel, "acme", ["2026-11"]) for panel in (world(NEWS), world()))
    assert material is not None and later is not None
    assert material.counts["mailing_lists"] == 1
    assert b"news@acme.example" in files_of(material)[0]["mailing_lists.json"]
    assert "news@acme.example" in material.rebuild
    assert only_in_earlier({**material.owned, "dns": material.zones}, later) == ["mailing_lists 5"]


def test_the_deletion_of_a_client_is_the_one_that_was_looked_at() -> None:
    before = deletion(world(NEWS))
    assert before["also_deleted"]["mailing_lists"] == ["news@acme.example"]
    assert differing_from(before, read_client(world(NEWS), "acme", ["2026-11"])) == []
    (difference,) = differing_from(before, read_client(world(NEWS, LATE), "acme", ["2026-11"]))
    assert difference == "mailing_lists late@acme.example (id 60) was not there"


def test_an_inventory_has_the_same_hosts_for_the_same_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = world(NEWS)
    monkeypatch.setattr(inventory, "PanelClient", lambda *_arguments, **_keywords: panel)
    read = inventory.read_panel(InventoryPanel("one", dict(CONNECTION)))
    assert [host.name for host in hosts_of({"one": read}, "clients", (), False)[0]] == ["acme"]
    assert sorted(panel.reads) == ["/clients", "/domains", "/hosting-plans"]


def test_a_report_tells_where_it_failed_and_drifted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    resources = world(NEWS).read("panel_resources_info", "resources", {})
    (folder / "panel.yml").write_text(text_of(resources), encoding="utf-8")
    failed = {**NEWS, "status": 2, "members": ["c@d.example"]}
    monkeypatch.setattr(read_panels, "CountingClient", lambda _connection: world(failed))
    asked = read_panels.PanelToRead("one", "one", connection(), export=folder)
    (read,) = read_panels.gather([asked], read_panels.Wish((), 1, VaultLib([])), lambda _words: None)
    assert [(fault["title"], fault["key"], fault["client"]) for fault in faults(read)] == [
        ("mailing list", "news@acme.example", "acme")
    ]
    assert read.drift is not None
    drifted = [(change["kind"], change["key"], change["what"]) for change in read.drift.changes]
    assert drifted == [("mailing_lists", "news@acme.example", "different")]


def test_a_rotation_gives_it_a_new_password() -> None:
    selection = select(Wish(kinds=["mailing_lists"], clients=["acme"]), {"clients": [CLIENT], "mailing_lists": [NEWS]})
    assert [target.line() for target in selection.targets] == ["mailing_lists news@acme.example of acme"]


def test_a_new_password_is_in_the_file_before_the_panel_has_it() -> None:
    ahead = PasswordsAhead({"mailing_lists": [ITEM]}, "panel.example", lambda _kind, _index: None)
    assert ahead.names == [("mailing_lists", "news@acme.example")]
    assert "mailing_lists" in panel_object.ActionModule.specification["kind"]["choices"]


def test_a_move_takes_it_along_until_both_panels_are_equal() -> None:
    source, target = world(NEWS), Panel({"/hosting-plans": [{"id": 3, "name": "Business"}]})
    resources = mapped(read_both(source, target, "acme"), Rules("acme")).resources
    plan = bulk(target, resources, check_mode=True)["plan"]
    assert "missing  mailing_lists news@acme.example" in differences(plan)
    assert bulk(target, resources)["changed"]
    assert differences(bulk(target, resources, check_mode=True)["plan"]) == []
    target.objects[PATH].append({**LATE, "id_user": target.objects["/clients"][0]["id"]})
    assert only_on_target(resources, exported(target), "acme") == ["mailing_lists late@acme.example"]


def test_a_move_is_refused_where_somebody_else_has_its_name_and_gives_its_password() -> None:
    other = {"/clients": [{"id": 1, "username": "other", "id_hosting_plan": 9}], "/domains": [], "/dns": []}
    taken = "mailing_lists news@acme.example: exists on the target, where it belongs to other."
    with pytest.raises(CannotMove) as refused:
        mapped(read_both(world(NEWS), world(NEWS, **other), "acme"), Rules("acme"))
    assert str(refused.value) == taken
    rules = Rules("acme", passwords={("mailing_lists", "news@acme.example"): "s3cret"})
    target = Panel({"/hosting-plans": [{"id": 3, "name": "Business"}]})
    (item,) = mapped(read_both(world(NEWS), target, "acme"), rules).resources["mailing_lists"]
    assert item == {**ITEM, "password": "s3cret"}


def test_a_site_has_a_list_of_it_for_its_client() -> None:
    item = {"address": "news@acme.example", "password": "s3cret"}
    sites = [{"client": {"username": "acme", "password": "s3cret"}, "mailing_lists": [item]}]
    customers = read_sites(sites, None)
    assert customers.mistakes == []
    assert customers.resources["mailing_lists"] == [{**item, "client": "acme"}]
    (mistake,) = read_sites([{**sites[0], "mailing_lists": [{**item, "client": "other"}]}], None).mistakes
    assert mistake == "sites[0] (acme): mailing_lists[0]: client: the owner is the client."


def test_its_mistakes_are_found_before_anything_is_sent() -> None:
    (mistake,) = mistakes_in({"mailing_lists": [{**ITEM, "address": "news"}]}, keeps_passwords=True)
    assert mistake.startswith("mailing_lists[0] (news): address: 'news' is not accepted")
