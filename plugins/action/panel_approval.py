# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks whoever is at the terminal for a yes. Ansible's own pause cannot tell the return key from nobody being there."""

from __future__ import annotations

import os
from typing import Any

from ansible.errors import AnsiblePromptInterrupt, AnsiblePromptNoninteractive

from ..module_utils._secrets.terminal import on_one_line
from ..plugin_utils._jobs.job import Job, JobAction
from ..plugin_utils._jobs.job_failed import JobFailed
from ..plugin_utils._run.panel_action import display

_QUESTION = "{} Type yes to apply this plan, anything else to leave everything as it is: "
_NOT_ASKED = (
    "{} Nobody was asked, because the input or the output of ansible-playbook goes through a pipe or into a file. Nothing was written. Start it "
    "without that (ANSIBLE_LOG_PATH keeps a log too), or say with panel_confirm=false that nobody is to be asked."
)
# Ansible loads the plugin in its main process; a worker, where the task runs, has no terminal from ansible-core 2.19 on.
_STDIN, _STDOUT, _STDERR = (os.isatty(stream) for stream in range(3))
_IS_AT_TERMINAL = _STDIN or _STDOUT or _STDERR
# Of a question that goes into a pipe, Ansible shows nothing before it has the answer.
_IS_SEEN = _STDIN and _STDOUT
_NO_ANSWER = (b"\x03", b"\x04")  # Ctrl-C, and Ctrl-D, which Ansible takes for a letter


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_approval; it never talks to the panel."""

    BYPASS_HOST_LOOP = True  # one question for all panels
    _requires_connection = False
    specification = {
        "about": {"type": "str", "required": True},
        "needs_answer": {"type": "bool", "default": False},
        "may_ask": {"type": "bool", "default": True},
    }

    def steps(self, job: Job) -> dict[str, Any]:
        may_ask = job.arguments["may_ask"]
        answer = self._answer(job.arguments["about"]) if may_ask and (_IS_SEEN or not _IS_AT_TERMINAL) else None
        if answer is None and may_ask and _IS_AT_TERMINAL:
            raise JobFailed(_NOT_ASKED.format(job.arguments["about"]))
        if answer is None and not job.arguments["needs_answer"]:
            return {"approved_by": "nobody, since nobody is at a terminal"}
        if answer != "yes":
            raise JobFailed("Nobody typed yes. Nothing was written.")
        return {"approved_by": "a typed yes"}

    def _answer(self, about: str) -> str | None:
        """What was typed; None where nobody is at a terminal."""
        try:
            typed: bytes = display.prompt_until(_QUESTION.format(on_one_line(about)), interrupt_input=_NO_ANSWER)
        except AnsiblePromptNoninteractive:
            return None
        except AnsiblePromptInterrupt:
            typed = b""
        display.display("")  # otherwise the next line of Ansible sticks to the answer
        return typed.decode("utf-8", "replace")
