#!/usr/bin/python
# WANT_JSON
"""Stands in for the modules of awx.awx.

Notes what it is asked for in FAKE_AWX, and fails where AWX would.

Beside its notes, lines of JSON, FAKE_AWX.unreadable says that the project cannot be read; a project
is only read where that is asked for, or where it is new.
"""

import json
import os
import sys
from pathlib import Path

PLAYBOOK_MISSING = "Playbook not found for project."


def main():
    """Note what the task asks for, and answer as AWX does."""
    module = Path(sys.argv[0]).name.partition(".")[0].replace("AnsiballZ_", "")
    arguments = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    options = {name: value for name, value in arguments.items() if not name.startswith("_ansible")}
    notes = Path(os.environ["FAKE_AWX"])

    with notes.open("a+", encoding="utf-8") as file:
        file.seek(0)
        earlier_notes = [json.loads(line) for line in file]
        problem = find_fault(module, options, earlier_notes, notes)
        file.write(json.dumps({"module": module, "options": options, "problem": problem}) + "\n")

    print(json.dumps({"failed": bool(problem), "changed": not problem, "msg": problem}))


def find_fault(module, options, earlier_notes, notes):
    """Return what AWX says, empty where it takes it."""
    projects = [note for note in earlier_notes if note["module"] == "project"]
    if (
        module == "project"
        and (not projects or options.get("update_project"))
        and notes.with_suffix(".unreadable").exists()
    ):
        return "Project update failed"

    is_read = any(
        note["options"].get("update_project") and not note["problem"] for note in projects
    )
    if module == "job_template" and not is_read:
        return PLAYBOOK_MISSING
    names = {note["options"].get("name") for note in earlier_notes if not note["problem"]}

    for credential in options.get("credentials") or (
        [options["credential"]] if options.get("credential") else []
    ):
        if credential not in names:
            return f"Unable to find credentials with name {credential}"

    return ""


main()
