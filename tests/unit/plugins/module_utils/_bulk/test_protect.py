"""``protect`` takes every spelling that the option of a kind takes, and warns of a name that is not
on the panel."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter.panel_select import panel_select
from ansible_collections.hosting.panel.plugins.module_utils._bulk.name_patterns import NamePatterns
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._values.names import (
    decode_punycode,
    normalize_address,
    normalize_domain,
)
from tests.support.growth import is_linear
from tests.support.in_memory import InMemory

SEED: dict[str, Any] = {
    "plans": [{"name": "Gold caf\u00e9"}, {"name": "Other"}],
    "admins": [{"username": "eve", "email": "eve@operator.example"}],
    "clients": [{"username": "beta.shop"}, {"username": "acme"}, {"username": "other"}],
    "certificates": [],
    "domains": [
        {"domain": "xn--mller-kva.example", "client": "acme"},
        {"domain": "acme.example", "client": "acme"},
        {"domain": "other.example", "client": "other"},
    ],
    "emails": [{"email": "caf\u00e9@xn--mller-kva.example"}, {"email": "other@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_web", "client": "acme"}],
    "directory_protections": [{"client": "acme", "path": "/shop/admin", "username": "caf\u00e9"}],
    "scheduled_tasks": [
        {
            "client": "acme",
            "description": "Backup: caf\u00e9",
            "type": "exec",
            "command": "/bin/true",
        }
    ],
}
KEYS = {
    "plans": "Gold caf\u00e9",
    "admins": "eve",
    "clients": "beta.shop",
    "domains": "xn--mller-kva.example",
    "emails": "caf\u00e9@xn--mller-kva.example",
    "databases": "acme_shop",
    "ftp_users": "acme_web",
    "directory_protections": "acme:/shop/admin:caf\u00e9",
    "scheduled_tasks": "acme:Backup: caf\u00e9",
}


def widen(text: str) -> str:
    """Letters and digits in full width."""
    return "".join(
        chr(ord(character) + 0xFEE0) if character.isascii() and character.isalnum() else character
        for character in text
    )


def make_domain_change(change: Callable[[str], str]) -> Callable[[str], str]:
    """A change of the domain in a name, which stays as it is where there is none."""

    def change_name(name: str) -> str:
        start, sign, domain = name.rpartition("@")
        return f"{start}{sign}{change(domain)}" if "." in domain and ":" not in domain else name

    return change_name


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "blanks around it": lambda name: f"  {name}\t",
    "decomposed letters": lambda name: unicodedata.normalize("NFD", name),
    "full width": widen,
    "full width in upper case": lambda name: widen(name.upper()),
    "letters of its language": make_domain_change(decode_punycode),
    "letters in upper case": make_domain_change(lambda domain: decode_punycode(domain).upper()),
    "decomposed domain": make_domain_change(
        lambda domain: unicodedata.normalize("NFD", decode_punycode(domain))
    ),
    "punycode in upper case": make_domain_change(str.upper),
    "dot at its end": make_domain_change(lambda domain: f"{domain}."),
    "ideographic full stop": make_domain_change(
        lambda domain: decode_punycode(domain).replace(".", "\u3002")
    ),
    "halfwidth ideographic full stop": make_domain_change(
        lambda domain: decode_punycode(domain).replace(".", "\uff61")
    ),
    "full width full stop": make_domain_change(
        lambda domain: decode_punycode(domain).replace(".", "\uff0e")
    ),
    "ideographic full stop at its end": make_domain_change(
        lambda domain: f"{decode_punycode(domain)}\u3002"
    ),
    "soft hyphen": make_domain_change(
        lambda domain: decode_punycode(domain).replace("ex", "e\u00adx")
    ),
}
# Of kinds whose names have parts with spellings of their own.
OTHERS = [
    ("directory_protections", "acme:/shop/admin:caf\u00e9", "acme:shop/admin/:caf\u00e9"),
    ("directory_protections", "acme:/shop/admin:caf\u00e9", "acme://shop//admin:caf\u00e9"),
    ("directory_protections", "acme:/a:b:caf\u00e9", "ACME:a:b/:CAF\u00c9"),
    ("directory_protections", "acme:/:caf\u00e9", "acme::caf\u00e9"),
    ("directory_protections", "acme:/shop/admin:caf\u00e9", "acme:shop/*:*"),
    ("domains", "shop.acme.example", "*.\uff21\uff23\uff2d\uff25\u3002example"),
    ("domains", "shop.acme.example", "shop\u3002*"),
    ("emails", "info@acme.example", "*@\uff21\uff23\uff2d\uff25.example"),
]


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", KEYS)
def test_it_protects_in_every_spelling(kind: str, spelling: str) -> None:
    assert NamePatterns([SPELLINGS[spelling](KEYS[kind])], kind).fits(KEYS[kind])


@pytest.mark.parametrize(("kind", "key", "entry"), OTHERS)
def test_parts_of_a_name_and_patterns_have_the_spellings_of_their_options(
    kind: str, key: str, entry: str
) -> None:
    assert NamePatterns([entry], kind).fits(key)


LABEL = st.text(st.sampled_from("abcxyz019\u00fc\u00e9\u00df\u4f8b\u044f"), min_size=1, max_size=12)


def find_stored_form(normalize: Callable[[str], str], written: str) -> str | None:
    """Return what the panel keeps of a name, or None where the option does not take it."""
    try:
        return normalize(written)
    except ValueError:
        return None


@given(st.lists(LABEL, min_size=2, max_size=4), st.sampled_from(sorted(SPELLINGS)))
def test_whatever_the_option_takes_for_a_domain_protects_it(
    labels: list[str], spelling: str
) -> None:
    domain = ".".join(labels)
    stored = find_stored_form(normalize_domain, domain)
    spelled = SPELLINGS[spelling](domain)

    if stored is not None and find_stored_form(normalize_domain, spelled) == stored:
        assert NamePatterns([spelled], "domains").fits(stored)


@given(st.lists(LABEL, min_size=2, max_size=4), st.sampled_from(sorted(SPELLINGS)))
def test_whatever_the_option_takes_for_the_domain_of_an_address_protects_it(
    labels: list[str], spelling: str
) -> None:
    domain = ".".join(labels)
    stored = find_stored_form(normalize_address, f"info@{domain}")
    # Blanks within an address are no spelling of it.
    spelled = f"info@{SPELLINGS[spelling](domain)}"

    if stored is not None and find_stored_form(normalize_address, spelled) == stored:
        assert NamePatterns([spelled], "emails").fits(stored)


@pytest.mark.long
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", KEYS)
def test_a_purge_leaves_what_is_protected_and_deletes_the_others(kind: str, spelling: str) -> None:
    panel = InMemory(SEED)
    # Neither would the panel delete its default plan.
    kept = [{"name": "Default"}] if kind == "plans" else []
    protect = {kind: [SPELLINGS[spelling](KEYS[kind])]}

    result = panel.run(
        "panel_resources", resources={kind: kept}, purge=[kind], max_deletes=99, protect=protect
    )

    assert not result.get("failed"), result["msg"]

    deleted = [action["key"] for action in result["plan"]["actions"]]
    assert KEYS[kind] not in deleted
    assert "warnings" not in result

    remaining = panel.run("panel_resources_info", kinds=[kind])["resources"][kind]
    assert KEYS[kind] in [TABLES[kind].format_key(item) for item in remaining]


@pytest.mark.long
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["domains", "emails", "databases", "directory_protections"])
def test_a_client_whose_object_is_protected_is_not_deleted(kind: str, spelling: str) -> None:
    panel = InMemory(SEED)
    protect = {kind: [SPELLINGS[spelling](KEYS[kind])]}
    absent = {"clients": [{"username": "acme", "state": "absent"}]}

    result = panel.run("panel_resources", resources=absent, max_deletes=99, protect=protect)

    assert result["failed"], result
    assert result["error"]["option"] == "protect", result
    assert panel.writes == []


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("options", [{"purge": True}, {}], ids=["a purge", "no deletion"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_a_name_that_is_not_on_the_panel_is_warned_of(
    kind: str, options: dict[str, Any], check_mode: bool
) -> None:
    panel = InMemory(SEED)
    key = KEYS[kind]
    missing = (
        f"{key[:-1]}q" if kind not in ("domains", "emails") else key.replace("example", "invalid")
    )
    ending = f": did you mean {key}?" if missing[:-1] == key[:-1] else "."
    kept = [{"name": "Default"}] if kind == "plans" else []
    protect = {kind: [missing, key, "*nobody*", f"{key[:-1]}?"]}
    more: dict[str, Any] = {"purge": [kind], "max_deletes": 99} if options else {}

    result = panel.run(
        "panel_resources",
        check_mode=check_mode,
        resources={kind: kept} if options else {},
        protect=protect,
        **more,
    )

    assert not result.get("failed"), result["msg"]
    assert result["warnings"] == [
        f"protect.{kind}: {missing}: not on this panel, so nothing is protected by it. Correct the name, or take it out{ending}"
    ]


def test_a_name_that_the_same_task_creates_is_not_warned_of() -> None:
    panel = InMemory(SEED)
    new = {"emails": [{"email": "new@acme.example", "max_size": "1G"}]}

    # A task that keeps no generated password warns of it.
    result = panel.run(
        "panel_resources",
        resources=new,
        protect={"emails": ["NEW@acme\u3002example"]},
        task={"register": "created"},
    )

    assert result["changed"]
    assert "warnings" not in result


def test_a_system_domain_that_the_list_leaves_out_is_there() -> None:
    panel = InMemory({"clients": [{"username": "acme", "create_system_domain": True}]})
    (system,) = panel.run("panel_domain_info", system_domains=True)["domains"]

    result = panel.run(
        "panel_resources", resources={}, protect={"domains": [system["domain"], "none.example"]}
    )

    assert [warning.partition(": not")[0] for warning in result["warnings"]] == [
        "protect.domains: none.example"
    ]


@pytest.mark.parametrize("entry", ["[*", "[a*", "info[@*", "[!*", "[]*", "[z-a]*", "?[", "[ab]*["])
def test_a_pattern_with_a_bracket_that_takes_nothing_is_warned_of(entry: str) -> None:
    cause = "a bracket is not closed, or its range is empty, so nothing is protected by it"

    result = InMemory(SEED).run(
        "panel_resources", resources={}, protect={"emails": ["gone@acme.example", entry]}
    )

    assert result["warnings"] == [
        f"protect.emails: {entry}: {cause}. Correct the pattern, or take it out.",
        "protect.emails: gone@acme.example: not on this panel, so nothing is protected by it. Correct the name, or take it out.",
    ]


def test_a_bracket_in_a_name_of_the_panel_is_a_part_of_it() -> None:
    plans = [{"name": "[old] Business"}, {"name": "[open"}]
    panel = InMemory({"hosting_plans": plans})

    result = panel.run(
        "panel_resources",
        resources={},
        protect={"plans": ["[old] Business", "[open", "[op*", "[gone"]},
    )

    assert result["warnings"] == [
        "protect.plans: [gone: not on this panel, so nothing is protected by it. Correct the name, or take it out."
    ]


def test_patterns_alone_ask_the_panel_for_nothing() -> None:
    panel = InMemory(SEED)
    result = panel.run(
        "panel_resources",
        resources={},
        protect={"emails": ["sales@*", "*.example"], "clients": ["[ab]*"]},
    )

    assert not result.get("failed")
    assert panel.log == []


@pytest.mark.long
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("kind", ["clients", "domains", "emails", "directory_protections"])
def test_exceptions_of_a_selection_take_the_same_spellings(kind: str, spelling: str) -> None:
    """As the role rotate leaves objects out."""
    resources = InMemory(SEED).run("panel_resources_info")["resources"]
    entry = SPELLINGS[spelling](KEYS[kind])

    chosen = panel_select(resources, objects={kind: [entry]})

    assert [TABLES[kind].format_key(item) for item in chosen["resources"][kind]] == [KEYS[kind]]
    assert chosen["unmatched"] == []

    left_out = panel_select(resources, objects={kind: ["*"]}, exceptions=[entry])
    assert KEYS[kind] not in [
        TABLES[kind].format_key(item) for item in left_out["resources"].get(kind, ())
    ]
    assert left_out["unmatched"] == []


def make_accounts(count: int) -> list[str]:
    """Return so many addresses of mailboxes."""
    return [f"mailbox{number}@acme.example" for number in range(count)]


LOOK_UPS: dict[str, Callable[[NamePatterns, list[str]], object]] = {
    "what is protected": lambda patterns, names: [name for name in names if patterns.fits(name)],
    "what protects nothing": lambda patterns, names: patterns.list_unmatched(names),
}


@pytest.mark.long
@pytest.mark.parametrize("look_up", LOOK_UPS.values(), ids=LOOK_UPS)
def test_as_many_names_as_mailboxes_take_time_in_proportion(
    look_up: Callable[[NamePatterns, list[str]], object],
) -> None:
    def do_work(text: str) -> None:
        names = make_accounts(len(text) // 4)
        patterns = NamePatterns([f"gone-{name}" for name in names], "emails")
        look_up(patterns, names)

    assert is_linear(do_work, "x".__mul__)


@pytest.mark.parametrize(
    ("entry", "name", "fits"),
    [
        ("info@acme.example", "INFO@acme.example", True),
        ("info@*", "info@acme.example", True),
        ("\uff0a@acme.example", "info@acme.example", True),
        ("[ab]@acme.example", "a@acme.example", True),
        ("[ab]@acme.example", "[ab]@acme.example", True),
        ("info@acme.example", "sales@acme.example", False),
        (None, "None", False),
    ],
)
def test_an_entry_fits_a_name_and_is_then_not_unmatched(entry: Any, name: str, fits: bool) -> None:
    patterns = NamePatterns([entry], "emails")
    assert patterns.fits(name) is fits
    assert patterns.list_unmatched(["other@b.example", name]) == ([] if fits else [entry])


def test_an_error_while_protected_names_are_looked_up_says_that_nothing_was_written() -> None:
    panel = InMemory(SEED)
    protect = {"emails": ["gone@acme.example"]}

    result = panel.run("panel_resources", resources={}, protect=protect, api_key="wrong")

    assert result["failed"]
    assert "Nothing was written." in result["msg"]
