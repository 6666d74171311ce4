# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing of a panel's customers, of its keys or of itself is in the file of a recorded conversation, in whatever form."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
import requests

from panel_simulator.recording.exchanges import Exchange, Recorded
from panel_simulator.recording.vocabulary import MEMBERS, SENTENCE
from panel_simulator.self_signed import make
from tests.support.module_process import ModuleServer, run_modules
from tests.support.recorded_panel import recorder
from tests.support.simulator import Simulator
from tests.support.tainted_panel import ECHOES, GENERATED, HEAD, SHAPES, UNTOLD, Marks, tainted_panel

ADDRESSES = ("203.0.113.77", "2001:db8:77:77::77", "203.0.113.78")
NUMBERS = (7364729, 9173645, 83746, 45454545)
# Shapes of answers that tasks do not wait after.
WITH_MODULES = ("whole JSON", "a page", "text", "400", "an echo, base64", "an echo, percent")
DAYS = ("2027-09-17", "2028-10-19")


def marked_seed(marks: Marks, certificate: str, key: str) -> dict[str, Any]:
    """One of each kind, every text of it with a mark of its own."""
    word, both = marks.word, marks.both
    client = word("username")
    domain = f"{word('domain')}.{word('top level')}"
    return {
        "hosting_plans": [{"name": both("plan"), "resources": {"disk_space": NUMBERS[0], "domains": NUMBERS[2]}}],
        "clients": [
            {
                "username": client,
                "email": f"{word('local')}@{word('mail host')}.example",
                "notes": f"{both('notes')}\nsecond line {word('second line')}",
                "hosting_plan": both("plan"),
                "password": marks.code("password"),
                "suspend_on": DAYS[0],
                "delete_on": DAYS[1],
                "contact_data": {
                    **{name: both(name) for name in ("first_name", "last_name", "company", "address", "city", "state")},
                    "telephone": f"+49 {NUMBERS[3]}",
                    "zip": f"0{NUMBERS[2]}",
                    "client_id": str(NUMBERS[1]),
                },
            }
        ],
        "admins": [{"username": word("admin"), "email": f"{word('admin mail')}@{domain}", "password": "x"}],
        "certificates": [
            {
                "name": both("certificate"),
                "client": client,
                "components": {"certificate": certificate, "private_key": key, "ca_certificate": certificate},
            }
        ],
        "domains": [
            {
                "domain": domain,
                "client": client,
                "create_www_subdomain": True,
                "target": {"target": f"/{word('directory')}/{marks.code('directory')}"},
                "apache": {"http_directives": f"Header {both('directive')}", "https_directives": both("directive")},
                "security": {"certificate": both("certificate")},
            },
            {
                "domain": f"{word('idn')}ä.example",
                "client": client,
                "target": {"target": f"https://{word('url')}.example/{word('url path')}?{word('url query')}=1"},
            },
        ],
        "dns": [
            {
                "domain": domain,
                "records": [
                    {"ttl": 83746, "host": "@", "type": "A", "value": ADDRESSES[0]},
                    {"ttl": 83746, "host": word("host"), "type": "AAAA", "value": ADDRESSES[1]},
                    {
                        "ttl": 83746,
                        "host": "_dmarc",
                        "type": "TXT",
                        "value": f"v=DMARC1; rua=mailto:{word('dmarc')}@x.example",
                    },
                    {"ttl": 83746, "host": "@", "type": "TXT", "value": f'"{both("text")}" "{word("chunk")}"'},
                    {"ttl": 83746, "host": "@", "type": "MX", "value": f"10 {word('mx')}.example."},
                    {"ttl": 83746, "host": "@", "type": "CAA", "value": f'0 issue "{word("authority")}.example"'},
                    {
                        "ttl": 83746,
                        "host": "_443._tcp",
                        "type": "TLSA",
                        "value": f"3 1 1 {word('tlsa').encode().hex()}{'a7' * 20}",
                    },
                ],
            }
        ],
        "emails": [
            {
                "email": f"{word('mailbox')}@{domain}",
                "max_size": NUMBERS[0],
                "description": both("description"),
                "aliases": [f"{word('alias')}.{word('alias two')}@{domain}"],
                "forwardings": [f"{word('forwarding')}@{word('elsewhere')}.example"],
                "password": marks.code("mailbox password"),
            }
        ],
        "databases": [
            {
                "database_name": f"{client}_{word('database')}",
                "database_username": marks.code("database user"),
                "client": client,
                "description": both("database description"),
                "remote_hosts": [ADDRESSES[2], f"{word('remote host')}.example", f"%.{word('wild')}.example"],
            }
        ],
        "ftp_users": [
            {
                "username": f"{client}_{word('ftp')}",
                "client": client,
                "description": both("ftp description"),
                "home_directory": f"/www/{word('home')}",
            }
        ],
        "directory_protections": [
            {
                "path": f"/www/{word('protected')}",
                "client": client,
                "auth_name": both("realm"),
                "username": marks.code("protection user"),
                "exceptions": [word("exception"), ADDRESSES[2]],
            }
        ],
        "scheduled_tasks": [
            {
                "client": client,
                "type": "exec",
                "command": f"/usr/bin/{word('program')} --key={marks.code('argument')} > /tmp/{word('log')}",
                "description": both("task"),
            }
        ],
    }


def forms_of(text: str) -> Iterator[str]:
    """How a text may be repeated, the shortest piece that is told from chance left out."""
    return (echo(text) for name, echo in ECHOES.items() if name != "cut")


@pytest.fixture
def marks() -> Marks:
    return Marks()


@pytest.fixture(scope="module")
def panel() -> Iterator[Simulator]:
    settings = {
        "hostname": f"{HEAD}server.{HEAD}hoster.example",
        "ip_addresses": list(ADDRESSES[:2]),
        "name_servers": [f"{HEAD}ns.example.", f"ns2.{HEAD}hoster.example."],
        "private_keys": "shown",
        "password_hashes": "written_and_shown",
        "status_delay": 0,
    }
    with Simulator.start(api_key=f"{HEAD}bozuko.{HEAD}kuzobo7x9", settings=settings, max_seconds=300) as running:
        yield running


PATHS = (
    "/ping", "/server", "/server?meta=true", "/clients?sort=username&order=desc", "/clients/3", "/hosting-plans", "/admins", "/certificates",
    "/certificates/1", "/domains?main_domains=true", "/domains/1", "/dns/1", "/emails", "/databases", "/ftp-users", "/directory-protections",
    "/scheduled-tasks", "/clients/3/resources", "/clients/3/stats", "/clients/3/traffic?month=2026-11", "/login/3",
)  # fmt: skip


def asked_oddly(marks: Marks) -> Iterator[tuple[str, str, dict[str, str], bytes]]:
    """Method, target, headers, body: what people and programs may send beside what modules do."""
    for name, echo in ECHOES.items():
        said = echo(marks.code(f"echo {name}"))
        kept = quote(said, safe="%$")
        yield "GET", f"/clients/name/{kept}", {}, b""
        yield "GET", f"/{kept}/{kept}?{kept}={kept}&page={kept}&{kept}", {}, b""
        yield "DELETE", f"/emails/name/{kept}%40{kept}.example", {}, b""
        yield "PUT", "/clients/999", {}, json.dumps({said: said, "notes": said, "x": {said: {said: [said]}}}).encode()
        yield "POST", "/clients", {}, f"username={said}&password={said}".encode()
        yield "POST", "/emails", {}, json.dumps([said, {"email": f"{said}@{said}"}]).encode()
        yield (
            "POST",
            "/domains",
            {},
            json.dumps({"domain": f"{said}.example", "delete_on": said, "status": said}).encode(),
        )
        yield (
            "PUT",
            "/dns/1",
            {},
            json.dumps(
                {"records": {"soa": {"ttl": said}, "other": [{"host": said, "type": said, "value": said, "ttl": said}]}}
            ).encode(),
        )
        yield (
            "POST",
            "/certificates",
            {},
            json.dumps(
                {
                    "name": said,
                    "components": {
                        "certificate": f"-----BEGIN CERTIFICATE-----\n{said}\n-----END CERTIFICATE-----",
                        "private_key": said,
                    },
                }
            ).encode(),
        )
    headers = {
        "X-Custom": marks.both("header"),
        "Cookie": marks.code("cookie"),
        "Authorization": f"Basic {marks.code('basic')}",
        "User-Agent": marks.both("agent"),
    }
    yield (
        "GET",
        "/ping",
        {**headers, "Accept": f"text/{marks.word('accept')}, application/json; v={marks.word('accept parameter')}"},
        b"",
    )
    yield "GET", "/ping", {"Accept": "text/yaml"}, b""
    yield "GET", "/clients", {"Accept": "application/xml"}, b""
    yield (
        "POST",
        "/clients",
        {"Content-Type": f"application/{marks.word('type')}; charset={marks.word('charset')}"},
        b"{}",
    )
    yield "POST", "/clients", {"X-API-Key": marks.code("wrong key")}, b"{}"
    yield marks.word("method").upper(), "/clients", {}, b""
    yield "POST", "/clients", {}, b'{"notes": "' + marks.code("cut").encode()
    yield "POST", "/clients", {}, ("[" * 400 + f'"{marks.code("deep")}"' + "]" * 400).encode()
    yield "POST", "/clients", {}, f'{{"{marks.word("same")}": NaN, "notes": "{marks.word("nan")}"}}'.encode()
    yield (
        "POST",
        "/clients",
        {},
        json.dumps(dict(zip(map(marks.word, map(str, range(40))), itertools.count(7364729), strict=False))).encode(),
    )


def tasks_of(marks: Marks, certificate: str, key: str) -> list[tuple[str, dict[str, Any]]]:
    """Tasks of real modules, every value of which has a mark."""
    word, both = marks.word, marks.both
    client = word("second client")
    domain = f"{word('second domain')}.example"
    return [
        ("panel_client", {"username": client, "password": marks.code("second password"), "email": f"{word('second mail')}@{domain}"}),
        ("panel_client", {"username": client, "notes": both("second notes")}),
        ("panel_domain", {"domain": domain, "client": client}),
        ("panel_email", {"email": f"{word('second box')}@{domain}", "password": marks.code("second box"), "max_size": "3G"}),
        ("panel_email", {"email": f"{word('third box')}@{domain}"}),
        ("panel_dns", {"domain": domain, "state": "present", "records": [{"host": word("record"), "type": "TXT", "value": both("record")}]}),
        ("panel_certificate", {"name": both("second certificate"), "client": client, "components": {"certificate": certificate, "private_key": key}}),
        ("panel_client_info", {}),
        ("panel_email_info", {"email": f"{word('nobody')}@{domain}"}),
        ("panel_login_info", {"username": client}),
        ("panel_domain", {"domain": domain, "state": "absent"}),
        ("panel_client", {"username": client, "state": "absent"}),
    ]  # fmt: skip


def test_nothing_that_a_panel_and_its_callers_say_is_in_the_file(
    panel: Simulator, marks: Marks, tmp_path: Path
) -> None:
    certificate, key = make(f"{marks.word('common name')}.example")
    panel.reset()
    panel.seed(marked_seed(marks, certificate, key))
    file = tmp_path / "conversation.jsonl"
    with recorder(file, panel.url, panel.api_key) as recording:
        for path in PATHS:
            assert recording.request("GET", path).status_code == 200, path
        connection = {"api_url": recording.url, "api_key": recording.api_key, "retry_time": 0}
        results = run_modules(
            (module, {**connection, **options}) for module, options in tasks_of(marks, certificate, key)
        )
        for method, target, headers, body in asked_oddly(marks):
            requests.request(
                method,
                recording.api_url + target,
                headers={"X-API-Key": panel.api_key, **headers},
                data=body,
                timeout=30,
            )
    text = file.read_text(encoding="utf-8")

    assert [result.get("msg") for result in results if result.get("failed")] == []
    assert len(text.splitlines()) > len(PATHS) + len(results) + 9 * len(ECHOES)
    assert_without_data(text, marks, [panel.api_key, certificate, key])
    kept = [one for one in (*ADDRESSES, *map(str, NUMBERS), *DAYS, DAYS[0][5:], DAYS[1][5:]) if one in text]
    assert kept == []


def assert_without_data(text: str, marks: Marks, more: list[str]) -> None:
    """Neither a mark nor one of these texts is in a file, in none of the ways in which one repeats a text, nor a piece of it."""
    said = {word for place in marks.places for word in (marks.word(place), marks.code(place))}
    said |= {line for one in more for line in one.splitlines() if not line.startswith("-----")}
    forms = {form for one in said for form in forms_of(one)}
    folded = text.casefold()
    pieces = {one[start : start + 6].casefold() for one in said for start in range(len(one) - 5)}

    assert marks.found_in(text) == {}
    assert [form for form in forms if form in text] == []
    assert [piece for piece in pieces if piece in folded] == []


@pytest.mark.parametrize("half", [0, 1])
def test_nothing_of_a_panel_that_marks_all_its_answers_is_in_the_file(
    panel: Simulator, half: int, tmp_path: Path
) -> None:
    panel.reset()
    panel.seed({"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]})
    file = tmp_path / "conversation.jsonl"
    options = {"retry_time": 0, "timeout": 5}
    shapes = list(SHAPES)[half::2]
    with (
        ModuleServer() as modules,
        tainted_panel(panel) as tainted,
        Simulator.start(
            api_key="", arguments=["--record", str(file), "--upstream", tainted.url], max_seconds=300
        ) as recording,
    ):
        connection = {"api_url": recording.url, "api_key": panel.api_key, **options}
        recording.api_key = panel.api_key
        for number, shape in enumerate(shapes):
            tainted.taint(shape, lambda _method: True)
            if shape in WITH_MODULES:
                modules.run("panel_client_info", connection)
                modules.run("panel_client", {**connection, "username": "acme", "password": GENERATED})
            for method, path, body in (
                ("GET", "/clients", None),
                ("GET", "/server", None),
                ("PUT", "/clients/2", {"password": GENERATED, "notes": UNTOLD}),
                ("POST", "/emails", {"email": f"{GENERATED}{number}@acme.example"}),
                ("GET", "/dns/1", None),
                ("DELETE", "/emails/77", None),
            ):
                try:
                    recording.request(method, path, body)
                except requests.ConnectionError:
                    assert shape == "headers"
        marks = tainted.marks
    text = file.read_text(encoding="utf-8")

    assert len(marks.places) > 20
    assert len(text.splitlines()) > 6 * len(shapes)
    assert_without_data(text, marks, [panel.api_key, GENERATED, UNTOLD])
    assert "zz_new" not in text, "a member that nobody knows may be the name of somebody"


def test_a_name_in_the_place_of_a_members_name_is_not_in_the_file(marks: Marks) -> None:
    word, recorded, entries = marks.word, Recorded(), []
    known = sorted(MEMBERS)
    for number, (member, other) in enumerate(zip(known, reversed(known), strict=True)):
        plain, joined = word(f"{member} name"), f"{member}_{word(f'{member} part')}"
        answers = [
            {member: 0, plain: 1, joined: 2},
            {member: {"id": 5, plain: {"id": 6, joined: 7, word("deep"): []}}, other: [{joined: 1, "id": 1}]},
            {"env": {"host": "x", plain: "y"}, plain.capitalize(): 1, "id": 0},
        ]
        for value in answers:
            body = json.dumps(value).encode()
            exchange = Exchange("PUT", "/api/v2/clients/5", "", {}, body, 200, {}, body)
            entries.append(recorded.entry(number, exchange))
    assert_without_data(json.dumps(entries), marks, [])


PLACES: dict[str, Callable[[str], Any]] = {
    "a message": lambda name: {"message": f"The domain {name} is used by {name}, {name.capitalize()}."},
    "a message that begins so": lambda name: {"message": f"{name}: is not allowed. {name.capitalize()} was deleted."},
    "a text": lambda name: {"notes": name, "description": f"see {name} and (www.{name})"},
    "names": lambda name: {"domain": name, "email": f"info@{name}", "target": {"target": f"https://{name}/in"}},
    "a name of a member": lambda name: {name: {"id": 0}, "id": 1},
    "a record": lambda name: {"host": name, "type": "MX", "value": f"10 {name}."},
}


@pytest.mark.parametrize("place", list(PLACES))
def test_a_domain_of_the_interfaces_own_words_is_not_in_the_file(place: str) -> None:
    plain = sorted(word for word in SENTENCE if word.isascii() and word.isalpha())
    # Each word once as a top level: many of them are one.
    for number, top in enumerate(plain):
        name = f"{plain[number * 7 % len(plain)]}.{top}"
        body = json.dumps(PLACES[place](name)).encode()
        page = f"<title>{name.title()} {name}</title>".encode()
        for content in (body, page):
            entry = Recorded().entry(1, Exchange("PUT", f"/api/v2/domains/name/{name}", "", {}, body, 200, {}, content))
            assert name not in json.dumps(entry).casefold()


# Texts that look like something of which a part may stay, with a mark in that part or beside it.
STRANGE = (
    "{}", "{}.{}", "{}@{}.example", "/{}/x", "https://{}:99999/{}", "http://[{}]/", "https://[::1%25{}]/{}", "xn--{}", "xn--{}-{}",
    '"{}" "{}', '"{}""{}"',
    "-----BEGIN CERTIFICATE-----{}-----END CERTIFICATE-----", "-----BEGIN {}-----\nx\n-----END {}-----", "2026-01-01T{}", "2026-01-01T00:00:00{}",
    "0001-01-01T00:30:01+14:00", "9999-12-31T23:59:59-12:00", "9999-12-31", "\u00b2\u00b3", "{}\u0301", "\u0661\u0662\u0663", "x IN TXT ( {} )",
    "\ud800{}",
    "%{}",
    "999999999999G", "--5", "::1%{}", "fe80::1%{}", "1.2.3.4/{}", "1.2.3.4/24", "0 issue {}", "v=spf1 {}", "{}._domainkey", "www.{}", "www{}",
    "text/{}; charset={}",
    "400 {}", "8.2.{}", "*/{}", "##DOCROOT##{}", "true {}", "name {} value", "0000-00-00 {}", "<DKIM_RECORD_VALUE>{}", "",
)  # fmt: skip
MEMBER_NAMES = (*sorted(MEMBERS), "foo_bar", "A b", "ä", "", "a.b", "pwd")


def strange_value(random: Random, marks: Marks, depth: int = 0) -> Any:
    """Something that JSON can say, of such texts and of numbers at the edges."""
    kind = random.randrange(10)
    if depth > 4 or kind < 5:
        return strange_text(random, marks)
    if kind == 5:
        return random.choice([True, None, 0, -1, 5, 10**30, -(10**20), 1.5, 1e308, 99_999, 100_000])
    if kind == 6:
        return [strange_value(random, marks, depth + 1) for _item in range(random.randrange(4))]
    names = [random.choice((*MEMBER_NAMES, strange_text(random, marks))) for _member in range(random.randrange(5))]
    return {name: strange_value(random, marks, depth + 1) for name in names}


def strange_text(random: Random, marks: Marks) -> str:
    mark = random.choice((marks.word, marks.code))(f"strange {random.randrange(9)}")
    return random.choice(STRANGE).replace("{}", mark)


@pytest.mark.parametrize("seed", range(3))
def test_no_part_of_a_strange_value_stays(marks: Marks, seed: int) -> None:
    random, recorded = Random(seed), Recorded()
    entries = []
    for number in range(700):
        text, more, *headers = (strange_text(random, marks) for _text in range(6))
        sent = quote(text.encode("utf-8", "replace"), safe=random.choice(("", "/@+%")))
        exchange = Exchange(
            "GET",
            f"/api/v2/{random.choice(('clients/name/', 'emails/', '', 'x/'))}{sent}?{sent}={sent}&month={sent}",
            more,
            {"Accept": headers[0], "Content-Type": headers[1]},
            json.dumps(strange_value(random, marks)).encode(),
            random.choice((200, 404)),
            {"Content-Type": headers[2], "Retry-After": headers[3], "Allow": more},
            random.choice((json.dumps(strange_value(random, marks)), f"<title>{text}</title>")).encode(
                "utf-8", "replace"
            ),
        )
        entries.append(recorded.entry(number, exchange))
    text = json.dumps(entries, ensure_ascii=False)

    assert_without_data(text, marks, [])
    assert len(set(re.findall(r"(?:name|text|näme)\d+", text))) > 30
