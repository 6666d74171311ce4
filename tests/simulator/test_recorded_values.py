# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of requests and answers is written down, and what becomes a pseudonym of which form."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from panel_simulator.recording.exchanges import Exchange, Recorded
from panel_simulator.recording.forms import GONE, SECRET
from panel_simulator.recording.members import without_data
from panel_simulator.recording.pseudonyms import Pseudonyms
from panel_simulator.recording.targets import target_without_data


def shown(*values: Any) -> list[Any]:
    """Values of one conversation, without data."""
    to = Pseudonyms()
    return [without_data(value, to) for value in values]


KEPT: list[Any] = [
    {"status": 3},
    {"is_suspended": True, "suspend_on": None, "notes": ""},
    {"code": "401 Unauthorized"},
    {"php_fpm": {"pm": "dynamic", "max_requests": 0}, "type": "http"},
    {"response": "pong"},
    {"meta": {"panel_version": "26.0", "panel_build": 3510}},
    {"records": {"soa": {"ttl": 86400}, "other": [{"host": "@", "ttl": 300, "type": "CAA", "value": "0 issue"}]}},
    {"records": {"other": [{"host": "_dmarc", "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}]}},
    {"target": {"target": "/", "forwarding_type": "302"}, "id_parent_domain": 0, "domains": -1},
    {"language": "pt-BR", "delete_on": "0000-00-00"},
    [[], {}, None, "true", "1", 0],
]


@pytest.mark.parametrize("value", KEPT, ids=json.dumps)
def test_what_is_the_interfaces_own_stays(value: Any) -> None:
    assert shown(value) == [value]


def pem(label: str, said: str) -> str:
    return f"-----BEGIN {label}-----\n{base64.b64encode(said.encode()).decode()}\n-----END {label}-----\n"


FORMS: dict[str, tuple[Any, Any]] = {
    "a name": ({"username": "acme"}, {"username": "name1"}),
    "its words": ({"database_name": "acme_shop-2"}, {"database_name": "name1_name2-1001"}),
    "great letters": ({"name": "Business PLUS mIx"}, {"name": "Name1 NAME2 nAme3"}),
    "a name letter by letter": ({"username": "a-c-m-e"}, {"username": "text1"}),
    "many words": ({"username": "a1.b2.c3.d4.e5.f6.g7.h8.i9.j1.k2"}, {"username": "text1"}),
    "a domain": ({"domain": "www.acme.example"}, {"domain": "www.name1.name2"}),
    "an address": ({"email": "a.b@acme.example"}, {"email": "name1.name2@name3.name4"}),
    "a catch-all": ({"aliases": ["@acme.example"]}, {"aliases": ["@name1.name2"]}),
    "punycode": ([{"domain": "xn--mller-kva.de"}, {"domain_utf8": "müller.de"}], [{"domain": "xn--nme1-loa.name2"}, {"domain_utf8": "näme1.name2"}]),
    "a directory": ({"target": {"target": "/acme.example/www/"}}, {"target": {"target": "/name1.name2/www/"}}),
    "a URL": ({"url": "https://u:p@panel.acme.example:9999/in?token=x"}, {"url": "https://name1.name2.name3:8443/name4?text1"}),
    "a text": ({"notes": "Call Eva\nat 5"}, {"notes": "Text 1"}),
    "a text in small letters": ({"notes": "call eva at 5\n"}, {"notes": "text 1\n"}),
    "IP addresses": ({"ip_addresses": ["203.0.113.7", "2a00::7", "127.0.0.1"]}, {"ip_addresses": ["198.18.0.1", "2001:db8::1", "127.0.0.1"]}),
    "a secret": ({"password": "p", "password_hash": "", "apiKey": {"x": [5, "y", True]}},
                 {"password": SECRET, "password_hash": "", "nAme1": {"name2": [0, SECRET, True]}}),
    "a version": ({"php_version": "8.2"}, {"php_version": "9.1"}),
    "numbers": ({"max_size": 2048, "port": 25, "x": 2.5}, {"max_size": 2**40, "port": 1002, "name1": 1.5}),
    "a number as text": ({"max_children": "25", "zip": "07"}, {"max_children": "1001", "zip": "01002"}),
    "a country": ({"contact_data": {"country": "DE"}}, {"contact_data": {"country": "XA"}}),
    "a schedule": ({"schedule": {"minute": "*/5", "hour": "3-7", "month": "*"}}, {"schedule": {"minute": "*/2", "hour": "3-4", "month": "*"}}),
    "a message": ({"message": "username: The username acme is already in use."}, {"message": f"username: The username {GONE} is already in use."}),
    "a message that quotes": ({"message": 'Value "in use" of acme.example <b>x</b>'}, {"message": f"Value {GONE} of {GONE}"}),
    "a message that names a member": ({"message": "contact_data.city: The City has maximum length."},
                                      {"message": f"contact_data.city: The {GONE} has maximum length."}),
    "a message with a domain of plain words": ({"message": "The domain hosting.it is used, not data.support, contact_data.it and Admin.page."},
                                               {"message": f"The domain {GONE} is used, not {GONE} and {GONE}"}),
    "a message with a name that is a plain word": ({"message": "The user Service is in use. Delete Support again."},
                                                   {"message": f"The user {GONE} is in use. Delete {GONE} again."}),
    "an unknown member of the interface's words": ({"spam_filter": "lenient", "colour_filter": 0}, {"spam_filter": "name3", "name1_name2": 0}),
    "a member of names that were seen": ([{"name": "spam"}, {"spam_filter": 0}], [{"name": "name1"}, {"name1_name2": 0}]),
    "an unknown member": ({"id": 0, "spam_filter": "lenient"}, {"id": 0, "spam_filter": "name1"}),
    "unknown members that are names": ({"env": {"host": "x", "mueller": "y", "id_mueller": 0}, "id": 0, "frau_schmidt": 0, "support": 1},
                                       {"name1": {"host": "name7", "name5": "name8", "name6_name5": 0}, "id": 0, "name2_name3": 0, "name4": 1}),
    "members that are data": ({"acme": {"in": 1}, "acme.example": 0}, {"name1": {"in": 1}, "name1.name2": 0}),
    "an unusual member": ({"id": 0, "acme.example": 1, "newColour": 0}, {"id": 0, "name1.name2": 1, "nAme3": 0}),
    "a certificate": ({"certificate": pem("CERTIFICATE", "ABC")}, {"certificate": pem("CERTIFICATE", "Text1 instead of the real one")}),
    "a private key": ({"components": pem("PRIVATE KEY", "ABC")}, {"components": pem("PRIVATE KEY", SECRET)}),
    "a member for a private key": ({"private_key": pem("CERTIFICATE", "ABC")}, {"private_key": pem("PRIVATE KEY", "secret")}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_value_becomes_a_pseudonym_of_its_form(form: str) -> None:
    given, expected = FORMS[form]

    assert shown(given) == [expected]


RECORDS: dict[str, tuple[str, str, str]] = {
    "MX": ("MX", "10 mail.acme.example.", "10 name1.name2.name3."),
    "SRV": ("SRV", "0 5 5061 sip", "0 5 1001 name1"),
    "A": ("A", "203.0.113.9", "198.18.0.1"),
    "CAA": ("CAA", '0 issue "ca.example"', '0 issue "text1"'),
    "text": ("TXT", "v=spf1 a mx ~all", "v=spf1 text 1"),
    "quoted text": ("TXT", '"v=spf1 a mx ~all"', '"v=spf1 text 1"'),
    "text in strings": ("TXT", '"some" "thing"', '"te" "xt1"'),
    "hash": ("TLSA", "3 0 20 " + "a7" * 20, "1001 0 20 " + b"name1".hex()),
}


@pytest.mark.parametrize("form", RECORDS)
def test_the_value_of_a_record_keeps_its_form(form: str) -> None:
    kind, value, expected = RECORDS[form]

    assert shown({"host": "@", "type": kind, "value": value}) == [{"host": "@", "type": kind, "value": expected}]


MOMENTS: list[tuple[list[str], list[str]]] = [
    (["2026-12-01", "2026-12-01T00:00:00+01:00", "2026-11-30T23:00:00+0000"],
     ["2030-01-05", "2030-01-05T00:00:00+01:00", "2030-01-04T23:00:00+0000"]),
    (["2026-11-22T14:23:11+01:00", "2026-11-22T13:23:11Z"], ["2030-01-05T13:00:02+01:00", "2030-01-05T12:00:02Z"]),
    (["2026-11-22 14:23:11", "2026-11-22", "2026-11-25"], ["2030-01-05 12:00:02", "2030-01-05", "2030-01-13"]),
    (["2026-11-22T14:23:11.123456+05:30"], ["2030-01-05T17:30:02.000000+05:30"]),
    (["2026-02-30"], ["1001-01002-1003"]),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), MOMENTS)
def test_of_a_date_the_form_and_the_offset_stay_and_which_days_and_moments_are_the_same(
    given: list[str], expected: list[str]
) -> None:
    assert [value["created_at"] for value in shown(*({"created_at": one} for one in given))] == expected


TARGETS = {
    "by name": ("/clients/name/acme", "/clients/name/name1"),
    "by id": ("/clients/0/resources?domains=true", "/clients/0/resources?domains=true"),
    "an encoded at": ("/emails/name/info%40acme.example", "/emails/name/name1%40name2.name3"),
    "a plain at": ("/emails/name/info@acme.example", "/emails/name/name1@name2.name3"),
    "blanks, slashes and percent": ("/hosting-plans/name/Aa%20bb%2fcc%25", "/hosting-plans/name/Name1%20name2%2fname3%25"),
    "a plus": ("/hosting-plans/name/Aa+b", "/hosting-plans/name/Name1+name2"),
    "a letter": ("/domains/name/m%C3%BCller.de", "/domains/name/n%C3%A4me1.name2"),
    "an unknown path": ("/customers/acme/", "/name1/name2/"),
    "a name like a word of paths": ("/clients/name/clients", "/clients/name/name1"),
    "a query": ("/clients?sort=username&order=asc&who=acme&month=2026-11&acme&x=a+b%20c",
                "/clients?sort=username&order=asc&name1=name2&month=2030-01&name2&name3=text%201"),
    "a secret": ("/login/name/a?token=t&page=", "/login/name/name1?name2=secret-that-was-not-recorded&page="),
}  # fmt: skip


@pytest.mark.parametrize("form", TARGETS)
def test_a_target_is_encoded_as_it_was_sent(form: str) -> None:
    sent, expected = TARGETS[form]

    assert target_without_data(f"/api/v2{sent}", Pseudonyms()) == f"/api/v2{expected}"


def test_the_same_name_is_the_same_in_paths_addresses_domains_and_bodies() -> None:
    to = Pseudonyms()
    body = without_data({"username": "acme", "email": "info@acme.example", "domain": "acme.example"}, to)

    assert body == {"username": "name1", "email": "name2@name1.name3", "domain": "name1.name3"}
    assert (
        target_without_data("/api/v2/emails/name/info%40acme.example", to) == "/api/v2/emails/name/name2%40name1.name3"
    )
    assert without_data({"host": "x", "type": "MX", "value": "10 ACME.example."}, to)["value"] == "10 NAME1.name3."
    assert without_data({"max_size": "1G"}, to) == {"max_size": "1024G"}
    assert without_data({"max_size": 2**30}, to) == {"max_size": 2**40}


def test_ids_keep_their_order_and_their_distances_and_zero_is_none() -> None:
    first, second, later, none = shown(*({"id": number} for number in (5, 7, 900000, 0)))

    assert (second["id"] - first["id"], none["id"]) == (2, 0)
    assert later["id"] == 2_000_001
    assert shown({"id_user": "5"}, {"id": 5})[0]["id_user"] != "5"
    to = Pseudonyms()
    number = without_data({"id": 5}, to)["id"]
    assert target_without_data("/api/v2/clients/5", to) == f"/api/v2/clients/{number}"
    assert without_data({"id_user": "5"}, to) == {"id_user": str(number)}


ANSWERS: dict[str, tuple[dict[str, str], bytes, dict[str, Any]]] = {
    "JSON": ({"Content-Type": "application/json; charset=UTF-8"}, b'{"id": 0}', {"type": "application/json; charset=utf-8", "json": {"id": 0}}),
    "JSON under a wrong type": ({"Content-Type": "text/html"}, b"[]", {"type": "text/html", "json": []}),
    "nothing": ({}, b"", {"type": None}),
    "an unknown type": ({"Content-Type": "application/acme"}, b"x", {"type": "other", "length": 1}),
    "a page": ({"Content-Type": "text/html"}, b"<title>503 Service Unavailable at acme</title>",
               {"type": "text/html", "length": 46, "title": f"{GONE} Service Unavailable {GONE}"}),
    "a warning ahead": ({"Content-Type": "application/json"}, b"<b>Warning</b> in /srv/acme\n{}", {"type": "application/json", "length": 30}),
    "headers": ({"Retry-After": "30", "Allow": "GET, PUT", "Server": "acme", "Set-Cookie": "a=b", "Location": "https://acme"}, b"",
                {"type": None, "headers": {"Retry-After": "30", "Allow": "GET, PUT"}}),
    "headers that are none": ({"Retry-After": "acme", "Allow": "ACME"}, b"", {"type": None}),
}  # fmt: skip


@pytest.mark.parametrize("form", ANSWERS)
def test_of_an_answer_the_status_the_type_and_what_is_no_data_stay(form: str) -> None:
    headers, body, expected = ANSWERS[form]
    exchange = Exchange("GET", "/api/v2/ping", "a-key", {}, b"", 200, headers, body)

    assert Recorded().entry(1, exchange)["answer"] == {"status": 200, "headers": {}, **expected}


def test_of_a_request_which_key_it_had_is_told_and_not_the_key() -> None:
    recorded = Recorded()
    entries = [
        recorded.entry(1, Exchange("BREW", "/api/v2/ping", key, {"Accept": "text/acme, */*;q=0.5"}))
        for key in ("a", "b", "", "a")
    ]

    assert [entry["request"]["key"] for entry in entries] == [1, 2, None, 1]
    assert entries[0]["request"] == {
        "method": "OTHER",
        "target": "/api/v2/ping",
        "key": 1,
        "accept": ["other", "*/*"],
        "type": None,
    }
    assert entries[0]["answer"] == {"status": None}
