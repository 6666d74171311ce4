"""The page of a report on three panels in a real browser.

It fits a phone, and its list can be sorted.
"""

from __future__ import annotations

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    read_connection,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.build_report import build_report
from ansible_collections.hosting.panel.plugins.plugin_utils._report.months import list_months_until
from ansible_collections.hosting.panel.plugins.plugin_utils._report.read_panels import (
    PanelToRead,
    ReadOptions,
    read_panels,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._report.rendering import render_page
from tests.support.fleet import NOW, start_reported_fleet
from tools.browser.looking import DESKTOP, PHONE, Sight, View, find_barriers, look

pytestmark = pytest.mark.release

OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
# Elements that stick out of the window, but for those in a box that scrolls.
OUTSIDE = """
  const outside = [...document.body.querySelectorAll('*')].filter((element) => {
    if (!element.checkVisibility() || element.closest('.scroll, .hidden-text, thead')) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
  }).map((element) => element.outerHTML.slice(0, 120));
"""
INSPECT = f"(() => {{ {OPEN} {OUTSIDE} return outside; }})()"
ROWS = "[...document.querySelectorAll('#all-clients tbody tr')]"
SORT = f"""(() => {{
  {OPEN}
  const sorted = (column, value) => {{
    document.querySelectorAll('#all-clients th button')[column].click();
    return {ROWS}.map(value);
  }};
  const name = (row) => row.cells[0].querySelector('bdi').textContent;
  return {{ up: sorted(0, name), down: sorted(0, name), disks: sorted(4, (row) => Number(row.cells[4].dataset.sort)) }};
}})()"""
SEEN = f"{ROWS}.filter((row) => row.checkVisibility()).length"
CLIENTS = 60


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sight]:
    """Return how the page looks in each way.

    On a phone and on a desk, while it is sorted, without scripts, and on paper.
    """
    folder = tmp_path_factory.mktemp("page of a report")
    with start_reported_fleet(folder / "fleet", CLIENTS) as fleet:
        panels = [
            PanelToRead(
                name,
                name,
                read_connection({"api_url": panel.url, "api_key": panel.api_key}),
                2 * 1024**4,
            )
            for name, panel in fleet.panels.items()
        ]
        readings = read_panels(
            panels, ReadOptions(list_months_until(NOW, 2), 4, VaultLib()), lambda text: None
        )

    path = folder / "report.html"
    path.write_text(render_page(build_report(readings, NOW, "Hosting report")), encoding="utf-8")
    assert path.stat().st_size < 2000 * CLIENTS
    assert find_barriers([path]) == []
    views = {
        way: View(path, *size, "light", evaluate=INSPECT)
        for way, size in (("phone", PHONE), ("desk", DESKTOP))
    }
    views["sorting"] = View(path, evaluate=SORT)
    views["without scripts"] = View(path, scripts=False, evaluate=f"[{ROWS}.length, {SEEN}]")
    views["paper"] = View(path, 794, 1123, media="print", evaluate=SEEN)

    return dict(zip(views, look(list(views.values())), strict=True))


def test_the_browser_complains_about_nothing_nothing_is_loaded_and_the_page_fits_the_window(
    seen: dict[str, Sight],
) -> None:
    troubles = {way: (sight.errors, sight.requests, sight.overflow) for way, sight in seen.items()}
    assert troubles == dict.fromkeys(seen, ([], [], 0))
    # With all lists open.
    assert (seen["phone"].evaluated, seen["desk"].evaluated) == ([], [])


def test_clients_can_be_sorted_and_without_scripts_every_one_is_there(
    seen: dict[str, Sight],
) -> None:
    orders = seen["sorting"].evaluated
    assert len(orders["up"]) == CLIENTS
    assert (orders["up"], orders["down"]) == (
        sorted(orders["up"]),
        sorted(orders["up"], reverse=True),
    )
    assert orders["disks"] == sorted(orders["disks"], reverse=True)
    # Paper shows the closed lists.
    assert (seen["without scripts"].evaluated, seen["paper"].evaluated) == ([CLIENTS, 0], CLIENTS)
