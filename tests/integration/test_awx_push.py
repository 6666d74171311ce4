"""What the kit for AWX pushes, whatever else has changed in the clone and on the server, and that
nothing is lost if it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.awx import AWX, VAULT
from tests.support.playbook import IN_PROCESS, run_ansible

SCRIPT = AWX / "project" / "scripts" / "push.sh"
BEGIN = {
    "passwords/panel1.yml": "old 1",
    "passwords/panel2.yml": "old 2",
    "panels/panel1/clients/acme.yml": "old",
    "note": "old",
}


class Repository:
    """A git server, the clone of a job, and another job's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clone = folder / "clone"
        self.other = folder / "other"
        self.run_git(folder, "init", "--quiet", "--bare", "--initial-branch", "main", "server")
        self.run_git(folder, "clone", "--quiet", "server", "other")
        write(self.other, BEGIN)
        self.push_other("Begin")
        self.run_git(folder, "clone", "--quiet", "--branch", "main", "server", "clone")

    def run_git(self, where: Path, *arguments: str) -> str:
        """Run git in a folder, and return what it prints."""
        who = [
            "-c",
            "user.name=Operator",
            "-c",
            "user.email=operator@panels.example",
            "-c",
            "init.defaultBranch=main",
        ]
        done = subprocess.run(
            ["git", *who, *arguments],
            cwd=where,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout

    def push_other(self, message: str) -> None:
        """Commit and push everything that the other clone has."""
        self.run_git(self.other, "add", "--all")
        self.run_git(self.other, "commit", "--quiet", "--message", message)
        self.run_git(self.other, "push", "--quiet", "origin", "HEAD:main")

    def push(self, path: str) -> subprocess.CompletedProcess[str]:
        """Push one path with the script, without a pause between its attempts."""
        environment = {
            **os.environ,
            "PUSH_PAUSES": "0 0",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        command = ["sh", str(SCRIPT), str(self.clone), path, "Keep it"]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    def read_pushed_file(self, path: str) -> str:
        """Return what the server has."""
        return self.run_git(self.folder / "server", "show", f"main:{path}")


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


# What the job has changed beside what it pushes.
OTHERS = {
    "nothing else": {},
    "a file of another panel": {"passwords/panel2.yml": "new 2"},
    "a file that is not known yet": {"passwords/panel3.yml": "new 3"},
    "both": {"passwords/panel2.yml": "new 2", "moves/acme.md": "new", "note": "new"},
}
ELSEWHERE = {"nobody pushed": {}, "another job pushed": {"report/index.html": "new"}}
PATHS = {
    "a file": ("passwords/panel1.yml", {"passwords/panel1.yml": "new 1"}),
    "a new file": ("passwords/panel4.yml", {"passwords/panel4.yml": "new 4"}),
    "a directory": (
        "panels",
        {"panels/panel1/clients/acme.yml": "new", "panels/panel1/clients/globex.yml": "new"},
    ),
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.parametrize("other_files", OTHERS)
def test_exactly_the_path_is_pushed_and_everything_else_stays(
    tmp_path: Path, path: str, elsewhere: str, other_files: str
) -> None:
    repository = Repository(tmp_path)
    name, files = PATHS[path]
    write(repository.clone, files)
    write(repository.clone, OTHERS[other_files])

    if ELSEWHERE[elsewhere]:
        write(repository.other, ELSEWHERE[elsewhere])
        repository.push_other("Report")

    done = repository.push(name)

    assert (done.returncode, done.stdout) == (0, "pushed\n"), done.stderr
    assert {file: repository.read_pushed_file(file) for file in files} == files

    for file, text in OTHERS[other_files].items():
        assert (repository.clone / file).read_text(encoding="utf-8") == text
        assert file not in BEGIN or repository.read_pushed_file(file) == BEGIN[file]

    assert "Not pushed yet" not in repository.run_git(
        tmp_path / "server", "log", "--format=%s", "main"
    )
    # The next one finds nothing more to push, and the others can be.
    assert repository.push(name).stdout == "unchanged\n"

    for file, text in OTHERS[other_files].items():
        assert repository.push(file).stdout == "pushed\n"
        assert repository.read_pushed_file(file) == text


@pytest.mark.parametrize("other_files", OTHERS)
def test_a_conflict_is_one_error_and_changes_no_file(tmp_path: Path, other_files: str) -> None:
    repository = Repository(tmp_path)
    write(repository.clone, {"passwords/panel1.yml": "new 1", **OTHERS[other_files]})
    write(repository.other, {"passwords/panel1.yml": "theirs"})
    repository.push_other("Theirs")

    done = repository.push("passwords/panel1.yml")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("CONFLICT") <= 1
    assert done.stderr.strip()

    for name, text in {"passwords/panel1.yml": "new 1", **OTHERS[other_files]}.items():
        assert (repository.clone / name).read_text(encoding="utf-8") == text

    differing = repository.run_git(
        repository.clone, "diff", "--name-only", "@{upstream}", "--", "passwords/panel1.yml"
    )
    assert differing == "passwords/panel1.yml\n"


def test_nothing_to_push_is_no_error(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    assert repository.push("passwords/panel1.yml").stdout == "unchanged\n"
    assert repository.push("passwords/none.yml").stdout == "unchanged\n"


# What a .gitignore of the repository names: git says nothing about files below a folder, and fails
# for a file that is named itself.
IGNORED = {
    "a folder with new passwords": ("passwords/panel4", {"passwords/panel4/acme.yml": "new 4"}),
    "a new file of passwords": ("passwords/panel4.yml", {"passwords/panel4.yml": "new 4"}),
    "a folder with keys": (
        "certificates/panel1",
        {"certificates/panel1/account.yml": "new", "certificates/panel1/acme.example/key": "new"},
    ),
    "an export": ("panels", {"panels/panel2/clients/acme.yml": "new"}),
}


@pytest.mark.parametrize("case", IGNORED)
def test_what_gitignore_names_is_pushed_as_well(tmp_path: Path, case: str) -> None:
    repository = Repository(tmp_path)
    ignore(repository)
    path, files = IGNORED[case]
    write(repository.clone, files)

    done = repository.push(path)

    assert (done.returncode, done.stdout) == (0, "pushed\n"), done.stderr
    assert {name: repository.read_pushed_file(name) for name in files} == files


def test_an_ignored_file_of_another_panel_is_not_overwritten(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    ignore(repository)
    write(repository.other, {"passwords/panel4.yml": "theirs"})
    repository.run_git(repository.other, "add", "--force", "passwords/panel4.yml")
    repository.push_other("Theirs")
    write(repository.clone, {"passwords/panel1.yml": "new 1", "passwords/panel4.yml": "new 4"})

    done = repository.push("passwords/panel1.yml")

    assert (done.returncode, done.stdout) == (1, "")
    assert (repository.clone / "passwords/panel4.yml").read_text(encoding="utf-8") == "new 4"


def test_a_name_with_signs_of_a_pattern_is_a_name(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    write(repository.clone, {"passwords/panel[1].yml": "new", "passwords/panel1.yml": "new 1"})

    done = repository.push("passwords/panel[1].yml")

    assert (done.returncode, done.stdout) == (0, "pushed\n"), done.stderr
    assert repository.read_pushed_file("passwords/panel[1].yml") == "new"
    assert repository.read_pushed_file("passwords/panel1.yml") == BEGIN["passwords/panel1.yml"]


def ignore(repository: Repository) -> None:
    """Have the job's clone begin with a repository that ignores what jobs write."""
    text = "passwords/*.yml\npasswords/**/*.yml\ncertificates/**\npanels/**/*.yml\n"
    write(repository.other, {".gitignore": text})
    repository.push_other("Ignore what jobs write")
    repository.run_git(repository.clone, "pull", "--quiet")


KEEP = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.import_tasks: "{{ panels_tasks }}/keep_passwords.yml"
"""


def keep(repository: Repository, host: str, path: str | None = None) -> str:
    """Have the kit keep the secrets of a panel, which fails, and returns the output on one line."""
    playbook = repository.folder / "keep.yml"
    playbook.write_text(KEEP, encoding="utf-8")
    variables = {
        "panels_clone": str(repository.clone),
        "panels_tasks": str(AWX / "project" / "tasks"),
        "panels_secrets_in_clone": True,
        "ansible_python_interpreter": sys.executable,
        **({"keep_path": path} if path else {}),
    }
    arguments = ["-i", f"{host},", "-c", "local", "-e", json.dumps(variables), str(playbook)]

    done = run_ansible("playbook", arguments, repository.folder, IN_PROCESS, {"PUSH_PAUSES": "0"})

    assert done.returncode == 2, done.stdout

    return " ".join(done.stdout.split())


def refuse_pushes(repository: Repository) -> None:
    """Have the server refuse every push."""
    hook = repository.folder / "server" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no pushes on Sunday >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)


def encrypt_text(text: str) -> str:
    """Return a file of passwords."""
    return str(VAULT.encrypt(text).decode())


NOT_PUSHED = {
    "a file of passwords": ("panel4", None, ["passwords/panel4.yml"]),
    "a host whose name is not ASCII": ("büro", None, ["passwords/büro.yml"]),
    "a host with a quotation mark": ("o'brien", None, ["passwords/o'brien.yml"]),
    "a folder": (
        "panel4",
        "passwords/panel4",
        ["passwords/panel4/acme.yml", "passwords/panel4/grün and blue.yml"],
    ),
}


@pytest.mark.parametrize("ignored", [False, True], ids=["known to git", "ignored by git"])
@pytest.mark.parametrize("case", NOT_PUSHED)
def test_a_refused_push_shows_every_encrypted_file_with_its_name(
    tmp_path: Path, case: str, ignored: bool
) -> None:
    repository = Repository(tmp_path)
    if ignored:
        ignore(repository)

    host, path, names = NOT_PUSHED[case]
    files = {name: encrypt_text(name) for name in names}
    write(repository.clone, files)
    refuse_pushes(repository)

    output = keep(repository, host, path)

    assert f"{' and '.join(names)} could not be pushed" in output
    assert "no pushes on Sunday" in output

    for text in files.values():
        assert [line for line in text.splitlines() if line not in output] == []


def test_files_are_shown_where_git_cannot_even_add_them(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    text = encrypt_text("new")
    write(repository.clone, {"passwords/panel4.yml": text, ".git/index.lock": ""})

    output = keep(repository, "panel4")

    assert "passwords/panel4.yml could not be pushed" in output
    assert text.splitlines()[-1] in output


def test_only_files_that_the_repository_does_not_have_are_shown(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    write(repository.other, {"passwords/panel4/old.yml": encrypt_text("old")})
    repository.push_other("Passwords")
    repository.run_git(repository.clone, "pull", "--quiet")
    write(repository.clone, {"passwords/panel4/new.yml": encrypt_text("new")})
    refuse_pushes(repository)

    output = keep(repository, "panel4", "passwords/panel4")

    assert "passwords/panel4/new.yml could not be pushed" in output
    assert "old.yml" not in output


def test_a_file_that_is_not_encrypted_is_named_but_not_shown(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    write(repository.clone, {"passwords/panel4.yml": "open: sesame"})
    refuse_pushes(repository)

    output = keep(repository, "panel4")

    assert "passwords/panel4.yml could not be pushed" in output
    assert "sesame" not in output


def test_a_file_that_another_job_has_written_is_not_to_be_replaced(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    text = encrypt_text("ours")
    write(repository.clone, {"passwords/panel4.yml": text})
    write(repository.other, {"passwords/panel4.yml": encrypt_text("theirs")})
    repository.push_other("Theirs")

    output = keep(repository, "panel4")

    assert text.splitlines()[-1] in output
    assert "never replace it, but decrypt both, put the entries of both into one file" in output


def test_a_panel_without_new_secrets_is_told_that_nothing_of_it_is_lost(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    write(repository.clone, {"passwords/panel4.yml": encrypt_text("new")})
    refuse_pushes(repository)
    keep(repository, "panel4")

    output = keep(repository, "panel1")

    assert "nothing of panel1 is lost" in output
    assert "$ANSIBLE_VAULT;1" not in output
