"""Names of variables that nearly are one of a role."""

from __future__ import annotations

import re

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter.panel_near_names import panel_near_names
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tools.layout import ROOT


@pytest.mark.parametrize(
    ("role", "written", "meant"),
    [
        ("suspend", "suspend_exept", "suspend_except"),  # left out
        ("suspend", "suspend_maxx", "suspend_max"),  # added
        ("suspend", "suspend_mix", "suspend_max"),  # changed
        ("suspend", "suspend_mxa", "suspend_max"),  # swapped
        ("suspend", "suspend_stsate", "suspend_state"),
        ("site", "site_emailz", "site_emails"),
        ("site", "site_domaiens", "site_domains"),
        ("site", "site_dmoaisn", "site_domains"),  # swapped twice
        ("site", "panel_foreign_variable", "panel_foreign_variables"),
        ("playbooks", "panel_purg", "panel_purge"),
        ("playbooks", "onboard_host", "onboard_hosts"),
        ("playbooks", "panel_apikey", "panel_api_key"),
        ("report", "panel_report_file", "report_file"),
        ("report", "report_panel_hosts", "panel_hosts"),
        ("site", "onboard_emails", "site_emails"),
        ("site", "sites_domains", "site_domains"),
        ("site", "sites_hosting_plan", "site_hosting_plan"),
        ("site", "panel_domains", "site_domains"),
        ("site", "client_domains", "site_domains"),
        ("site", "hosting_plan", "site_hosting_plan"),
        ("site", "max_deletes", "site_max_deletes"),
        ("sites", "site_from", "sites_from"),
        ("sites", "panel_credentials_dir", "sites_credentials_dir"),
        ("sites", "credentials_dir", "sites_credentials_dir"),
    ],
)
def test_a_near_miss_is_named_with_what_it_may_mean(role: str, written: str, meant: str) -> None:
    assert panel_near_names([written], role) == [f"{written}: did you mean {meant}?"]


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("suspend", "suspend_except"),
        ("suspend", "suspend_result"),
        ("suspend", "suspend_mail_to"),
        ("suspend", "suspend_mxi"),  # two mistakes in three letters
        ("suspend", "suspended_max"),
        ("suspend", "site_emailz"),
        ("site", "site_name"),
        ("site", "domains"),  # a single word may be anything
        ("site", "panel_max_deletes"),  # of playbooks
        ("site", "sites_max_deletes"),  # of the role sites
        ("sites", "site_credentials_file"),
        ("report", "client_domains"),
        ("site", "site"),
        ("site", "site_xdmoaisn"),  # three mistakes
        ("playbooks", "panel_name"),
        ("playbooks", "panel_client"),
        ("playbooks", "panel_hosting_plan"),
    ],
)
def test_any_other_name_is_the_operators_own(role: str, name: str) -> None:
    assert panel_near_names([name], role) == []


def test_an_option_of_a_module_is_named_with_its_variable_unless_that_is_set_too() -> None:
    options = {"max_deletes": "panel_max_deletes", "api_key": "panel_api_key"}
    names = ["max_deletes", "api_key", "panel_api_key"]

    assert panel_near_names(names, "playbooks", options=options) == [
        "max_deletes: did you mean panel_max_deletes?"
    ]
    assert panel_near_names(["max_deletes"], "playbooks", "max_deletes", options) == []


def test_a_variable_of_another_playbook_is_named_with_the_one_that_this_playbook_reads() -> None:
    options = {"panel_hosts": "onboard_hosts"}

    assert panel_near_names(["panel_hosts"], "site", options=options) == [
        "panel_hosts: did you mean onboard_hosts?"
    ]
    assert panel_near_names(["panel_hosts", "onboard_hosts"], "site", options=options) == []


def test_another_prefix_is_a_mistake_unless_the_right_variable_holds_something() -> None:
    names = ["client_domains", "site_domains"]

    assert panel_near_names(names, "site") == []
    assert panel_near_names(names, "site", empty=["site_domains"]) == [
        "client_domains: did you mean site_domains?"
    ]


def test_fields_of_the_inventory_plugin_are_no_mistakes_of_a_customer() -> None:
    names = ["panel_name", "panel_hosting_plan", "panel_domains"]
    assert panel_near_names(names, "site") == []


def test_several_are_named_in_order_and_foreign_ones_are_left_out() -> None:
    names = ["suspend_maxx", "suspend_exept", "suspend_todays"]
    suggestions = panel_near_names(names, "suspend", ["suspend_max*"])

    assert suggestions == [
        "suspend_exept: did you mean suspend_except?",
        "suspend_todays: did you mean suspend_today?",
    ]


def test_a_role_that_the_collection_lacks_is_an_error() -> None:
    with pytest.raises(AnsibleFilterError, match="no role 'suspended'"):
        panel_near_names([], "suspended")


@pytest.mark.parametrize("role", sorted(path.name for path in (ROOT / "roles").iterdir()))
def test_every_role_and_its_own_names_are_known(role: str) -> None:
    assert panel_near_names([f"{role}_result"], role) == []


def test_no_variable_of_the_inventory_looks_like_a_mistake() -> None:
    rows = [
        row for kind in ("clients", "domains") for row in (*TABLES[kind].key, *TABLES[kind].fields)
    ]
    names = {f"panel_{getattr(row, 'name', 'name')}" for row in rows}
    names |= {
        f"panel_{name}"
        for name in (
            "id",
            "status",
            "created_at",
            "client",
            "domains",
            "client_email",
            "client_is_suspended",
        )
    }

    assert len(names) > 30
    assert panel_near_names(names, "playbooks") == []


def test_the_playbooks_and_their_list_have_the_same_variables() -> None:
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("playbooks/**/*.yml")]
    used = set(re.findall(r"(?<![\w.])(?:panel|onboard|demo)_[a-z_]*[a-z]\b", "\n".join(texts[:])))
    variables = used - {path.stem for path in ROOT.glob("plugins/*/panel_*.py")}

    assert panel_near_names(variables, "playbooks") == []


def test_a_variable_that_is_called_as_the_column_of_a_table_is_told_by_its_name() -> None:
    question = "site_mailboxes: did you mean site_emails?"
    assert panel_near_names(["site_mailboxes"], "site") == [question]
    assert panel_near_names(["site_mailboxes", "site_emails"], "site") == [question]
