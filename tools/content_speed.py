"""Measure what the modules for content add to the time of rsync, doveadm and MariaDB.

`make bench` starts this: `python -m tools.development tools.content_speed`. It needs root, and what
`.ci/content_tools` installs.

A customer of 2 GB is copied between two folders of this machine, copied again and compared. Each
task is a process of this machine's Python, as Ansible starts it on a host. What it adds is the time
of Python from the beginning of the work. The time of the tools is that of all processes that it
starts, and of the servers of MariaDB. To start Python and to load the code takes a third time, which
is the same for each task and is shown beside. This ends with an error where a task adds more than
the collection promises.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.support.dovecot import RealMailbox, fill_maildir, make_mail_folder, make_mailbox
from tests.support.needed import check_content_tools
from tests.support.real_mariadb import RealMariadb, run_mariadb
from tools.environments import NotRun
from tools.layout import LINK

PERCENT_AT_MOST = 10.0
"""Of the tools' time, for the median of the runs of a pass."""
FILES = 20_000
BYTES_OF_FILES = 1024**3
MAILBOXES = 10
MESSAGES = 2_000
"""Of each mailbox; fewer where less than one mailbox is measured."""
BYTES_OF_MESSAGE = 20_000
DATABASES = 3
LARGE_ROWS = 50_000
SMALL_ROWS = 500_000
"""Of each database: 50 MB of each."""
_FILES_IN_FOLDER = 100
# Every Debian has this user.
_OWNER = "www-data"
_TICKS = os.sysconf("SC_CLK_TCK")
PROGRAMS = ("doveadm", "mariadb", "mariadb-dump", "mariadb-install-db", "mariadbd", "rsync")
# Its arguments are the folder of the collection, the module and the function. The memory is that of
# its own program: what the system counts begins with that of the process that has started it.
_TASK = """\
import importlib, json, re, resource, sys
folder, module, function = sys.argv[1:]
sys.path.insert(0, folder)
place = "ansible_collections.hosting.panel.plugins.module_utils._content."
run = getattr(importlib.import_module(place + module), function)
options, state = json.load(sys.stdin)
def measure(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
start = measure(resource.RUSAGE_SELF)
result = run(options, False, state)
added = measure(resource.RUSAGE_SELF) - start
tools = measure(resource.RUSAGE_CHILDREN)
status = open("/proc/self/status").read()
memory = int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
values = result if isinstance(result, dict) else result.values
shown = {name: values[name] for name in ("changed", "differences")}
print(json.dumps({"start": start, "added": added, "tools": tools, "memory": memory, **shown}))
"""
PASSES = {
    "first copy": ("copy", True),
    "second copy": ("copy", False),
    "comparison": ("compare", False),
}
"""The mode of each pass, and whether it changes the target."""


@dataclass(frozen=True)
class Usage:
    """What the tasks of a pass took.

    Attributes:
        added: Seconds of a processor in the code of the collection.
        tools: Seconds of a processor in what it started, and in servers.
        start: Seconds of a processor of one task until its work began.
        megabytes: Memory of the largest task, without the tools.
    """

    added: float
    tools: float
    start: float
    megabytes: float

    @property
    def percent(self) -> float:
        """Return what is added to the time of the tools."""
        return 100 * self.added / self.tools


@dataclass(frozen=True)
class Content:
    """Content of one kind, of which both sides are on this machine.

    Attributes:
        module, function: What copies it.
        empty: Makes the target new.
        tasks: The options of each task, without the mode.
        servers: Processes that work for the tasks and are not started by them.
    """

    module: str
    function: str
    empty: Callable[[], None]
    tasks: Sequence[Mapping[str, Any]]
    servers: Sequence[int] = ()


@contextmanager
def make_files(folder: Path, size: float) -> Iterator[Content]:
    """Yield a tree of files of different sizes, a hundred in a folder."""
    source = folder / "source"
    target = folder / "target"
    _make_tree(source)
    count = _scale(FILES, size)
    chance = random.Random(40)
    weights = [chance.expovariate(1.0) for _number in range(count)]
    bytes_of_weight = BYTES_OF_FILES * size / sum(weights)
    for number, weight in enumerate(weights):
        path = source / f"folder{number // _FILES_IN_FOLDER}" / f"file{number}.bin"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(chance.randbytes(round(weight * bytes_of_weight)))
    for path in source.rglob("*"):
        shutil.chown(path, _OWNER, _OWNER)

    options: dict[str, Any] = {
        "source": None,
        "src": str(source),
        "dest": str(target),
        "owner": _OWNER,
        "source_owner": None,
        "delete": False,
        "max_delete": 1000,
        "exclude": [],
        "checksum": False,
        "bandwidth": None,
        "timeout": 0,
        "allow_old_rsync": False,
    }
    yield Content("files.task", "sync_files", lambda: _make_tree(target), [options])


@contextmanager
def make_mail(folder: Path, size: float) -> Iterator[Content]:
    """Yield mailboxes with an INBOX."""
    tasks = []
    targets = []
    messages = _scale(MESSAGES, min(1.0, size * MAILBOXES))
    for number in range(_scale(MAILBOXES, size)):
        source = make_mailbox(folder / f"source{number}")
        fill_maildir(source.maildir, messages, BYTES_OF_MESSAGE)
        # The first reading of a Maildir makes its index.
        source.run("mailbox status", "all", "INBOX")
        target = folder / f"target{number}"
        targets.append(target)
        tasks.append(_name_mailboxes(number, source, target))

    yield Content("mailbox.task", "sync_mailbox", lambda: _empty_mailboxes(targets), tasks)


@contextmanager
def make_databases(folder: Path, size: float) -> Iterator[Content]:
    """Yield databases of two servers, each with a table of large and one of small rows."""
    names = [f"customer_db{number}" for number in range(DATABASES)]
    with run_mariadb(folder / "source") as source, run_mariadb(folder / "target") as target:
        for name in names:
            source.run(f"CREATE DATABASE {name};")
            source.run(
                "CREATE TABLE pages (id INT PRIMARY KEY, name VARCHAR(100), text TEXT);"
                "INSERT INTO pages SELECT seq, CONCAT('page ', seq), REPEAT(MD5(seq), 31)"
                f" FROM seq_1_to_{_scale(LARGE_ROWS, size)};"
                "CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(100), price DECIMAL(9, 2),"
                " ordered DATETIME, KEY (ordered));"
                "INSERT INTO orders SELECT seq, CONCAT('customer ', MD5(seq)), seq / 100,"
                f" '2026-01-01' + INTERVAL seq SECOND FROM seq_1_to_{_scale(SMALL_ROWS, size)};",
                name,
            )
        tasks = [
            {
                "source": None,
                "name": name,
                "source_name": name,
                "definer": None,
                "login": target.login,
                "source_login": source.login,
                "replace": False,
                "events": False,
            }
            for name in names
        ]
        servers = [source.process_id, target.process_id]
        yield Content(
            "database.task",
            "sync_database",
            lambda: _empty_databases(target, names),
            tasks,
            servers,
        )


CONTENTS = {"files": make_files, "mail": make_mail, "databases": make_databases}


def measure_pass(content: Content, name: str, state: Path) -> Usage:
    """Carry out all tasks of a pass.

    Args:
        content: What is copied or compared.
        name: Of ``PASSES``.
        state: Where the tasks keep what they did.

    Raises:
        RuntimeError: A task failed, or did not end as the pass should.
    """
    mode, is_changing = PASSES[name]
    before = _measure_processes(content.servers)
    reports = [_run_task(content, {**task, "mode": mode}, state) for task in content.tasks]
    of_servers = _measure_processes(content.servers) - before
    for report in reports:
        if report["changed"] != is_changing or report["differences"]:
            raise RuntimeError(f"The {name} ended with {report}")

    return Usage(
        added=sum(report["added"] for report in reports),
        tools=sum(report["tools"] for report in reports) + of_servers,
        start=median(report["start"] for report in reports),
        megabytes=max(report["memory"] for report in reports) / 1024,
    )


def _run_task(content: Content, options: Mapping[str, Any], state: Path) -> dict[str, Any]:
    python = shutil.which("python3", path="/usr/bin") or sys.executable
    command = [python, "-c", _TASK, str(LINK), content.module, content.function]
    text = json.dumps([options, str(state)])
    ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr[-2_000:])

    report: dict[str, Any] = json.loads(ended.stdout)
    return report


def _measure_processes(processes: Sequence[int]) -> float:
    """Return the seconds of a processor that running processes have taken."""
    seconds = 0.0
    for process in processes:
        # The name of the program, in parentheses, may hold anything.
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        seconds += (int(fields[11]) + int(fields[12])) / _TICKS

    return seconds


def _name_mailboxes(number: int, source: RealMailbox, target: Path) -> dict[str, Any]:
    return {
        "source": None,
        "address": f"box{number}@mail.example",
        "source_address": None,
        "doveadm_args": ["-c", str(target / "dovecot.conf")],
        "source_doveadm_args": source.arguments,
    }


def _make_tree(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.chown(folder, _OWNER, _OWNER)


def _empty_mailboxes(targets: Sequence[Path]) -> None:
    for target in targets:
        shutil.rmtree(target, ignore_errors=True)
        make_mailbox(target)


def _empty_databases(target: RealMariadb, names: Sequence[str]) -> None:
    for name in names:
        target.run(f"DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name};")


def _scale(count: int, size: float) -> int:
    return max(1, round(count * size))


def measure_content(name: str, size: float, runs: int) -> bool:
    """Measure all passes of a kind of content, and print a line for each.

    Args:
        name: Of ``CONTENTS``.
        size: The part of a customer of 2 GB that is copied.
        runs: How often.

    Returns:
        Whether all are as promised.
    """
    usages: dict[str, list[Usage]] = {name_of_pass: [] for name_of_pass in PASSES}
    with make_mail_folder() as folder, CONTENTS[name](folder / "content", size) as content:
        state = folder / "state"
        for _run in range(runs):
            content.empty()
            shutil.rmtree(state, ignore_errors=True)
            for name_of_pass, measured in usages.items():
                measured.append(measure_pass(content, name_of_pass, state))

    results = [_show(name, name_of_pass, measured) for name_of_pass, measured in usages.items()]

    return all(results)


def _show(name: str, name_of_pass: str, usages: Sequence[Usage]) -> bool:
    """Print what the runs of a pass took, and return whether it is as promised."""
    percents = sorted(usage.percent for usage in usages)
    percent = median(percents)
    print(
        f"{name}, {name_of_pass}: tools {median(usage.tools for usage in usages):.2f} s, "
        f"added {median(usage.added for usage in usages):.2f} s, which is {percent:.1f} % "
        f"({percents[0]:.1f} to {percents[-1]:.1f}), "
        f"start of a task {1000 * median(usage.start for usage in usages):.0f} ms, "
        f"memory {max(usage.megabytes for usage in usages):.0f} MB",
        flush=True,
    )

    return percent <= PERCENT_AT_MOST


def main(arguments: Sequence[str]) -> int:
    """Measure what is asked for, and return the exit code."""
    options = _parse(arguments)
    try:
        check_content_tools(*PROGRAMS)
    except NotRun as reason:
        print(f"Content is not measured: {reason}", file=sys.stderr)
        return 0

    chosen = [name for name in CONTENTS if options.only in ("", name)]
    results = [measure_content(name, options.size / 100, options.runs) for name in chosen]
    print(f"Load of the last minute, on {os.cpu_count()} processors: {os.getloadavg()[0]:.1f}")
    if not all(results):
        print(f"at most {PERCENT_AT_MOST:.0f} % are promised", file=sys.stderr)
        return 1

    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.development tools.content_speed",
        description="Measure what the modules for content add to the time of the tools.",
    )
    parser.add_argument("--size", type=float, default=100.0, help="percent of a customer of 2 GB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=sorted(CONTENTS), default="")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
