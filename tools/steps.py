# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of `make test`, and of what runs beside it: the table that says what is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tools.supported import CONTROLLER_PYTHON, NEWEST_CORE

SUMMARY = "The errors once more:"
"""A step may end its output with this line and what matters; of a failed step, that part is shown."""
PLUGINS = "ansible_collections.hosting.panel.plugins"
ONE_BY_ONE = ("--dist=worksteal", "-o", "faulthandler_timeout=0")
"""Every test goes to whichever core is free. Thousands of short ones have no watchdog each: to end it takes longer than the test."""
BY_FILE = "--dist=loadfile"
"""The tests of a file stay together, since they share what is dear to make: a simulator, runs of a playbook, a site."""


@dataclass(frozen=True)
class Step:
    """One line of the result."""

    name: str
    group: str
    """What `make <group>` runs."""
    words: tuple[str, ...]
    """A Python module of the development environment, and its arguments."""
    highlight: str = ""
    """A pattern: what it finds in the step's output is shown beside the result."""
    minutes: float = 20
    """After so long on a quiet machine, and longer on a slow one, the step is stopped."""
    in_test: bool = True
    """Whether it is a part of `make test`."""


def _pytest(name: str, *arguments: str, folder: str = "", group: str = "", **more: Any) -> Step:
    return Step(name, group or name, ("tools.run_pytest", name, f"tests/{folder or name}", *arguments), **more)


def _check(name: str, *words: str) -> Step:
    return Step(name, "check", words)


def _lint(name: str, *words: str) -> Step:
    return Step(name, "lint", words)


UNIT = _pytest("unit", *ONE_BY_ONE, in_test=False)

CHECK = (
    _check("ruff check", "ruff", "check", "."),
    _check("ruff format", "ruff", "format", "--check", "."),
    _check("mypy", "mypy", "-p", PLUGINS, "-p", "tools", "-p", "panel_simulator"),
    _check("yamllint", "yamllint", "--strict", "."),
    _pytest("architecture", folder="meta/test_architecture.py", group="check", in_test=False),
)

# Of the integration, what takes as long as many others, and so is apart.
EVENTS = ("test_events.py", "test_rulebooks.py", "test_monitoring.py")

# The long ones first, so that the lanes end at about the same time.
STEPS = (
    _pytest("roles", BY_FILE, folder="integration/roles", group="integration"),
    _pytest("integration", BY_FILE, *(f"--ignore=tests/integration/{name}" for name in ("roles", *EVENTS))),
    _pytest(
        "events",
        BY_FILE,
        *(f"tests/integration/{name}" for name in EVENTS[1:]),
        folder=f"integration/{EVENTS[0]}",
        group="integration",
    ),
    Step("coverage", "coverage", ("tools.coverage",), highlight=r"Covered: .+"),
    _pytest("pages", BY_FILE, folder="docs"),
    _pytest("reliability", BY_FILE),
    Step(f"sanity {NEWEST_CORE}", "sanity", ("tools.sanity", NEWEST_CORE)),
    Step("molecule", "molecule", ("molecule", "test", "--all")),
    Step("target Python", "target", ("tools.target_python",)),
    _pytest("playbooks", BY_FILE, folder="matrix"),
    _lint("ansible-lint", "ansiblelint", "--offline", "--nocolor"),
    _pytest("simulator", BY_FILE),
    _pytest("tools", BY_FILE),
    Step("artifact", "artifact", ("tools.artifact",)),
    _lint("antsibull-docs", "antsibull_docs.cli.antsibull_docs", "lint-collection-docs", "--plugin-docs", "."),
    _lint("antsibull-changelog", "antsibull_changelog", "lint"),
    _pytest("meta", *ONE_BY_ONE),
    *CHECK,
    UNIT,
    *(
        Step(f"{name} {core}", "matrix", (f"tools.{words}", core), in_test=False)
        for core in CONTROLLER_PYTHON
        if core != NEWEST_CORE
        for name, words in (("sanity", "sanity"), ("core", "core_matrix"))
    ),
)
GROUPS = tuple(dict.fromkeys(step.group for step in STEPS))
