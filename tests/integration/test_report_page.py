# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a report on three servers and 500 clients, looked at in a real browser: on a phone and on a desk, light and dark, on paper."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import read_connection
from ansible_collections.hosting.panel.plugins.plugin_utils._report.make_report import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.page import page
from ansible_collections.hosting.panel.plugins.plugin_utils._report.reading import (
    PanelToRead,
    Wish,
    gather,
    months_until,
)
from tests.support.reported_fleet import NOW, reported_fleet
from tools.browser.looking import DESKTOP, PHONE, Sight, View, look
from tools.layout import ROOT

OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
# Texts that are hard to read: contrast below 4.5 between a text and what is behind it, as WCAG counts it.
FAINT = """
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const colour = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const found = colour(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const faint = [...document.body.querySelectorAll('*')].filter((element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!hasText || !element.checkVisibility() || element.closest('script, svg')) return false;
    const [one, two] = [light(colour(getComputedStyle(element).color).slice(0, 3)), light(behind(element))].sort((a, b) => b - a);
    return (one + 0.05) / (two + 0.05) < 4.5;
  }).map((element) => element.outerHTML.slice(0, 120));
"""
# Elements that stick out of the window, but for those in a box that scrolls.
OUTSIDE = """
  const outside = [...document.body.querySelectorAll('*')].filter((element) => {
    if (!element.checkVisibility() || element.closest('.scroll, .hidden-text, thead')) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
  }).map((element) => element.outerHTML.slice(0, 120));
"""
INSPECT = f"(() => {{ {OPEN} {FAINT} {OUTSIDE} return {{ faint, outside }}; }})()"
CHARTS = (".bar", ".columns svg", ".spark")
ROWS = "[...document.querySelectorAll('#all-clients tbody tr')].filter((row) => !row.hidden)"
SEARCH = f"""(() => {{
  {OPEN}
  const find = document.querySelector('#find-client');
  find.value = 'WEB-2  starter';
  find.dispatchEvent(new Event('input'));
  const found = {ROWS};
  const said = document.querySelector('.find output').textContent;
  const right = found.every((row) => row.cells[1].textContent === 'web-2' && row.cells[2].textContent === 'Starter');
  find.value = '';
  find.dispatchEvent(new Event('input'));
  const heads = document.querySelectorAll('#all-clients th button');
  const names = () => {ROWS}.map((row) => row.cells[0].querySelector('bdi').textContent);
  heads[0].click();
  const up = names();
  heads[0].click();
  const down = names();
  heads[4].click();
  const disks = {ROWS}.map((row) => Number(row.cells[4].dataset.sort));
  const sorted = document.querySelectorAll('[aria-sort]').length;
  return {{ count: found.length, said, right, up, down, disks, sorted }};
}})()"""
WORDS = "document.body.innerText.length"


@dataclass(frozen=True)
class Seen:
    """The page in every way; seconds: how long reading the fleet took."""

    sights: dict[str, Sight]
    seconds: float
    size: int


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    folder = tmp_path_factory.mktemp("page of a report")
    path = folder / "report.html"
    with reported_fleet(folder / "fleet") as fleet:
        panels = [
            PanelToRead(name, name, read_connection({"api_url": panel.url, "api_key": panel.api_key}), 2 * 1024**4)
            for name, panel in fleet.panels.items()
        ]
        began = time.monotonic()
        readings = gather(panels, Wish(months_until(NOW, 12), 4, VaultLib()), lambda text: None)
        seconds = time.monotonic() - began
    path.write_text(page(report(readings, NOW, "Hosting report")), encoding="utf-8")
    views = {
        f"{name} {scheme}": View(path, *window, scheme, evaluate=INSPECT, boxes=CHARTS)
        for name, window in (("phone", PHONE), ("desk", DESKTOP))
        for scheme in ("light", "dark")
    }
    views["narrow"] = View(path, 320, 600, evaluate=INSPECT, boxes=CHARTS)
    views["searching"] = View(path, evaluate=SEARCH)
    views["without scripts"] = View(path, scripts=False, evaluate=WORDS, boxes=("#all-clients tr", ".find"))
    views["paper"] = View(
        path, 794, 1123, media="print", evaluate=f"(window.dispatchEvent(new Event('beforeprint')), {WORDS})"
    )
    sights = dict(zip(views, look(list(views.values())), strict=True))
    return Seen(sights, seconds, len(path.read_bytes()))


WAYS = ("phone light", "phone dark", "desk light", "desk dark", "narrow")


@pytest.mark.parametrize("way", [*WAYS, "searching", "without scripts", "paper"])
def test_the_browser_complains_about_nothing_and_nothing_is_loaded(seen: Seen, way: str) -> None:
    assert (seen.sights[way].errors, seen.sights[way].requests) == ([], [])


@pytest.mark.parametrize("way", [*WAYS, "paper"])
def test_the_page_is_not_wider_than_the_window(seen: Seen, way: str) -> None:
    assert seen.sights[way].overflow == 0


@pytest.mark.parametrize("way", WAYS)
def test_with_all_lists_open_nothing_sticks_out(seen: Seen, way: str) -> None:
    assert seen.sights[way].evaluated["outside"] == []


@pytest.mark.parametrize("way", WAYS)
def test_every_text_stands_out_from_what_is_behind_it(seen: Seen, way: str) -> None:
    assert seen.sights[way].evaluated["faint"] == []


@pytest.mark.parametrize("way", WAYS)
def test_every_chart_is_drawn(seen: Seen, way: str) -> None:
    for selector in CHARTS:
        boxes = seen.sights[way].boxes[selector]
        assert len(boxes) >= 10, selector
        assert [box for box in boxes if box.width < 8 or box.height < 4] == [], selector


def test_clients_can_be_searched_and_sorted(seen: Seen) -> None:
    found = seen.sights["searching"].evaluated
    assert 50 < found["count"] < 150 and found["right"]
    assert found["said"] == f"{found['count']} found"
    assert len(found["up"]) == 500
    assert (found["up"], found["down"]) == (sorted(found["up"]), sorted(found["up"], reverse=True))
    assert found["disks"] == sorted(found["disks"], reverse=True)
    assert found["sorted"] == 1


def test_without_scripts_every_client_is_there_and_the_search_is_not(seen: Seen) -> None:
    boxes = seen.sights["without scripts"].boxes
    assert len(boxes["#all-clients tr"]) == 501
    assert [(box.width, box.height) for box in boxes[".find"]] == [(0, 0)]


def test_paper_shows_the_closed_lists(seen: Seen) -> None:
    assert seen.sights["paper"].evaluated > 2 * seen.sights["without scripts"].evaluated


def test_a_large_fleet_is_read_in_seconds_and_makes_a_page_that_can_be_mailed(seen: Seen) -> None:
    assert seen.seconds < 30
    assert seen.size < 1_000_000


def test_the_pictures_in_the_documentation_are_not_large() -> None:
    images = sorted((ROOT / "docs" / "images").glob("report*.png"))
    assert [path.name for path in images] == ["report-dark.png", "report-phone.png", "report.png"]
    assert [path.name for path in images if path.stat().st_size > 300_000] == []
