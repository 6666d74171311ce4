"""The lock files: complete, hashed, and free of any host."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tools import environments, layout
from tools.environments import CONTROLLER_PYTHON, NEWEST_CORE, find_core_lock, read_entry
from tools.layout import ROOT

LOCKS = sorted(layout.LOCKS.glob("*.txt"))


def _read_requirements(source: Path) -> set[str]:
    """Return the names that an .in file asks for, with those of the files that it refers to."""
    names = set()
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            names |= _read_requirements(source.parent / line[3:])
        elif line and not line.startswith("#"):
            names.add(re.match(r"[\w.-]+", line)[0].lower())

    return names


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_pins_all_that_its_source_asks_for(lock: Path) -> None:
    pinned = set(re.findall(r"^([\w.-]+)==", lock.read_text(encoding="utf-8"), re.MULTILINE))

    assert _read_requirements(lock.with_suffix(".in")) - pinned == set()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_has_hashes_and_names_no_host(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")

    assert "://" not in text
    assert all(
        "--hash=sha256:" in read_entry(name, lock)
        for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    )


@pytest.mark.parametrize("core", CONTROLLER_PYTHON)
def test_the_lock_of_a_core_pins_that_core(core: str) -> None:
    lock = environments.DEVELOPMENT_LOCK if core == NEWEST_CORE else find_core_lock(core)
    assert f"\nansible-core=={core}." in lock.read_text(encoding="utf-8")


def test_the_weekly_run_brings_nothing_but_ansible_core_to_its_newest_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "core-2.20.txt"
    lock.write_text("", encoding="utf-8")
    commands: list[list[str]] = []
    monkeypatch.setattr(environments, "LOCKS", tmp_path)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(
        environments.subprocess, "run", lambda command, **_options: commands.append(command)
    )

    environments.make_locks("--patches")

    [command] = commands
    assert "--upgrade" not in command
    assert command[command.index("--upgrade-package") + 1] == "ansible-core"


def test_every_environment_is_installed_with_hashes_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(
        environments,
        "_run",
        lambda command: commands.append([str(argument) for argument in command]),
    )
    monkeypatch.setattr(environments, "BUILD", tmp_path)
    lock = environments.DEVELOPMENT_LOCK

    for fill in (
        environments._fill_with_pip,
        environments._fill_development,
        environments._fill_with_uv,
    ):
        fill(tmp_path / "environment", lock, Path(sys.executable))

    installs = [command for command in commands if "install" in command]

    assert [str(lock) in command for command in installs] == [True, False, True, True]
    assert all("--require-hashes" in command and "--requirement" in command for command in installs)


def test_a_package_without_a_hash_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "unhashed.txt"
    lock.write_text("idna==3.10\n", encoding="utf-8")
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "BUILD", tmp_path)

    with pytest.raises(environments.EnvironmentFailure):
        environments.prepare_pinned_interpreter("unhashed", lock, Path(sys.executable))

    assert "hash" in capfd.readouterr().err


def test_nothing_is_installed_past_the_locks() -> None:
    installing = re.compile(r"""pip["', ]+install|["']install["']""")
    files = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("tools/**/*.py")
        if installing.search(path.read_text())
    }

    # ansible-galaxy installs an archive that was built here.
    assert files == {"tools/environments.py", "tools/artifact.py"}
