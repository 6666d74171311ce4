# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of another panel's API: in a directory of files, or those that a run has asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from .._run.controller_files import VAULT_HEADER, describe_reason, read_regular
from .._run.nested_text import TooDeep, load_json
from .source_tables import MOST_BYTES, MOST_MEGABYTES, SourceError

ANSWER_ENDING = ".json"
"""Of a file with an answer, behind the name of the function."""


class Answers(Protocol):
    """Bodies of answers by the name of the function, which a number may follow: `dns_get.3`."""

    @property
    def location(self) -> str:
        """What messages call the source."""

    def list_names(self) -> list[str]:
        """Return the functions that were asked, in alphabetical order."""

    def get_body(self, name: str) -> Any:
        """Return the body of an answer.

        Raises:
            SourceError: There is none, or it cannot be read.
        """


@dataclass(frozen=True)
class KeptAnswers:
    """Answers that this run has asked for."""

    location: str
    bodies: Mapping[str, Any]

    def list_names(self) -> list[str]:
        """Return the functions that were asked."""
        return sorted(self.bodies)

    def get_body(self, name: str) -> Any:
        """Return the body of an answer."""
        if name not in self.bodies:
            raise SourceError(self.location, f"there is no answer of {name}.")
        return self.bodies[name]


@dataclass(frozen=True)
class AnswerFiles:
    """Answers in files, each read when a reader needs it.

    Attributes:
        paths: The files by the name of the function.
        decrypt: Turns the content of a file that Vault encrypted into plain text, and raises
            ValueError where this run cannot.
    """

    location: str
    paths: Mapping[str, Path]
    decrypt: Callable[[bytes], bytes]

    def list_names(self) -> list[str]:
        """Return the functions that have a file."""
        return sorted(self.paths)

    def get_body(self, name: str) -> Any:
        """Return what the file of a function holds."""
        path = self.paths.get(name)
        if path is None:
            raise SourceError(
                self.location,
                f"there is no file {name}{ANSWER_ENDING}. Ask the panel for {name}, and keep its "
                "answer.",
            )
        try:
            content = read_regular(path)
        except OSError as error:
            raise SourceError(str(path), f"{describe_reason(error)}.") from None
        return _load(content, path, self.decrypt)


def find_answers(directory: Path, decrypt: Callable[[bytes], bytes]) -> AnswerFiles:
    """Return the answers of a directory, without reading them.

    Raises:
        SourceError: The directory cannot be read, holds no answer, or holds too much.
    """
    try:
        files = sorted(path for path in directory.iterdir() if path.name.endswith(ANSWER_ENDING))
        size = sum(path.stat().st_size for path in files)
    except OSError as error:
        raise SourceError(str(directory), f"{describe_reason(error)}.") from None
    if not files:
        raise SourceError(
            str(directory), "the directory has no answer of an API, which are files such as x.json."
        )
    if size > MOST_BYTES:
        raise SourceError(str(directory), f"the answers have more than {MOST_MEGABYTES} MB.")
    paths = {path.name.removesuffix(ANSWER_ENDING): path for path in files}
    return AnswerFiles(str(directory), paths, decrypt)


def _load(content: bytes, path: Path, decrypt: Callable[[bytes], bytes]) -> Any:
    """Return what a file's content stands for."""
    if content.startswith(VAULT_HEADER):
        try:
            content = decrypt(content)
        except ValueError:
            raise SourceError(
                str(path),
                "encrypted with Ansible Vault, and this run has no password that decrypts it.",
            ) from None
    try:
        return load_json(content)
    except TooDeep:
        raise SourceError(str(path), "lists and dictionaries are nested too deeply.") from None
    except ValueError:
        raise SourceError(
            str(path), "this is no whole answer in JSON. It may be cut off; ask the panel again."
        ) from None
