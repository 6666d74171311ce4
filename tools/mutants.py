"""Put each fault of tools/mutants.yml into a copy of the checkout, and run the tests that it names: one of them has to fail.

`python -m tools.development tools.mutants [ID ...]`; without ids all of them, two at a time.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tools.layout import ROOT, copy_to, link_collection, make_environment, make_scratch_folder

LIST = ROOT / "tools" / "mutants.yml"
COPIES = 2
SECONDS = 900
OUTPUT = "pytest.txt"
# How pytest ends. Everything else, such as a file that cannot be imported, proves nothing.
PASSED = 0
FAILED = 1
# Nothing ends pytest with this; the tests were ended.
NOT_ENDED = -1000


class Trial(NamedTuple):
    """Tells how the trial of a fault ended.

    Attributes:
        is_noticed: Whether the tests passed no longer.
        ending: For a person.
    """

    is_noticed: bool
    ending: str


def list_mutants() -> list[dict[str, Any]]:
    """Return all faults.

    tests: files, or tests in them; why: what an operator would lose by the fault.
    """
    listed = []
    for file, rows in yaml.safe_load(LIST.read_text(encoding="utf-8")).items():
        usual_tests = rows.pop("tests")
        for name, (old, new, why, *special_tests) in rows.items():
            tests = (special_tests or [usual_tests])[0].split()
            listed.append(
                {
                    "id": name,
                    "file": file,
                    "old": old,
                    "new": new,
                    "why": why,
                    "tests": [f"tests/{test}" for test in tests],
                }
            )

    return listed


def mutate(text: str, mutant: Mapping[str, Any]) -> str:
    """Return the text of a file with the fault.

    Raises: ValueError if the text does not have the old line exactly once.
    """
    count = text.count(mutant["old"])
    if count != 1:
        raise ValueError(
            f"{mutant['id']}: {mutant['file']} has this {count} times: {mutant['old']}"
        )
    return text.replace(mutant["old"], mutant["new"])


def run_pytest(tests: Iterable[str], copy: Path, *options: str) -> int:
    """Return what pytest ends with; NOT_ENDED where it had to be ended."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-o", "faulthandler_timeout=0"]
    command += [*options, *tests]
    collections = str(copy / ".build" / "link")
    variables = make_environment(Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=collections)

    with (copy / OUTPUT).open("wb") as output:
        try:
            process = subprocess.run(
                command,
                cwd=copy,
                env=variables,
                stdout=output,
                stderr=output,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return NOT_ENDED

    return process.returncode


def try_mutant(mutant: Mapping[str, Any], copy: Path, number: int) -> Trial:
    """Try a fault in a copy, and return whether a test has noticed it.

    Tests that wait for ever have noticed it too, unless the machine is too slow for them.

    number: another one for each fault.
    """
    file = copy / mutant["file"]
    text = file.read_text(encoding="utf-8")

    try:
        file.write_text(mutate(text, mutant), encoding="utf-8")
        # Python recognizes compiled files by the second and the size of the source, which may be
        # those of another fault.
        os.utime(file, (number, number))
        code = run_pytest(mutant["tests"], copy)
    except ValueError as error:
        return Trial(False, str(error))
    finally:
        file.write_text(text, encoding="utf-8")
        os.utime(file, (0, 0))

    if code == FAILED:
        return Trial(True, "noticed")
    if code == NOT_ENDED:
        return Trial(True, f"noticed: its tests had not ended after {SECONDS} s")

    ending = "survives" if code == PASSED else f"ends pytest with {code}"
    return Trial(False, f"{mutant['id']} {ending}: {mutant['why']}")


def main(ids: Sequence[str]) -> int:
    """Return 0 when every fault was noticed."""
    chosen = [mutant for mutant in list_mutants() if not ids or mutant["id"] in ids]
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()

    folders = [make_scratch_folder() / f"mutants-{number}" for number in range(COPIES)]
    for folder in folders:
        copy_to(folder)
        link_collection(folder)
        copies.put(folder)

    tests = {test for mutant in chosen for test in mutant["tests"]}
    if run_pytest(sorted(tests), folders[0], f"--numprocesses={COPIES}") != PASSED:
        output = (folders[0] / OUTPUT).read_text(encoding="utf-8")
        print("The tests fail without any fault:", output[-4000:], sep="\n")
        return 1

    def call(number: int) -> Trial:
        """Try the fault of that number, in whichever copy is free."""
        mutant = chosen[number - 1]
        free_copy = copies.get()
        begin = time.monotonic()

        try:
            trial = try_mutant(mutant, free_copy, number)
        finally:
            copies.put(free_copy)

        seconds = time.monotonic() - begin
        print(f"{mutant['id']:<28} {seconds:5.1f} s  {trial.ending}", flush=True)
        return trial

    with ThreadPoolExecutor(COPIES) as pool:
        trials = pool.map(call, range(1, len(chosen) + 1))
        problems = [trial.ending for trial in trials if not trial.is_noticed]

    noticed = len(chosen) - len(problems)
    print(*problems, f"{noticed} of {len(chosen)} faults were noticed", sep="\n")
    return 1 if problems or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
