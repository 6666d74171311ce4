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
from typing import Any

import yaml

from tools.layout import ROOT, copy_to, environment, link_collection, scratch_folder

LIST = ROOT / "tools" / "mutants.yml"
COPIES, SECONDS, SAID = 2, 900, "pytest.txt"
# How pytest ends. Everything else, such as a file that cannot be imported, proves nothing.
PASSED, FAILED = 0, 1


def mutants() -> list[dict[str, Any]]:
    """All of them. tests: files, or tests in them; why: what an operator would lose by the fault."""
    found = []
    for file, rows in yaml.safe_load(LIST.read_text(encoding="utf-8")).items():
        usual = rows.pop("tests")
        for name, (old, new, why, *others) in rows.items():
            tests = [f"tests/{test}" for test in (others or [usual])[0].split()]
            found.append(
                {"id": name, "file": file, "old": old, "new": new, "why": why, "tests": tests}
            )
    return found


def mutated(text: str, mutant: Mapping[str, Any]) -> str:
    """The text of its file with the fault; raises ValueError where the old line is not there exactly once."""
    count = text.count(mutant["old"])
    if count != 1:
        raise ValueError(
            f"{mutant['id']}: {mutant['file']} has this {count} times: {mutant['old']}"
        )
    return text.replace(mutant["old"], mutant["new"])


def code_of(tests: Iterable[str], copy: Path, *more: str) -> int:
    """What pytest ends with; tests that wait for ever have noticed too."""
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-o",
        "faulthandler_timeout=0",
        *more,
        *tests,
    ]
    variables = environment(
        Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=str(copy / ".build" / "link")
    )
    with (copy / SAID).open("wb") as said:
        try:
            return subprocess.run(
                words,
                cwd=copy,
                env=variables,
                stdout=said,
                stderr=said,
                timeout=SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return FAILED


def tried(mutant: Mapping[str, Any], copy: Path, number: int) -> str:
    """What is wrong with it; empty where a test has failed. number: another one for each fault."""
    file = copy / mutant["file"]
    text = file.read_text(encoding="utf-8")
    try:
        file.write_text(mutated(text, mutant), encoding="utf-8")
        # Python tells compiled files by the second and the size of the source, which may be those of another fault.
        os.utime(file, (number, number))
        code = code_of(mutant["tests"], copy)
    except ValueError as error:
        return str(error)
    finally:
        file.write_text(text, encoding="utf-8")
        os.utime(file, (0, 0))
    words = "survives" if code == PASSED else f"ends pytest with {code}"
    return "" if code == FAILED else f"{mutant['id']} {words}: {mutant['why']}"


def main(ids: Sequence[str]) -> int:
    """Return 0 when every fault was noticed."""
    chosen = [one for one in mutants() if not ids or one["id"] in ids]
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for number in range(COPIES):
        copy = scratch_folder() / f"mutants-{number}"
        copy_to(copy)
        link_collection(copy)
        copies.put(copy)
    if (
        code_of(
            sorted({test for one in chosen for test in one["tests"]}),
            copy,
            f"--numprocesses={COPIES}",
        )
        != PASSED
    ):
        print(
            "The tests fail without any fault:",
            (copy / SAID).read_text(encoding="utf-8")[-4000:],
            sep="\n",
        )
        return 1

    def call(number: int) -> str:
        free, begin = copies.get(), time.monotonic()
        try:
            problem = tried(chosen[number - 1], free, number)
        finally:
            copies.put(free)
        print(
            f"{chosen[number - 1]['id']:<28} {time.monotonic() - begin:5.1f} s  {problem or 'noticed'}",
            flush=True,
        )
        return problem

    with ThreadPoolExecutor(COPIES) as pool:
        wrong = list(filter(None, pool.map(call, range(1, len(chosen) + 1))))
    print(*wrong, f"{len(chosen) - len(wrong)} of {len(chosen)} faults were noticed", sep="\n")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
