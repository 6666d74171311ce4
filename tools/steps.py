# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of `make test`: the table that says what is run."""

from __future__ import annotations

from dataclasses import dataclass

from tools.supported import CONTROLLER_PYTHON

SUMMARY = "The errors once more:"
"""A step may end its output with this line and what matters; of a failed step, that part is shown."""
MODULE_UTILS = "ansible_collections.hosting.panel.plugins.module_utils"
PLUGIN_UTILS = "ansible_collections.hosting.panel.plugins.plugin_utils"


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
    minutes: float = 45
    """After so long the step is stopped and has failed."""


def _pytest(name: str, *arguments: str, highlight: str = "") -> Step:
    return Step(name, name, ("tools.run_pytest", name, f"tests/{name}", *arguments), highlight)


def _lint(name: str, *words: str) -> Step:
    return Step(name, "lint", words)


UNIT = _pytest("unit", "--cov", "--cov-report=term-missing", highlight=r"Total coverage: [\d.]+%")

LINT = (
    _lint("ruff check", "ruff", "check", "."),
    _lint("ruff format", "ruff", "format", "--check", "."),
    _lint("yamllint", "yamllint", "--strict", "."),
    _lint("mypy", "mypy", "-p", MODULE_UTILS, "-p", PLUGIN_UTILS, "-p", "tools", "-p", "panel_simulator"),
    _lint("ansible-lint", "ansiblelint", "--offline", "--nocolor"),
    _lint("antsibull-changelog", "antsibull_changelog", "lint"),
    _lint("antsibull-docs", "antsibull_docs.cli.antsibull_docs", "lint-collection-docs", "--plugin-docs", "."),
)

SANITY = tuple(Step(f"sanity {core}", "sanity", ("tools.sanity", core)) for core in CONTROLLER_PYTHON)
MATRIX = tuple(Step(f"matrix {core}", "matrix", ("tools.core_matrix", core)) for core in CONTROLLER_PYTHON)

# The fast ones first, then the long ones, so that the lanes end at about the same time.
STEPS = (
    UNIT,
    *LINT,
    _pytest("integration", "--ignore=tests/integration/roles"),
    Step("roles", "integration", ("tools.run_pytest", "roles", "tests/integration/roles")),
    Step("pages", "pages", ("tools.run_pytest", "pages", "tests/docs")),
    _pytest("reliability"),
    *SANITY,
    *MATRIX,
    Step("target Python", "target", ("tools.target_python",)),
    Step("molecule", "molecule", ("tools.scenarios",)),
    _pytest("simulator"),
    _pytest("tools"),
    Step("artifact", "artifact", ("tools.artifact",)),
    _pytest("meta"),
)
GROUPS = tuple(dict.fromkeys(step.group for step in STEPS))
