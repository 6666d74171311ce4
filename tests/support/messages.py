"""Measures the messages of errors: at most three sentences and 60 words, beside the panel's own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionErrors, PanelError

MOST_SENTENCES, MOST_WORDS = 3, 60
# The rooms whose messages are measured.
ROOMS = ("_endpoints", "_http", "_items", "_kinds", "_task", "_values")
_QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')
_END_OF_A_SENTENCE = re.compile(r"[.!?…](?=\s|$)")


def too_long(message: str, panel_message: str = "") -> str:
    """What is too long about a message; empty if nothing is."""
    own = _QUOTED.sub("X", message.replace(panel_message, "") if panel_message else message)
    sentences, words = len(_END_OF_A_SENTENCE.findall(own)), len(own.split())
    if sentences <= MOST_SENTENCES and words <= MOST_WORDS:
        return ""
    return f"{sentences} sentences, {words} words: {message}"


@contextmanager
def measured() -> Iterator[list[str]]:
    """The messages that are too long among those of errors that are made meanwhile."""
    found: list[str] = []
    original = PanelError.__init__

    def noting(self: PanelError, message: str, /, **details: Any) -> None:
        original(self, message, **details)
        # One of several mistakes says each of them.
        if not isinstance(self, OptionErrors) and _room() in ROOMS:
            found.extend(filter(None, [too_long(message, str(details.get("message") or ""))]))

    with mock.patch.object(PanelError, "__init__", noting):
        yield found


def _room() -> str:
    """The room in which the error was made."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.endswith("_errors.py"):
        frame = frame.f_back  # type: ignore[assignment]
    return frame.f_code.co_filename.split("/")[-2] if frame is not None else ""
