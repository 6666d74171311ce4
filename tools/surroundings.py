"""The environment variables of what the tools start: none of the caller's settings, nothing in the caller's home."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tools.layout import BUILD, CACHE_IN_HOME, LINK, USER_CACHE, USER_HOME, user_cache, user_home

SCRATCH = "HOSTING_PANEL_SCRATCH"
SETTINGS_OF_INSTALLERS = (".config/pip", ".config/uv", ".netrc", ".pip")
DROPPED = (
    "ANSIBLE_", "COVERAGE_", "COV_CORE_", "GALAXY_IMPORTER_", "MOLECULE_", "PANEL_", "PYTEST_", "PYTHON", "VIRTUAL_ENV", "XDG_",
)  # fmt: skip


def search_path() -> list[str]:
    """Return the folders of PATH without the shims of pyenv and its kin: those offer interpreters that do not run."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if folder and Path(folder).name != "shims"]


def scratch_folder() -> Path:
    """Return a folder for temporary files, one for a run of the tools, which is removed at its end.

    It is not in the checkout: Ansible does not quote the path of an asynchronous module, so the path must be free of
    spaces, and the path of a socket must be short.
    """
    if SCRATCH not in os.environ:
        os.environ[SCRATCH] = tempfile.mkdtemp(prefix="hosting.panel-")
        atexit.register(shutil.rmtree, os.environ[SCRATCH], ignore_errors=True)
    return Path(os.environ[SCRATCH])


def private_home(name: str = "home", *, linked: Iterable[str] = ()) -> Path:
    """Return a home folder inside `.build`, so that no tool leaves files in the user's.

    Its cache is the user's; `linked` names further entries that lead to the user's, where those exist.
    """
    home = BUILD / name
    user_cache().mkdir(parents=True, exist_ok=True)
    links = {home / CACHE_IN_HOME: user_cache()} | {home / entry: user_home() / entry for entry in linked}
    for link, target in links.items():
        if target.exists() and not (link.is_symlink() and link.readlink() == target):
            link.parent.mkdir(parents=True, exist_ok=True)
            # In one go: steps run side by side and share it.
            new = link.with_name(f"{link.name}.{os.getpid()}.{threading.get_ident()}")
            new.symlink_to(target)
            new.replace(link)
    return home


def said(
    words: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None, seconds: float | None = None
) -> tuple[int, str]:
    """Run a command; return its exit code and what it said on both streams."""
    nothing, pipe, error = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(
        words,
        cwd=folder,
        env=variables,
        stdin=nothing,
        stdout=pipe,
        stderr=error,
        text=True,
        timeout=seconds,
        check=False,
    )
    return done.returncode, done.stdout


def installing() -> dict[str, str]:
    """Return the variables for pip and uv: the caller's, with a private home in which they find the user's settings.

    pip asks for the version of a Rust compiler, and asking makes rustup write into the home.
    """
    home = private_home("installer", linked=SETTINGS_OF_INSTALLERS)
    # pip trusts the system's certificates, uv only when told.
    return {"UV_SYSTEM_CERTS": "true"} | os.environ | {"HOME": str(home), "XDG_CACHE_HOME": str(user_cache())}


def environment(binaries: Path, **extra: str) -> dict[str, str]:
    """Return the variables for a command of the virtual environment whose folder of commands is `binaries`."""
    scratch = scratch_folder()
    ansible = BUILD / "ansible"
    settings = ansible / "ansible.cfg"  # an empty one: ansible-lint does not take /dev/null
    ansible.mkdir(parents=True, exist_ok=True)
    settings.touch()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    variables |= {
        "PATH": os.pathsep.join([str(binaries), *search_path()]),
        "HOME": str(private_home()),
        "TMPDIR": str(scratch),
        SCRATCH: str(scratch),
        USER_HOME: str(user_home()),
        USER_CACHE: str(user_cache()),
        "ANSIBLE_ASYNC_DIR": str(scratch / "async"),
        "ANSIBLE_COLLECTIONS_PATH": str(LINK),
        "ANSIBLE_CONFIG": str(settings),
        "ANSIBLE_HOME": str(ansible),
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False",
        "ANSIBLE_LOCALHOST_WARNING": "False",
        "ANSIBLE_REMOTE_TEMP": str(scratch / "remote"),
        "ANSIBLE_RETRY_FILES_ENABLED": "False",
    }
    if not any("utf" in variables.get(name, "").lower() for name in ("LC_ALL", "LC_CTYPE", "LANG")):
        variables["LC_ALL"] = "C.UTF-8"
    return variables | extra
