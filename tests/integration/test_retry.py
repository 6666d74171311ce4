"""The playbook hosting.panel.retry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.playbook import IN_PROCESS, run_ansible
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    """Yield a panel with clients, some of which have the status error."""
    with Simulator.start(settings={"status_delay": 0.5}) as simulator:
        clients = [
            {"username": name, "email": f"it@{name}.example", "status": status}
            for name, status in (("acme", 2), ("beta", 1))
        ]
        simulator.seed({"clients": clients})
        yield simulator


def retry(
    panel: Simulator, folder: Path, *arguments: str
) -> tuple[int, str, list[tuple[str, object]]]:
    """Return the code, what was printed, and the writes."""
    since = panel.get_last_number()
    variables = {"PANEL_API_URL": panel.url, "PANEL_API_KEY": panel.api_key}
    done = run_ansible(
        "playbook", ["hosting.panel.retry", *arguments], folder, IN_PROCESS, variables
    )

    return (
        done.returncode,
        " ".join(done.stdout.split()),
        [(entry["path"], entry["body"]) for entry in panel.list_writes(since)],
    )


def test_a_client_in_error_is_written_as_it_is_once_and_one_in_order_never(
    panel: Simulator, tmp_path: Path
) -> None:
    (acme,) = [
        client["id"] for client in panel.list_objects("clients") if client["username"] == "acme"
    ]
    code, text, writes = retry(panel, tmp_path, "-e", "panel_retry_client=acme", "--check")

    assert (code, writes) == (0, []), text
    assert "Client acme: to be processed again." in text

    code, text, writes = retry(
        panel, tmp_path, "-e", "panel_retry_client=acme", "-e", f"panel_retry_id={acme}"
    )
    assert (code, writes) == (0, [(f"/clients/{acme}", {"email": "it@acme.example"})]), text
    assert "Client acme: OK." in text

    for name in ("acme", "beta"):
        code, text, writes = retry(panel, tmp_path, "-e", f"panel_retry_client={name}")
        assert (code, writes) == (0, []), text
        assert "changed=0" in text


def test_another_client_with_the_id_is_left_alone(panel: Simulator, tmp_path: Path) -> None:
    panel.seed({"clients": [{"username": "elder", "email": "it@elder.example", "status": 2}]})
    [elder] = [
        client["id"] for client in panel.list_objects("clients") if client["username"] == "elder"
    ]
    code, text, writes = retry(
        panel, tmp_path, "-e", "panel_retry_client=beta", "-e", f"panel_retry_id={elder}"
    )

    assert (code, writes) == (0, []), text
    assert "Client beta: gone, or another client by now." in text


def test_a_client_that_fails_again_is_said_in_a_sentence(tmp_path: Path) -> None:
    with Simulator.start(settings={"status_delay": 0, "failing_kinds": ["clients"]}) as panel:
        panel.seed({"clients": [{"username": "acme", "email": "it@acme.example", "status": 2}]})
        code, text, writes = retry(panel, tmp_path, "-e", "panel_retry_client=acme")

        assert (code, len(writes)) == (2, 1), text
        assert (
            "client acme: it was stored, but the panel could not apply it: status 2 (error). Check the panel's own log"
            in text
        )
        assert "RETRYING" not in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("-e", "panel_retry_client=nobody"),
            2,
            "panel_retry_client: there is no client nobody on this panel. Nothing was written.",
        ),
        # A client that is gone, of which another one has the name by now.
        (
            ("-e", "panel_retry_client=acme", "-e", "panel_retry_id=999"),
            0,
            "Client acme: gone, or another client by now.",
        ),
    ],
)
def test_a_client_that_is_not_there_is_said(
    panel: Simulator, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    actual_code, text, writes = retry(panel, tmp_path, *arguments)
    assert (actual_code, writes) == (code, []), text
    assert message in text
