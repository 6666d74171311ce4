"""Looks at pages in a real browser, without a display, as root or not, and with no way out of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.browser.installing import BrowserFailure, browser

PHONE = (390, 844)
DESKTOP = (1280, 900)
SECONDS = 180.0


@dataclass(frozen=True)
class View:
    """How to look at a page.

    page: a file, or an address on 127.0.0.1. width, height: of the window, in CSS pixels. scheme: light or dark. media: screen or print.
    scale: pixels of the picture for each CSS pixel. scripts: whether JavaScript is on. evaluate: an expression of JavaScript whose value,
    which may be a promise, is returned, and which is evaluated before everything else. boxes: selectors of what is measured. screenshot:
    a PNG file to write, of the window or of the full page.
    """

    page: Path | str
    width: int = DESKTOP[0]
    height: int = DESKTOP[1]
    scheme: str = "light"
    media: str = "screen"
    scale: float = 1
    scripts: bool = True
    evaluate: str = ""
    boxes: tuple[str, ...] = ()
    screenshot: Path | None = None
    full_page: bool = False


@dataclass(frozen=True)
class Box:
    """Where an element is, in CSS pixels; clipped: whether a part of its content is hidden."""

    x: float
    y: float
    width: float
    height: float
    clipped: bool


@dataclass(frozen=True)
class Sight:
    """What there was to see.

    overflow: by how many pixels the page is wider than the window. boxes: by selector. errors: what the browser complained about.
    requests: addresses that the page asked for, besides itself. evaluated: the value of View.evaluate.
    """

    title: str
    overflow: int
    boxes: dict[str, list[Box]]
    errors: list[str]
    requests: list[str]
    evaluated: Any


def look(views: Sequence[View], seconds: float = SECONDS) -> list[Sight]:
    """Look at pages, one after the other in one browser; raises BrowserFailure."""
    found = browser()
    with tempfile.TemporaryDirectory(prefix="browser-") as home:
        variables = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "TMPDIR": home,
            "FONTCONFIG_FILE": str(found.fonts),
        }
        if found.libraries is not None:
            variables["LD_LIBRARY_PATH"] = str(found.libraries)
        try:
            done = subprocess.run(
                [str(found.node), str(found.script), str(found.program)],
                input=json.dumps([_request(view) for view in views]),
                env=variables,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BrowserFailure(f"The browser {found.program} took more than {seconds:.0f} s.") from None
    if done.returncode:
        raise BrowserFailure(f"The browser {found.program} failed: {done.stderr.strip()[-3000:]}")
    return [_sight(answer) for answer in json.loads(done.stdout)]


def _request(view: View) -> dict[str, Any]:
    page = view.page.resolve().as_uri() if isinstance(view.page, Path) else view.page
    screenshot = None if view.screenshot is None else str(view.screenshot.resolve())
    return asdict(view) | {"page": page, "screenshot": screenshot}


def _sight(answer: dict[str, Any]) -> Sight:
    boxes = {selector: [Box(**box) for box in found] for selector, found in answer.pop("boxes").items()}
    return Sight(boxes=boxes, **answer)
