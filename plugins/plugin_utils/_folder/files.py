# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a directory that holds a panel: what they are called, and which of them count.

None of them may be a link.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from ...module_utils._errors import PanelError
from ...module_utils._problems import Problem, Written, abbreviate
from .._run.controller_files import describe_reason

CLIENTS = "clients"
"""The directory in which each client has a file."""
REST = "panel.yml"
"""The file of what belongs to no client, and of the line that says whose the directory is."""
_ENDINGS = (".yml", ".yaml")
_MOST_NAMED = 10
# Names that some file systems keep for devices, whatever their ending is.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
_CODE = re.compile(r"(%[0-9A-F]{2})")
_UPPER_CASE = re.compile(r"[A-Z]")
# A file system takes 255 bytes, and a file that is being written has a longer name.
_LONGEST = 180
_LINK = "this is a link, which is not followed. Put the file or the directory itself there."


class FolderError(PanelError):
    """A directory cannot be read or written; the message names the file, and holds no secret."""


def make_error_before_writing(cause: str) -> FolderError:
    """Return the error of a run that has not begun to write."""
    return FolderError(cause, written=Written.NO_FILE)


class WrongFiles(FolderError):
    """There are mistakes in the files of a directory, all of which it has."""

    # Results have always called it so.
    public_name = "FolderError"
    listed_in = "mistakes"

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = tuple(problems)


# Names of files


def make_file_name(username: str) -> str:
    """Return the name of the file of a client, below the directory.

    No two clients have one file, also where a file system takes upper and lower case or two
    spellings of a letter for the same.
    """
    name = quote(username, safe="", errors="surrogatepass")
    if name.startswith(".") or _DEVICES.match(name.lower()):
        name = f"%{ord(name[0]):02X}{name[1:]}"

    # Of a file system that does not know case, so that what is left of the name has no upper case
    # but in codes of letters.
    parts = []
    for text in _CODE.split(name):
        is_code = text.startswith("%")
        parts.append(text if is_code else _UPPER_CASE.sub(_encode_letter, text))
    name = "".join(parts)

    if len(name) > _LONGEST:
        # No other name has a percent sign without digits behind it.
        digest = hashlib.sha256(username.encode("utf-8", "surrogatepass")).hexdigest()
        beginning = name[: _LONGEST - 70].rstrip("%")
        name = f"{beginning}%-{digest}"
    return f"{CLIENTS}/{name}.yml"


def _encode_letter(letter: re.Match[str]) -> str:
    return f"%{ord(letter[0]):02X}"


# Files that count


def is_read(path: Path) -> bool:
    """Return whether objects are expected in the file."""
    # A file that is called .yml has no suffix in Python.
    return path.name.lower().endswith(_ENDINGS) and not path.is_dir()


def list_files_in(directory: Path, credentials_file: str | None = None) -> list[Path]:
    """Return the files of a directory in which objects are expected.

    Args:
        directory: The directory.
        credentials_file: The file of passwords, which is passed over.

    Raises:
        FolderError: A file or a directory in it is a link, or cannot be read.
    """
    paths = list(list_paths_in(directory, credentials_file))
    links = [str(path) for path in paths if path.is_symlink()]
    if links:
        raise FolderError(_LINK, subject=abbreviate(links, _MOST_NAMED), written=Written.NO_FILE)
    return [path for path in paths if is_read(path)]


def describe_link(path: Path) -> str:
    """Return what is wrong with a path that is a link; empty if it is none."""
    return _LINK if path.is_symlink() else ""


def list_paths_in(directory: Path, credentials_file: str | None) -> Iterator[Path]:
    """Yield every file below a directory that has to be considered, and every link.

    Links are not followed, and each that may stand for a file that counts is yielded. Below the
    directory of the clients no YAML file is passed over, whatever the client is called. Elsewhere
    hidden files and the file of passwords are, and everywhere README files that are no YAML.

    Args:
        directory: The directory.
        credentials_file: The file of passwords, in which ``{client}`` stands for any name.
            It may be below the directory.
    """
    passwords = _make_pattern(credentials_file)
    for folder, folder_names, file_names in os.walk(directory, onerror=_refuse_unreadable):
        is_of_clients = Path(folder).relative_to(directory).parts[:1] == (CLIENTS,)
        if not is_of_clients:
            folder_names[:] = [name for name in folder_names if not name.startswith(".")]
        folder_names.sort()
        links = [name for name in folder_names if os.path.islink(os.path.join(folder, name))]

        for name in sorted([*file_names, *links]):
            path = Path(folder, name)
            is_client = is_of_clients and is_read(path)
            if is_client or not _is_passed_over(path, is_of_clients, passwords):
                yield path


def _is_passed_over(path: Path, is_of_clients: bool, passwords: re.Pattern[str] | None) -> bool:
    """Return whether a file that is not a client's, or a link, does not count.

    Args:
        path: The file or the link.
        is_of_clients: Whether it is below the directory of the clients.
        passwords: Fits the paths of the files of passwords.
    """
    is_link = path.is_symlink()
    if path.name.startswith("."):
        # Below the clients a hidden directory counts, so that a link may stand for one.
        return not (is_of_clients and is_link)
    if path.name.lower().startswith("readme") and not is_read(path):
        return not path.is_dir()
    if passwords is None:
        return False
    # A link to the file of passwords is not this file, unless the option names the link.
    own_path = os.path.join(os.path.realpath(path.parent), path.name)
    return bool(passwords.fullmatch(own_path))


def _make_pattern(credentials_file: str | None) -> re.Pattern[str] | None:
    """Return what fits the paths of the files of passwords, and of their lock files."""
    if credentials_file is None:
        return None
    written_path = os.path.abspath(credentials_file)
    folder, name = os.path.split(written_path)
    forms = []
    for path in (os.path.join(os.path.realpath(folder), name), os.path.realpath(written_path)):
        parts = map(re.escape, path.split("{client}"))
        forms.append("[^/]*".join(parts))
    return re.compile(rf"({'|'.join(forms)})(\.lock)?")


def _refuse_unreadable(error: OSError) -> None:
    cause = f"{error.filename}: {describe_reason(error)}."
    raise FolderError(cause, written=Written.NOTHING)
