"""Names, paths, certificates and commands of another panel."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from ansible_collections.hosting.panel.plugins.module_utils._values.pem import read_blocks
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    Secret,
    reveal,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.certificates import (
    find_problem,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.naming.command_names import (
    is_plain_address,
    is_plain_command,
    name_address,
    name_command,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.naming.paths import (
    find_path,
    find_path_below_www,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.naming.usernames import (
    choose_usernames,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Certificate,
    CronJob,
    Customer,
    Limits,
    Origin,
    PathPrefix,
    Plan,
    Source,
)
from tests.support import pem

_PREFIXES = (PathPrefix("/srv/a", "/www"), PathPrefix("/srv/a/site", "/www/site.example"))


def _choose(names: list[str], asked: dict[str, str]) -> dict[str, str]:
    customers = [
        Customer(Origin("client", str(number)), name, "", Limits())
        for number, name in enumerate(names)
    ]
    return dict(choose_usernames(customers, asked).by_old_name)


@pytest.mark.parametrize(
    ("names", "asked", "expected"),
    [
        (["acme"], {}, ["acme"]),
        (["Acme", "acme"], {}, ["acme-2", "acme"]),
        (["ACME", "Acme"], {}, ["acme", "acme-2"]),
        (["Größe & Co"], {}, ["gr--e---co"]),
        (["_x", "..."], {}, ["x", "client"]),
        (["x" * 70, "x" * 71], {}, ["x" * 64, "x" * 62 + "-2"]),
        (["web1", "acme"], {"web1": "acme"}, ["acme", "acme-2"]),
    ],
)
def test_usernames_are_such_as_the_panel_takes(
    names: list[str], asked: dict[str, str], expected: list[str]
) -> None:
    assert list(_choose(names, asked).values()) == expected


@pytest.mark.parametrize(
    ("path", "asked", "expected"),
    [
        ("/srv/a", {}, "/www"),
        ("/srv/a/shop/", {}, "/www/shop"),
        ("/srv/a/site/web", {}, "/www/site.example/web"),
        ("/srv/a/site/web", {"/srv/a/site/web": "/files/x"}, "/files/x"),
        ("/srv/a/site", {"/srv": "/files"}, "/www/site.example"),
        ("/srv/ab", {}, None),
        ("/home/else", {"/home": "www/else"}, "/www/else/else"),
        ("/srv/a/../b", {}, None),
        ("srv/a", {}, None),
        ("", {"/": "/files"}, None),
    ],
)
def test_the_longest_prefix_of_a_path_wins(
    path: str, asked: dict[str, str], expected: str | None
) -> None:
    assert find_path(path, _PREFIXES, asked) == expected


def test_a_path_below_www_is_relative_to_it() -> None:
    assert find_path_below_www("/srv/a", _PREFIXES, {}) == "/"
    assert find_path_below_www("/srv/a/x", _PREFIXES, {}) == "/x"
    assert find_path_below_www("/srv/a/x", (), {"/srv": "/files"}) is None


def test_a_plan_that_is_renamed_says_whether_its_name_or_its_limits_are_taken() -> None:
    small = Limits(domains=1)
    large = Limits(domains=9)
    source = Source(
        customers=(
            Customer(Origin("client", "1"), "anna", "", small, plan="Web Large"),
            Customer(Origin("client", "2"), "bert", "", large, plan="Web Large"),
        ),
        plans=(
            Plan(Origin("template", "1"), "Web Large", small),
            Plan(Origin("template", "2"), "Web Large", large),
            # Its name is the beginning of another one, which is no reason.
            Plan(Origin("template", "3"), "Web", small),
        ),
    )

    mapped = map_source(source, read_mapping(None))

    renamed = {(entry["from"], entry["to"]): entry["why"] for entry in mapped.renamed}
    assert renamed == {
        ("Web Large", "Web Large 2"): "Another hosting plan has the same name.",
        ("Web", "Web Large"): (
            "It has the same limits as Web Large, and equal limits are one hosting plan."
        ),
    }


KEY_OF_CERTIFICATE = ec.generate_private_key(ec.SECP256R1())
PRIVATE_KEY = pem.encode_key(KEY_OF_CERTIFICATE).decode()
CERTIFICATE = pem.make_self_signed_certificate(KEY_OF_CERTIFICATE, "acme.example", days=9).decode()
WRONG_PAIRS = {
    "another key": (CERTIFICATE, pem.encode_key(ec.generate_private_key(ec.SECP256R1())).decode()),
    "no key": (CERTIFICATE, ""),
    "no text of a key": (CERTIFICATE, "junk"),
    "the certificate as its key": (CERTIFICATE, CERTIFICATE),
    "no text of a certificate": ("junk", PRIVATE_KEY),
}


def test_a_certificate_with_its_key_has_no_problem() -> None:
    assert find_problem(Certificate(Origin("ssl", "1"), CERTIFICATE, PRIVATE_KEY)) == ""


@pytest.mark.parametrize(("certificate", "key"), WRONG_PAIRS.values(), ids=WRONG_PAIRS)
def test_a_certificate_needs_the_key_that_belongs_to_it(certificate: str, key: str) -> None:
    assert find_problem(Certificate(Origin("ssl", "1"), certificate, key)) != ""


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(["one.certificate", "one.private_key"]),
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4
    ),
)
@pytest.mark.filterwarnings("ignore:Parsed a")
def test_a_certificate_of_changed_bytes_ends_no_import(
    name: str, changes: list[tuple[float, int]]
) -> None:
    texts = dict(pem.make_texts())
    (block,) = read_blocks(texts[name])
    content = bytearray(block.content)
    for position, byte in changes:
        content[int(position * len(content))] = byte
    encoded = base64.encodebytes(bytes(content)).decode()
    lines = texts[name].splitlines()
    texts[name] = f"{lines[0]}\n{encoded}{lines[-1]}\n"

    reason = find_problem(
        Certificate(Origin("ssl", "1"), texts["one.certificate"], texts["one.private_key"])
    )

    assert reason == "" or reason.endswith(".")


@pytest.mark.parametrize(
    "command",
    [
        "curl -su admin:Geheim99 https://acme.example/",
        "curl -sSu admin:Geheim99 https://acme.example/",
        "curl -s --user 'admin:Geheim99' https://acme.example/",
        "curl --proxy-user a:Geheim99 https://acme.example/",
        "curl -H 'X-Api-Key: Geheim99' https://acme.example/",
        "curl -s https://anna:Geheim99@acme.example/x",
        "curl https://acme.example/cron/Geheim99",
        "wget -q https://acme.example/?Geheim99",
        "mongodump -p Geheim99",
        "redis-cli -a Geheim99 save",
        "ldapsearch -w Geheim99",
        "mysqldump -uroot -pGeheim99 acme | gzip > /x",
        "MYSQL_PWD=Geheim99 mysqldump acme",
        "PW='a Geheim99 b' backup",
        "PW=a\\ Geheim99 backup",
        "PW=$(cat Geheim99 x) backup",
        "PW=(a Geheim99 b) backup",
        "'Geheim99' x",
        "ftp://anna:Geheim99@acme.example/x",
        "unknown-tool Geheim99",
        "cd /x && unknown-tool Geheim99",
        "true\nunknown-tool Geheim99",
    ],
)
@pytest.mark.parametrize("schedule", ["* * * * *", "@reboot"])
def test_no_text_of_an_import_shows_an_argument_of_a_command(command: str, schedule: str) -> None:
    mapped = map_source(
        make_source(CronJob(Origin("cron", "1"), "anna", schedule, command)), read_mapping(None)
    )

    assert "Geheim99" not in repr(mapped)
    tasks = mapped.resources["anna"].get("scheduled_tasks", [])
    assert all(isinstance(task["command"], Secret) for task in tasks)
    assert len(tasks) == (schedule != "@reboot")


@pytest.mark.parametrize(
    "address",
    [
        "https://anna:Geheim99@acme.example/x",
        "https://anna:12/Geheim99@acme.example/x",
        "https://anna:1?Geheim99@acme.example/x",
        "https://anna:1@Geheim99@acme.example/x",
        "https://acme.example/cron.php?user=1&password=Geheim99",
        "https://acme.example/cron/Geheim99",
        "https://acme.example#Geheim99",
        "https://acme.example/?a@Geheim99",
        "ftp://anna:Geheim99@acme.example/x",
        "Geheim99",
        "https://Geheim99 x",
    ],
)
def test_no_text_of_an_import_shows_more_than_the_host_of_an_address(address: str) -> None:
    job = CronJob(Origin("cron", "1"), "anna", "* * * * *", address, is_url=True)

    mapped = map_source(make_source(job), read_mapping(None))

    assert "Geheim99" not in repr(mapped)
    rows = [entry["source"] for entry in (*mapped.carried, *mapped.left_out)]
    assert rows.count("cron:1") == 1


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/bin/true", "true"),
        ("A=1 B=/x php -f /x/cron.php", "php"),
        ("/home/anna/backup.sh --all", "backup.sh"),
        ("/home/anna/", "task"),
        ("", "task"),
        ("A=1", "task"),
        ("a" * 1000, "a" * 60),
    ],
)
def test_a_command_is_named_by_its_program(command: str, name: str) -> None:
    assert name_command(command) == name


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://acme.example", "https://acme.example"),
        ("http://acme.example:8080/", "http://acme.example:8080/"),
        ("https://acme.example/cron.php", "https://acme.example …"),
        ("https://acme.example?a=1", "https://acme.example …"),
        ("https://u:p@acme.example/cron", "https://…@acme.example …"),
        ("https://acme.example/?mail=a@b.example", "https://…"),
    ],
)
def test_an_address_is_named_by_its_host(address: str, name: str) -> None:
    assert name_address(address) == name


def test_a_plan_shows_the_name_of_a_task_whose_address_is_a_secret() -> None:
    address = "https://acme.example/geheim/cron"
    name = f"anna:{name_address(address)}"

    assert Secrets([address]).mask(name) == name


@pytest.mark.parametrize(
    "command",
    [
        "/bin/true",
        "/home/anna/backup.sh",
        "/usr/bin/php8.2 -q /var/www/clients/client1/web12/web/wp-cron.php >/dev/null 2>&1",
        "php -f /www/acme.example/cron.php",
        "wget -q -O /dev/null https://acme.example:8080/wp-cron.php",
        "curl -s https://acme.example",
    ],
)
def test_a_command_without_a_place_for_a_password_is_read_by_a_reviewer(command: str) -> None:
    job = CronJob(Origin("cron", "1"), "anna", "* * * * *", command)

    mapped = map_source(make_source(job), read_mapping(None))

    (task,) = mapped.resources["anna"]["scheduled_tasks"]
    assert task["command"] in command


@pytest.mark.parametrize(
    "command",
    [
        "php /www/cron.php geheim",
        "php -p /geheim",
        "php -fgeheim /www/cron.php",
        "php /www/8f14e45fceea167a.php",
        "php /www/Geheim.php",
        "php /www/6a1f0d9e-3b7c-4e55-9a0d-1c2b3d4e5f60.php",
        "A=geheim php /www/cron.php",
        "php /www/cron.php\n/bin/true",
        "php /www/cron.php; /bin/true",
        "php /www/cron.php >/www/out.txt",
        "php www/cron.php",
        "",
    ],
)
def test_what_may_be_a_password_makes_a_command_a_secret(command: str) -> None:
    assert not is_plain_command(command)


@pytest.mark.parametrize(
    "address",
    [
        "https://anna:geheim@acme.example/cron.php",
        "https://acme.example/geheim/cron.php",
        "https://acme.example/geheim",
        "https://acme.example/cron.php?geheim",
        "https://acme.example/cron.php#geheim",
        "https://acme.example/8f14e45fceea.php",
        "https://acme.example/cron.php\n",
        "ftp://acme.example/cron.php",
    ],
)
def test_what_may_be_a_key_makes_an_address_a_secret(address: str) -> None:
    assert not is_plain_address(address)


def make_source(job: CronJob) -> Source:
    """Return a source with one customer and a job."""
    return Source(
        customers=(Customer(Origin("client", "1"), "anna", "", Limits()),), cron_jobs=(job,)
    )


@pytest.mark.parametrize(
    ("mapping", "option"),
    [
        ([], "mapping"),
        ({"adresses": {}}, "mapping.adresses"),
        ({"addresses": {"192.0.2.1": "nowhere"}}, "mapping.addresses.192.0.2.1"),
        ({"addresses": {"192.0.2.1": "2001:db8::1"}}, "mapping.addresses.192.0.2.1"),
        ({"usernames": {"a": "Upper"}}, "mapping.usernames.a"),
        ({"paths": {"relative": "/www"}}, "mapping.paths.relative"),
        ({"paths": {"/srv": "/www/../x"}}, "mapping.paths./srv"),
        ({"mailbox_size": "much"}, "mapping.mailbox_size"),
        ({"skip": "dns"}, "mapping.skip"),
        ({"skip": ["zones"]}, "mapping.skip"),
        ({"languages": ["de"]}, "mapping.languages"),
    ],
)
def test_a_wrong_mapping_is_an_error_that_names_the_place(mapping: Any, option: str) -> None:
    with pytest.raises(OptionError) as error:
        read_mapping(mapping)
    assert error.value.problems[0].option == option


@pytest.mark.parametrize(
    ("command", "fetched"),
    [
        ("wget https://a.example/cron.php", "https://a.example/cron.php"),
        ("/usr/bin/wget -q -O /dev/null https://a.example/", "https://a.example/"),
        (
            "curl -fsS -o - 'https://a.example/?a=1&b=2' >/dev/null 2>&1",
            "https://a.example/?a=1&b=2",
        ),
        ("wget -O /home/a/backup.zip https://a.example/", None),
        ("wget -O", None),
        ("wget --header x https://a.example/", None),
        ("wget https://a.example/ https://b.example/", None),
        ("wget https://a.example/ && rm -r x", None),
        ("wget https://a.example/?$(id)", None),
        ("wget 'https://a.example/", None),
        ("wget ftp://a.example/", None),
        ("php cron.php", None),
    ],
)
def test_a_task_fetches_an_address_only_where_its_command_does_nothing_else(
    command: str, fetched: str | None
) -> None:
    job = CronJob(Origin("cron", "1"), "anna", "* * * * *", command)

    (task,) = map_source(make_source(job), read_mapping(None)).resources["anna"]["scheduled_tasks"]

    assert task["type"] == ("exec" if fetched is None else "http")
    assert reveal(task["command"]) == (fetched or job.command)


@pytest.mark.parametrize(
    ("system_user", "usernames", "owners"),
    [
        ("web12", {}, [("anna", "web12")]),
        ("web12", {"anna": "acme"}, [("acme", "web12")]),
        ("", {"anna": "acme"}, [("acme", "anna")]),
        ("", {}, [("anna", None)]),
        ("root", {"anna": "acme"}, []),
    ],
)
def test_a_tree_is_read_as_the_user_to_whom_it_belongs_at_the_source(
    system_user: str, usernames: dict[str, str], owners: list[tuple[str, str | None]]
) -> None:
    paths = (PathPrefix("/srv/anna", "/www", system_user),)
    customer = Customer(Origin("client", "1"), "anna", "", Limits(), paths=paths)

    mapped = map_source(Source(customers=(customer,)), read_mapping({"usernames": usernames}))

    trees = mapped.content["trees"]
    assert [(tree["owner"], tree.get("source_owner")) for tree in trees] == owners


@pytest.mark.parametrize("excluded", [(), ("/log",)])
def test_what_is_not_the_customers_is_excluded_from_a_tree(excluded: tuple[str, ...]) -> None:
    paths = (PathPrefix("/srv/anna", "/www", excluded=excluded),)
    customer = Customer(Origin("client", "1"), "anna", "", Limits(), paths=paths)

    mapped = map_source(Source(customers=(customer,)), read_mapping({}))

    (tree,) = mapped.content["trees"]
    assert tree.get("exclude", []) == [*excluded]
