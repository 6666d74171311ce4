# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which variables are taken for typing mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.role_variables import (
    missing_variables,
    unknown_variables,
    with_variables,
    wrong_values,
)

KNOWN = ["site_emails", "site_result", "site_dns"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["site_emails", "site_result", "sites_x", "sites", "__site_x", "my_site_x", "ansible_host"], []),
        (["site_EMAILS"], ["site_EMAILS: did you mean site_emails?"]),
        (["site_xyz", "site_emial"], ["site_emial: did you mean site_emails?", "site_xyz: there is no such variable."]),
        (["site_"], ["site_: there is no such variable."]),
        (["site_map_url", "site_qqq"], ["site_qqq: there is no such variable."]),
    ],
)
def test_a_variable_with_the_prefix_that_is_not_known_is_refused(names: list[str], found: list[str]) -> None:
    assert unknown_variables(names, "site_", ["site", *KNOWN], ["site_map_*"]) == found


WORDS = (True, False, 1, 0, "true", "False", "YES", "no", "on", "off", "1", "0", " yes ")


@pytest.mark.parametrize("value", WORDS)
def test_a_switch_takes_words_that_mean_one_thing(value: Any) -> None:
    assert (
        wrong_values({"panel_confirm": value, "panel_dir": "x"}, {"panel_confirm": "bool", "panel_dir": "path"}) == []
    )


@pytest.mark.parametrize("value", ["ture", "y", "t", "n", "", None, 2, 1.5, [], {}, "{{ x }}"])
def test_a_switch_with_any_other_value_is_refused_without_showing_it(value: Any) -> None:
    (found,) = wrong_values({"panel_confirm": value}, {"panel_confirm": "bool"})
    assert found == "panel_confirm has to be true or false."


@pytest.mark.parametrize("value", ["", "  ", None])
def test_an_empty_path_is_refused_by_the_name_of_its_variable(value: Any) -> None:
    (found,) = wrong_values({"panel_dir": value, "panel_x": value}, {"panel_dir": "path"})
    assert found == "panel_dir is empty: it has to name a path, or to be left out."


def test_what_is_not_given_has_no_wrong_value() -> None:
    assert wrong_values({}, {"panel_confirm": "bool", "panel_dir": "path"}) == []


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("max: is 0. id: is empty.", "max (r_max in the role r): is 0. id (r_name in the role r): is empty."),
        ("2 mistakes: id[1].x: is wrong.", "2 mistakes: id[1].x (r_name in the role r): is wrong."),
        ("except: nothing is called id: did you mean max?", "except: nothing is called id: did you mean max?"),
        ("clients acme: max is 0: id:", "clients acme: max is 0: id:"),
        ("max: 3 go. If so, set max: 3.", "max (r_max in the role r): 3 go. If so, set r_max: 3."),
    ],
)
def test_options_that_begin_a_sentence_have_the_roles_variables_behind_them(message: str, told: str) -> None:
    assert with_variables(message, "r", {"max": "r_max", "id": "r_name"}) == told


@pytest.mark.parametrize(
    ("hosts", "missing"),
    [
        ({"localhost": []}, {}),
        ({"web-1": ["url", "key"]}, {}),
        ({"web-1": ["key"], "web-2": ["url"], "web-3": []}, {"url": "web-1, web-3", "key": "web-2, web-3"}),
    ],
)
def test_a_host_of_the_inventory_misses_what_only_localhost_has_from_the_environment(
    hosts: dict[str, list[str]], missing: dict[str, str]
) -> None:
    found = missing_variables(hosts, ["url", "key"])
    assert [text.partition(".")[0] for text in found] == [f"{name}: missing for {on}" for name, on in missing.items()]
