# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that has loaded modules of other collections and runs each in a child of its own, for a tenth of what Ansible's own way costs.

Private to the collection.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn
from urllib.error import HTTPError

from ansible import constants

_CHUNK = 65536
# After its time is over a module needs no more than this to be ended.
_GRACE = 10
TOO_MANY_REQUESTS = 429
"""The status of an answer that ends a module."""
NO_ANSWER = -1


class NoResult(Exception):
    """A module ended without a result. took_too_long: since its time was over.

    status: of the last answer that a server gave it. said: what it said with that one, where it ended the module.
    """

    def __init__(self, module: str, took_too_long: bool, status: int = NO_ANSWER, said: str = "") -> None:
        super().__init__(f"{module} ended without a result on this controller.")
        self.took_too_long, self.status, self.said = took_too_long, status, said


class ModuleHost:
    """Such a process. It ends with ``close``, or with whoever started it.

    modules: their full names. environment: what they find in it beside that of this process. seconds: for which one of them may run.
    """

    def __init__(self, modules: Iterable[str], environment: Mapping[str, str], seconds: int) -> None:
        self._seconds = seconds
        self._requests, its_end = socket.socketpair()
        self._process = os.fork()
        if not self._process:
            self._requests.close()
            _serve(its_end, list(modules), environment, seconds)
        its_end.close()

    def run(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """What the module returned, whether it failed or not. From several threads at once. Raises NoResult."""
        started = time.monotonic()
        answer: list[Any] = []
        ours, its_end = socket.socketpair()
        with ours, contextlib.suppress(OSError):
            with its_end:
                socket.send_fds(self._requests, [b"."], [its_end.fileno()])
            ours.settimeout(self._seconds + _GRACE)
            ours.sendall(json.dumps({"module": module, "options": dict(options)}).encode())
            ours.shutdown(socket.SHUT_WR)
            printed = b"".join(iter(lambda: ours.recv(_CHUNK), b""))
            with contextlib.suppress(ValueError, IndexError):
                result = json.loads(printed.splitlines()[-1])
                if isinstance(result, dict):
                    return result
                answer = result if isinstance(result, list) else []
        raise NoResult(module, time.monotonic() - started >= self._seconds, *answer)

    def close(self) -> None:
        """Ends the process."""
        self._requests.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._process, 0)


def _serve(requests: socket.socket, modules: Iterable[str], environment: Mapping[str, str], seconds: int) -> NoReturn:
    """Runs what is asked for until nobody can ask any more. Never comes back into the program that it was forked from."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Children that have ended go away by themselves.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.environ.update(environment)
        for module in modules:
            _loaded(module)
        gc.freeze()
        while True:
            _byte, (number, *_others), _flags, _address = socket.recv_fds(requests, 1, 1)
            if not os.fork():
                requests.close()
                _run(number, seconds)
            os.close(number)
    finally:
        os._exit(0)


def _run(number: int, seconds: int) -> NoReturn:
    """Runs one module, whose options come from the socket with this number, and which gets what it prints."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # Ends a module that does not see to it.
        signal.alarm(seconds)
        with socket.socket(fileno=number) as asked:
            request = json.loads(b"".join(iter(lambda: asked.recv(_CHUNK), b"")))
            _tell_answers(asked)
            asked.sendall(_printed_by(request["module"], request["options"]))
    finally:
        os._exit(0)


def _tell_answers(listener: socket.socket) -> None:
    """Tells of each answer that this process gets from a server, for whoever has to judge a module that ends without a result.

    One that gets too many requests ends at once, since some modules would ask again and again.
    """
    urls = importlib.import_module("ansible.module_utils.urls")
    open_url = urls.open_url

    def told(*arguments: Any, **options: Any) -> Any:
        status, said = NO_ANSWER, ""
        try:
            response = open_url(*arguments, **options)
            status = response.status
        except HTTPError as error:
            status = error.code
            if status == TOO_MANY_REQUESTS:
                said = error.read().decode("utf-8", "replace")
                sys.exit()
            raise
        finally:
            listener.sendall(json.dumps([status, said]).encode() + b"\n")
        return response

    vars(urls).update(open_url=told)


def _printed_by(module: str, options: Mapping[str, Any]) -> bytes:
    basic = importlib.import_module("ansible.module_utils.basic")
    folder = vars(constants)["DEFAULT_LOCAL_TMP"]
    # Not logged, since keys may be among them.
    own = {"_ansible_no_log": True, "_ansible_tmpdir": folder, "_ansible_remote_tmp": folder}
    # What Ansible's own wrapper around a module sets; the profile since ansible-core 2.19.
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {**options, **own}}).encode()
    vars(basic).update(_ANSIBLE_ARGS=arguments, _ANSIBLE_PROFILE="legacy")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        _loaded(module).main()
    return printed.getvalue().strip().encode()


def _loaded(module: str) -> Any:
    collection, _dot, name = module.rpartition(".")
    return importlib.import_module(f"ansible_collections.{collection}.plugins.modules.{name}")
