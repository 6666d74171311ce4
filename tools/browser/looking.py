"""A real browser without a display, in which tests look at pages: as root or not, and with no way out of this machine.

It is installed into `.build/browser`, from npm, once for each lock file. The environment variable HOSTING_PANEL_BROWSER names another one, for
a machine for which npm has none: it only has Linux on x86-64.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from ctypes.util import find_library
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tools.layout import (
    BUILD,
    SETTINGS_OF_INSTALLERS,
    find_user_cache,
    make_install_variables,
    make_private_home,
    run_and_read_output,
    search_path,
)

CHOSEN = "HOSTING_PANEL_BROWSER"
SOURCE = Path(__file__).resolve().parent
FILES = ("look.mjs", "package-lock.json", "package.json")
UNPACK = "import chromium from '@sparticuz/chromium'; chromium.setGraphicsMode = false; await chromium.executablePath();"
FOLDER = BUILD / "browser"
UNPACKED = FOLDER / "unpacked"
OWN = UNPACKED / "chromium"
# Libraries that a small machine does not have come with the package, which unpacks them where this variable is set.
NEEDED_LIBRARY = "nss3"
LIBRARIES = UNPACKED / "al2023" / "lib"
WITH_LIBRARIES = {"AWS_EXECUTION_ENV": "AWS_Lambda_nodejs20.x"}
STAMP = ".made-from"
INSTALLATION_SECONDS = 600
SECONDS = 180.0
# The browser's own fonts alone, so that pictures are the same everywhere; the machine's only for what is not text in sans-serif.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{own}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>{cache}</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""
PHONE = (390, 844)
DESKTOP = (1280, 900)


class BrowserFailure(Exception):
    """There is no browser, or it could not look; the message says what to do."""


@dataclass(frozen=True)
class View:
    """How to look at a page.

    page: a file, or an address on 127.0.0.1. width, height: of the window, in CSS pixels. scheme: light
    or dark. media: screen or print. scripts: whether JavaScript is on. evaluate: an expression of
    JavaScript, whose value, which may be a promise, is returned. picture: a PNG file to write, of the
    whole page.
    """

    page: Path | str
    width: int = DESKTOP[0]
    height: int = DESKTOP[1]
    scheme: str = "light"
    media: str = "screen"
    scripts: bool = True
    evaluate: str = ""
    picture: str = ""


@dataclass(frozen=True)
class Sight:
    """What there was to see.

    overflow: by how many pixels the page is wider than the window. errors: what the browser complained
    about. requests: addresses that the page asked for, besides itself. evaluated: the value of
    View.evaluate.
    """

    overflow: int
    errors: list[str]
    requests: list[str]
    evaluated: Any


def look(views: Sequence[View], seconds: float = SECONDS) -> list[Sight]:
    """Look at pages, one after the other in one browser; raises BrowserFailure."""
    node = _make_command("node")
    _install(node)
    program = _find_program()
    requests = []

    for view in views:
        page = view.page.resolve().as_uri() if isinstance(view.page, Path) else view.page
        requests.append(asdict(view) | {"page": page})

    with tempfile.TemporaryDirectory(prefix="browser-") as home:
        variables = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": home}
        variables["FONTCONFIG_FILE"] = str(FOLDER / "fonts.conf")
        if program == OWN and not find_library(NEEDED_LIBRARY):
            variables["LD_LIBRARY_PATH"] = str(LIBRARIES)
        try:
            done = subprocess.run(
                [node, str(FOLDER / "look.mjs"), str(program)],
                input=json.dumps(requests),
                env=variables,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BrowserFailure(f"The browser {program} took more than {seconds:.0f} s.") from None

    if done.returncode:
        raise BrowserFailure(f"The browser {program} failed: {done.stderr.strip()[-3000:]}")

    return [Sight(**answer) for answer in json.loads(done.stdout)]


def find_barriers(pages: Sequence[Path]) -> list[str]:
    """Return what axe finds on pages in both schemes: each with its page, rule and first element."""
    _install(_make_command("node"))
    axe = (FOLDER / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    violations = "(await axe.run()).violations.map((rule) => `${rule.id}: ${rule.nodes[0].html}`)"
    script = f"(async () => {{ {axe}; return {violations}; }})()"
    views = []
    for page in pages:
        views += [View(page, scheme=scheme, evaluate=script) for scheme in ("light", "dark")]

    lines = []
    for view, sight in zip(views, look(views), strict=True):
        lines += [f"{view.page}, {view.scheme}: {violation}" for violation in sight.evaluated]

    return lines


def _has_own() -> bool:
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def _find_program() -> Path:
    if chosen := os.environ.get(CHOSEN):
        return Path(chosen)
    if _has_own():
        return OWN

    raise BrowserFailure(
        f"npm has no browser for this machine. Install Chromium or Chrome, and name it in {CHOSEN}."
    )


def _make_command(name: str) -> str:
    program = shutil.which(name, path=os.pathsep.join(search_path()))
    if program is None:
        raise BrowserFailure(
            f"{name} is not installed. Tests look at pages in a browser, "
            "which needs Node.js 20.11 with npm."
        )

    return program


def _install(node: str) -> None:
    """Install the browser where it is not yet."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "browser.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in FILES))
        digest.update(f"{UNPACK}{FONTS}{WITH_LIBRARIES}".encode())
        expected = f"{FOLDER}\n{digest.hexdigest()}\n"
        stamp = FOLDER / STAMP
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == expected:
            return
        shutil.rmtree(FOLDER, ignore_errors=True)
        UNPACKED.mkdir(parents=True)
        for name in FILES:
            shutil.copy(SOURCE / name, FOLDER / name)
        home = make_private_home("installer", linked=(*SETTINGS_OF_INSTALLERS, ".npmrc"))
        variables = make_install_variables() | {
            "HOME": str(home),
            "npm_config_cache": str(find_user_cache() / "npm"),
        }
        print("Installing the browser in which tests look at pages ...", flush=True)
        npm = _make_command("npm")
        _run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
            variables,
        )
        if _has_own():
            _run(
                [node, "--input-type=module", "--eval", UNPACK],
                variables | {"TMPDIR": str(UNPACKED)} | WITH_LIBRARIES,
            )

        fonts = FONTS.format(own=UNPACKED / "fonts", cache=FOLDER / "font-cache")
        (FOLDER / "fonts.conf").write_text(fonts, encoding="utf-8")
        stamp.write_text(expected, encoding="utf-8")


def _run(command: list[str], variables: dict[str, str]) -> None:
    code, text = run_and_read_output(command, FOLDER, variables, INSTALLATION_SECONDS)
    if code:
        raise BrowserFailure(
            f"The browser could not be installed. {' '.join(command)} said: {text.strip()}"
        )
