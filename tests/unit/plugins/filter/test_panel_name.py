"""The filter hosting.panel.panel_name.

All spellings of a panel's address have the name that files use for it.
"""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_name import panel_name
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    name_panel,
)

# By spelling the name.
NAMES = {
    "https://web-1.example": "web-1.example",
    "HTTPS://Web-1.example./api/v2/": "web-1.example",
    "https://web-1.example:443": "web-1.example",
    "Web-1.example:443": "web-1.example",
    "https://web-1.example:8443/": "web-1.example:8443",
    "https://müller.example": "xn--mller-kva.example",
    "http://127.0.0.1:8080": "127.0.0.1:8080",
    "no address": "no address",
    "https://operator:geh/eim@web-1.example/": "web-1.example",
    "https://web-1.example/admin": "web-1.example",
    "operator:geheim@web-1.example": "web-1.example",
    "": "",
}


@pytest.mark.parametrize(("address", "name"), NAMES.items(), ids=map(ascii, NAMES))
def test_all_spellings_of_an_address_have_the_name_of_the_files(address: str, name: str) -> None:
    assert panel_name(address) == name
    assert panel_name(address) == name_panel(address)


@pytest.mark.parametrize("name", sorted(set(NAMES.values())))
def test_a_name_is_its_own_name(name: str) -> None:
    assert panel_name(name) == name
