"""A plan is approved by a whole checksum for the host and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter.panel_approval import panel_approval
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.approval import read_approval
from tests.support.approvals import BY_HOST, OF_ONE, make_approvals, make_useless_approvals

CHECKSUM = "0123456789abcdef" * 4
HOST = "web-1"
APPROVALS = make_approvals(HOST, CHECKSUM)
REFUSED = {
    **make_useless_approvals(HOST, CHECKSUM),
    "upper case": {OF_ONE: CHECKSUM.upper()},
    "lists in lists": {BY_HOST: "[" * 3000},
    "dictionaries in dictionaries": {BY_HOST: "{a: " * 3000 + "1" + "}" * 3000},
}


@pytest.mark.parametrize("variables", APPROVALS.values(), ids=APPROVALS)
def test_a_whole_checksum_for_the_host_approves(variables: dict[str, Any]) -> None:
    assert panel_approval({**variables, "panel_dir": "panel"}, HOST) == {
        "checksum": CHECKSUM,
        "mistakes": [],
    }


def test_without_the_variables_nothing_is_approved_and_nothing_wrong() -> None:
    assert read_approval({"panel_dir": "panel"}, HOST) == (None, [])


@pytest.mark.parametrize("variables", REFUSED.values(), ids=REFUSED)
def test_anything_else_approves_nothing_and_is_a_mistake(variables: dict[str, Any]) -> None:
    checksum, mistakes = read_approval(variables, HOST)
    assert checksum is None
    assert mistakes
    assert all(mistake.startswith("panel_expected_checksum") for mistake in mistakes)
    assert not any(CHECKSUM in mistake for mistake in mistakes)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([CHECKSUM, HOST]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.sampled_from([HOST, CHECKSUM]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=ANYTHING)
def test_whatever_the_variables_are_only_the_whole_checksum_for_the_host_approves(
    value: Any,
) -> None:
    approval = read_approval({OF_ONE: value}, HOST)
    assert approval[0] == (CHECKSUM if value == CHECKSUM else None)
    assert bool(approval[1]) == (approval[0] is None)

    by_host = read_approval({BY_HOST: value}, HOST)
    is_approval = isinstance(value, dict) and value.get(HOST) == CHECKSUM

    assert by_host[0] == (CHECKSUM if is_approval else None)
    assert bool(by_host[1]) == (by_host[0] is None)


@given(text=st.text(alphabet='{}[]":, \nweb-10' + CHECKSUM[:3]) | st.text())
def test_no_text_that_is_no_dictionary_approves(text: str) -> None:
    checksum, mistakes = read_approval({BY_HOST: text}, HOST)
    assert checksum is None
    assert mistakes


@pytest.mark.parametrize("variables", [{BY_HOST: {"web-1": ""}}, {OF_ONE: ""}])
def test_the_advice_holds_for_a_job_too_which_has_no_playbook(variables: dict[str, Any]) -> None:
    (mistake,) = read_approval(variables, "web-1")[1]
    assert mistake.endswith("Give the whole checksum that the plan shows.")
