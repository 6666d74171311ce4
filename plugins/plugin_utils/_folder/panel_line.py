# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose files a directory holds: the line ``panel`` in ``panel.yml``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import parse_address
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import Written
from ...module_utils._secrets.displayed_arguments import display_address
from ...module_utils._values.value_types import quote_value
from .files import REST, FolderError
from .yaml_file import Place, Vaulted, YamlFile

LINE = "panel"
FORM = (
    f"{LINE} must be the host of a panel, and its port if it has one, in plain text, for example "
    "panel.example or panel.example:8443."
)
_NO_NAMES = (
    f"the file must have the line {LINE} or a list of objects for each type, such as emails."
)
_UNKNOWN_NAME = (
    f"{{name}} is neither {LINE} nor a type of objects, so it is not known whose files these are. "
    "Correct the name, or take it out."
)
ELSEWHERE = (
    f"the line {LINE} counts in {REST} of the directory alone. Move it there, or take it out."
)


class NoOwner(ValueError):
    """A file that does not say whose it is, though it may have been meant to.

    Attributes:
        sentence: Why it does not.
        where: The place in the file.
    """

    def __init__(self, sentence: str, where: Place = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.where = where


def find_panel(file: YamlFile) -> str:
    """Return the panel that a file names, as `get_panel_host` does; empty without such a line.

    Raises:
        NoOwner: The line is not the host and port of a panel, or another name stands where the
            line may be meant.
    """
    if file.is_empty:
        return ""
    if not isinstance(file.content, dict):
        raise NoOwner(_NO_NAMES)
    has_line = LINE in file.content
    for name in file.content:
        if name in KINDS or name == LINE:
            continue
        if not has_line or is_meant_as_line(name):
            raise NoOwner(_UNKNOWN_NAME.format(name=quote_value(name)), (name,))
    if not has_line:
        return ""

    try:
        return parse_host_and_port(file.content[LINE])
    except ValueError:
        raise NoOwner(FORM, (LINE,)) from None


def refuse_line_elsewhere(file: YamlFile) -> None:
    """Refuse a line that may say whose the files are where nothing reads that.

    Raises:
        NoOwner: The file has such a line.
    """
    if not isinstance(file.content, dict):
        return
    for name in file.content:
        if is_meant_as_line(name):
            raise NoOwner(ELSEWHERE, (name,))


def is_meant_as_line(name: Any) -> bool:
    """Return whether a name is the name of the line but for case, width and blanks."""
    return unicodedata.normalize("NFKC", str(name)).strip().casefold() == LINE


def parse_host_and_port(value: Any) -> str:
    """Return host and port as a connection has them; raises ValueError for anything else."""
    if not isinstance(value, str) or isinstance(value, Vaulted) or "/" in value:
        raise ValueError
    try:
        address = parse_address(value)[0]
    except OptionError:
        raise ValueError from None
    return address.partition("://")[2].partition("/")[0]


def check_panel(
    directory: Path,
    owner: str,
    panel: str,
    written: Written,
    name_option: Callable[[str], str] = str,
) -> None:
    """Refuse files of another panel.

    Args:
        directory: The directory, for the message.
        owner: The panel that its files name; empty if they name none.
        panel: Host and port of the panel of the task; empty if that is not known.
        written: What was not written.
        name_option: What messages call an option.

    Raises:
        FolderError: They are files of another panel.
    """
    if owner in ("", panel):
        return
    api_url = name_option("api_url")
    if not panel:
        raise FolderError(
            f"missing; the files in {directory} are those of the panel {owner}, which is compared "
            "with the panel of the task.",
            subject=api_url,
            written=written,
            advice=f"Give {api_url} in the task.",
        )
    # An address that is refused may hold a password.
    panel = display_address(panel)
    raise FolderError(
        f"these are files of the panel {owner}, and {api_url} names {panel}.",
        subject=str(directory / REST),
        written=written,
        advice=(
            f"Correct {api_url} or the directory; if this panel takes the place of the other, "
            f"set {name_option('rebuild')}: true."
        ),
        directory_panel=owner,
        panel=panel,
    )
