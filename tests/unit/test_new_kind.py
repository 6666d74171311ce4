# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kind that CONTRIBUTING.md makes up is added to a copy of the collection as it says, and goes wherever the others go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.module_process import ANSIBLE
from tests.support.snippets import changed_text, snippets
from tools.collection_copy import copy_to
from tools.layout import link_collection

TITLE = "## A new kind of object\n"


def test_a_new_kind_is_what_the_page_for_contributors_says_and_goes_wherever_the_others_go(tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    copy_to(copy)
    section = (copy / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
    page = tmp_path / "steps.md"
    page.write_text(section, encoding="utf-8")
    for step in snippets(page):
        if name := step.value("file"):
            file = copy / name
            is_change = step.language == "diff"
            text = changed_text(file.read_text(encoding="utf-8"), step.text, step.place) if is_change else step.text
            file.write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", str(copy / "tests" / "unit" / "walk_of_a_new_kind.py"), "-q"]
    words += ["-o", f"pythonpath={link_collection(copy)} {copy}", "-o", f"cache_dir={tmp_path / 'cache'}"]
    words += [f"--basetemp={tmp_path / 'walk'}"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    surroundings["PYTHONPATH"] = ANSIBLE
    walk = subprocess.run(words, cwd=copy, env=surroundings, capture_output=True, text=True, timeout=300, check=False)
    assert walk.returncode == 0, walk.stdout + walk.stderr
