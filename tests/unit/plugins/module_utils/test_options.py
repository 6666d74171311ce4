"""From a table to Ansible's options, and from the options to the wanted values; every mistake is told before a request."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible.release import __version__

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import (
    Field,
    Group,
    Kind,
    Password,
    Reference,
    WantedPassword,
    argument_spec,
    constraints,
    read_wanted,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.names import EmailAddress
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    Boolean,
    Day,
    Integer,
    SetOf,
    Text,
)
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

OWNER = Reference("id_user", Text(clearable=False), option="client", collection="/clients", noun="client")
CERTIFICATE = Reference(
    "id_certificate",
    Text(clearable=False),
    option="certificate",
    collection="/certificates",
    noun="certificate",
    empty_is_zero=True,
)
SHOP = Kind(
    singular="shop",
    plural="shops",
    title="shop",
    path="/shops",
    key=(Field("name", Text(clearable=False)),),
    rows=(
        OWNER,
        Field("email", EmailAddress(clearable=True)),
        Field("notes", Text()),
        Field("size", Integer(1)),
        Field("is_open", Boolean()),
        Field("closes_on", Day()),
        Field("aliases", SetOf(EmailAddress())),
        Field("pin", Integer(1000, 9999), secret=True),
        Group("contact", members=(Field("city", Text()), Field("zip", Text())), clearable=True),
        Group("security", members=(Field("is_hsts", Boolean()), CERTIFICATE)),
    ),
    renames=True,
    has_status=True,
    password=Password(hash_os=True),
)


def problem(kind: Kind, **options: Any) -> OptionError:
    with pytest.raises(OptionError) as caught:
        read_wanted(kind, options)
    return caught.value


def validated(kind: Kind, **given: Any) -> Any:
    return ModuleArgumentSpecValidator(argument_spec(kind), **constraints(kind)).validate(given)


# Ansible's options.


def test_every_secret_is_marked_as_one_and_nothing_else_is() -> None:
    marks = {name: option.get("no_log") for name, option in argument_spec(SHOP).items() if "no_log" in option}
    assert marks == {
        "password": True,
        "password_hash": True,
        "password_hash_os": True,
        "pin": True,
        "update_password": False,
        "regenerate_password": False,
    }


@pytest.mark.parametrize(
    "given",
    [
        {"name": "a", "id": 1},
        {"name": "a", "client": "acme", "id_user": 21},
        {"name": "a", "password": "x", "password_hash": "y", "password_hash_os": "z"},
        {"name": "a", "password_hash": "y"},
        {"name": "a", "password_hash_os": "y"},
        {"name": "a", "security": {"certificate": "x", "id_certificate": 3}},
        {},
        {"notes": "x"},
    ],
)
def test_ansible_refuses_what_excludes_each_other(given: dict[str, Any]) -> None:
    assert validated(SHOP, **given).error_messages


# Wanted values.


def test_omitted_and_null_are_not_managed() -> None:
    assert read_wanted(SHOP, {"name": "a"}).values == {}
    assert read_wanted(SHOP, dict.fromkeys(argument_spec(SHOP), None) | {"name": "a"}).values == {}
    assert read_wanted(SHOP, dict.fromkeys(argument_spec(SHOP), None) | {"name": "a"}).is_present


@pytest.mark.parametrize(
    ("plural", "options", "place"),
    [
        ("emails", {"email": "info@acme.example", "aliases": [None]}, "aliases[0]"),
        (
            "databases",
            {"database_name": "shop", "client": "acme", "remote_hosts": ["192.0.2.1", None]},
            "remote_hosts[1]",
        ),
    ],
)
def test_null_in_a_list_is_refused_by_the_single_module_and_in_bulk(
    plural: str, options: dict[str, Any], place: str
) -> None:
    words = f"{place}: null is not accepted; give a value, or leave the entry out."
    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}]})
    single = run_task(resource_operation(TABLES[plural]), panel, dict(options))
    bulk = run_task(resources_operation(), panel, {"resources": {plural: [options]}})
    # The oldest release refuses it in a single module by itself.
    by_ansible = f"Elements value for option '{place.partition('[')[0]}' is of type <class 'NoneType'>"
    assert (by_ansible if __version__.startswith("2.16.") else words) in single["msg"]
    assert words in bulk["msg"]
    assert panel.calls == []


@pytest.mark.parametrize("number", [0, -1])
def test_an_id_that_cannot_be_one_is_refused(number: int) -> None:
    assert problem(SHOP, id=number).option == "id"


# Nested dictionaries, where Ansible fills omitted members in.


def test_an_unknown_member_is_named_with_the_known_ones() -> None:
    error = problem(SHOP, name="a", contact={"town": "Köln"})
    assert error.option == "contact.town"
    assert "contact has city, zip" in error.message
    assert validated(SHOP, name="a", contact={"town": "Köln"}).error_messages


# References.


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"client": "acme", "id_user": 21}, "client"),
        ({"security": {"certificate": "x", "id_certificate": 1}}, "security.certificate"),
        ({"id_user": 0}, "id_user"),
        ({"id_user": -1}, "id_user"),
        ({"id_user": True}, "id_user"),
        ({"id_user": "2.1"}, "id_user"),
        ({"id_user": [21]}, "id_user"),
        ({"client": ""}, "client"),
        ({"security": {"id_certificate": -1}}, "security.id_certificate"),
    ],
)
def test_a_wrong_reference_is_refused(given: dict[str, Any], option: str) -> None:
    assert problem(SHOP, name="a", **given).option == option


# Names, extra, passwords.


def test_passwords_are_kept_apart_from_values() -> None:
    given = {"password_hash": "h", "password_hash_os": "o", "update_password": "always"}
    wanted = read_wanted(SHOP, {"name": "a", **given})
    assert wanted.password == WantedPassword(None, "h", "o", always=True)
    assert wanted.values == {}
    with pytest.raises(OptionError, match="password: ends with a line break, as echo adds one"):
        read_wanted(SHOP, {"name": "a", "password": "Secret-1\n"})
