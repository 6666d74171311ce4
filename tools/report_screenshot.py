"""Makes the pictures of the report in docs/images, of three simulated panels with 500 clients.

`python -m tools.development tools.report_screenshot`
"""

from __future__ import annotations

import shutil
import sys

from tests.support.fleet import ReportedFleet, reported_fleet
from tools.browser.looking import DESKTOP, PHONE, View, look
from tools.layout import BUILD, ROOT

FOLDER = BUILD / "report-pictures"
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 300_000
HEIGHT = 1330


def main() -> int:
    """Return 0 when the pictures are there and small enough."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    with reported_fleet(FOLDER) as fleet:
        for plays in (lambda: [fleet.export()], lambda: _drifted(fleet)):
            done = fleet.run(plays())
            if done.returncode:
                print(done.stdout)
                return 1
    page = FOLDER / "report.html"
    IMAGES.mkdir(parents=True, exist_ok=True)
    views = [
        View(page, DESKTOP[0], HEIGHT, screenshot=IMAGES / "report.png"),
        View(page, DESKTOP[0], HEIGHT, scheme="dark", screenshot=IMAGES / "report-dark.png"),
        View(page, *PHONE, scale=2, screenshot=IMAGES / "report-phone.png"),
    ]
    look(views)
    large = [view.screenshot.name for view in views if view.screenshot and view.screenshot.stat().st_size > MOST_BYTES]
    print(f"The page is {page}, its pictures are in {IMAGES}.")
    for name in large:
        print(f"{name} is larger than {MOST_BYTES} bytes.")
    return 1 if large else 0


def _drifted(fleet: ReportedFleet) -> list[object]:
    fleet.drift()
    return [fleet.report()]


if __name__ == "__main__":
    sys.exit(main())
