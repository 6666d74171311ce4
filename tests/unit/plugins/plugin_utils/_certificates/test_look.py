# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of one certificate stands in no other's, and what a list leaves out is asked for."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography import x509

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.look import Look
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.wanted import Wanted
from tests.support.authority import Authority as Issuer

ACME = Wanted("acme", "acme", ("acme.example",), ("acme.example",))
BETA = Wanted("beta", "beta", ("beta.example",), ("beta.example",))
GONE = Wanted("gone", "gone", ("gone.example",), ("gone.example",))


class Modules:
    """A panel with these objects, in whose lists some members are left out."""

    def __init__(self, left_out: tuple[str, ...] = (), **objects: list[dict[str, Any]]) -> None:
        self.left_out, self.objects, self.asked = left_out, objects, list[Any]()

    def read(self, _module: str, kind: str, options: Mapping[str, Any]) -> Any:
        self.asked.append((kind, dict(options)))
        found = self.objects.get(kind, [])
        if options:
            return [one for one in found if options.items() <= one.items()]
        return [{name: value for name, value in one.items() if name not in self.left_out} for one in found]


def panel(*left_out: str, certificates: Any = ()) -> Any:
    return Modules(
        left_out,
        clients=[{"id": 7, "username": "acme"}, {"id": 8, "username": "beta"}],
        domains=[
            {"id": 1, "domain": "acme.example", "id_user": 7},
            {"id": 2, "domain": "beta.example", "id_user": 7},
            {"id": 3, "domain": "other.example", "id_user": 7},
        ],
        certificates=list(certificates),
    )


def test_whose_a_domain_is_is_asked_of_those_to_assign_where_the_list_leaves_it_out() -> None:
    modules = panel("id_user")
    look = Look(modules, [ACME, BETA], [])
    look.find_obstacles([ACME, BETA], {}, [])
    assert look.obstacles == {"beta": ["domains: beta.example is of another client than beta."]}
    assert [asked for asked in modules.asked if asked[1]] == [("domains", {"id": 1}), ("domains", {"id": 2})]


def test_a_name_of_another_client_is_not_ordered_and_what_is_kept_of_it_is_not_handed_over() -> None:
    # The last lies in a zone of its own below one of acme.
    names = ("*.acme.example", "www.acme.example", "de.acme.example")
    wanted = [Wanted(client, client, names, ()) for client in ("acme", "beta")]
    modules = panel("id_user")
    modules.objects["domains"].append({"id": 4, "domain": "de.acme.example", "id_user": 8})
    look = Look(modules, wanted, [])
    look.find_obstacles(wanted, {one.name: {"name": one.name} for one in wanted}, [])
    assert look.obstacles == {
        "acme": ["domains: de.acme.example is of another client than acme."],
        "beta": ["domains: acme.example is of another client than beta."],
    }
    assert look.untouched == {"acme", "beta"}
    assert [asked for asked in modules.asked if asked[1]] == [("domains", {"id": 1}), ("domains", {"id": 4})]


def test_a_domain_without_an_id_is_left_as_it_is_and_stands_in_no_others_way() -> None:
    look = Look(panel("id_user", "id"), [ACME], [])
    look.find_obstacles([ACME], {}, [])
    assert look.obstacles == {
        "acme": ["domains: the panel does not say whether acme.example is of acme, so it is left as it is."]
    }


def test_a_client_who_is_gone_is_told_of_the_own_certificate_alone_due_or_not() -> None:
    look = Look(panel(), [GONE, ACME], [])
    look.find_obstacles([GONE, ACME], {"gone": {"name": "gone"}}, [])
    assert look.obstacles == {
        "gone": [
            "client: there is no client gone on this panel.",
            "domains: gone.example is in no zone of this panel, so it cannot be proven by DNS here.",
            "assign: there is no domain gone.example on this panel.",
        ]
    }
    assert look.untouched == {"gone"}


def test_a_certificate_in_the_way_is_told_with_whose_it_is_where_the_list_leaves_that_out() -> None:
    foreign = {"id": 5, "name": "acme", "id_user": 8, "components": {"certificate": "other"}}
    look = Look(panel("id_user", "components", certificates=[foreign]), [ACME], [])
    look.find_obstacles([ACME], {}, [])
    assert look.obstacles["acme"][0].startswith(
        "name: the panel has a certificate of this name, of another client than acme,"
    )
    assert look.untouched == {"acme"}


def test_an_order_that_would_leave_a_domain_without_a_valid_certificate_fails_before_it() -> None:
    uses, uses_another, uses_none = ({"security": {"id_certificate": number}} for number in ("5", 6, 0))
    domains = [
        {"id": 1, "domain": "acme.example", "id_user": 7, **uses},
        {"id": 2, "domain": "a.acme.example", "id_user": 7, "is_subdomain": True, **uses},
        {"id": 3, "domain": "b.acme.example", "id_user": 7, "is_subdomain": True, **uses},
        {"id": 4, "domain": "c.acme.example", "id_user": 7, "is_subdomain": True, **uses_another},
        {"id": 5, "domain": "d.acme.example", "id_user": 7, "is_subdomain": True, **uses_none},
        {"id": 7, "domain": "other.example", "id_user": 7, **uses_none},
        # The certificate is not for it, and was not before.
        {"id": 6, "domain": "never.a.acme.example", "id_user": 7, "is_subdomain": True, **uses},
    ]
    ours = {"id": 5, "name": "acme", "id_user": 7, "components": {}}
    kept = {"acme": {"name": "acme", "names": ["acme.example", "*.acme.example"]}}
    for names, words in (
        (
            ("acme.example",),
            "a.acme.example, b.acme.example use this certificate on the panel and would not be covered any more; give them",
        ),
        (
            ("acme.example", "a.acme.example"),
            "b.acme.example uses this certificate on the panel and would not be covered any more; give it",
        ),
        (("acme.example", "a.acme.example", "b.acme.example"), ""),
        (("acme.example", "*.acme.example", "x.other.example"), ""),
    ):
        wanted = Wanted("acme", "acme", names, ())
        # Also where the list of domains does not say which certificate each uses.
        for left_out in ((), ("security",)):
            modules: Any = Modules(
                left_out, clients=[{"id": 7, "username": "acme"}], domains=domains, certificates=[ours]
            )
            look = Look(modules, [wanted], [])
            look.zones.obstacles = lambda _wanted: iter(())  # type: ignore[method-assign]
            look.find_obstacles([wanted], kept, [wanted])
            assert look.obstacles.get("acme", []) == ([f"domains: {words} another certificate first."] if words else [])
            # What is not due is not ordered.
            look.obstacles = {}
            look.find_obstacles([wanted], kept, [])
            assert look.obstacles == {}


def test_a_certificate_that_came_while_another_was_ordered_is_in_the_way_too() -> None:
    modules = panel()
    look = Look(modules, [ACME, BETA], [])
    modules.objects["certificates"] = [
        {"id": 5, "name": "acme", "id_user": 7, "components": {"certificate": "other"}},
        # As a panel that does not show certificates has it.
        {"id": 6, "name": "beta", "id_user": 8, "components": {}},
    ]
    modules.asked.clear()
    found = look.find_newcomers([ACME, BETA], {})
    assert {name: sentence[:47] for name, sentence in found.items()} == dict.fromkeys(
        ("acme", "beta"), "name: the panel has a certificate of this name "
    )
    assert look.untouched == {"acme", "beta"}
    assert modules.asked == [("certificates", {})]


def test_until_when_a_certificate_is_valid_is_what_the_panel_shows(tmp_path: Path) -> None:
    file, _key = Issuer(tmp_path).issue("acme.example")
    before = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)
    shown = file.read_text(encoding="utf-8")
    found = []
    # The last two: a panel that does not show it, of which the state folder knows, and one that has none.
    for components in ({"certificate": shown}, {"certificate": "none"}, {}, None):
        certificates = (
            [{"id": 5, "name": "acme", "id_user": 7, "components": components}] if components is not None else []
        )
        found.append(
            Look(panel(certificates=certificates), [ACME], []).end_of("acme", {"not_after": before.isoformat()})
        )
    assert found == [x509.load_pem_x509_certificate(shown.encode()).not_valid_after_utc, None, before, None]
