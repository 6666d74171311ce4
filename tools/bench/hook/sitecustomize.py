"""Counts the lines of the collection that a process compiles, which are all that it loads."""

from __future__ import annotations

import os
import sys

OURS = "ansible_collections/hosting/panel/"
FOUND = os.environ.get("BENCH_LOADED_LINES", "")


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if event == "compile" and OURS in str(arguments[1]) and isinstance(arguments[0], (bytes, str)):
        source = arguments[0]
        lines = source.count(b"\n" if isinstance(source, bytes) else "\n")  # type: ignore[arg-type]
        with open(FOUND, "a", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is dear to import here
            file.write(f"{lines}\n")


if FOUND:
    sys.addaudithook(_count)
