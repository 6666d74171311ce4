"""How an export reads to a person, and that it says the same to a program."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import text_of

HEADER = "# hosting.panel.export: edit this and run hosting.panel.apply; another export overwrites it.\n---\n"
PEM = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"


class Loader(yaml.SafeLoader):
    """Reads what Ansible would take as a text that it does not evaluate."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def read(text: str) -> Any:
    return yaml.load(text, Loader=Loader)


def body(resources: dict[str, Any]) -> str:
    text = text_of(resources)
    assert text.startswith(HEADER)
    return text.removeprefix(HEADER)


def test_a_file_reads_as_a_person_would_write_it() -> None:
    resources = {
        "plans": [{"name": "Business", "resources": {"disk_space": 10737418240, "traffic": -1, "domains": 1024}}],
        "emails": [],
        "certificates": [{"name": "one", "client": "", "components": {"certificate": PEM}}],
        "domains": [{"domain": "xn--mller-kva.example", "delete_on": "2031-01-01", "php_version": "8.3"}],
        "dns": [{"domain": "xn--mller-kva.example", "records": [{"host": "@", "type": "TXT", "ttl": 60, "value": "v=spf1 " + "x" * 200}]}],
    }  # fmt: skip
    assert body(resources) == (
        "plans:\n"
        "  - name: Business\n"
        "    resources:\n"
        "      disk_space: 10G\n"
        "      traffic: -1\n"
        "      domains: 1024\n"
        "certificates:\n"
        "  - name: one\n"
        "    client: ''\n"
        "    components:\n"
        "      certificate: |\n"
        "        -----BEGIN CERTIFICATE-----\n"
        "        MAIFAA==\n"
        "        -----END CERTIFICATE-----\n"
        "domains:\n"
        "  - domain: müller.example\n"
        "    delete_on: '2031-01-01'\n"
        "    php_version: '8.3'\n"
        "dns:\n"
        "  - domain: müller.example\n"
        "    records:\n"
        f"      - {{host: '@', type: TXT, ttl: 60, value: v=spf1 {'x' * 200}}}\n"
    )


SIZES = {1073741824: "1G", 734003200: "700M", 1536: 1536, 0: 0, -1: -1, 1024**6: "1024P", "2G": "2G"}
NAMES = {
    "shop.xn--mller-kva.example": "shop.müller.example",
    "xn--mller-kva.example": "müller.example",
    "xn--MLLER-kva.example": "xn--MLLER-kva.example",  # not as the panel writes it
    "xn--a.example": "xn--a.example",  # no punycode
    "xn--ls8h.example": "xn--ls8h.example",  # an emoji, which names of domains may not have
}


def test_bytes_have_a_unit_where_that_is_the_same_and_domains_the_letters_of_their_language() -> None:
    emails = [{"email": f"info@{name}", "aliases": [f"a@{name}"]} for name in NAMES]
    found = read(text_of({"emails": [*emails, *({"email": "a@b.example", "max_size": size} for size in SIZES)]}))[
        "emails"
    ]
    assert found[: len(NAMES)] == [{"email": f"info@{name}", "aliases": [f"a@{name}"]} for name in NAMES.values()]
    assert [one["max_size"] for one in found[len(NAMES) :]] == list(SIZES.values())


@pytest.mark.parametrize("text", ["{{ lookup('pipe', 'id') }}", "a\n{% if x %}\n", "{# no #}"])
def test_what_looks_like_a_template_is_marked_as_none(text: str) -> None:
    written = text_of({"clients": [{"username": "acme", "notes": text}]})
    assert "notes: !unsafe " in written
    assert read(written)["clients"][0]["notes"] == text


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@given(texts)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    resources = {"clients": [{"username": "acme", "notes": text, "contact_data": {"address": text}}]}
    assert read(text_of(resources)) == resources
    assert text_of(resources) == text_of(resources)


@given(st.lists(st.tuples(texts, texts), max_size=4))
def test_every_record_comes_back_as_it_was(found: list[tuple[str, str]]) -> None:
    records = [{"host": host, "type": "TXT", "ttl": 60, "value": value} for host, value in found]
    assert read(text_of({"dns": [{"domain": "a.example", "records": records}]}))["dns"][0]["records"] == records
