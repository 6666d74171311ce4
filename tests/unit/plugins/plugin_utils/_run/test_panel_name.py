"""By which name a panel is known in files on the controller."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_connections import panel_host, panel_of_another


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://Panel.example/api/v2", "panel.example"),
        ("panel.example:8443", "panel.example:8443"),
        ("https://panel.example:443/api/v2", "panel.example"),
        ("http://[::1]:7702", "[::1]:7702"),
    ],
)
def test_a_panel_is_known_by_the_host_in_its_address(address: str, host: str) -> None:
    assert panel_host({"api_url": address}, {}) == host
    assert panel_host({}, {"PANEL_API_URL": address}) == host


@pytest.mark.parametrize(
    ("address", "options", "environment", "warning"),
    [
        ("https://two.example", {}, "https://one.example", "two.example in panel_api_url, and the task went to one."),
        ("https://one.example:443/", {}, "https://one.example", ""),
        (None, {}, "https://one.example", ""),
        ("https://two.example", {"api_url": "https://one.example"}, "https://one.example", ""),
    ],
)
def test_a_task_that_goes_to_another_panel_than_that_of_its_host_warns(
    address: str | None, options: dict[str, str], environment: str, warning: str
) -> None:
    told = panel_of_another(address, options, {"PANEL_API_URL": environment})
    assert warning in told
    assert bool(told) == bool(warning)
