"""A number, switch or date in the place of a text is refused before any request, whatever takes it;
a file counts as it is written."""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._items.desired_items import (
    describe_text_problem_at,
    read_items,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import (
    DNS,
    KINDS,
    TABLES,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message
from ansible_collections.hosting.panel.plugins.module_utils._schema.desired_object import (
    build_argument_spec,
)
from ansible_collections.hosting.panel.plugins.module_utils._schema.password_options import (
    CREDENTIALS_FILE,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customer_files import (
    read_customers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._customers.customers import LISTS
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.files import FolderError
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.folder import read_folder
from tests.support.in_memory import VAULT, InMemory
from tests.support.samples import get_key, read_kinds

# As YAML has it, and what a task gets of it.
WORDS: dict[str, Any] = {
    "int": ("83", 83),
    "octal int": ("0123", 83),
    "hexadecimal int": ("0x1F", 31),
    "int with underscores": ("1_000", 1000),
    "sexagesimal int": ("12:30", 750),
    "negative int": ("-5", -5),
    "float": ("8.3", 8.3),
    "float that ends in zero": ("8.10", 8.1),
    "float with an exponent": ("1.0e+3", 1000.0),
    "date": ("2026-12-31", datetime.date(2026, 12, 31)),
    "time": ("2026-12-31 10:00:00", datetime.datetime(2026, 12, 31, 10, 0, 0)),
    "true": ("true", True),
    "no": ("NO", False),
}
SWITCHES = ("true", "no")
SEED = {
    "clients": [{"username": "acme"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}


def walk_options(
    spec: dict[str, Any], path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield each option of an argument specification with its path."""
    for name, rules in spec.items():
        if "options" in rules:
            yield from walk_options(rules["options"], (*path, name))
        else:
            yield (*path, name), rules
            if rules.get("type") == "list":
                yield (*path, name, 0), rules


def list_text_options() -> dict[str, list[tuple[Any, ...]]]:
    """The paths of every option that takes texts alone, by the plural of its kind."""
    options = {
        plural: [
            path
            for path, _rules in walk_options(build_argument_spec(kind))
            if describe_text_problem_at(plural, path, 5) and path[0] != CREDENTIALS_FILE
        ]
        for plural, kind in TABLES.items()
    }
    fields = [
        ("domain",),
        ("client",),
        ("records", 0, "host"),
        ("records", 0, "type"),
        ("records", 0, "value"),
    ]
    options[DNS] = [*fields, ("soa", "primary_ns"), ("soa", "rname")]

    return options


OPTIONS = list_text_options()


def make_item(plural: str, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """An item of a kind, named by its key, with this value at the path."""
    kind = KINDS[plural]
    if plural == DNS:
        item: dict[str, Any] = {"domain": "acme.example"}
        if path[0] == "records":
            item["records"] = [{"host": "www", "type": "TXT", "value": "x"}]
    else:
        item = {
            name: sample.option for name, sample in get_key(read_kinds()[kind.singular]).items()
        }

    holder: Any = item

    for step, following in itertools.pairwise(path):
        inner: Any = [None] if isinstance(following, int) else {}
        holder = holder.setdefault(step, inner) if isinstance(holder, dict) else holder[step]

    holder[path[-1]] = value

    return item


def is_hidden(path: tuple[Any, ...]) -> bool:
    """Whether messages show no value of a field."""
    return path[-1] in ("password", "password_hash", "password_hash_os", "private_key")


def format_path(path: tuple[Any, ...]) -> str:
    """Return a path as messages write it."""
    return "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in path
    ).removeprefix(".")


def test_the_fields_that_the_documentation_names_take_texts_alone() -> None:
    texts = {
        f"{plural}.{step}" for plural, paths in OPTIONS.items() for path in paths for step in path
    }

    for name in (
        "clients.username",
        "clients.hosting_plan",
        "clients.zip",
        "clients.telephone",
        "clients.client_id",
        "clients.company",
        "clients.notes",
        "domains.client",
        "domains.php_version",
        "domains.dkim_selector",
        "emails.email",
        "emails.description",
        "directory_protections.auth_name",
        "clients.password",
        "plans.new_name",
        "certificates.new_name",
        "ftp_users.home_directory",
        "databases.database_name",
        "scheduled_tasks.command",
        "admins.password",
    ):
        assert name in texts

    numbers = {
        "emails.max_size",
        "plans.disk_space",
        "clients.suspend_on",
        "scheduled_tasks.minute",
        "dns.ttl",
    }

    assert not numbers & texts
    assert sum(map(len, OPTIONS.values())) > 70


@pytest.fixture(scope="module")
def panel() -> InMemory:
    """One panel for all tests, since none of them may send anything to it that changes it."""
    return InMemory(SEED)


EACH_TEXT_OPTION = pytest.mark.parametrize(
    ("plural", "path"),
    [(plural, path) for plural, paths in OPTIONS.items() for path in paths],
    ids=lambda value: value if isinstance(value, str) else format_path(value),
)


@pytest.mark.parametrize("spelling", WORDS)
@EACH_TEXT_OPTION
def test_it_is_refused_by_module_and_in_bulk_before_any_request(
    panel: InMemory, plural: str, path: tuple[Any, ...], spelling: str
) -> None:
    panel.log.clear()
    value = WORDS[spelling][1]
    item = make_item(plural, path, value)
    displayed = "the given value" if is_hidden(path) else str(value)

    single = panel.run(KINDS[plural].module, **item)
    bulk = panel.run("panel_resources", resources={plural: [item]})

    messages = []
    for result in (single, bulk):
        about = result["msg"].partition(f"{format_path(path)}: ")[2]
        assert result["failed"], result
        assert about.startswith(displayed), result
        assert "in quotes" in about, result
        messages.append(about.partition("in quotes")[0])

    assert messages[0] == messages[1]
    assert panel.log == []


@pytest.mark.parametrize("plural", KINDS)
def test_null_is_an_option_that_is_omitted(panel: InMemory, plural: str) -> None:
    for path in OPTIONS[plural]:
        item = make_item(plural, path, None)
        bulk = panel.run("panel_resources", check_mode=True, resources={plural: [item]})
        single = panel.run(KINDS[plural].module, check_mode=True, **item)
        assert "in quotes" not in str((bulk.get("msg"), single.get("msg"))), path


MARK = "markofavalue"


def write_yaml(value: Any, spelling: str) -> str:
    """YAML in which the marked value is written as the word."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, allow_unicode=True)
    return text.strip().replace(MARK, spelling)


@pytest.mark.long
@pytest.mark.parametrize("spelling", WORDS)
@pytest.mark.parametrize("plural", KINDS)
def test_a_folder_counts_as_it_is_written_and_names_a_switch_as_it_is_written(
    plural: str, spelling: str, tmp_path: Path
) -> None:
    text = WORDS[spelling][0]
    for path in OPTIONS[plural]:
        item = make_item(plural, path, MARK)
        (tmp_path / "all.yml").write_text(
            f"{plural}:\n  - {write_yaml(item, text)}\n", encoding="utf-8"
        )
        if spelling not in SWITCHES:
            (read,) = read_folder(tmp_path, VAULT).resources[plural]
            assert read == make_item(plural, path, text)
            assert not [
                problem
                for problem in read_items({plural: [read]}).mistakes
                if "in quotes" in problem.cause
            ]
            continue
        with pytest.raises(FolderError) as caught:
            read_folder(tmp_path, VAULT)
        displayed = "the given value" if is_hidden(path) else text
        assert f"all.yml: line 2: {plural} " in str(caught.value)
        assert (
            f"{format_path(path)}: {displayed} is not accepted; YAML reads yes, no, on and off"
            in str(caught.value)
        )


@pytest.mark.long
@pytest.mark.parametrize("spelling", WORDS)
@pytest.mark.parametrize("plural", ["clients", "plans", *LISTS])
def test_files_of_customers_count_as_they_are_written(
    plural: str, spelling: str, tmp_path: Path
) -> None:
    text = WORDS[spelling][0]
    file = tmp_path / "acme.yml"
    for path in OPTIONS[plural]:
        position: tuple[Any, ...] = (plural, 0) if plural in LISTS else (plural[:-1],)
        item = make_item(plural, path, MARK)
        customer = {
            "client": {"username": "acme"},
            position[0]: [item] if plural in LISTS else item,
        }
        file.write_text(write_yaml(customer, text), encoding="utf-8")
        read = read_customers(str(file), VAULT)
        assert read.customers == [json.loads(json.dumps(customer).replace(MARK, text))]
        messages = [format_message(mistake) for mistake in read.mistakes]
        quotes = [message for message in messages if "in quotes" in message]
        displayed = "the given value" if is_hidden(path) else text
        message = f": {format_path((*position, *path))}: {displayed} is not accepted;"
        assert [message in quote for quote in quotes] == ([True] if spelling in SWITCHES else []), (
            path,
            quotes,
        )


@pytest.mark.parametrize("spelling", WORDS)
def test_the_hosting_plan_of_a_customer_counts_as_it_is_written(
    spelling: str, tmp_path: Path
) -> None:
    file = tmp_path / "acme.yml"
    file.write_text(f"client: {{username: acme}}\nhosting_plan: {WORDS[spelling][0]}\n")

    read = read_customers(str(file), VAULT)

    assert read.customers[0]["hosting_plan"] == WORDS[spelling][0]
    assert bool(read.mistakes) == (spelling in SWITCHES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("8.5", 8.5),
        ("8.10", "8.10"),
        ("0123", "0123"),
        ("12:30", "12:30"),
        ("true", True),
        (".5", ".5"),
    ],
)
def test_a_field_of_extra_is_never_another_value(text: str, value: Any, tmp_path: Path) -> None:
    (tmp_path / "all.yml").write_text(f"clients: [{{username: acme, extra: {{colour: {text}}}}}]\n")
    assert read_folder(tmp_path, VAULT).resources["clients"][0]["extra"] == {"colour": value}


NUMBERS: list[tuple[str, dict[str, Any]]] = [
    ("emails", {"email": "info@acme.example", "max_size": 1073741824}),
    ("plans", {"name": "Business", "resources": {"disk_space": 10, "domains": 5}}),
    ("clients", {"username": "acme", "suspend_on": datetime.date(2027, 12, 31)}),
    (
        "scheduled_tasks",
        {"client": "acme", "description": "b", "schedule": {"minute": 5, "hour": 0}},
    ),
    (
        "dns",
        {
            "domain": "acme.example",
            "records": [{"host": "www", "type": "A", "ttl": 300, "value": "192.0.2.1"}],
        },
    ),
    ("dns", {"domain": "acme.example", "soa": {"ttl": 300, "refresh": 7200}}),
]


@pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])
@pytest.mark.parametrize(("plural", "item"), NUMBERS)
def test_sizes_counts_schedules_and_dates_take_numbers_and_dates(
    plural: str, item: dict[str, Any], in_bulk: bool
) -> None:
    module = "panel_resources" if in_bulk else KINDS[plural].module
    options = {"resources": {plural: [item]}} if in_bulk else item

    result = InMemory(SEED).run(module, check_mode=True, **options)

    assert "in quotes" not in str(result.get("msg", ""))
    assert "not accepted" not in str(result.get("msg", ""))


DATE = datetime.date(2026, 12, 31)
NAMING: list[tuple[str, dict[str, Any], str]] = [
    ("panel_client_info", {"username": 83}, "username: 83 is a number"),
    ("panel_domain_info", {"domain": 83}, "domain: 83 is a number"),
    ("panel_dns_info", {"domain": 83}, "domain: 83 is a number"),
    ("panel_login_info", {"username": 83}, "username: 83 is a number"),
    ("panel_resources_info", {"clients": ["acme", 83]}, "clients[1]: 83 is a number"),
    ("panel_archive", {"username": 83, "dir": "/dev/null/x"}, "username: 83 is a number"),
    ("panel_export", {"clients": [83], "dir": "/dev/null/x"}, "clients[0]: 83 is a number"),
    (
        "panel_directory_protection_info",
        {"client": 83, "path": "/x", "username": "u"},
        "client: 83 is a number",
    ),
    ("panel_client_info", {"username": DATE}, "username: 2026-12-31 is a date"),
    ("panel_login_info", {"username": DATE}, "username: 2026-12-31 is a date"),
    ("panel_resources_info", {"clients": ["acme", DATE]}, "clients[1]: 2026-12-31 is a date"),
    ("panel_resources_info", {"clients": DATE}, "clients: 2026-12-31 is a date"),
    ("panel_archive", {"username": DATE, "dir": "/dev/null/x"}, "username: 2026-12-31 is a date"),
    ("panel_export", {"clients": [DATE], "dir": "/dev/null/x"}, "clients[0]: 2026-12-31 is a date"),
    (
        "panel_resources",
        {"resources": {}, "protect": {"clients": ["acme", DATE]}},
        "protect.clients[1]: 2026-12-31 is a date",
    ),
]


@pytest.mark.parametrize(("module", "options", "message"), NAMING)
def test_what_else_names_an_object_takes_no_number_and_no_date(
    module: str, options: dict[str, Any], message: str
) -> None:
    panel = InMemory(SEED)
    result = panel.run(module, **options)

    assert result["failed"]
    assert result["msg"].startswith(message)
    assert "in quotes" in result["msg"]
    assert panel.log == []


def test_what_takes_a_date_still_takes_one() -> None:
    task = {"resources": {"clients": [{"username": "acme", "suspend_on": DATE}]}}
    result = InMemory(SEED).run("panel_resources", check_mode=True, **task)

    assert not result.get("failed")
