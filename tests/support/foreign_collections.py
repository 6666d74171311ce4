"""The collection community.crypto, taken out of a package on PyPI, since Galaxy is not to be had everywhere."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools.environments import entry_of
from tools.layout import BUILD, LOCKS
from tools.surroundings import installing

LOCK = LOCKS / "acme.txt"
PACKAGE = "ansible"
FOLDER = BUILD / "foreign-collections"
STAMP = FOLDER / ".made-from"
INSIDE = "ansible_collections/community/crypto/"
DOWNLOAD_SECONDS = 600


def collections_folder() -> Path:
    """A folder for ANSIBLE_COLLECTIONS_PATH with this collection alone, made once for each lock file."""
    BUILD.mkdir(exist_ok=True)
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    with (BUILD / "foreign-collections.lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not (STAMP.is_file() and STAMP.read_text(encoding="utf-8") == wanted):
            shutil.rmtree(FOLDER, ignore_errors=True)
            _unpack()
            STAMP.write_text(wanted, encoding="utf-8")
    return FOLDER


def _unpack() -> None:
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        requirement = Path(name, "requirement.txt")
        requirement.write_text(entry_of(PACKAGE, LOCK), encoding="utf-8")
        words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        words += ["--only-binary", ":all:", "--require-hashes", "--requirement", str(requirement), "--dest", name]
        done = subprocess.run(
            words,
            env=installing(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DOWNLOAD_SECONDS,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"The package {PACKAGE} could not be downloaded; pip said: {done.stderr.strip()}")
        (wheel,) = Path(name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(FOLDER, [entry for entry in archive.namelist() if entry.startswith(INSIDE)])
