"""Measure the rows in turns, look after each whether its work was done, and write the page. `tools.bench` starts this elsewhere."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import jinja2
import yaml

from tests.support.simulator import API_KEY
from tools.bench.panels import NOW, Panels, count_requests, describe_missing, make_wanted_mailboxes
from tools.bench.rows import (
    COMPARISONS,
    INSTRUCTIONS,
    LINES,
    MODULE,
    QUICK,
    RUNS,
    Comparison,
    Run,
    compute_value,
)
from tools.layout import BUILD, ROOT, copy_to
from tools.processes import MarkedCommand

HERE = Path(__file__).resolve().parent
FOLDER = BUILD / "bench"
PAGE = ROOT / "docs" / "performance.md"
COUNTED = (INSTRUCTIONS, MODULE, LINES)
PLAYBOOK = [sys.executable, str(Path(sys.executable).parent / "ansible-playbook")]
SECONDS_AT_MOST = 1800.0
HOOK = HERE / "hook"
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]
MONTHS = [f"2026-{month:02}" for month in range(6, 12)]


class Failed(Exception):
    """The command ended with an error; the message has the end of what it said."""


def measure_time(
    command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> dict[str, float]:
    """Run a command, and measure it.

    Returns: `wall` and `cpu` in seconds and `memory`, the resident bytes of the largest of its
        processes.
    Raises: Failed.
    """
    output = folder / "output.txt"
    marked = MarkedCommand(list(command), variables=dict(variables), folder=folder)

    with output.open("wb") as stream:
        try:
            begin = time.perf_counter()
            process = marked.start(stream)
            limit = threading.Timer(SECONDS_AT_MOST, process.kill)
            limit.start()
            # Unlike Popen.wait, this has what the process and all that it waited for have used.
            _pid, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
            limit.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            marked.stop_everything()

    if process.returncode:
        end = output.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        raise Failed(f"ended with {process.returncode}: " + "\n".join(end))

    return {
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024.0,
    }


def count_lines_and_instructions(
    command: Sequence[str], variables: Mapping[str, str], folder: Path
) -> dict[str, float]:
    """Return `lines`, and with valgrind on this machine what `read_instructions` reads."""
    counts = folder / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    lines = counts / "lines"
    # The first of the two runs writes the byte code of Python and Ansible; the second finds it, as
    # each start but the first does. That of the collection is kept nowhere.
    variables = {**variables, "PYTHONPYCACHEPREFIX": str(counts / "byte code")}
    hooked = {**variables, "PYTHONPATH": str(HOOK), "BENCH_LOADED_LINES": str(lines)}
    measure_time(command, hooked, folder)
    if shutil.which(VALGRIND[0]):
        measure_time([*VALGRIND, f"--cachegrind-out-file={counts}/%p", *command], variables, folder)

    loaded = 0.0
    if lines.exists():
        numbers = lines.read_text(encoding="utf-8").split()
        loaded = float(sum(int(number) for number in numbers))

    return {"lines": loaded, **read_instructions(counts, command[0])}


def read_instructions(counts: Path, program: str) -> dict[str, float]:
    """Read valgrind's files.

    Returns: the `instructions` of the worker, or of the command if it has none, and those of the
        `module`.
    """
    instructions: dict[str, float] = {}
    # A worker counts on from what the command had counted, so its total is that of the whole way to
    # it. The command ends last; it asks for the worker's result a thousand times a second, and so
    # counts more where the machine is slower.
    files = sorted(counts.glob("[0-9]*"), key=lambda file: file.stat().st_mtime_ns)

    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace")
        command = re.search(r"^cmd: (.*)$", text, re.MULTILINE)
        total = re.search(r"^summary: (.*)$", text, re.MULTILINE)
        if command and total and command[1].startswith(program):
            name = "module" if "AnsiballZ" in command[1] else "instructions"
            instructions.setdefault(name, float(total[1].split()[0]))

    return instructions


class Bench:
    """A folder with the files of the runs, and the panels."""

    def __init__(self, folder: Path, collections: Path) -> None:
        """Take a folder of its own, and where Ansible finds the collection."""
        self._folder = folder
        self._collections = collections
        (folder / "home").mkdir(parents=True, exist_ok=True)
        self.panels = Panels(folder / "tls")

    def measure_run(self, run: Run, *, count: bool) -> dict[str, float]:
        """Measure a run.

        count: count its instructions and lines instead of its time.
        Raises: Failed if it did not do its work or sent other requests than it needs.
        """
        measure_command = count_lines_and_instructions if count else measure_time
        if run.play.startswith("report"):
            fleet = self.panels.start_fleet(run.count)
            command = self._report_command(run, [panel.url for panel in fleet])
            return measure_command(command, self._make_variables(""), self._folder)

        panel = self.panels.prepare_mailboxes(run.count, new=run.new, latency=run.latency)
        before = count_requests(panel)
        command = self._make_command(run, panel.url)
        variables = self._make_variables(panel.url, in_process=run.in_process)
        sample = measure_command(command, variables, self._folder)
        sent = dict(count_requests(panel) - before)
        if not count and sent != run.count_requests():
            raise Failed(f"sent {sent} in place of {run.count_requests()}")

        if run.play != "empty":
            problem = describe_missing(panel, run.count)
            if problem:
                raise Failed(problem)

        return sample

    def _make_variables(self, url: str, *, in_process: bool = True) -> dict[str, str]:
        # All from scratch: settings of the caller, as PYTHONUNBUFFERED, would slow down every
        # module.
        folders = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": os.pathsep.join(folders),
            "HOME": str(self._folder / "home"),
            "LANG": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(self._collections),
            "ANSIBLE_LOCALHOST_WARNING": "False",
            "PANEL_API_URL": url,
            "PANEL_API_KEY": API_KEY,
            "PANEL_CA_PATH": str(self.panels.tls),
            "REQUESTS_CA_BUNDLE": str(self.panels.tls),
            "PANEL_IN_PROCESS": str(int(in_process)),
        }

    def _make_command(self, run: Run, url: str) -> list[str]:
        variables = {
            "panel_url": url,
            "panel_key": API_KEY,
            "panel_ca": str(self.panels.tls),
            "mailboxes": make_wanted_mailboxes(run.count),
            "concurrency": run.concurrency,
        }
        file = self._write_json("variables", variables)
        if run.play == "script":
            return [sys.executable, str(HERE / "script.py"), "mailboxes", file]

        host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        inventory = self._write_json("hosts", {"all": {"hosts": {"panel": host}}})
        tasks = yaml.safe_load((HERE / "plays.yml").read_text(encoding="utf-8"))[run.play]
        play = {"name": run.play, "hosts": "panel", "gather_facts": False, "tasks": tasks}
        return [*PLAYBOOK, "-i", inventory, "-e", f"@{file}", self._write_json("play", [play])]

    def _report_command(self, run: Run, urls: list[str]) -> list[str]:
        if run.play == "report script":
            wish = {
                "panels": urls,
                "panel_key": API_KEY,
                "months": MONTHS,
                "panels_at_once": 8,
                "concurrency": 4,
            }
            return [
                sys.executable,
                str(HERE / "script.py"),
                "report",
                self._write_json("wish", wish),
            ]

        hosts = {}
        for number, url in enumerate(urls):
            hosts[f"panel{number:03}"] = {"panel_api_url": url, "panel_api_key": API_KEY}

        (self._folder / "report.html").unlink(missing_ok=True)
        command = [*PLAYBOOK, "-i", self._write_json("fleet", {"all": {"hosts": hosts}})]
        command += ["-e", f"report_time={NOW.isoformat()}", "-e", "report_file=report.html"]
        return [*command, "-e", "panel_hosts=all", "hosting.panel.report"]

    def _write_json(self, name: str, content: Any) -> str:
        file = self._folder / f"{name}.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        return str(file)


def measure(
    bench: Bench, chosen: Sequence[Comparison], rounds: int
) -> tuple[dict[str, dict[str, list[float]]], dict[str, str]]:
    """Measure the runs of the comparisons, a round of each run in turn.

    Returns: by metric and run the values of the rounds; and by run why it is invalid.
    """
    needed = _collect_runs(chosen)
    to_count = _collect_runs(comparison for comparison in chosen if comparison.metric in COUNTED)
    samples: dict[str, dict[str, list[float]]] = {}
    invalid: dict[str, str] = {}

    # The first round is thrown away, and is the one that counts instructions and lines, which are
    # the same in each.
    for number in range(rounds + 1):
        in_round = to_count if number == 0 else needed
        for name, run in RUNS.items():
            if name not in in_round or name in invalid or (number > 1 and _is_large(run)):
                continue
            try:
                sample = bench.measure_run(run, count=number == 0)
            except Failed as failure:
                sample = {}
                invalid[name] = str(failure)

            _add_sample(samples, name, sample)
            seconds = sample.get("wall", 0.0)
            print(f"round {number}  {seconds:8.3f} s  {name}  {invalid.get(name, '')}", flush=True)

    return samples, invalid


def _collect_runs(comparisons: Iterable[Comparison]) -> set[str]:
    """Return the names of all runs that comparisons need."""
    runs: set[str] = set()
    for comparison in comparisons:
        runs.update(comparison.runs)

    return runs


def _add_sample(
    samples: dict[str, dict[str, list[float]]], name: str, sample: Mapping[str, float]
) -> None:
    """Add what a round of a run came to."""
    for metric, amount in sample.items():
        samples.setdefault(metric, {}).setdefault(name, []).append(amount)


def _is_large(run: Run) -> bool:
    """Return whether a run takes so long that it is measured once."""
    return run.play.startswith("report") and run.count > 10


def make_rows(
    comparisons: Sequence[Comparison], samples: dict[str, dict[str, list[float]]]
) -> list[dict[str, Any]]:
    """Return the rows of the page.

    Returns: `comparison`, the median `value`, the `least` and `most` of the rounds, `is_met`; None
        for what was not measured.
    """
    result = []
    for comparison in comparisons:
        values = _compute_values(comparison, samples.get(comparison.metric, {}))
        middle = median(values) if values else None
        is_met = None
        if middle is not None and comparison.goal is not None:
            is_met = middle <= comparison.goal
        result.append(
            {
                "comparison": comparison,
                "value": middle,
                "least": min(values, default=None),
                "most": max(values, default=None),
                "is_met": is_met,
            }
        )

    return result


def _compute_values(comparison: Comparison, by_run: dict[str, list[float]]) -> list[float]:
    """Return what a comparison comes to in each round."""
    columns = {name: column for name, column in by_run.items() if name in comparison.runs}
    rounds = min((len(column) for column in columns.values()), default=0)
    values = []

    for number in range(rounds):
        figures = {name: column[number] for name, column in columns.items()}
        ratio = compute_value(comparison, figures)
        if ratio is not None:
            values.append(ratio)

    return values


def format_figure(number: float) -> str:
    """Return a number of the page. A difference of two runs can be below zero: nothing but noise."""
    if number < 0:
        return "below noise"
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.4g}"


def make_page(measured: Sequence[dict[str, Any]], invalid: dict[str, str]) -> str:
    """Return the page in Markdown."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["figure"] = format_figure
    load = os.getloadavg()[2]
    return environment.get_template("page.md.j2").render(
        rows=measured, invalid=invalid, cores=os.cpu_count(), load=load
    )


def main(arguments: Sequence[str]) -> int:
    """Return 0 when every row is valid, whatever the times are."""
    options = _parse(arguments)
    candidates = QUICK if options.quick else COMPARISONS
    chosen = [comparison for comparison in candidates if options.only in comparison.what]
    shutil.rmtree(FOLDER, ignore_errors=True)
    copy_to(FOLDER / "collection" / "ansible_collections" / "hosting" / "panel")
    bench = Bench(FOLDER, FOLDER / "collection")

    try:
        samples, invalid = measure(bench, chosen, 2 if options.quick else options.rounds)
    finally:
        bench.panels.stop()

    text = make_page(make_rows(chosen, samples), invalid)
    (FOLDER / "values.json").write_text(json.dumps(samples, indent=1), encoding="utf-8")
    is_whole = not options.quick and not options.only
    file = PAGE if is_whole else FOLDER / "performance.md"
    file.write_text(text, encoding="utf-8")
    print(text)
    return 1 if invalid else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench",
        description="Measure the collection beside other ways of doing the same work.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="two rounds, without fleets of 10 and 100 panels"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only the rows whose name has this text"
    )
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
