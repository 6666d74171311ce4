"""What the source of a copy says of its SSH server."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_content_ssh_server import (
    panel_content_ssh_server,
)

ROOT = "root:x:0:0:root:/srv/home:/bin/bash"
CONNECTION = "198.51.100.7 40022 192.0.2.10 2222"


@pytest.mark.parametrize(
    ("settings", "keys_file"),
    [
        pytest.param("", "/srv/home/.ssh/authorized_keys", id="settings that cannot be read"),
        pytest.param(
            "port 22\nauthorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2\n",
            "/srv/home/.ssh/authorized_keys",
            id="several files",
        ),
        pytest.param("AuthorizedKeysFile %h/keys\n", "/srv/home/keys", id="the home"),
        pytest.param("authorizedkeysfile /etc/ssh/keys/%u\n", "/etc/ssh/keys/root", id="the user"),
        pytest.param("authorizedkeysfile /etc/100%%h\n", "/etc/100%h", id="a percent sign"),
        pytest.param(
            "authorizedkeyscommand none\n", "/srv/home/.ssh/authorized_keys", id="no such setting"
        ),
    ],
)
def test_the_keys_of_root_are_where_the_server_looks_first(settings: str, keys_file: str) -> None:
    assert panel_content_ssh_server(ROOT, settings)["keys_file"] == keys_file


@pytest.mark.parametrize(
    ("written", "keys_file"), [("/srv/keys", "/srv/keys"), ("keys/%u", "/srv/home/keys/%u")]
)
def test_a_file_that_the_operator_names_is_taken_as_it_is(written: str, keys_file: str) -> None:
    settings = "authorizedkeysfile /etc/keys"

    assert panel_content_ssh_server(ROOT, settings, keys_file=written)["keys_file"] == keys_file


@pytest.mark.parametrize(
    ("connection", "address", "port"),
    [(CONNECTION, "192.0.2.10", "2222"), ("", "", ""), ("198.51.100.7 40022", "", "")],
    ids=["SSH", "no SSH", "half of it"],
)
def test_the_end_of_the_connection_is_that_of_the_server(
    connection: str, address: str, port: str
) -> None:
    server = panel_content_ssh_server(ROOT, connection=connection)

    assert (server["home"], server["address"], server["port"]) == ("/srv/home", address, port)
