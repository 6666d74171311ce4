# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fleet says to whoever starts it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from panel_simulator.play.__main__ import main
from panel_simulator.play.written import greeting

ADDRESSES = {"web-1": "http://127.0.0.1:18101"}
TYPED = "can be typed as it is"


def test_a_port_that_another_program_has_is_named_with_the_way_out_and_nothing_is_left(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signal.signal", lambda *_words: None)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert main(["--directory", str(tmp_path / "play"), "--ports", "0", port, "0"]) == 1
    said = capfd.readouterr().err
    assert said.startswith(f"The panel web-2 cannot listen on port {port} (Address already in use)")
    assert said.endswith("have other ports: --ports 18201 18202 18203.\n")
    assert not (tmp_path / "play").exists()


@pytest.mark.parametrize("brings_ansible", [True, False])
@pytest.mark.parametrize("is_where_guides_say", [True, False])
def test_it_promises_only_what_this_fleet_keeps(brings_ansible: bool, is_where_guides_say: bool) -> None:
    said = greeting(Path("play"), ADDRESSES, {"web-1": ["acme"]}, brings_ansible, is_where_guides_say)
    assert ("puts Ansible and the collection where the terminal finds them" in said) == brings_ansible
    assert (f"{TYPED};" in said) == is_where_guides_say
