"""How a step says that it could not be run here, as opposed to having failed."""

from __future__ import annotations

from collections.abc import Callable

EXIT_CODE = 77
"""The exit code that automake's test harness gave this meaning."""


class NotRun(Exception):
    """The step cannot be run on this machine; the message says what is missing."""


def reporting(function: Callable[..., int], *arguments: str) -> int:
    """Call a step's function and turn its exceptions into a last line of output and an exit code."""
    from tools.environments import EnvironmentFailure  # which looks for interpreters, and those may say NotRun

    try:
        return function(*arguments)
    except NotRun as reason:
        print(reason)
        return EXIT_CODE
    except EnvironmentFailure as failure:
        print(failure)
        return 1
