# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleans up after work on content, and keeps why the work failed where that fails as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .content_errors import ContentError


@contextmanager
def clean_up_after(clean_up: Callable[[], None], leftover: str) -> Iterator[None]:
    """Clean up at the end of a block, however it ends.

    Args:
        clean_up: Removes what the block needed.
        leftover: What the advice says if the block failed and this could not be removed.

    Raises:
        ContentError: The block failed; or it did not, and nothing could be removed.
    """
    try:
        yield
    except ContentError as error:
        clean_up_despite(error, clean_up, leftover)
        raise
    except BaseException:
        _try(clean_up)
        raise
    clean_up()


def clean_up_despite(error: ContentError, clean_up: Callable[[], None], leftover: str) -> None:
    """Clean up before an error is raised, which stays the error where that fails as well.

    Args:
        error: It gets an advice then.
        clean_up: Removes what the work needed.
        leftover: What the advice says if it could not be removed.
    """
    if not _try(clean_up):
        error.advice = f"{error.advice} {leftover}".strip()


def _try(clean_up: Callable[[], None]) -> bool:
    """Clean up while an error is in flight, and return whether that was possible."""
    try:
        clean_up()
    except (ContentError, OSError):
        return False

    return True
