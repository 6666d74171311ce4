"""What the interface leaves open: the table, each value of each point on a panel that starts with it, and profiles."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from panel_simulator import openapi
from panel_simulator.answering import Reply, answered
from panel_simulator.calls import Call
from panel_simulator.installed_panel import KNOWN, ZONE_MEMBERS, InstalledPanel
from panel_simulator.kinds import KINDS
from panel_simulator.self_signed import make
from panel_simulator.settings import POINTS, SETTINGS, read_profile
from panel_simulator.state import dump, load, plant
from tests.support.simulator import Simulator

DATA: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix("").with_name("open_points.yml").read_text("utf-8")
)
CERTIFICATE, KEY = make("acme.example")
LONG = "x" * 300
WORDS = {"$certificate": CERTIFICATE, "$private_key": KEY, "$long": LONG, "$first": LONG[:255], "$rest": LONG[255:]}
SOA = {
    "ttl": 60,
    "primary_ns": "ns1.panel.example.",
    "rname": "a.panel.example.",
    "refresh": 1,
    "retry": 1,
    "expire": 1,
    "minimum": 1,
}
WORLD: dict[str, Any] = {
    "hosting_plans": [
        {"name": "Business", "resources": {"databases": 1}},
        *({"name": f"a{sign}b"} for sign in " /%"),
        {"name": "c+d"},
    ],
    "clients": [{"username": "acme", "hosting_plan": "Business"}, {"username": "aaron"}],
    "certificates": [
        {"name": name, "client": client, "components": {"certificate": CERTIFICATE, "private_key": KEY}}
        for name, client in (("own", "acme"), ("foreign", "aaron"))
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "www.acme.example", "client": "acme", "parent_domain": "acme.example"},
        {"domain": "acme.server.panel.example", "client": "acme", "is_system_domain": True},
    ],
    "emails": [{"email": "info@acme.example"}, {"email": "b@acme.example"}, {"email": "z@acme.example"}],
    "databases": [{"database_name": "shop", "client": "acme"}],
    "ftp_users": [{"username": "acme-web", "client": "acme"}],
    "directory_protections": [{"client": "acme", "path": "/x", "username": "u"}],
}
MISSING, PRESENT = "MISSING", "PRESENT"
METHODS = ("get", "post", "put", "delete")


@cache
def world() -> dict[str, Any]:
    """The state of a panel with the world on it."""
    panel = InstalledPanel("key")
    plant(panel, WORLD)
    return dump(panel)


class Asked:
    """A panel with a profile, on a clock of its own, and what it has answered."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.now = 1_800_000_000.0
        self.panel = InstalledPanel("key", lambda: self.now)
        load(self.panel, copy.deepcopy(world()))
        self.panel.settings.merge(settings)
        self.replies: list[Reply] = []

    def ask(self, step: dict[str, Any]) -> None:
        """One request, so many equal ones, or a pause."""
        if "wait" in step:
            self.now += step["wait"]
            return
        method = next(name for name in METHODS if name in step)
        path, _mark, query = step[method].partition("?")
        pairs = dict(part.split("=") for part in query.split("&") if part)
        raw = json.dumps(filled(step["body"])).encode() if "body" in step else b""
        for _time in range(step.get("times", 1)):
            call = Call(method.upper(), path, pairs, raw, key=step.get("key", "key"))
            self.replies.append(answered(self.panel, call))


def filled(value: Any) -> Any:
    """With what the data does not have itself."""
    if isinstance(value, dict):
        return {name: filled(member) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(item) for item in value]
    if value == "$soa":
        return SOA
    if isinstance(value, str):
        for word, text in WORDS.items():
            value = value.replace(word, text)
    return value


def content(reply: Reply) -> Any:
    return json.loads(reply.body) if reply.body[:1] in (b"{", b"[") else None


def member(value: Any, names: list[str]) -> Any:
    for name in names:
        if isinstance(value, list):
            value = dict(zip(map(str, range(len(value))), value, strict=True)).get(name, MISSING)
        else:
            value = value.get(name, MISSING) if isinstance(value, dict) else MISSING
    return value


def missing(usual: list[Reply], replies: list[Reply]) -> list[str]:
    """The number of each answer, and a member that it lacks beside the answers of a usual panel."""
    found = []
    for number, (one, other) in enumerate(zip(usual, replies, strict=True)):
        before, after = (item[0] if isinstance(item, list) else item for item in (content(one), content(other)))
        if isinstance(before, dict) and isinstance(after, dict) and other.status == one.status:
            found += [f"{number} {name}" for name in sorted({*before} - {*after})]
    return found


def looked_at(what: str, replies: list[Reply], usual: list[Reply]) -> Any:
    last = replies[-1]
    plain: dict[str, Any] = {
        "status": last.status,
        "statuses": [reply.status for reply in replies],
        "type": last.media_type,
        "body": last.body.decode(),
        "lengths": [len(content(reply)) for reply in replies if isinstance(content(reply), list)],
        "missing": missing(usual, replies),
        "dkim": "v=DKIM1" in json.dumps(member(content(last), ["records", "other"])),
        "notes": "".join(re.findall('"notes": (.*),\n', last.body.decode())),
    }
    if what in plain:
        return plain[what]
    place, *names = what.split(".")
    if place == "headers":
        return last.headers.get(names[0], MISSING)
    return member(content(last if place == "json" else replies[int(place)]), names)


def picture(name: str, value: Any) -> list[Any]:
    """What of the answers of a panel is looked at, on which the point has that value."""
    data = DATA[name]
    panel, usual = (Asked({**data.get("with", {}), **settings}) for settings in ({name: value}, {}))
    for step in data["ask"]:
        panel.ask(step)
        usual.ask(step)
    return [looked_at(what, panel.replies, usual.replies) for what in data["look"]]


def cases() -> Iterator[Any]:
    for name, data in DATA.items():
        for value, found in data["finds"]:
            yield pytest.param(name, value, filled(found), id=f"{name}: {value}")


@pytest.mark.parametrize(("name", "value", "found"), list(cases()))
def test_a_panel_with_a_value_of_a_point_shows_it(name: str, value: Any, found: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "profile.yml"
    file.write_text(yaml.safe_dump({name: value}, allow_unicode=True), encoding="utf-8")
    seen = picture(name, read_profile(file, KNOWN).get(name, POINTS[name].default))
    assert [
        PRESENT if one == PRESENT and two != MISSING else two for one, two in zip(found, seen, strict=True)
    ] == found


@pytest.mark.parametrize("name", POINTS)
def test_every_value_of_a_point_is_shown_in_a_way_of_its_own(name: str) -> None:
    values, found = zip(*DATA[name]["finds"], strict=True)
    assert list(values) == [POINTS[name].default, *POINTS[name].tried]
    assert len({json.dumps(one) for one in found}) == len(found)


def test_the_data_are_about_points_that_there_are() -> None:
    assert [*DATA] == [*POINTS]


def test_no_setting_has_two_homes() -> None:
    assert not set(SETTINGS) & set(POINTS)


def test_members_are_named_by_the_kinds_that_there_are_and_zones() -> None:
    assert set(KNOWN.members) == {*KINDS, "dns"}
    assert set(ZONE_MEMBERS) == set(openapi.document("")["components"]["schemas"]["dns"]["properties"])


def test_a_panel_over_http_has_its_profile(tmp_path: Path) -> None:
    file = tmp_path / "profile.yml"
    file.write_text("numbers: texts\nhidden_members: {admins: [language]}\n", encoding="utf-8")
    with Simulator.start(arguments=["--profile", str(file)], max_seconds=60) as simulator:
        answer = simulator.request("GET", "/admins/1")
        assert (answer.json()["id"], "language" in answer.json()) == ("1", False)
        assert answer.json()["username"] == "admin"
        simulator.reset()
        assert simulator.settings()["numbers"] == "texts"
        assert simulator.errors() == ""
