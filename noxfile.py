"""What `make` runs, a session each. `sh tools/with-python -m tools.development nox -s unit` runs one, `nox --list` names all.

Every session runs in `.venv`, or in an environment that tools/environments.py makes with uv from a lock file with hashes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import nox

from tools import environments
from tools.environments import (
    CONTROLLER_PYTHON,
    NEWEST_CORE,
    OLDEST_CONTROLLER_PYTHON,
    OLDEST_TARGET_PYTHON,
    NotRun,
    find_core_lock,
)
from tools.layout import BUILD, PLUGINS, REPORTS, copy_to, make_scratch_folder

nox.options.default_venv_backend = "none"
OLDEST_CORE, *BETWEEN, _NEWEST = CONTROLLER_PYTHON
OTHER_CORES = [OLDEST_CORE, *BETWEEN]
# Every test goes to whichever core is free. Thousands of short ones have no watchdog each: to end it takes longer than the test.
ONE_BY_ONE = ("--dist=worksteal", "-o", "faulthandler_timeout=0")
# The tests of a file stay together, since they share what is dear to make: a simulator, runs of a playbook, a site.
BY_FILE = ("--dist=loadfile",)
# What takes minutes for one promise is marked, and runs before a release: see CONTRIBUTING.md.
ON_PUSH = ("-m", "not release and not alone")
LONG_ROLES = tuple(
    f"tests/integration/roles/test_{name}.py"
    for name in ("certificate", "move", "playbooks", "simulator_role")
)
# What these try calls nothing of Ansible; of a verification, another file tries how it is called.
WITHOUT_ANSIBLE = (
    "--ignore=tests/unit/plugins/module_utils",
    *(
        f"--ignore=tests/unit/test_{name}.py"
        for name in (
            "bad_input",
            "behaviours",
            "every_kind",
            "linear_time",
            "lost_answers",
            "messages",
            "refusals",
        )
    ),
    *(
        f"--ignore=tests/unit/plugins/plugin_utils/_{directory}"
        for directory in ("import_source", "mail_dns", "zone_file")
    ),
    *(
        f"--ignore=tests/unit/plugins/plugin_utils/_verify/test_{name}.py"
        for name in ("odd_forms", "ownership", "unclear_answers")
    ),
)
SPELLINGS = "tests/unit/plugins/plugin_utils/_zone_file/test_zone_spellings.py"
# Some of them with servers that fail as real ones do. The reader of zone files in an old dnspython reads less than ours, so no test compares the two.
CALLING_LIBRARIES = (
    "tests/unit/plugins/module_utils/_http",
    "tests/unit/plugins/module_utils/_dns",
    "tests/unit/plugins/plugin_utils/_import_live",
    "tests/unit/plugins/plugin_utils/_zone_file",
    "tests/unit/plugins/filter/test_panel_records_to_zone.py",
    "tests/unit/plugins/filter/test_panel_zone_to_records.py",
    f"--deselect={SPELLINGS}::test_where_the_library_can_read_a_text_it_reads_the_same",
    f"--deselect={SPELLINGS}::test_generated_records_are_those_that_the_library_makes",
)
IN_CHECK = ("tests/meta/test_architecture.py", "tests/meta/test_template_syntax.py")
"""What of tests/meta the session types runs, since it is quick and `make check` should have it."""
COVERED = {"module_utils": 97, "*": 92}
"""Per cent of the lines that the unit tests cover, by directory of plugins; before a release, of the lines and branches."""
CONTENT = "*/module_utils/_content/*"
"""What works with the tools of a host; the session content counts what its tests cover."""
COVERED_CONTENT = 85
CONTENT_ROLES = tuple(
    f"tests/content/test_{name}.py" for name in ("content_role", "move_with_content")
)
"""Playbooks, whose modules are processes of their own: they count nothing for the coverage."""
COUNTING_LINES = ("--cov", "--cov-report=")
LINE_COUNTER = {"COVERAGE_CORE": "sysmon"}
"""The interpreter's own monitor, which costs nothing once a line was run; counting branches doubles the time."""


def _count_workers() -> int:
    """So many that all sessions at once use every core."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, cores // int(os.environ.get("HOSTING_PANEL_LANES", "1")))


def _run_pytest(
    session: nox.Session,
    *words: str,
    python: Path | str = "python",
    name: str = "",
    **variables: str,
) -> None:
    """Run tests with a report of their number, and with a cache and temporary files of their own: sessions run side by side."""
    name = name or session.name
    spread = _count_workers() if any(word.startswith("--dist") for word in words) else 1
    options = [
        "--numprocesses",
        str(spread if spread > 1 else 0),
        f"--junitxml={REPORTS / name}.xml",
    ]
    options += [
        "-o",
        f"cache_dir={BUILD / 'pytest' / name}",
        f"--basetemp={make_scratch_folder() / name.replace(' ', '-')}",
    ]
    session.run(
        str(python),
        "-m",
        "pytest",
        *words,
        *options,
        *session.posargs,
        env=variables,
        external=True,
    )


def _skip_without(session: nox.Session, make: Callable[[], Path]) -> Path:
    """What this machine may lack; without it the session is skipped, which counts as failed in CI."""
    try:
        return make()
    except NotRun as missing:
        session.skip(str(missing))


@nox.session
def style(session: nox.Session) -> None:
    """Format, words, density, licences and quick linters."""
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("yamllint", "--strict", ".")
    session.run("python", "-m", "tools.words")
    session.run("python", "-m", "tools.density")
    session.run("python", "-m", "tools.verbs")
    session.run("reuse", "lint", "--quiet")


@nox.session
def types(session: nox.Session) -> None:
    """Types, which folders import which, and the syntax of templates."""
    session.run("mypy", "-p", PLUGINS, "-p", "tools", "-p", "panel_simulator")
    _run_pytest(session, *IN_CHECK)


@nox.session
def unit(session: nox.Session) -> None:
    """The unit tests that are quick: those marked long run in `make test`."""
    _run_pytest(session, "tests/unit", *ONE_BY_ONE, "-m", "not long")


@nox.session
def coverage(session: nox.Session) -> None:
    """The unit tests, and how much of the plugins they cover."""
    _run_pytest(session, "tests/unit", *ONE_BY_ONE, *ON_PUSH, *COUNTING_LINES, **LINE_COUNTER)
    _check_coverage(session)


@nox.session
def branches(session: nox.Session) -> None:
    """The unit tests, and how much of the plugins and of their branches they cover."""
    _run_pytest(session, "tests/unit", *ONE_BY_ONE, *ON_PUSH, *COUNTING_LINES, "--cov-branch")
    _check_coverage(session)


def _check_coverage(session: nox.Session) -> None:
    """Fail if the unit tests cover too little of a directory."""
    for directory, least in COVERED.items():
        chosen = f"--include=*/plugins/{directory}/*"
        session.run(
            "coverage",
            "report",
            chosen,
            f"--omit={CONTENT}",
            "--skip-covered",
            "--precision=1",
            f"--fail-under={least}",
        )


@nox.session
def meta(session: nox.Session) -> None:
    """That every module has its documentation, tests and place in the lists; the session types has the rest of tests/meta."""
    ignored = [f"--ignore={path}" for path in IN_CHECK]
    _run_pytest(session, "tests/meta", *ignored, *ONE_BY_ONE)


@nox.session
def tools(session: nox.Session) -> None:
    """The tests of the tools."""
    _run_pytest(session, "tests/tools", *BY_FILE, *ON_PUSH)


@nox.session
def simulator(session: nox.Session) -> None:
    """The tests of the simulator."""
    _run_pytest(session, "tests/simulator", *BY_FILE)


@nox.session
def roles(session: nox.Session) -> None:
    """The roles against the simulator."""
    _run_pytest(
        session,
        "tests/integration/roles",
        *(f"--ignore={file}" for file in LONG_ROLES),
        *BY_FILE,
        *ON_PUSH,
    )


@nox.session
def long_roles(session: nox.Session) -> None:
    """Those that need two panels, an authority or a simulator of their own."""
    _run_pytest(session, *LONG_ROLES, *BY_FILE, *ON_PUSH)


@nox.session
def integration(session: nox.Session) -> None:
    """Playbooks, ad-hoc commands, events and metrics against the simulator."""
    _run_pytest(
        session, "tests/integration", "--ignore=tests/integration/roles", *BY_FILE, *ON_PUSH
    )


@nox.session
def pages(session: nox.Session) -> None:
    """The snippets of README, roles and the first guide."""
    _run_pytest(
        session, "tests/docs", "--ignore=tests/docs/test_documentation.py", *BY_FILE, *ON_PUSH
    )


@nox.session
def site(session: nox.Session) -> None:
    """The documentation as a site."""
    _run_pytest(session, "tests/docs/test_documentation.py")


@nox.session
def reliability(session: nox.Session) -> None:
    """A slice of the experiments."""
    _run_pytest(session, "tests/reliability", *BY_FILE, *ON_PUSH)


@nox.session
def content(session: nox.Session) -> None:
    """Files, mailboxes and databases with the real tools of a host, as root, and the coverage of their code."""
    data = str(BUILD / "coverage-content")
    unit_tests = "tests/unit/plugins/module_utils/_content"
    variables = {"COVERAGE_FILE": data, **LINE_COUNTER}
    _run_pytest(
        session,
        "tests/content",
        unit_tests,
        *(f"--ignore={file}" for file in CONTENT_ROLES),
        *BY_FILE,
        *ON_PUSH,
        *COUNTING_LINES,
        **variables,
    )
    # Elsewhere the tests may have been skipped.
    if os.environ.get("CI") == "true":
        session.run(
            "coverage",
            "report",
            f"--include={CONTENT}",
            "--skip-covered",
            "--precision=1",
            f"--fail-under={COVERED_CONTENT}",
            env={"COVERAGE_FILE": data},
        )


@nox.session
def content_role(session: nox.Session) -> None:
    """The role content between two servers of one machine, with the same tools."""
    _run_pytest(session, *CONTENT_ROLES, *BY_FILE, *ON_PUSH)


@nox.session
def playbooks(session: nox.Session) -> None:
    """Every type of object in playbooks, as each ansible-core runs them."""
    _run_pytest(session, "tests/matrix", *BY_FILE, *ON_PUSH)


@nox.session
@nox.parametrize("core", [*CONTROLLER_PYTHON], ids=[*CONTROLLER_PYTHON])
def ways(session: nox.Session, core: str) -> None:
    """The rest of the playbooks on an ansible-core: every example, and every way of keeping passwords, in process and as a module."""
    python = _skip_without(session, lambda: environments.prepare_core_interpreter(core))
    words = ("-m", "release", "-o", "faulthandler_timeout=0")
    _run_pytest(session, "tests/matrix", *BY_FILE, *words, python=python, name=f"ways {core}")


@nox.session
def release(session: nox.Session) -> None:
    """The tests that take minutes, every guide word by word among them."""
    directories = (f"tests/{name}" for name in ("integration", "docs", "tools", "reliability"))
    _run_pytest(session, *directories, *BY_FILE, "-m", "release", "-o", "faulthandler_timeout=0")
    _run_pytest(session, "tests/content", *BY_FILE, "-m", "release", name="release content")
    _run_pytest(session, "tests/unit", *ONE_BY_ONE, "-m", "release", name="release unit")


@nox.session
def examples(session: nox.Session) -> None:
    """More examples of each property."""
    _run_pytest(session, "tests/unit", *ONE_BY_ONE, "-m", "hypothesis", "--hypothesis-profile=more")


def _run_on_oldest_target(session: nox.Session, *words: str) -> None:
    python = _skip_without(
        session,
        lambda: environments.prepare_pinned_interpreter(
            f"target-{OLDEST_TARGET_PYTHON}",
            environments.TARGET_LOCK,
            environments.require_interpreter(OLDEST_TARGET_PYTHON),
        ),
    )
    _run_pytest(session, "tests/target_python", *words, PANEL_TEST_TARGET_PYTHON=str(python))


@nox.session
def target(session: nox.Session) -> None:
    """Modules on the oldest Python of a target."""
    _run_on_oldest_target(session, *BY_FILE, *ON_PUSH)


@nox.session
def target_whole(session: nox.Session) -> None:
    """The same, each pass twice."""
    _run_on_oldest_target(session, *BY_FILE, "-m", "release", "-o", "faulthandler_timeout=0")


@nox.session
def oldest_libraries(session: nox.Session) -> None:
    """What calls requests, urllib3 or dnspython, with the oldest releases that the README allows."""
    python = _skip_without(
        session,
        lambda: environments.prepare_pinned_interpreter(
            "oldest-libraries",
            environments.OLDEST_LIBRARIES_LOCK,
            environments.require_interpreter(OLDEST_CONTROLLER_PYTHON),
        ),
    )
    _run_pytest(session, *CALLING_LIBRARIES, *ONE_BY_ONE, *ON_PUSH, python=python)


@nox.session
def lint(session: nox.Session) -> None:
    """The linters of Ansible, of the documentation and of the change log."""
    session.run("python", "-m", "ansiblelint", "--offline", "--nocolor")
    session.run("antsibull-docs", "lint-collection-docs", "--plugin-docs", ".")
    session.run("antsibull-changelog", "lint")


@nox.session
def molecule(session: nox.Session) -> None:
    """The scenarios, in a collection's folder that is no repository, as an installed one is."""
    folder = make_scratch_folder() / "molecule" / "ansible_collections" / "hosting" / "panel"
    copy_to(folder)
    session.chdir(folder / "extensions")
    session.run("molecule", "test", "--all", env={"ANSIBLE_COLLECTIONS_PATH": ""})


@nox.session
def artifact(session: nox.Session) -> None:
    """Build, content and installation of the archive, judged by the importer of Galaxy."""
    session.run("python", "-m", "tools.artifact", "without-linter")


@nox.session
def certification(session: nox.Session) -> None:
    """The same, and the linter in the release that judges certified content; the session lint has the newest one."""
    session.run("python", "-m", "tools.artifact")


@nox.session
@nox.parametrize("core", [NEWEST_CORE, *OTHER_CORES], ids=[NEWEST_CORE, *OTHER_CORES])
def sanity(session: nox.Session, core: str) -> None:
    """ansible-test sanity of the product on the newest ansible-core, and on another one what only itself can judge."""
    session.run("python", "-m", "tools.sanity", core)


@nox.session
@nox.parametrize("core", [*CONTROLLER_PYTHON], ids=[*CONTROLLER_PYTHON])
def sanity_whole(session: nox.Session, core: str) -> None:
    """All of ansible-test sanity on each Python of a target that is here: the whole checkout on the newest ansible-core, on another the product."""
    session.run("python", "-m", "tools.sanity", core, "whole" if core == NEWEST_CORE else "product")


@nox.session
@nox.parametrize("core", OTHER_CORES, ids=OTHER_CORES)
def core(session: nox.Session, core: str) -> None:
    """The unit tests and the playbooks on another ansible-core; the tests of what knows no Ansible once for each Python, before a release."""
    version = CONTROLLER_PYTHON[core]
    python = _skip_without(
        session,
        lambda: environments.prepare_pinned_interpreter(
            f"core-{core}", find_core_lock(core), environments.require_interpreter(version)
        ),
    )
    earlier = [CONTROLLER_PYTHON[other] for other in BETWEEN if other < core]
    left_out = WITHOUT_ANSIBLE if core == OLDEST_CORE or version in earlier else ()
    _run_pytest(
        session,
        "tests/unit",
        *ONE_BY_ONE,
        *ON_PUSH,
        *left_out,
        python=python,
        name=f"core {core} unit",
    )
    _run_pytest(
        session, "tests/matrix", *BY_FILE, *ON_PUSH, python=python, name=f"core {core} playbooks"
    )
