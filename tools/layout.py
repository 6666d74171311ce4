"""Where everything is, copies of the checkout, and the environment of what the tools start: none of the caller's settings, nothing in its home."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

NAMESPACE = "hosting"
NAME = "panel"
PLUGINS = "ansible_collections.hosting.panel.plugins"
# The home and the cache of the user, also inside a step, whose HOME is another one; and the link to the checkout.
USER_HOME = "HOSTING_PANEL_USER_HOME"
USER_CACHE = "HOSTING_PANEL_USER_CACHE"
LINK_TO_ROOT = "HOSTING_PANEL_ROOT"
CACHE_IN_HOME = Path("Library/Caches" if sys.platform == "darwin" else ".cache")
PLAIN = re.compile(r"[A-Za-z0-9_/.,+@=-]+")


def find_user_home() -> Path:
    """Return the home of the user who started the tools."""
    return Path(os.environ.get(USER_HOME) or Path.home())


def find_user_cache() -> Path:
    """Return the user's cache folder."""
    return Path(
        os.environ.get(USER_CACHE)
        or os.environ.get("XDG_CACHE_HOME")
        or find_user_home() / CACHE_IN_HOME
    )


def make_plain_path(folder: Path) -> Path:
    """Return `folder`, or a link to it where its path has a space, a quote or the like.

    Ansible does not quote the path of the Python that runs an asynchronous module, and PATH cannot hold
    a colon. The link is in the user's cache, or else among the temporary files. It stays, since other
    runs may use it too.
    """
    if PLAIN.fullmatch(str(folder)):
        return folder

    link_of_caller = os.environ.get(LINK_TO_ROOT)
    if link_of_caller and Path(link_of_caller).resolve() == folder:
        return Path(link_of_caller)

    name = f"hosting.panel-{os.getuid()}-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    shared = find_user_cache() / "hosting.panel"
    if not PLAIN.fullmatch(str(shared)):
        shared = Path(tempfile.gettempdir())
    link = shared / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(folder, target_is_directory=True)

    if link.readlink() != folder or link.lstat().st_uid != os.getuid():
        raise RuntimeError(
            f"{link} is in the way: it has to be a link of yours to {folder}. Remove it."
        )

    os.environ[LINK_TO_ROOT] = str(link)
    return link


ROOT = make_plain_path(Path(__file__).resolve().parent.parent)
BUILD = ROOT / ".build"
LOGS = BUILD / "log"
REPORTS = BUILD / "report"
LINK = BUILD / "link"
DEVELOPMENT = ROOT / ".venv"
LOCKS = ROOT / "requirements"
# All other pages in docs are guides, which are in the archive, and which Galaxy shows.
PAGES_FOR_CONTRIBUTORS = (
    "architecture.md",
    "host_tools.md",
    "panel_api.md",
    "performance.md",
    "reliability.md",
    "write_a_reader.md",
)


def list_guides() -> list[Path]:
    """Return the guides, with their index."""
    return sorted(
        path for path in (ROOT / "docs").glob("*.md") if path.name not in PAGES_FOR_CONTRIBUTORS
    )


def link_collection(checkout: Path = ROOT) -> Path:
    """Make `.build/link/ansible_collections/hosting/panel` lead to the checkout; return `.build/link`.

    That is the folder for ANSIBLE_COLLECTIONS_PATH and PYTHONPATH. The link is relative, so it stays
    right when the checkout moves.
    """
    links = checkout / LINK.relative_to(ROOT)
    link = links / "ansible_collections" / NAMESPACE / NAME
    link.parent.mkdir(parents=True, exist_ok=True)
    target = Path(*[".."] * len(link.parent.relative_to(checkout).parts))
    if not link.is_symlink() or link.readlink() != target:
        # Several processes start at once, and none may find the link missing.
        new_link = link.with_name(f"{link.name}.{os.getpid()}")
        new_link.unlink(missing_ok=True)
        new_link.symlink_to(target, target_is_directory=True)
        new_link.replace(link)

    return links


def make_importable() -> None:
    """Let this process import the collection and the simulator."""
    sys.path[:0] = [str(link_collection()), str(ROOT / "roles" / "simulator" / "files")]


def list_tracked_paths() -> list[str]:
    """Return the paths of the files that git knows or would add, relative and in order."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    paths = sorted(set(listing.stdout.split("\0")) - {""})
    return [path for path in paths if (ROOT / path).is_symlink() or (ROOT / path).is_file()]


def copy_to(folder: Path) -> list[str]:
    """Fill `folder`, emptied before, as a clean clone would be; return the relative paths."""
    paths = list_tracked_paths()
    shutil.rmtree(folder, ignore_errors=True)

    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)

    return paths


# What the tools start


SCRATCH = "HOSTING_PANEL_SCRATCH"
SCRATCH_PREFIX = "hosting.panel-"
SETTINGS_OF_INSTALLERS = (".config/pip", ".config/uv", ".netrc", ".pip")
DROPPED = (
    "ANSIBLE_", "COVERAGE_", "COV_CORE_", "GALAXY_IMPORTER_", "MOLECULE_", "PANEL_", "PYTEST_", "PYTHON", "VIRTUAL_ENV", "XDG_",
)  # fmt: skip


def search_path() -> list[str]:
    """Return the folders of PATH without the shims of pyenv and its kin, whose interpreters may not
    run.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if folder and Path(folder).name != "shims"]


def make_scratch_folder() -> Path:
    """Return a folder for temporary files, one for a run of the tools, which is removed at its end.

    Its name has the number of this process, so that tools.clean can tell what a killed run has left.
    It is not in the checkout: Ansible does not quote the path of an asynchronous module, so the path must be free of
    spaces, and the path of a socket must be short.
    """
    if SCRATCH not in os.environ:
        os.environ[SCRATCH] = tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}{os.getpid()}-")
        atexit.register(shutil.rmtree, os.environ[SCRATCH], ignore_errors=True)
    return Path(os.environ[SCRATCH])


def make_private_home(name: str = "home", *, linked: Iterable[str] = ()) -> Path:
    """Return a home folder inside `.build`, so that no tool leaves files in the user's.

    Its cache is the user's; `linked` names further entries that lead to the user's if they exist.
    """
    home = BUILD / name
    find_user_cache().mkdir(parents=True, exist_ok=True)
    targets = {home / CACHE_IN_HOME: find_user_cache()}
    targets |= {home / entry: find_user_home() / entry for entry in linked}

    for link, target in targets.items():
        is_right = link.is_symlink() and link.readlink() == target
        if target.exists() and not is_right:
            link.parent.mkdir(parents=True, exist_ok=True)
            # In one go: steps run at the same time and share the home.
            new_link = link.with_name(f"{link.name}.{os.getpid()}.{threading.get_ident()}")
            new_link.symlink_to(target)
            new_link.replace(link)

    return home


def run_and_read_output(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> tuple[int, str]:
    """Run a command; return its exit code and what it said on both streams."""
    process = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        text=True,
        timeout=seconds,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return process.returncode, process.stdout


def make_install_variables() -> dict[str, str]:
    """Return the variables for pip and uv.

    They are the caller's, with a private home in which pip and uv find the user's settings. pip
    asks for the version of a Rust compiler, and asking makes rustup write into the home.
    """
    home = make_private_home("installer", linked=SETTINGS_OF_INSTALLERS)
    # pip trusts the system's certificates, uv only with this variable.
    variables = {"UV_SYSTEM_CERTS": "true", **os.environ}
    return {**variables, "HOME": str(home), "XDG_CACHE_HOME": str(find_user_cache())}


def make_environment(binaries: Path, **extra: str) -> dict[str, str]:
    """Return the variables for a command of a virtual environment.

    binaries: the folder of its commands.
    """
    scratch = make_scratch_folder()
    ansible = BUILD / "ansible"
    settings = ansible / "ansible.cfg"  # an empty one: ansible-lint does not take /dev/null
    ansible.mkdir(parents=True, exist_ok=True)
    settings.touch()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    variables |= {
        "PATH": os.pathsep.join([str(binaries), *search_path()]),
        "HOME": str(make_private_home()),
        "TMPDIR": str(scratch),
        SCRATCH: str(scratch),
        USER_HOME: str(find_user_home()),
        USER_CACHE: str(find_user_cache()),
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
