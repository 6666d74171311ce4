"""Variables that a role or playbook does not read: those that surely mean one are refused, and a
warning names all others with its prefix.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleLookupError

from ansible_collections.hosting.panel.plugins.filter.panel_near_names import panel_near_names
from ansible_collections.hosting.panel.plugins.lookup import panel_unread_variables
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.unread_variables import (
    _SYNONYMS,
    PLAYBOOKS,
    find_meant_options,
    find_misspelt_prefixes,
    find_unread_names,
    list_all_variables,
    list_variables_of,
)
from tests.support.given_options import GivenOptions
from tools.layout import ROOT

ROLES = sorted(path.name for path in (ROOT / "roles").iterdir())


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list into which the lookup's warnings go."""
    texts: list[str] = []
    monkeypatch.setattr(panel_unread_variables.display, "warning", texts.append)
    return texts


DEFAULTS = {"prefixes": None, "foreign": [], "options": {}, "single_words": False}
DEFAULTS |= {"refused": {}, "suggested": None}


class Lookup(GivenOptions, panel_unread_variables.LookupModule):
    """The lookup with options that Ansible has read already."""

    def get_option(self, option: str, hostvars: Any = None) -> Any:  # noqa: ARG002
        """Return an option, or its default."""
        return {**DEFAULTS, **self._direct}[option]


def look_up(names: list[str], *roles: str, **options: Any) -> list[str]:
    """Return the mistakes that the lookup finds among variables of these names."""
    return Lookup().run(list(roles), variables=dict.fromkeys(names, 1), **options)


def test_each_variable_of_a_playbook_has_a_prefix() -> None:
    assert [name for name in list_variables_of(PLAYBOOKS) if "_" not in name] == []


@pytest.mark.parametrize(
    ("role", "written", "meant"),
    [
        (role, f"{prefix}_{written}", f"{prefix}_{meant}")
        for prefix, synonyms in _SYNONYMS.items()
        for written, meant in synonyms.items()
        for role in [prefix if prefix in ROLES else PLAYBOOKS]
    ],
)
def test_another_word_for_a_variable_is_refused_also_beside_the_variable(
    role: str, written: str, meant: str
) -> None:
    assert meant in list_variables_of(role)
    assert written not in list_all_variables()
    assert panel_near_names([written, meant], role) == [f"{written}: did you mean {meant}?"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("verify_writes", "panel_verify_writes"),
        ("verify_report_file", "panel_verify_report_file"),
        ("retry_client", "panel_retry_client"),
    ],
)
def test_a_variable_of_a_playbook_without_the_prefix_panel_is_refused(
    written: str, meant: str
) -> None:
    assert panel_near_names([written], PLAYBOOKS) == [f"{written}: did you mean {meant}?"]


@pytest.mark.parametrize(
    ("prefix", "written", "meant"),
    [
        ("suspend", "supsend_state", "suspend_state"),  # swapped
        ("suspend", "suspnd_max", "suspend_max"),  # left out
        ("suspend", "suspendd_except", "suspend_except"),  # added
        ("suspend", "suspind_except", "suspend_except"),  # changed
        ("suspend", "supsend_exept", "suspend_except"),  # a mistake on both sides of the line
        ("suspend", "suspendstate", "suspend_state"),
        ("site", "sit_emails", "site_emails"),
        ("site", "stie_ftp_users", "site_ftp_users"),
        ("rotate", "rotat_except", "rotate_except"),
        ("panel", "pannel_purge", "panel_purge"),
    ],
)
def test_a_misspelt_prefix_is_named_with_the_variable_that_is_meant(
    prefix: str, written: str, meant: str
) -> None:
    assert find_misspelt_prefixes([written], [prefix]) == {written: meant}


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("suspend", "suspended_max"),  # two mistakes
        ("suspend", "supsend_mxa"),  # a short name with another mistake behind the line
        ("suspend", "supsend_mail_to"),
        ("suspend", "supsend"),
        ("site", "sites_emails"),  # the prefix of another role
        ("site", "size_plan"),
        ("move", "more_names"),
        ("report", "import_title"),
        ("content", "context_source"),
        ("panel", "panels_dir"),  # of the project for AWX
        ("panel", "ansible_connection"),
    ],
)
def test_a_name_with_another_prefix_is_the_operators_own(prefix: str, name: str) -> None:
    assert find_misspelt_prefixes([name], [prefix]) == {}


def test_no_variable_of_the_collection_is_a_misspelt_one_of_another_part() -> None:
    variables = list_all_variables()
    assert find_misspelt_prefixes(variables, [*ROLES, "panel", "import", "onboard"]) == {}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_nothing_unread_where_all_variables_and_results_of_the_collection_are_set(
    role: str,
) -> None:
    results = {f"{name}_result" for name in ROLES} | {"simulator_url"}
    assert find_unread_names(list_all_variables() | results, role, [role], {}, None) == {}


@pytest.mark.parametrize("role", ROLES)
def test_a_name_with_the_prefix_that_nothing_reads_is_unread(role: str) -> None:
    names = [f"{role}_wanted_by", f"__{role}_own", f"x{role}_wanted_by", role, f"{role}_"]
    assert find_unread_names(names, role, [role], {}, None) == {f"{role}_wanted_by": None}


@pytest.mark.parametrize(
    ("role", "written", "meant"),
    [
        ("suspend", "suspend_file", "suspend_csv_file"),
        ("offboard", "offboard_archives", "offboard_archive_dir"),
        (PLAYBOOKS, "panel_plan", "panel_plan_file"),
    ],
)
def test_an_unread_name_has_the_variable_that_is_the_most_like_it(
    role: str, written: str, meant: str
) -> None:
    assert find_unread_names([written], role, [written.partition("_")[0]], {}, None) == {
        written: meant
    }


def test_a_variable_of_another_playbook_is_not_suggested() -> None:
    names = ["panel_report_file", "panel_verify_reports", "suspend_file"]
    suggested = ["panel_plan_file", "panel_dir"]
    prefixes = ["panel", "suspend"]

    assert find_unread_names(names, "suspend", prefixes, {}, suggested) == {
        "panel_report_file": "panel_plan_file",
        "panel_verify_reports": None,
        "suspend_file": "suspend_csv_file",
    }
    all_found = find_unread_names(names, "suspend", prefixes, {}, None)
    assert all_found["panel_report_file"] == "panel_verify_report_file"


def test_a_name_that_is_refused_is_not_unread_as_well() -> None:
    names = ["suspend_exept", "suspend_exclude", "suspend_mail_to"]
    assert list(find_unread_names(names, "suspend", ["suspend"], {}, None)) == ["suspend_mail_to"]


def test_the_warning_leaves_out_what_is_refused_as_a_variable_of_another_playbook(
    warnings: list[str],
) -> None:
    refused = {"panel_directory": "panel_dir"}

    assert look_up(["panel_directory"], PLAYBOOKS, prefixes=["panel"], refused=refused) == []
    assert warnings == []
    names = ["panel_directory", "panel_dir"]
    look_up(names, PLAYBOOKS, prefixes=["panel"], refused=refused)
    (warning,) = warnings
    assert warning.startswith("panel_directory: the playbook has no")


def test_a_host_of_the_inventory_plugin_has_names_with_panel_that_nothing_reads() -> None:
    names = ["panel_php_version", "import_batch"]
    prefixes = ["panel", "import"]
    assert list(find_unread_names(names, PLAYBOOKS, prefixes, {}, None)) == [
        "import_batch",
        "panel_php_version",
    ]
    names.append("panel_name")
    assert list(find_unread_names(names, PLAYBOOKS, prefixes, {}, None)) == ["import_batch"]


def test_one_warning_names_all_that_is_unread_and_nothing_of_it_is_a_mistake(
    warnings: list[str],
) -> None:
    names = ["suspend_mail_to", "suspend_file", "suspend_state", "other"]

    assert look_up(names, "suspend") == []
    (warning,) = warnings
    assert warning == (
        "suspend_file (did you mean suspend_csv_file?), suspend_mail_to: the role "
        "hosting.panel.suspend has no such variable, so it has no effect on the run. See "
        "ansible-doc -t role hosting.panel.suspend. List your own in panel_foreign_variables."
    )


@pytest.mark.parametrize("role", [PLAYBOOKS, "site"])
def test_a_warning_of_a_playbook_says_where_its_variables_are_whichever_role_it_runs(
    warnings: list[str], role: str
) -> None:
    assert look_up(["panel_location"], role, prefixes=["panel", "onboard"]) == []
    (warning,) = warnings
    assert warning == (
        "panel_location: the playbook has no such variable, so it has no effect on the run. "
        "See the comment at the beginning of the playbook. List your own in panel_foreign_variables."
    )


def test_foreign_names_are_neither_mistakes_nor_in_the_warning(warnings: list[str]) -> None:
    names = ["suspend_mail_to", "supsend_state"]

    assert look_up(names, "suspend", foreign="suspend_*, supsend_state") == []
    assert warnings == []
    assert look_up(names, "suspend") == ["supsend_state: did you mean suspend_state?"]


@pytest.mark.parametrize("roles", [(), ("suspend", "rotate"), ("suspended",), ("../roles/site",)])
def test_the_lookup_takes_one_role_of_the_collection(roles: tuple[str, ...]) -> None:
    with pytest.raises(AnsibleLookupError, match=r"panel_unread_variables: (give one|the coll)"):
        look_up([], *roles)


OPTIONS = {
    "writes": "panel_verify_writes",
    "report_file": "panel_verify_report_file",
    "rebuild": "panel_rebuild",
    "from": "nothing",
}


@pytest.mark.parametrize(
    ("variables", "given_names", "meant"),
    [
        ({"writes": True}, ["writes"], {"writes": "panel_verify_writes"}),
        ({"writes": True}, [], {}),  # an operator's own, in an inventory
        ({"report_file": "r"}, ["report_file"], {"report_file": "panel_verify_report_file"}),
        ({"report_file": "r"}, [], {}),  # of the role report
        ({"panel_report_file": "r"}, [], {"panel_report_file": "panel_verify_report_file"}),
        ({"panel_report_file": "r", "panel_name": "p"}, [], {}),  # of the inventory plugin
        ({"panel_writes": 1}, [], {}),
        ({"panel_writes": 1}, ["panel_writes"], {"panel_writes": "panel_verify_writes"}),
        ({"panel_rebuild": True}, ["panel_rebuild"], {}),
        ({"from": 1}, ["from"], {}),
        ({"writes": 1, "panel_verify_writes": "{{ writes }}"}, ["writes"], {}),
        ({"writes": 1, "wish": {"a": ["{% if writes %}"]}}, ["writes"], {}),
        (
            {"writes": 1, "wish": "{{ disk.writes }}", "vars": "{{ writes }}", "page": "writes"},
            ["writes"],
            {"writes": "panel_verify_writes"},
        ),
    ],
)
def test_an_option_counts_where_the_command_line_gives_it_and_no_template_uses_it(
    variables: dict[str, Any], given_names: list[str], meant: dict[str, str]
) -> None:
    assert (
        find_meant_options(variables, given_names, PLAYBOOKS, OPTIONS, single_words=True) == meant
    )


def test_an_option_of_one_word_is_the_operators_own_in_a_play_of_his_own() -> None:
    names = dict.fromkeys(["writes", "report_file"], 1)
    meant_names = find_meant_options(names, list(names), PLAYBOOKS, OPTIONS, single_words=False)
    assert meant_names == {"report_file": "panel_verify_report_file"}


def test_the_lookup_refuses_an_option_and_does_not_warn_about_it(
    monkeypatch: pytest.MonkeyPatch, warnings: list[str]
) -> None:
    extra_variables = {"report_file": "r", "panel_profile_file": "p"}
    monkeypatch.setattr(panel_unread_variables, "load_extra_vars", lambda _loader: extra_variables)
    options = {
        "report_file": "panel_verify_report_file",
        "profile_file": "panel_verify_profile_file",
    }

    mistakes = look_up(list(extra_variables), PLAYBOOKS, prefixes=["panel"], options=options)

    assert mistakes == [
        "panel_profile_file: did you mean panel_verify_profile_file?",
        "report_file: did you mean panel_verify_report_file?",
        (
            "If your own tasks read panel_profile_file or report_file, list the name in "
            "panel_foreign_variables."
        ),
    ]
    assert warnings == []
    foreign = list(extra_variables)
    assert look_up(foreign, PLAYBOOKS, prefixes=["panel"], options=options, foreign=foreign) == []
