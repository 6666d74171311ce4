"""Give ansible-test the script with which it puts pip into its environments.

ansible-test downloads it from a host of its own, which a closed network does not reach. It first looks into its
cache, so the cache gets a stand-in that unpacks the wheel of the wanted version, and the wheel comes from the package
index.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tools.surroundings import installing

STAND_IN = '''"""Installs pip by unpacking its wheel, in a tenth of a second; pip would take four to install itself."""

import sysconfig
import zipfile

zipfile.ZipFile({wheel!r}).extractall(sysconfig.get_path("purelib"))
'''


def provide(site_packages: Path, home: Path, wheels: Path) -> None:
    """Put the stand-in, for every pip that the ansible-test in `site_packages` asks for, into the cache below `home`."""
    source = site_packages / "ansible_test" / "_internal" / "python_requirements.py"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in sorted(set(re.findall(r"pip(?:_version)?\s*=\s*'([\d.]+)'", source.read_text(encoding="utf-8")))):
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        script.write_text(STAND_IN.format(wheel=str(_wheel(version, wheels))), encoding="utf-8")


def _wheel(version: str, wheels: Path) -> Path:
    wheel = wheels / f"pip-{version}-py3-none-any.whl"
    if not wheel.exists():
        words = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
        words += ["--only-binary", ":all:", "--dest", str(wheels), f"pip=={version}"]
        subprocess.run(words, stdin=subprocess.DEVNULL, env=installing(), check=True)
    return wheel
