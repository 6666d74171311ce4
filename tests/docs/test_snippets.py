"""Whoever follows a page gets what it shows."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import dns.message
import dns.query
import pytest
import requests

from tests.support.snippets import Reader, Snippet, missing_line, snippets
from tools.layout import ROOT, guides

# The role simulator is what the practice fleet starts.
ROLES = [path for path in sorted(ROOT.glob("roles/*/README.md")) if path.parent.name != "simulator"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *guides(), *ROLES]
MOST_NOT_RUN = 3
# Whose last block removes everything that the page has made.
CLEARED_UP = ("certificates.md", "zones.md")
GUIDES = ROOT / "docs"
ON_THE_FLEET = [page for page in guides() if any(one.language == "fleet" for one in snippets(page))]
PROMISE = "You can run every command here unchanged on the [practice fleet](getting_started.md)."
NOTHING_TO_TYPE = "nothing to type"
ASKS = re.compile(r"--ask-vault-pass|ansible-vault view|hosting\.panel\.apply (?!.*--check)")
TO_REPLACE = re.compile(r"=\.\.\.|https?://[\w.-]+\.example|<[A-Z_]+>")


# Each fleet takes a minute to start: a push follows the first guide, and a release all of them on one fleet. See noxfile.py.
FIRST = GUIDES / "getting_started.md"
ALONE = [
    pytest.param(
        page,
        marks=pytest.mark.alone if page in ON_THE_FLEET and page != FIRST else (),
        id=page.relative_to(ROOT).as_posix(),
    )
    for page in PAGES
]


@pytest.mark.parametrize("page", ALONE)
def test_every_snippet_of_a_page_does_what_the_page_says(page: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    # A short name, since sockets of pages have no long ones.
    with Reader(tmp_path_factory.mktemp("page")) as reader:
        reader.follow(page)


@pytest.mark.release
def test_whoever_follows_the_guides_from_top_to_bottom_on_one_fleet_types_every_word_as_it_is(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tmp_path = tmp_path_factory.mktemp("page")
    order = re.findall(r"^\| \[.*\]\((\w+\.md)\)", (GUIDES / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(order) == sorted(page.name for page in guides() if page.name != "README.md")
    with Reader(tmp_path) as reader:
        for name in order:
            if GUIDES / name in ON_THE_FLEET:
                reader.follow(GUIDES / name)
            if name in CLEARED_UP:
                assert list((tmp_path / "home" / "panel-play" / name.removesuffix(".md")).iterdir()) == []
        # Its playbooks can be run again, it says, and all of them once more.
        for snippet in snippets(GUIDES / "dns.md"):
            twice = snippet.language == "shell" and snippet.directive != "fails"
            reader.do(replace(snippet, text=snippet.text * 2) if twice else snippet)


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.name)
def test_a_guide_says_at_its_top_that_it_can_be_typed_as_it_is_which_is_tried(page: Path) -> None:
    top = page.read_text(encoding="utf-8").partition("\n## ")[0]
    types_something = any(one.language == "shell" for one in snippets(page))
    assert types_something == (page in ON_THE_FLEET)
    assert (PROMISE in top) == (types_something and page.name != "getting_started.md")
    assert (NOTHING_TO_TYPE in top) == (not types_something and page.name != "README.md")


@pytest.mark.parametrize("page", ON_THE_FLEET, ids=lambda page: page.name)
def test_a_guide_that_can_be_typed_names_each_file_before_it_shows_it_and_has_nothing_to_replace(page: Path) -> None:
    lines, since = page.read_text(encoding="utf-8").splitlines(), 0
    for snippet in snippets(page):
        if name := snippet.value("file"):
            assert f"`{name}`" in " ".join(lines[since : snippet.line]), snippet.place
        if snippet.language == "shell" and not snippet.reason:
            assert not TO_REPLACE.search(snippet.text), snippet.place
            # It would take the lines that were pasted after it for the answer.
            asking = [bool(ASKS.search(command)) for command in snippet.text.replace("\\\n", " ").splitlines()]
            assert True not in asking[:-1], snippet.place
        if not snippet.reason:
            since = snippet.line + snippet.text.count("\n")


# The words of these stay within the shell; those of any program are for every user of the machine to read.
WITHIN_THE_SHELL = ("export", "printf", "read")
A_KEY = re.compile(r"\$\{?\w*KEY\b|panel-play/keys")


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.name)
def test_no_key_is_a_word_of_a_command(page: Path) -> None:
    shells = [one for one in snippets(page) if one.language == "shell"]
    commands = [part for one in shells for part in re.split(r"[|;&\n]+(?:\s*do\b)?", one.text) if A_KEY.search(part)]
    assert [one for one in commands if one.split()[0] not in WITHIN_THE_SHELL] == []


@pytest.mark.release
def test_zones_are_put_right_after_a_run_that_was_killed_and_a_broken_one_is_not_served(tmp_path: Path) -> None:
    before = takewhile(lambda one: "octodns_bind." not in one.text, snippets(ROOT / "docs" / "zones.md"))
    run = Snippet(Path("zones.md"), 0, "shell", "ansible-playbook zones.yml")
    work = tmp_path / "home" / "panel-play" / "zones"
    with Reader(tmp_path) as reader:
        for snippet in before:
            reader.do(snippet)
        port = int(reader.replacements("18054"))
        served = _served("acme.example", port, 1700000000)
        for missing in ("nsd/acme.example.zone", "nsd/zones.conf", "zones/acme.example.zone"):
            (work / missing).unlink()
            reader.do(run)
            assert (work / missing).is_file()
        served = _served("acme.example", port, served)
        key = (work.parent / "keys" / "web-1").read_text(encoding="utf-8").rstrip()
        panel = reader.replacements("http://127.0.0.1:18101")
        _add(panel, key, "acme.example", [{"host": "new", "type": "A", "ttl": 60, "value": "192.0.2.9"}])
        reader.do(run)
        assert missing_line("localhost ... changed=2 ...", reader.printed) is None, reader.printed
        _served("acme.example", port, served)
        settings = (work / "nsd" / "zones.conf").read_text(encoding="utf-8")
        seed = {"domains": [{"domain": "broken.example", "client": "acme"}]}
        assert requests.post(f"{panel}/_simulator/seed", json=seed, timeout=30).ok
        aliases = [{"host": "a", "type": "CNAME", "ttl": 60, "value": f"{name}.example."} for name in "bc"]
        _add(panel, key, "broken.example", aliases)
        reader.do(replace(run, directive="fails"))
        assert "nsd-checkzone" in reader.printed, reader.printed
        assert "broken.example" in reader.printed
        assert (work / "nsd" / "zones.conf").read_text(encoding="utf-8") == settings


def _add(panel: str, key: str, zone: str, more: list[dict[str, Any]]) -> None:
    address, headers = f"{panel}/api/v2/dns/name/{zone}", {"X-API-Key": key}
    records = requests.get(address, headers=headers, timeout=30).json()["records"]
    body = {"records": {**records, "other": [*records["other"], *more]}}
    assert requests.put(address, headers=headers, json=body, timeout=30).status_code == 200


def _served(zone: str, port: int, after: int) -> int:
    """The serial number that a name server gives, which has to be a later one within seconds."""
    deadline, serial = time.monotonic() + 20, 0
    while serial <= after and time.monotonic() < deadline:
        told = dns.query.udp(dns.message.make_query(zone, "SOA"), "127.0.0.1", timeout=10, port=port)
        serial = next((int(answer[0].serial) for answer in told.answer), 0)
        time.sleep(0.1)
    assert serial > after
    return serial


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_few_snippets_of_a_page_are_not_run(page: Path) -> None:
    assert len([snippet for snippet in snippets(page) if snippet.reason]) <= MOST_NOT_RUN
