# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Option values that nobody would think of: never a traceback, never a write in check mode or before a failure that says there was none."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tools.reliability.figures import Row, Size
from tools.reliability.fuzz_options import any_options, operations, run_with
from tools.reliability.matrix import ODD

EXAMPLES = {Size.SLICE: 1, Size.FULL: 25}


@dataclass
class Tally:
    """What was tried so far."""

    tried: int = 0
    failed: int = 0
    wrong: list[str] = field(default_factory=list)
    wrong_kinds: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)

    def note(self, what: str, problems: list[str]) -> None:
        """Notes broken promises; the same one often is told once."""
        for problem in problems:
            self.wrong_kinds[problem] += 1
            if self.wrong_kinds[problem] == 1:
                self.wrong.append(f"{what}: {problem}")


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    return [_options(EXAMPLES[size])]


def _options(often: int) -> Row:
    started, tally = time.monotonic(), Tally()
    for name, operation in operations().items():
        _try_options(tally, name, operation, 12 * often)
    return Row(
        experiment="fuzz",
        what="arbitrary values of every option of every module",
        tried=tally.tried,
        survived=tally.tried - tally.failed - len(tally.wrong),
        failed_loudly=tally.failed,
        seconds=time.monotonic() - started,
        wrong=tally.wrong,
        promise=ODD,
        covered=tally.covered,
    )


def _try_options(tally: Tally, name: str, operation: Operation, often: int) -> None:
    @_tries(often)
    @given(any_options(operation), st.booleans())
    def anything(options: Mapping[str, Any], is_check: bool) -> None:
        outcome = run_with(operation, options, is_check)
        tally.tried += 1
        tally.covered[f"module {name}"] += 1
        tally.failed += outcome.has_failed
        tally.note(f"{name} with {str(dict(options))[:200]}", outcome.problems)

    anything()


def _tries(often: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The same examples in every run; all of them, since what is wrong is noted and not raised."""
    return settings(
        max_examples=often,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
