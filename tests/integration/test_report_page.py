"""The page of a report on three panels and 500 clients, looked at in a real browser: on a phone and on a desk, light and dark, on paper."""

from __future__ import annotations

import time

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import read_connection
from ansible_collections.hosting.panel.plugins.plugin_utils._report import reading
from ansible_collections.hosting.panel.plugins.plugin_utils._report.findings import report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import page
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
INSPECT = f"(() => {{ const height = document.documentElement.scrollHeight; {OPEN} {FAINT} {OUTSIDE} return {{ height, faint, outside }}; }})()"
CHARTS = (".rows .bar", ".spark")
ROWS = "[...document.querySelectorAll('#all-clients tbody tr')].filter((row) => !row.hidden)"
SEARCH = f"""(() => {{
  {OPEN}
  const search = (words) => {{
    const find = document.querySelector('#find-client');
    find.value = words;
    find.dispatchEvent(new Event('input'));
    return {ROWS}.map((row) => row.cells[1].textContent + row.cells[2].textContent);
  }};
  const found = search('WEB-2  starter');
  const said = document.querySelector('.find output').textContent;
  search('');
  const sorted = (column, value) => {{
    document.querySelectorAll('#all-clients th button')[column].click();
    return {ROWS}.map(value);
  }};
  const name = (row) => row.cells[0].querySelector('bdi').textContent;
  return {{ found, said, up: sorted(0, name), down: sorted(0, name), disks: sorted(4, (row) => Number(row.cells[4].dataset.sort)) }};
}})()"""
WORDS = "document.body.innerText.length"

WAYS = ("phone light", "phone dark", "desk light", "desk dark", "narrow light")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sight]:
    """The page in every way; it is made in seconds, and small enough for a mail."""
    folder = tmp_path_factory.mktemp("page of a report")
    with reported_fleet(folder / "fleet") as fleet:
        panels = [
            reading.PanelToRead(name, name, read_connection({"api_url": one.url, "api_key": one.api_key}), 2 * 1024**4)
            for name, one in fleet.panels.items()
        ]
        began = time.monotonic()
        found = reading.gather(panels, reading.Wish(reading.months_until(NOW, 12), 4, VaultLib()), lambda text: None)
        assert time.monotonic() - began < 30
    path = folder / "report.html"
    path.write_text(page(report(found, NOW, "Hosting report")), encoding="utf-8")
    assert path.stat().st_size < 1_000_000
    sizes = {"phone": PHONE, "desk": DESKTOP, "narrow": (320, 600)}
    views = {way: View(path, *sizes[way.split()[0]], way.split()[1], evaluate=INSPECT, boxes=CHARTS) for way in WAYS}
    views["searching"] = View(path, evaluate=SEARCH)
    views["without scripts"] = View(path, scripts=False, evaluate=WORDS, boxes=("#all-clients tr", ".find"))
    printed = f"(window.dispatchEvent(new Event('beforeprint')), {WORDS})"
    views["paper"] = View(path, 794, 1123, media="print", evaluate=printed)
    return dict(zip(views, look(list(views.values())), strict=True))


def test_the_browser_complains_about_nothing_nothing_is_loaded_and_the_page_fits_the_window(
    seen: dict[str, Sight],
) -> None:
    found = {way: (sight.errors, sight.requests, sight.overflow) for way, sight in seen.items()}
    assert found == dict.fromkeys(seen, ([], [], 0))
    assert seen["phone light"].evaluated["height"] < 8000


@pytest.mark.parametrize("way", WAYS)
def test_with_all_lists_open_nothing_sticks_out_and_every_text_and_drawing_can_be_seen(
    seen: dict[str, Sight], way: str
) -> None:
    assert (seen[way].evaluated["outside"], seen[way].evaluated["faint"]) == ([], [])
    for selector in CHARTS:
        boxes = seen[way].boxes[selector]
        assert len(boxes) >= 10 and not [box for box in boxes if box.width < 8 or box.height < 4], selector


def test_clients_can_be_searched_and_sorted(seen: dict[str, Sight]) -> None:
    found = seen["searching"].evaluated
    assert set(found["found"]) == {"web-2Starter"} and found["said"] == f"{len(found['found'])} found"
    assert len(found["up"]) == 500
    assert (found["up"], found["down"]) == (sorted(found["up"]), sorted(found["up"], reverse=True))
    assert found["disks"] == sorted(found["disks"], reverse=True)


def test_without_scripts_every_client_is_there_and_paper_shows_the_closed_lists(seen: dict[str, Sight]) -> None:
    boxes = seen["without scripts"].boxes
    assert (len(boxes["#all-clients tr"]), boxes[".find"][0].height) == (501, 0)
    assert seen["paper"].evaluated > 2 * seen["without scripts"].evaluated


def test_the_pictures_in_the_documentation_are_not_large() -> None:
    images = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").glob("report*.png")}
    assert images.keys() == {"report-dark.png", "report-phone.png", "report.png"} and max(images.values()) < 300_000
