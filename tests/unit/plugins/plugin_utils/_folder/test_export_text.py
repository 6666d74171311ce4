"""How an export reads to a person, and that it says the same to a program."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import (
    dump_content,
    dump_resources,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.yaml_file import (
    Vaulted,
    read_yaml,
)

HEADER = "# hosting.panel.export: edit this and run hosting.panel.apply; another export overwrites it.\n---\n"
PEM = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"


class Loader(yaml.SafeLoader):
    """Reads what Ansible would take as a text that it does not evaluate."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def read(text: str) -> Any:
    """Return what a text in YAML means to Ansible."""
    return yaml.load(text, Loader=Loader)


def get_body(resources: dict[str, Any]) -> str:
    """Return the text of an export behind its header."""
    text = dump_resources(resources)
    assert text.startswith(HEADER)
    return text.removeprefix(HEADER)


def test_a_file_reads_as_a_person_would_write_it() -> None:
    resources = {
        "plans": [
            {
                "name": "Business",
                "resources": {"disk_space": 10737418240, "traffic": -1, "domains": 1024},
            }
        ],
        "emails": [],
        "certificates": [{"name": "one", "client": "", "components": {"certificate": PEM}}],
        "domains": [
            {"domain": "xn--mller-kva.example", "delete_on": "2031-01-01", "php_version": "8.3"}
        ],
        "dns": [
            {
                "domain": "xn--mller-kva.example",
                "records": [
                    {"host": "@", "type": "TXT", "ttl": 60, "value": "v=spf1 " + "x" * 200}
                ],
            }
        ],
    }

    assert get_body(resources) == (
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


SIZES = {
    1073741824: "1G",
    734003200: "700M",
    1536: 1536,
    0: 0,
    -1: -1,
    1024**6: "1024P",
    "2G": "2G",
}
NAMES = {
    "shop.xn--mller-kva.example": "shop.müller.example",
    "xn--mller-kva.example": "müller.example",
    "xn--MLLER-kva.example": "xn--MLLER-kva.example",  # not as the panel writes it
    "xn--a.example": "xn--a.example",  # no punycode
    "xn--ls8h.example": "xn--ls8h.example",  # an emoji, which names of domains may not have
}


def test_bytes_have_an_exact_unit_and_domains_the_letters_of_their_language() -> None:
    emails = [{"email": f"info@{name}", "aliases": [f"a@{name}"]} for name in NAMES]
    emails_read = read(
        dump_resources(
            {"emails": [*emails, *({"email": "a@b.example", "max_size": size} for size in SIZES)]}
        )
    )["emails"]

    assert emails_read[: len(NAMES)] == [
        {"email": f"info@{name}", "aliases": [f"a@{name}"]} for name in NAMES.values()
    ]
    assert [email["max_size"] for email in emails_read[len(NAMES) :]] == list(SIZES.values())


@pytest.mark.parametrize("text", ["{{ lookup('pipe', 'id') }}", "a\n{% if x %}\n", "{# no #}"])
def test_what_looks_like_a_template_is_marked_as_none(text: str) -> None:
    written = dump_resources({"clients": [{"username": "acme", "notes": text}]})
    assert "notes: !unsafe " in written
    assert read(written)["clients"][0]["notes"] == text


# What the templating of a release of ansible-core would take for a beginning, among other signs.
PIECES = st.sampled_from(
    [
        "{{",
        "}}",
        "{%",
        "{#",
        "#jinja2:",
        "# jinja2 ",
        "#",
        "[",
        "{",
        "\\",
        "\\x7b",
        "'",
        '"',
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "\u2028",
        "x",
        ": ",
        "- ",
    ]
)
pieces = st.lists(PIECES, max_size=8).map("".join)


@given(pieces)
def test_every_text_that_may_become_a_template_is_marked_and_read_back(
    tmp_path_factory: Any, text: str
) -> None:
    item = {"username": "acme", "notes": text, "contact_data": {"address": text, "company": "x"}}
    written = dump_resources({"clients": [item]})
    may_be_one = "{" in text or "\\" in text or "jinja2" in text or text.lstrip().startswith("[")
    begins_a_header = text.rstrip().endswith("#")

    assert ("!unsafe" in written) is (may_be_one or begins_a_header)

    file = tmp_path_factory.mktemp("panel") / "acme.yml"
    file.write_bytes(written.encode())
    document = read_yaml(file, file.name, VaultLib())

    normal = text.replace("\r\n", "\n")

    assert document.mistakes == ()
    assert document.content["clients"] == [
        {**item, "notes": normal, "contact_data": {"address": normal, "company": "x"}}
    ]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"))


@given(texts)
def test_every_text_comes_back_as_it_was(text: str) -> None:
    resources = {
        "clients": [{"username": "acme", "notes": text, "contact_data": {"address": text}}]
    }

    assert read(dump_resources(resources)) == resources
    assert dump_resources(resources) == dump_resources(resources)


@given(st.lists(st.tuples(texts, texts), max_size=4))
def test_every_record_comes_back_as_it_was(entries: list[tuple[str, str]]) -> None:
    records = [{"host": host, "type": "TXT", "ttl": 60, "value": value} for host, value in entries]
    assert (
        read(dump_resources({"dns": [{"domain": "a.example", "records": records}]}))["dns"][0][
            "records"
        ]
        == records
    )


UNSEEN = [
    0xAD,
    0x61C,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
]


@pytest.mark.parametrize("character", [chr(number) for number in UNSEEN], ids=ascii)
@pytest.mark.parametrize("text", ["Größe {}!", "{}", "{{{{ {} }}}}", "a\n{}b: #c"])
def test_a_character_that_nobody_sees_is_an_escape_in_a_file_and_is_read_as_it_was(
    text: str, character: str
) -> None:
    """Export a name and a nested value with the character."""
    value = text.format(character)
    exported = dump_resources({"plans": [{"name": value, "php": {"a": [value]}}]})

    assert character not in exported
    assert f"\\u{ord(character):04x}" in exported.lower()
    assert read(exported) == {"plans": [{"name": value, "php": {"a": [value]}}]}


def test_the_direction_of_a_line_is_turned_in_no_exported_file() -> None:
    """Export a description that would read as another command."""
    assert get_body({"scheduled_tasks": [{"description": "rm\u202ea"}]}) == (
        'scheduled_tasks:\n  - description: "rm\\u202ea"\n'
    )


@pytest.mark.parametrize("digits", ["6162", "6162\n", "61\n" * 8, "61\n" * 8 + "62", ""])
@pytest.mark.parametrize("header", ["1.1;AES256", "1.2;AES256;customers"])
def test_ciphertext_is_written_as_yaml_writes_any_text_of_such_lines(
    header: str, digits: str
) -> None:
    value = Vaulted("secret")
    value.ciphertext = f"$ANSIBLE_VAULT;{header}\n{digits}"

    text = dump_content({"password": value})

    node = yaml.ScalarNode("!vault", value.ciphertext, style="|")
    root = yaml.MappingNode(
        "tag:yaml.org,2002:map", [(yaml.ScalarNode("tag:yaml.org,2002:str", "password"), node)]
    )
    assert text == yaml.serialize(root, Dumper=yaml.SafeDumper)
