"""Installs the browser into `.build/browser`, from npm, once for each lock file.

The environment variable HOSTING_PANEL_BROWSER names another one, for a machine for which npm has none: it only has Linux on x86-64.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes.util import find_library
from dataclasses import dataclass
from pathlib import Path

from tools import user
from tools.layout import BUILD
from tools.surroundings import SETTINGS_OF_INSTALLERS, installing, private_home, search_path

CHOSEN = "HOSTING_PANEL_BROWSER"
"""The environment variable that names another browser."""
SOURCE = Path(__file__).resolve().parent
FOLDER = BUILD / "browser"
UNPACKED = FOLDER / "unpacked"
OWN = UNPACKED / "chromium"
# Libraries that a small machine does not have come with the package, which unpacks them where this variable is set.
NEEDED_LIBRARY = "nss3"
LIBRARIES = UNPACKED / "al2023" / "lib"
WITH_LIBRARIES = {"AWS_EXECUTION_ENV": "AWS_Lambda_nodejs20.x"}
FILES = ("package.json", "package-lock.json", "unpack.mjs", "look.mjs")
STAMP = ".made-from"
INSTALLATION_SECONDS = 600
ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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


class BrowserFailure(Exception):
    """There is no browser, or it could not look; the message says what to do."""


@dataclass(frozen=True)
class Browser:
    """An installed browser: the program, Node.js, the script that drives it, the settings of its fonts, and where it finds libraries.

    libraries: None where the machine has them.
    """

    program: Path
    node: Path
    script: Path
    fonts: Path
    libraries: Path | None


def browser() -> Browser:
    """Return the browser, installed first where it is not yet; raises BrowserFailure."""
    node = _command("node")
    with _locked():
        stamp = FOLDER / STAMP
        wanted = _description()
        if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted):
            _install(node)
            stamp.write_text(wanted, encoding="utf-8")
    program = _program()
    libraries = LIBRARIES if program == OWN and not find_library(NEEDED_LIBRARY) else None
    return Browser(program, node, FOLDER / "look.mjs", FOLDER / "fonts.conf", libraries)


def _program() -> Path:
    if chosen := os.environ.get(CHOSEN):
        return Path(chosen)
    if _has_own():
        return OWN
    for name in ON_PATH:
        if found := shutil.which(name):
            return Path(found)
    raise BrowserFailure(
        f"npm has no browser for this machine ({platform.system()} {platform.machine()}). Install Chromium or Chrome, or name it in {CHOSEN}."
    )


def _has_own() -> bool:
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def _command(name: str) -> Path:
    found = shutil.which(name, path=os.pathsep.join(search_path()))
    if found is None:
        raise BrowserFailure(
            f"{name} is not installed. Tests look at pages in a real browser, which needs Node.js 20.11 or newer with npm: install both "
            "(nodejs and npm in most distributions), and run this again."
        )
    return Path(found)


def _install(node: Path) -> None:
    npm = _command("npm")
    shutil.rmtree(FOLDER, ignore_errors=True)
    UNPACKED.mkdir(parents=True)
    for name in FILES:
        shutil.copy(SOURCE / name, FOLDER / name)
    home = private_home("installer", linked=(*SETTINGS_OF_INSTALLERS, ".npmrc"))
    variables = installing() | {"HOME": str(home), "npm_config_cache": str(user.cache() / "npm")}
    print("Installing the browser in which tests look at pages ...", flush=True)
    _run([str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], variables)
    if _has_own():
        _run([str(node), "unpack.mjs"], variables | {"TMPDIR": str(UNPACKED)} | WITH_LIBRARIES)
    fonts = FONTS.format(own=UNPACKED / "fonts", cache=FOLDER / "font-cache")
    (FOLDER / "fonts.conf").write_text(fonts, encoding="utf-8")


def _run(words: list[str], variables: dict[str, str]) -> None:
    done = subprocess.run(
        words,
        cwd=FOLDER,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=INSTALLATION_SECONDS,
        check=False,
    )
    if done.returncode:
        raise BrowserFailure(f"The browser could not be installed. {' '.join(words)} said: {done.stdout.strip()}")


def _description() -> str:
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in FILES))
    digest.update(f"{FONTS}{WITH_LIBRARIES}".encode())
    return f"{FOLDER}\n{digest.hexdigest()}\n"


@contextmanager
def _locked() -> Iterator[None]:
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "browser.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
