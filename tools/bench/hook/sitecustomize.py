"""Counts the lines of the collection that a process compiles, which are all that it loads."""

from __future__ import annotations

import os
import sys

OURS = "ansible_collections/hosting/panel/"
FOUND = os.environ.get("BENCH_LOADED_LINES", "")
_files: set[str] = set()


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if event != "compile":
        return
    source = arguments[0]
    name = str(arguments[1])
    # Python 3.13 reports each compilation twice: of the function compile, and of its parser.
    if OURS in name and name not in _files and isinstance(source, (bytes, str)):
        _files.add(name)
        lines = source.count(b"\n" if isinstance(source, bytes) else "\n")  # type: ignore[arg-type]
        with open(FOUND, "a", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is dear to import here
            file.write(f"{lines}\n")


if FOUND:
    sys.addaudithook(_count)
