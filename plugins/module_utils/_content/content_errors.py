# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines why a copy or a comparison of content ends without a result."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .shown_text import show_name, show_text

NOTHING_WRITTEN = "Nothing was written."


class ContentError(Exception):
    """Ends a task on content.

    problem: What failed, where and why, in a sentence.
    option: The option that is to blame; empty where none is.
    effect: What was written, in a sentence; empty where nothing is known to be.
    advice: What to do, in a sentence.
    """

    def __init__(self, problem: str, option: str = "", effect: str = "", advice: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.option = option
        self.effect = effect
        self.advice = advice

    def compose(self) -> str:
        """Return the words of the message: the option, what failed, what was written and what to do.

        Names of customers may be in it, so no character of it controls a terminal.
        """
        return compose_message(self.option, self.problem, self.effect, self.advice)

    def describe(self) -> dict[str, str]:
        """Return the field ``error`` of the result, from which the message can be composed."""
        return {
            "type": type(self).__name__,
            "option": self.option,
            "problem": show_text(self.problem),
            "effect": show_text(self.effect),
            "advice": show_text(self.advice),
        }


def compose_message(option: str, problem: str, effect: str, advice: str) -> str:
    """Return a message on one line. The arguments are those of ``ContentError``."""
    beginning = f"{option}: {problem}" if option else problem
    sentences = [_end_sentence(text) for text in (beginning, effect, advice) if text]

    return show_text(" ".join(sentences))


def _end_sentence(text: str) -> str:
    """Return a sentence with its ending. The words of a tool may be its last ones."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


@contextmanager
def explain_system_errors() -> Iterator[None]:
    """Make a ContentError of what this host refuses in here, such as a write on a full disk."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        path = error.filename
        subject = "a file or a process of this run"
        if isinstance(path, (bytes, str)):
            subject = show_name(os.fsencode(path))
        raise ContentError(
            f"this host refused {subject}: {reason}.",
            effect="What was copied until then stays.",
            advice="Run the task again when that is settled.",
        ) from error
