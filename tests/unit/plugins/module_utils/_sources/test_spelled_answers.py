"""Panels that write what is on or off, and numbers, as others do not.

Every answer is read as the same one; diffs have sizes as people write them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import BY_PATH, KINDS
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._sources.checked_answers import (
    read_object,
    read_objects,
)
from panel_simulator.fields import Bytes, Flag, Members, Number
from panel_simulator.kinds import KINDS as SIMULATED
from tests.unit.plugins.module_utils._sources.test_other_panels import Panel

SPELLINGS: dict[str, dict[str, Any]] = {
    "switches as numbers": {"switches": "numbers"},
    "all as texts": {"switches": "texts", "numbers": "texts"},
}
SPELLED = pytest.mark.parametrize("spelling", list(SPELLINGS))
WORLD: dict[str, Any] = {
    "plans": [
        {
            "name": "Basic",
            "resources": {"domains": 5, "disk_space": -1},
            "permissions": {"dns_editor": True},
        }
    ],
    "admins": [{"username": "ops", "email": "ops@acme.example", "is_super_admin": False}],
    "clients": [{"username": "globex", "email": "it@globex.example", "is_suspended": True}],
    "domains": [
        {
            "domain": "more.example",
            "client": "acme",
            "is_email_domain": True,
            "security": {"is_hsts": True},
        },
        {
            "domain": "to.example",
            "client": "acme",
            "target": {"target": "https://x.example", "forwarding_type": 301},
        },
    ],
    "emails": [
        {"email": "info@more.example", "max_size": 2**30},
        {"email": "two@more.example", "catch_all": True},
    ],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_ftp", "client": "acme"}],
    "directory_protections": [{"client": "acme", "path": "/shop", "username": "staff"}],
    "scheduled_tasks": [
        {"client": "acme", "description": "backup", "type": "exec", "command": "/bin/true"}
    ],
}
READS: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"{kind.singular}_info": (f"panel_{kind.singular}_info", {}) for kind in KINDS.values()},
    "main domains": ("panel_domain_info", {"main_domains": True}),
    "subdomains": ("panel_domain_info", {"subdomains": True}),
    "without system domains": ("panel_domain_info", {"system_domains": False}),
    "export": ("panel_resources_info", {}),
    "server": ("panel_server_info", {}),
    "client with all": (
        "panel_client_info",
        {"username": "acme", "include": ["resources", "stats", "traffic"]},
    ),
}


@SPELLED
@pytest.mark.parametrize("read", list(READS))
def test_what_is_read_is_the_same_however_the_panel_writes_it(read: str, spelling: str) -> None:
    module, options = READS[read]
    panel = Panel(WORLD)
    plain = panel.run(read, module, options)
    panel.panel.settings.merge(SPELLINGS[spelling])

    spelled = panel.run(read, module, options)

    assert plain.outcome == "ok", plain.msg

    for ran in (plain, spelled):
        # Fractions, which nobody counts with.
        ran.result.get("server", {}).pop("utilization", None)

    assert spelled.result == plain.result


# Each member


def _list_members(fields: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for field in fields:
        if isinstance(field.value, Members):
            yield from _list_members(field.value.fields, (*path, field.name))
        elif isinstance(field.value, (Flag, Number, Bytes)):
            yield (*path, field.name), field.value


DECLARED = [
    (BY_PATH[f"/{name.replace('_', '-')}"], path, value)
    for name, kind in SIMULATED.items()
    for path, value in _list_members(kind.fields)
]


def nest_value(path: tuple[str, ...], value: Any) -> Any:
    """Return an object of the panel with a value at a path."""
    answered = value
    for name in reversed(path):
        answered = {name: answered}
    return answered


def list_meanings(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return the texts that a panel may write for a switch or a number, with what each means."""
    if isinstance(value, Flag):
        return {"0": False, "1": True}
    # Only some numbers are a type of forwarding.
    number = 301 if path[-1] == "forwarding_type" else 17
    return {str(number): number}


def test_the_fields_that_are_switches_and_numbers_are_found() -> None:
    assert len(DECLARED) > 80


@pytest.mark.parametrize("spell", [str, int])
@pytest.mark.parametrize(
    ("kind", "path", "value"),
    DECLARED,
    ids=[f"{getattr(kind, 'plural', kind)} {'.'.join(path)}" for kind, path, _value in DECLARED],
)
def test_each_switch_and_number_that_a_panel_has_is_taken_in_its_own_type(
    kind: Any, path: tuple[str, ...], value: Any, spell: type
) -> None:
    for text, meaning in list_meanings(path, value).items():
        coerced: Any = read_object(nest_value(path, spell(text)), "/any", kind)
        for name in path:
            coerced = coerced[name]

        assert type(coerced) is type(meaning)
        assert coerced == meaning


@pytest.mark.parametrize("nothing", [None, ""])
def test_what_shows_nothing_stays_as_it_is(nothing: Any) -> None:
    item = {"is_system_domain": nothing, "traffic": nothing, "status": nothing, "id_user": nothing}
    assert read_objects([dict(item)], "/domains", DOMAIN) == [item]


# Numbers of bytes in diffs


SIZES = [
    (2 * 2**30, "2G"),
    ("512M", "512M"),
    (-1, "unlimited"),
    (1_500_000, "1500000 (1.4 MiB)"),
]


@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
@pytest.mark.parametrize(("requested", "displayed"), SIZES)
def test_a_diff_has_sizes_as_people_write_them(
    requested: Any, displayed: str, check_mode: bool
) -> None:
    emails = [{"email": "more@acme.example", "max_size": 2**30}]
    options = {"email": "more@acme.example", "max_size": requested}
    single = Panel({"emails": emails}).perform_task("emails", options, check_mode=check_mode).result

    assert single["diff"] == {"before": {"max_size": "1G"}, "after": {"max_size": displayed}}
    assert isinstance(single["email"]["max_size"], int)

    many = (
        Panel({"emails": emails})
        .perform_task("emails", options, in_bulk=True, check_mode=check_mode)
        .result
    )

    assert f"more@acme.example  max_size 1G -> {displayed}\n" in many["diff"]["prepared"]
    assert many["plan"]["actions"][0]["before"] == {"max_size": 2**30}
