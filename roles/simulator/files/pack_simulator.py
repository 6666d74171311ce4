# SPDX-License-Identifier: GPL-3.0-or-later
"""Packs the simulator with the libraries that it needs into one archive, which Python runs.

It prints the path of the archive, and leaves none behind when it fails.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "panel_simulator"
# What Python runs of the archive.
MAIN = "__main__.py"


def write_archive(archive: zipfile.ZipFile, libraries: Iterable[str]) -> None:
    """Write the simulator and libraries of this Python into an archive.

    The same files make the same bytes.

    Args:
        archive: An empty one.
        libraries: The names of packages; what this Python does not have is left out.
    """
    _write_file(archive, MAIN, HERE / MAIN)
    _write_package(archive, PACKAGE, HERE / PACKAGE)
    for name in libraries:
        specification = importlib.util.find_spec(name)
        if specification is not None and specification.origin is not None:
            _write_package(archive, name, Path(specification.origin).parent)


def _write_package(archive: zipfile.ZipFile, name: str, directory: Path) -> None:
    """Write the code and the tables of a package, and nothing else of it."""
    for path in sorted({*directory.rglob("*.py"), *directory.rglob("*.yml")}):
        _write_file(archive, f"{name}/{path.relative_to(directory).as_posix()}", path)


def _write_file(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    # Without the time of the file: another checkout is no other simulator.
    archive.writestr(zipfile.ZipInfo(name), path.read_bytes())


@contextlib.contextmanager
def make_temporary_archive() -> Iterator[tuple[Path, zipfile.ZipFile]]:
    """Yield a new file and the archive in it; the file stays if the block does not fail."""
    with tempfile.NamedTemporaryFile(suffix=".zip", delete=False) as file:
        path = Path(file.name)
        try:
            with zipfile.ZipFile(file, "w") as archive:
                yield path, archive
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def main(arguments: list[str]) -> int:
    """Pack the simulator with the libraries that the arguments name."""
    try:
        with make_temporary_archive() as (path, archive):
            write_archive(archive, arguments[1:])
    except OSError as error:
        sys.stderr.write(f"The simulator cannot be packed: {error.strerror}.\n")
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
