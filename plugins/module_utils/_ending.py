# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the process of a module ends: at once. Private to the collection.

On its way out Python takes apart whatever was imported, piece by piece, which is a tenth of a module's time and serves nobody: the
result is written, and Ansible's wrapper has removed its files.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """What is run inside may end with sys.exit, as AnsibleModule does; the process then ends with the same code."""
    codes = [1]  # what Python itself ends with after an exception
    if _is_process_of_a_module():
        # Whatever is registered later runs before it.
        atexit.register(_end, codes)
    try:
        yield
    except SystemExit as ended:
        codes.append(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
        raise


def _is_process_of_a_module() -> bool:
    """Whether Ansible's wrapper runs the module, and nobody waits for Python's end: coverage writes its data then."""
    return hasattr(sys.modules["__main__"], "_module_fqn") and "coverage" not in sys.modules


def _end(codes: list[int]) -> None:
    with contextlib.suppress(OSError):  # nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(codes[-1])
