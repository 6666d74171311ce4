# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The browser that other tests look through, itself looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.browser import installing
from tools.browser.installing import SOURCE, BrowserFailure
from tools.browser.looking import Sight, View, look

PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>A page</title>
<style>body { margin: 0; background: #fff } @media (prefers-color-scheme: dark) { body { background: #000 } } div { width: 500px; height: 7px }
p { width: 20px; overflow: hidden; white-space: nowrap }</style>
<div></div><p>A text that is longer than its place</p>
<img src="https://elsewhere.example/picture.png" alt=""><script>document.title += ' with scripts'; missing()</script>
"""
COLOUR = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def sights(tmp_path_factory: pytest.TempPathFactory) -> list[Sight]:
    page = tmp_path_factory.mktemp("a page") / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    return look(
        [
            View(page, width=390, evaluate=COLOUR, boxes=("div", "p"), screenshot=page.with_name("phone.png"), scale=2),
            View(page, scheme="dark", scripts=False, evaluate=COLOUR),
        ]
    )


def test_it_says_what_the_browser_complained_about_and_what_the_page_asked_for(sights: list[Sight]) -> None:
    first, second = sights
    assert [error for error in first.errors if "missing is not defined" in error]
    assert first.requests == second.requests == ["https://elsewhere.example/picture.png"]
    assert [error for error in second.errors if "ERR_NAME_NOT_RESOLVED" in error]


def test_it_measures(sights: list[Sight]) -> None:
    first, second = sights
    assert (first.overflow, second.overflow) == (110, 0)
    assert [(box.width, box.height) for box in first.boxes["div"]] == [(500, 7)]
    assert [box.clipped for box in first.boxes["p"]] == [True]


def test_colour_scheme_and_scripts_are_chosen(sights: list[Sight]) -> None:
    assert [sight.evaluated for sight in sights] == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert [sight.title for sight in sights] == ["A page with scripts", "A page"]


def test_everything_that_is_installed_is_locked_with_its_checksum() -> None:
    packages = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert [
        name for name, entry in packages.items() if name and not entry.get("integrity", "").startswith("sha512-")
    ] == []


def test_a_machine_without_the_libraries_of_a_browser_gets_those_of_the_package(
    sights: list[Sight], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if installing.browser().program != installing.OWN:
        pytest.skip("The browser of this machine is not the one of the package.")
    monkeypatch.setattr(installing, "find_library", lambda name: None)
    assert (installing.browser().libraries or Path()).joinpath("libnss3.so").is_file()
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    assert look([View(tmp_path / "page.html")])[0].title == "A page with scripts"


def test_without_node_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installing, "search_path", lambda: [str(tmp_path)])
    with pytest.raises(BrowserFailure, match=r"node is not installed.*Node\.js 20\.11"):
        look([View(tmp_path / "page.html")])
