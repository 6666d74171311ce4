# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects get a new password, and what a file says about it at every moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import WithoutId
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.mistyped_names import refusal
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords import rotate_passwords
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import (
    begun,
    forgotten,
    in_force,
    pending,
    rotated,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsFile,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.rotate_passwords import RotationMarks
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.rotate_selection import (
    Wish,
    mistakes_in,
    names_in,
    pointless_exceptions,
    select,
)

LISTS: dict[str, list[dict[str, Any]]] = {
    "plans": [{"id": 1, "name": "Business"}, {"id": 2, "name": "Basic"}],
    "clients": [
        {"id": 1, "username": "acme", "id_hosting_plan": 1},
        {"id": 2, "username": "beta", "id_hosting_plan": 2},
        {"id": 3, "username": "betty", "id_hosting_plan": 1},
    ],
    "emails": [
        {"id": 11, "email": "info@xn--mller-kva.example", "id_user": 2},
        {"id": 12, "email": "info@acme.example", "id_user": 1},
        {"id": 13, "email": "a@betty.example", "id_user": 3},
    ],
    "databases": [{"id": 21, "database_name": "shop", "id_user": 1}],
}
IN_FORCE = {"panel": "p", "kind": "emails", "key": "info@acme.example", "password": "old"}


def _chosen(**wish: Any) -> list[str]:
    selection = select(Wish(**wish), LISTS)
    assert selection.missing == []
    return [f"{target.kind} {target.id}" for target in selection.targets]


@pytest.mark.parametrize(
    ("wish", "chosen"),
    [
        ({"kinds": ["emails"], "clients": ["acme"]}, ["emails 12"]),
        ({"kinds": ["emails", "clients"], "clients": ["BET*"]}, ["clients 2", "clients 3", "emails 13", "emails 11"]),
        ({"kinds": ["emails", "databases"], "plans": ["Business"]}, ["emails 13", "emails 12", "databases 21"]),
        ({"kinds": ["databases"], "clients": ["beta"], "plans": ["business"]}, ["databases 21"]),
        ({"objects": {"emails": ["Info@MÜLLER.example"], "clients": ["acme"]}}, ["clients 1", "emails 11"]),
        ({"kinds": ["emails"], "clients": ["acme"], "objects": {"emails": ["info@acme.example"]}}, ["emails 12"]),
        ({"kinds": ["emails"], "clients": ["*"], "exceptions": ["info@*"]}, ["emails 13"]),
        ({"kinds": ["emails"], "clients": ["*"], "exceptions": ["beta", "a@betty.example"]}, ["emails 12"]),
        ({"kinds": ["emails"], "clients": ["*"], "exceptions": ["beta", " a@betty.example "]}, ["emails 12"]),
    ],
)
def test_objects_are_chosen_by_client_plan_or_name(wish: dict[str, Any], chosen: list[str]) -> None:
    assert _chosen(**wish) == chosen


def test_every_name_and_pattern_that_fits_nothing_is_missing() -> None:
    wish = Wish(["emails"], ["acme", "nobody", "x*"], ["Enormous"], {"emails": ["q@acme.example"]}, ["nothing either"])
    assert [missing.partition(" (")[0] for missing in select(wish, LISTS).missing] == [
        "clients nobody",
        "clients x*",
        "plans Enormous",
        "emails q@acme.example",
    ]


def test_a_name_with_a_typing_mistake_is_told_with_what_was_meant() -> None:
    wish = Wish(["emails"], ["acmee"], ["Busines"], {"emails": ["inof@acme.example"]})
    assert select(wish, LISTS).missing == [
        "clients acmee (did you mean acme?)",
        "plans Busines (did you mean Business?)",
        "emails inof@acme.example (did you mean info@acme.example?)",
    ]


@pytest.mark.parametrize(
    ("exceptions", "pointless"),
    [
        (["acme", " Info@MÜLLER.example", "a@*", "shop"], []),
        (["acne", "shp", "x*", ""], ["acne", "shp", "x*", ""]),
    ],
)
def test_an_exception_that_fits_no_object_and_no_client_is_pointless(
    exceptions: list[str], pointless: list[str]
) -> None:
    assert pointless_exceptions(Wish(exceptions=exceptions), LISTS) == pointless


def test_a_pointless_exception_is_told_with_the_nearest_name() -> None:
    assert refusal(["acne", "x*"], names_in(LISTS)) == (
        "except: nothing on this panel has such a name: acne: did you mean acme? x*: nothing is called so. Nothing was written. "
        "Correct the names, or take them out."
    )


@pytest.mark.parametrize(
    ("wish", "without", "named"),
    [
        ({"kinds": ["emails"], "clients": ["acme"]}, ("emails", 1), "emails info@acme.example"),
        ({"kinds": ["emails"], "clients": ["acme"]}, ("clients", 0), "clients acme"),
        ({"kinds": ["clients"], "clients": ["*"]}, ("clients", 1), "clients beta"),
        # Nobody knows whose the mailboxes are that were excepted.
        ({"objects": {"emails": ["info@acme.example"]}, "exceptions": ["acme"]}, ("clients", 0), "clients acme"),
        ({"kinds": ["emails"], "clients": ["acme"]}, ("clients", 1), ""),
        ({"kinds": ["emails"], "clients": ["acme"], "exceptions": ["info@*"]}, ("emails", 1), ""),
    ],
)
def test_an_object_that_is_shown_without_an_id_is_named(wish: dict[str, Any], without: Any, named: str) -> None:
    kind, place = without
    items = [
        {name: value for name, value in item.items() if name != "id" or index != place}
        for index, item in enumerate(LISTS[kind])
    ]
    if not named:
        select(Wish(**wish), {**LISTS, kind: items})
        return
    with pytest.raises(WithoutId, match=f"^{named}: the panel shows it without an id"):
        select(Wish(**wish), {**LISTS, kind: items})


def test_objects_without_an_owner_belong_to_nobody() -> None:
    items = [{"id": 14, "email": "b@nobody.example"}]
    wish = Wish(["emails"], ["*"])
    clients = [{"username": "zeta"}, *LISTS["clients"]]
    with pytest.raises(WithoutId, match=r"^clients zeta"):
        select(wish, {**LISTS, "clients": clients, "emails": items})
    assert select(wish, {**LISTS, "emails": items}).targets == []


def test_plans_cannot_choose_where_the_panel_does_not_show_them() -> None:
    clients = [{"id": 1, "username": "acme"}]
    (missing,) = select(Wish(["clients"], plans=["Business"]), {**LISTS, "clients": clients}).missing
    assert missing.startswith("the hosting plan of any client")


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"kinds": ["emails"]}, "clients, plans, objects: name at least one"),
        ({"clients": ["acme"]}, "kinds: missing;"),
        ({"objects": {"domains": ["acme.example"]}}, "objects: there is no kind domains here;"),
        ({"objects": {"emails": "info@acme.example"}}, "objects.emails: must be a list of names."),
    ],
)
def test_a_mistake_is_found_before_anything_is_read(wish: dict[str, Any], words: str) -> None:
    (mistake,) = mistakes_in(Wish(**wish))
    assert mistake.startswith(words)


def _new(key: str = "info@acme.example", password: str = "new", rotation: str = "r1") -> Credential:
    return Credential("p", "emails", key, password, rotation)


def test_the_old_password_stays_in_force_until_the_new_one_is_set() -> None:
    started = begun({"generated_passwords": [IN_FORCE]}, [_new()])
    assert started["generated_passwords"] == [IN_FORCE]
    assert pending(started, "p", "r1") == {("emails", "info@acme.example"): "new"}
    assert rotated(started, "p", "r1") == set()
    done = in_force(started, [_new()])
    assert done == {"generated_passwords": [{**IN_FORCE, "password": "new", "rotation": "r1"}]}
    assert rotated(done, "p", "r1") == {("emails", "info@acme.example")}


def test_a_pending_password_is_not_replaced_by_another_one() -> None:
    started = begun({"generated_passwords": []}, [_new()])
    assert begun(started, [_new(password="other")]) == started


def test_another_rotation_leaves_what_is_pending_until_its_own_is_in_force() -> None:
    both = begun(begun({"generated_passwords": []}, [_new(), _new("b")]), [_new(password="newer", rotation="r2")])
    assert [entry["password"] for entry in both["pending_passwords"]] == ["new", "new", "newer"]
    done = in_force(both, [_new(password="newer", rotation="r2")])
    assert [entry["key"] for entry in done["pending_passwords"]] == ["b"]
    assert [entry["password"] for entry in done["generated_passwords"]] == ["newer"]


def test_objects_of_another_panel_and_other_content_stay() -> None:
    other = {**IN_FORCE, "panel": "other"}
    content = {"generated_passwords": [other], "note": "kept"}
    done = in_force(begun(content, [_new()]), [_new()])
    assert (done["note"], done["generated_passwords"][0]) == ("kept", other)
    assert rotated(done, "other", "r1") == set()


def test_an_object_that_has_gone_is_forgotten() -> None:
    started = begun({"generated_passwords": [IN_FORCE]}, [_new(), _new("gone@acme.example")])
    left = forgotten(started, "p", [("emails", "gone@acme.example")])
    assert list(pending(left, "p", "r1")) == [("emails", "info@acme.example")]


def test_marks_are_written_now_and_then_and_a_file_that_cannot_be_written_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(rotate_passwords.time, "monotonic", lambda: clock[0])
    file = CredentialsFile(str(tmp_path / "passwords.yml"), VaultLib(secrets=[("default", VaultSecret(b"secret"))]))
    names = ["a", "b", "c"]
    file.change(lambda content: begun(content, [_new(name) for name in names]))
    marks = RotationMarks(file)
    left: list[int] = []
    for name in names:
        marks.add(_new(name))
        left.append(len(pending(file.content(), "p", "r1")))
        clock[0] += 1.5
    # The first at once, the second too soon after it, the third with the second.
    assert left == [2, 2, 0]
    assert marks.write() == ""
    assert pending(file.content(), "p", "r1") == {}
    file.change(lambda content: begun(content, [_new("a", "newest", "r2")]))
    plain = (tmp_path / "passwords.yml").read_bytes()
    (tmp_path / "passwords.yml").write_text("plain", encoding="utf-8")
    again = RotationMarks(file)
    clock[0] = 0.0  # too soon to be written by itself
    again.add(_new("a", "newest", "r2"))
    assert "1 new passwords that are in force could not be marked as such" in again.write()
    (tmp_path / "passwords.yml").write_bytes(plain)
    assert again.write() == ""
    assert file.content()["generated_passwords"][0]["password"] == "newest"


def test_a_password_of_no_rotation_is_of_none_that_is_named_so() -> None:
    content = {"generated_passwords": [IN_FORCE]}
    assert rotated(content, "p", "None") == set()
    again = begun(content, [_new(rotation="None")])
    assert list(pending(again, "p", "None").values()) == ["new"]
