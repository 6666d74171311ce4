"""The filters of a move.

hosting.panel.panel_lower_ttls, hosting.panel.panel_move_resources and
hosting.panel.panel_hand_over.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_hand_over import panel_hand_over
from ansible_collections.hosting.panel.plugins.filter.panel_lower_ttls import panel_lower_ttls
from ansible_collections.hosting.panel.plugins.filter.panel_move_resources import (
    panel_move_resources,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._move.zones import keep_first_zones

RULES: dict[str, Any] = {
    "addresses": {"192.0.2.10": "198.51.100.20", "2001:db8::10": "2001:DB8:1::20"},
    "names": {"old.panel.example": "new.panel.example"},
    "has_credentials_file": True,
}
SPF = "v=spf1 ip4:192.0.2.10 ip4:192.0.2.0/24 ~ip6:2001:db8::10/128 -all"
SOURCE: dict[str, Any] = {
    "resources": {
        "clients": [
            {
                "username": "acme",
                "email": "it@acme.example",
                "hosting_plan": "Basic",
                "is_suspended": False,
            }
        ],
        "certificates": [{"name": "own", "client": "acme"}],
        "domains": [
            {
                "domain": "acme.example",
                "client": "acme",
                "security": {"certificate": "own", "lets_encrypt": False},
            }
        ],
        "dns": [
            {"domain": "acme.example", "records": [], "soa": {"primary_ns": "old.panel.example."}}
        ],
        "emails": [{"email": "info@acme.example", "client": "acme"}],
        "databases": [
            {"database_name": "acme_shop", "database_username": "acme_u", "client": "acme"}
        ],
        "scheduled_tasks": [{"description": "nightly", "client": "acme", "is_enabled": True}],
    },
    "left_out": [],
    "plans": [{"name": "Basic", "resources": {"domains": 3}}],
    "server": {
        "meta": {"hostname": "old.panel.example", "ip_addresses": ["192.0.2.10", "2001:db8::10"]}
    },
    "client": {
        "id": 7,
        "username": "acme",
        "created_at": "2020-01-01",
        "resources": {"emails": [{"email": "info@acme.example", "size": 5}]},
    },
}
TARGET: dict[str, Any] = {
    "resources": {"plans": [{"name": "Basic"}], "clients": [], "admins": []},
    "dns": [],
    "client": {},
}


def make_record(kind: str, value: str, host: str = "@", ttl: int = 300) -> dict[str, Any]:
    """Return a record of the zone."""
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


def make_source(*records: dict[str, Any], **resources: Any) -> dict[str, Any]:
    """Return the panel that is left, with other records and objects."""
    changed_source = copy.deepcopy(SOURCE)
    changed_source["resources"]["dns"][0]["records"] = list(records)
    changed_source["resources"].update(resources)
    return changed_source


def make_target(client: dict[str, Any] | None = None, **resources: Any) -> dict[str, Any]:
    """Return the panel that is moved to, with other objects."""
    changed_target = copy.deepcopy(TARGET)
    changed_target["resources"].update(resources)
    return {**changed_target, "client": client or {}}


def move(
    from_panel: dict[str, Any] | None = None, to_panel: dict[str, Any] | None = None, **rules: Any
) -> dict[str, Any]:
    """Map the objects of one panel to another one, by rules."""
    return panel_move_resources(
        from_panel or make_source(), to_panel or make_target(), **{**RULES, **rules}
    )


def find_mistakes(to_panel: dict[str, Any], **rules: Any) -> str:
    """Return the mistakes of a move to a panel, joined."""
    return " ".join(move(None, to_panel, **rules)["mistakes"])


def make_zone(*records: dict[str, Any], is_custom: bool = False) -> dict[str, Any]:
    """A zone as panel_dns_info returns it."""
    return {
        "domain": "acme.example",
        "is_custom_dns": is_custom,
        "records": {"other": list(records)},
    }


def make_rrset(host: str, ttl: int, record_type: str = "A") -> dict[str, Any]:
    """A record of a set of its own."""
    return {"host": host, "type": record_type, "ttl": ttl, "value": "192.0.2.1"}


def test_the_zones_before_a_move_stay_as_the_first_run_kept_them() -> None:
    """Keep a zone whose TTLs are lowered twice, and one that is new."""
    first = make_zone(make_rrset("www", 3600), make_rrset("@", 7200))
    lowered_zone = make_zone(
        make_rrset("www", 600), make_rrset("WWW", 600), make_rrset("@", 600), make_rrset("new", 60)
    )
    kept = keep_first_zones([first], {}, 300)
    assert kept == {"acme.example": first}
    assert keep_first_zones([lowered_zone], kept, 300) == kept
    other_zone = {**first, "domain": "beta.example"}
    assert keep_first_zones([other_zone], kept, 300) == {**kept, "beta.example": other_zone}
    assert keep_first_zones([], kept, 300) == kept


def test_a_record_set_that_came_after_the_first_run_is_kept_before_its_ttl_is_lowered() -> None:
    """Lower the TTLs again, after the customer has added two records."""
    first = make_zone(make_rrset("www", 3600))
    later = make_zone(
        make_rrset("www", 300), make_rrset("www", 900, "AAAA"), make_rrset("shop", 7200)
    )
    kept = keep_first_zones([later], {"acme.example": first}, 300)
    expected = make_zone(
        make_rrset("www", 3600),
        make_rrset("www", 900, "AAAA"),
        make_rrset("shop", 7200),
        is_custom=True,
    )
    assert kept == {"acme.example": expected}


def test_only_zones_with_a_longer_ttl_are_lowered() -> None:
    records = [make_record("A", "192.0.2.10", ttl=3600), make_record("MX", "10 mail", ttl=60)]
    zones = [
        {"domain": "a.example", "records": {"other": records}},
        {"domain": "b.example", "records": {"other": records[1:]}},
    ]
    zones.append({"domain": "off.example", "is_dns_disabled": True, "records": {"other": records}})

    assert panel_lower_ttls(zones, 300) == [
        {"domain": "a.example", "records": [{**records[0], "ttl": 300}, records[1]]}
    ]


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("A", "192.0.2.10", "198.51.100.20"),
        ("A", "192.0.2.99", "192.0.2.99"),
        ("AAAA", "2001:0DB8::0010", "2001:db8:1::20"),
        ("MX", "10 Old.Panel.example.", "10 new.panel.example."),
        ("SRV", "1 2 443 old.panel.example.", "1 2 443 new.panel.example."),
        ("CNAME", "else.example.", "else.example."),
        ("TXT", SPF, "v=spf1 ip4:198.51.100.20 ip4:192.0.2.0/24 ~ip6:2001:db8:1::20/128 -all"),
        ("TXT", "the server is 192.0.2.10", "the server is 192.0.2.10"),
        ("TXT", "the server is a:old.panel.example", "the server is a:old.panel.example"),
        ("TXT", "v=spf1 a:Old.Panel.example -all", "v=spf1 a:new.panel.example -all"),
        ("TXT", "v=spf1 a:old.panel.example/24 -all", "v=spf1 a:new.panel.example/24 -all"),
        ("TXT", '"v=spf1 ?mx:old.panel." "example. -all"', "v=spf1 ?mx:new.panel.example -all"),
        ("TXT", "v=spf1 +include:old.panel.example ~all", "v=spf1 +include:new.panel.example ~all"),
        ("TXT", "v=spf1 redirect=old.panel.example", "v=spf1 redirect=new.panel.example"),
        ("TXT", "v=spf1 a:not.old.panel.example a mx", "v=spf1 a:not.old.panel.example a mx"),
        ("HTTPS", "1 old.panel.example. alpn=h2", "1 new.panel.example. alpn=h2"),
        ("HTTPS", "1 . ipv4hint=192.0.2.10", "1 . ipv4hint=198.51.100.20"),
        (
            "SVCB",
            '1 . ipv4hint="192.0.2.9,192.0.2.10" ipv6hint=2001:0db8::10 port=443',
            '1 . ipv4hint="192.0.2.9,198.51.100.20" ipv6hint=2001:db8:1::20 port=443',
        ),
        ("HTTPS", "1 . ipv4hint=192.0.2.100", "1 . ipv4hint=192.0.2.100"),
        ("NAPTR", '1 2 "s" "SIP" "" old.panel.example.', '1 2 "s" "SIP" "" new.panel.example.'),
    ],
)
def test_records_lead_to_the_new_server(kind: str, old: Any, new: str) -> None:
    (zone,) = move(make_source(make_record(kind, old, host="www")))["resources"]["dns"]
    assert zone["records"] == [make_record(kind, new, host="www")]
    assert zone["soa"]["primary_ns"] == "new.panel.example."


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("TXT", "v=spf1 a:old.panel.example -all"),
        ("TXT", "v=spf1 mx:old.panel.example -all"),
        ("TXT", "v=spf1 include:old.panel.example -all"),
        ("TXT", "v=spf1 redirect=old.panel.example"),
        ("HTTPS", "1 old.panel.example."),
        ("HTTPS", "1 . ipv4hint=192.0.2.9,192.0.2.10"),
        ("SVCB", "1 . ipv6hint=2001:db8::10"),
        ("NAPTR", '1 2 "s" "SIP" "" old.panel.example.'),
    ],
)
def test_a_text_or_service_that_names_the_source_is_a_mistake_until_it_is_mapped(
    kind: str, value: str
) -> None:
    from_panel = make_source(make_record(kind, value))
    itself = {name: name for name in ("192.0.2.10", "2001:db8::10")}

    assert [
        problem.partition(" leads")[0]
        for problem in move(from_panel, addresses={}, names={})["mistakes"]
    ] == [f"acme.example: the record @ {kind} {value}"]

    kept = move(from_panel, addresses=itself, names={"old.panel.example": "old.panel.example"})
    assert kept["mistakes"] == []
    assert kept["resources"]["dns"][0]["records"] == from_panel["resources"]["dns"][0]["records"]


def test_a_record_that_leads_to_the_source_is_a_mistake_until_it_is_mapped() -> None:
    records = [
        make_record("A", "192.0.2.10"),
        make_record("MX", "10 old.panel.example."),
        make_record("TXT", SPF),
        make_record("A", "192.0.2.9"),
    ]
    problems = move(make_source(*records), addresses={}, names={})["mistakes"]

    assert [problem.partition(" leads")[0] for problem in problems] == [
        "acme.example: the record @ A 192.0.2.10",
        "acme.example: the record @ MX 10 old.panel.example.",
        f"acme.example: the record @ TXT {SPF}",
    ]

    kept = move(make_source(records[0]), addresses={"192.0.2.10": "192.0.2.10"})
    assert kept["mistakes"] == []
    assert kept["resources"]["dns"][0]["records"] == [records[0]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("192.0.2.10", "2001:db8::1"),
        ("192.0.2.10", "198.51.100.20, "),
        ("old", "new"),
    ],
)
def test_an_address_that_is_none_or_of_another_kind_is_a_mistake(old: str, new: str) -> None:
    mistakes = move(make_source(make_record("TXT", SPF)), addresses={old: new})["mistakes"]
    assert mistakes[0].startswith(f"move_addresses: {old}: {new} is not accepted.")


TYPED_NAMES = {
    "move_client": "panels_client",
    "move_addresses": "panels_addresses",
    "move_names": "panels_names",
}


def test_mistakes_have_the_names_that_a_person_typed() -> None:
    unmapped = move(
        make_source(make_record("A", "192.0.2.10")), addresses={}, typed_names=TYPED_NAMES
    )
    wrong = move(addresses={"a": "b"}, names={"a": "."}, typed_names=TYPED_NAMES)
    namesake = move(None, make_target(clients=[ANOTHER]), typed_names=TYPED_NAMES, update=True)
    texts = " ".join([*unmapped["mistakes"], *wrong["mistakes"], *namesake["mistakes"]])

    assert "Map it in panels_addresses or panels_names, to itself" in texts
    assert "panels_addresses: a: b is not accepted." in texts
    assert "panels_names: a: . is not accepted." in texts
    assert "panels_client: acme is another customer on the target" in texts
    assert "move_" not in texts


@pytest.mark.parametrize("name", [None, "", " ", 83, True, "192.0.2.10", "0123", "."])
def test_a_name_that_is_no_host_name_is_a_mistake(name: Any) -> None:
    as_new_one = move(names={"old.example": name})["mistakes"]
    assert as_new_one[0].startswith(f"move_names: old.example: {name} is not accepted.")

    as_old_one = move(names={name: "new.example"})["mistakes"]
    assert as_old_one[0].startswith(f"move_names: {name}: new.example is not accepted.")


@pytest.mark.parametrize("old", ["Bücher.example", "xn--bcher-kva.example."])
@pytest.mark.parametrize("value", ["bücher.example.", "XN--bcher-kva.example."])
def test_a_name_in_letters_and_in_punycode_is_one_name(old: str, value: str) -> None:
    alias = make_record("CNAME", value, host="www")
    (zone,) = move(make_source(alias), names={old: "käse.example"})["resources"]["dns"]
    assert zone["records"] == [make_record("CNAME", "xn--kse-qla.example.", host="www")]


@pytest.mark.parametrize(
    ("variable", "first", "second"),
    [
        pytest.param(
            "names", ("old.example", "a.example"), ("OLD.example.", "b.example"), id="names"
        ),
        pytest.param(
            "addresses",
            ("2001:db8::1", "2001:db8::2"),
            ("2001:DB8:0::1", "2001:db8::3"),
            id="addresses",
        ),
    ],
)
def test_two_new_values_for_an_old_one_in_two_spellings_are_a_mistake(
    variable: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    problems = move(make_source(), **{variable: dict([first, second])})["mistakes"]
    pairs = [f"{old}: {new}" for old, new in (first, second)]

    assert (
        f"move_{variable}: {' and '.join(pairs)} are for the same old value. Keep one of them."
        in problems
    )

    same = {first[0]: first[1], second[0]: first[1]}
    assert [
        mistake
        for mistake in move(make_source(), **{variable: same})["mistakes"]
        if "same old value" in mistake
    ] == []


def test_the_hosting_plan_is_mapped_created_or_missing() -> None:
    plans = [{"name": "Small"}]
    assert "the target has no hosting plan Basic. Create it" in find_mistakes(
        make_target(plans=plans)
    )
    assert (
        move(None, make_target(plans=plans), plans={"Basic": "Small"})["resources"]["clients"][0][
            "hosting_plan"
        ]
        == "Small"
    )

    moved = move(None, make_target(plans=plans), plans={"Basic": "New"}, create_plans=True)
    assert moved["mistakes"] == []
    assert moved["resources"]["plans"] == [{"name": "New", "resources": {"domains": 3}}]


def test_no_account_is_made_whose_password_no_file_keeps() -> None:
    # Else the panel would make it, and no one would have it.
    message = "move_credentials_file: missing. No file keeps the passwords of clients acme, emails info@acme.example, databases acme_shop."
    assert find_mistakes(make_target(), has_credentials_file=False) == message

    passwords = [
        {"kind": "clients", "key": "acme", "password": "a Password 1"},
        {"kind": "emails", "key": "INFO@acme.example", "password": "a Password 2"},
        {"kind": "databases", "key": "acme_shop", "password": "a Password 3"},
    ]
    moved = move(has_credentials_file=False, passwords=passwords)

    assert moved["mistakes"] == []
    assert moved["resources"]["emails"][0]["password"] == "a Password 2"

    wrong = [
        {"kind": "domains", "key": "x", "password": "y"},
        {"kind": "emails", "key": "no@acme.example", "password": "z"},
    ]
    twice = [passwords[1], {**passwords[1], "key": "info@acme.example", "password": "another"}]

    assert "emails info@acme.example has two passwords" in find_mistakes(
        make_target(), passwords=twice
    )

    message = find_mistakes(make_target(), passwords=wrong)
    assert "no domains x with a password on the source" in message
    assert "no emails no@acme.example with a password on the source" in message


def test_names_of_others_on_the_target_are_mistakes() -> None:
    message = find_mistakes(
        make_target(
            admins=[{"username": "acme"}],
            domains=[{"domain": "acme.example", "client": "other"}],
            emails=[{"email": "info@acme.example", "client": ""}],
            databases=[
                {"database_name": "other_shop", "database_username": "acme_u", "client": "other"}
            ],
        )
    )

    assert "database_username acme_u: on the target it belongs to other." in message
    assert "acme: the target has an admin of this name." in message
    assert "domain acme.example: on the target it belongs to other." in message
    assert "info@acme.example: on the target it belongs to no client." in message


ANOTHER = {"username": "acme", "email": "else@far.example", "hosting_plan": "Basic"}
FAR_DOMAINS = [{"domain": "far.example", "client": "acme"}]
BIRTH = {"id": 7, "created_at": "2020-01-01"}


@pytest.mark.parametrize("domains", [None, FAR_DOMAINS], ids=["no domains", "other domains"])
def test_another_customer_of_the_same_name_is_not_overwritten(domains: Any) -> None:
    panel = make_target(clients=[ANOTHER], **({"domains": domains} if domains else {}))

    message = find_mistakes(panel, update=True)

    assert (
        "acme is another customer on the target, with address else@far.example. Rename one"
        in message
    )
    assert move(None, panel)["existing"] == {}, "so that nothing of it is called different"


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param(
            {
                "clients": [ANOTHER],
                "domains": [*FAR_DOMAINS, {"domain": "acme.example", "client": "acme"}],
            },
            id="a domain of the customer",
        ),
        pytest.param(
            {"clients": [{**ANOTHER, "email": "it@acme.example"}], "domains": FAR_DOMAINS},
            id="the address of the customer",
        ),
    ],
)
def test_the_same_customer_is_known_by_address_or_domain(resources: dict[str, Any]) -> None:
    assert find_mistakes(make_target(**resources)) == ""


def test_one_panel_under_two_addresses_is_known_by_its_client() -> None:
    assert move(None, make_target(BIRTH))["is_one_panel"]


@pytest.mark.parametrize(
    "client",
    [
        pytest.param({**BIRTH, "id": 8}, id="another id"),
        pytest.param({**BIRTH, "created_at": "2021-01-01"}, id="another day"),
        pytest.param({"id": 7}, id="no day"),
    ],
)
def test_two_panels_are_told_apart_by_the_client(client: dict[str, Any]) -> None:
    assert not move(None, make_target(client))["is_one_panel"]


def make_action(
    kind: str, before: dict[str, Any], after: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    """Return an action of a plan that changes an object."""
    return {
        "kind": kind,
        "key": "x",
        "id": 1,
        "action": "update",
        "before": before,
        "after": after,
        **fields,
    }


@pytest.mark.parametrize(
    ("changed", "differs"),
    [
        pytest.param(
            make_action("emails", {"max_size": 1}, {"max_size": 2}), True, id="another size"
        ),
        pytest.param(make_action("emails", {}, {"password": "********"}), False, id="new password"),
        pytest.param(
            make_action("scheduled_tasks", {"is_enabled": False}, {"is_enabled": True}),
            False,
            id="task that waits",
        ),
        pytest.param(
            make_action("scheduled_tasks", {"command": "a"}, {"command": "b"}),
            True,
            id="another command",
        ),
        pytest.param(
            make_action(
                "domains", {"security": {"certificate": ""}}, {"security": {"certificate": "own"}}
            ),
            False,
            id="first certificate",
        ),
        pytest.param(
            make_action(
                "domains", {"security": {"certificate": "a"}}, {"security": {"certificate": "own"}}
            ),
            True,
            id="another certificate",
        ),
        pytest.param(
            make_action("dns", {}, {}, entries=[], key="acme.example"),
            True,
            id="zone of the target",
        ),
        pytest.param(
            make_action("dns", {}, {}, entries=[], key="default.example"), False, id="default zone"
        ),
        pytest.param(
            make_action("dns", {}, {}, entries=[], id=None), False, id="zone without an id"
        ),
        pytest.param(
            make_action("emails", {}, {"max_size": 2}, action="create"), False, id="creation"
        ),
    ],
)
def test_what_the_target_has_with_other_values_is_a_mistake_unless_an_earlier_run_left_it(
    changed: Any, differs: bool
) -> None:
    panel = {**make_target(), "dns": [{"domain": "default.example", "state": "default"}]}
    assert (
        "The target has 1 of these objects" in find_mistakes(panel, plan={"actions": [changed]})
    ) == differs
    assert find_mistakes(panel, plan={"actions": [changed]}, update=True) == ""


def test_certificates_tasks_and_the_state_of_the_client_wait_for_a_person() -> None:
    moved = move()
    assert moved["without_key"] == {"own": ["acme.example"]}
    assert moved["held_tasks"] == ["nightly"]
    assert moved["resources"]["domains"][0]["security"] == {"lets_encrypt": False}
    assert moved["resources"]["scheduled_tasks"][0]["is_enabled"] is False
    assert move(enable_tasks=True)["resources"]["scheduled_tasks"][0]["is_enabled"] is True

    panel = make_target(
        clients=[{"username": "acme", "email": "it@acme.example"}],
        certificates=[{"name": "own", "client": "acme"}],
    )
    second_move = move(None, panel)

    assert second_move["without_key"] == {}
    assert second_move["resources"]["domains"][0]["security"]["certificate"] == "own"
    assert "is_suspended" not in second_move["resources"]["clients"][0]
    assert {kind: len(items) for kind, items in second_move["existing"].items() if items} == {
        "clients": 1
    }


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("MX", "10 198.51.100.9"),
        ("A", "198.51.100.009"),
        ("TXT", '"open'),
        ("SRV", "1 2 3"),
    ],
)
def test_a_record_that_a_new_zone_cannot_have_is_left_out_by_name(kind: str, value: str) -> None:
    odd_record = make_record(kind, value, host="odd")
    plain_record = make_record("A", "198.51.100.7", host="www")

    moved = move(make_source(odd_record, plain_record))

    (zone,) = moved["resources"]["dns"]
    assert zone["records"] == [plain_record]
    assert f"odd {kind}" in zone["protect"]
    (omission,) = moved["left_out"]
    assert omission["option"] == f"records odd {kind}"
    assert value in omission["reason"]
    assert moved["mistakes"] == []


def test_a_cname_beside_another_record_is_left_out_by_name() -> None:
    address = make_record("A", "198.51.100.7", host="odd")

    moved = move(make_source(make_record("CNAME", "www.acme.example.", host="odd"), address))

    assert moved["resources"]["dns"][0]["records"] == [address]
    assert [omission["option"] for omission in moved["left_out"]] == ["records odd CNAME"]


def test_an_unusual_field_of_the_soa_record_is_left_out_by_name() -> None:
    panel = make_source()
    panel["resources"]["dns"][0]["soa"] = {"primary_ns": "-odd-.", "ttl": 300}

    moved = move(panel)

    assert moved["resources"]["dns"][0]["soa"] == {"ttl": 300}
    assert [omission["option"] for omission in moved["left_out"]] == ["soa.primary_ns"]


def test_a_record_that_the_target_has_already_stays_however_unusual() -> None:
    odd_record = make_record("MX", "10 198.51.100.9", host="odd")
    panel = {**make_target(), "dns": [{"domain": "acme.example", "records": [odd_record]}]}

    moved = move(make_source(odd_record), panel)

    assert moved["resources"]["dns"][0]["records"] == [odd_record]
    assert moved["left_out"] == []


def test_a_field_of_the_soa_record_that_the_target_spells_differently_stays() -> None:
    source = make_source()
    source["resources"]["dns"][0]["soa"] = {"rname": "-Odd-."}
    zone_on_target = {"domain": "acme.example", "records": [], "soa": {"rname": "-odd-"}}

    moved = move(source, {**make_target(), "dns": [zone_on_target]})

    assert moved["resources"]["dns"][0]["soa"] == {"rname": "-Odd-."}
    assert moved["left_out"] == []


def test_a_forwarding_that_a_new_mailbox_cannot_have_is_left_out_by_name() -> None:
    odd_address = "incoming+user/project@in.example.org"
    mailbox = {
        "email": "info@acme.example",
        "client": "acme",
        "forwardings": [odd_address, "a@b.example"],
    }

    moved = move(make_source(emails=[mailbox]))
    (moved_mailbox,) = moved["resources"]["emails"]

    assert moved_mailbox["forwardings"] == ["a@b.example"]
    (omission,) = moved["left_out"]
    assert (omission["key"], omission["option"]) == ("info@acme.example", "forwardings")
    assert odd_address in omission["reason"]
    hand_over = panel_hand_over(moved, make_source(), make_target(), {"actions": []}, {})
    assert any("info@acme.example: forwardings cannot" in line for line in hand_over["differences"])


def test_the_page_says_what_differs_what_was_made_and_what_remains() -> None:
    requested = move(enable_tasks=True)
    plan = {
        "actions": [
            {
                **make_action("emails", {}, {}),
                "action": "create",
                "key": "info@acme.example",
                "id": None,
            }
        ]
    }
    panel = make_target(emails=[{"email": "more@acme.example", "client": "acme"}])

    facts = panel_hand_over(
        requested,
        make_source(),
        panel,
        plan,
        {"acme.example": {"records": {"other": [make_record("A", "x", ttl=9)]}}},
    )

    assert [line.split()[0] for line in facts["differences"]] == ["missing"]
    assert facts["only_on_target"] == ["emails more@acme.example"]
    assert "emails" not in facts["made"] or facts["made"]["emails"] == []
    assert facts["without_password"] == ["clients acme", "databases acme_shop"]
    assert facts["wait"] == 9
    assert facts["lowered"] == ["acme.example"]
    assert facts["remaining"]["mails"] == [{"name": "info@acme.example", "size": 5}]
    assert panel_hand_over(requested, make_source(), panel, plan, known=[("clients", "acme")])[
        "without_password"
    ] == ["databases acme_shop"]
