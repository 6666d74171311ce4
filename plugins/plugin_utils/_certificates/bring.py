# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings certificates to what is wanted: ordered where they are due, uploaded, assigned. Private to the collection.

All mistakes are found before the first write. After it, one certificate stands in no other's way.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._task.locks import exclusive
from ...module_utils._task.mistakes import Mistake, first_lines, first_of
from .._jobs.foreign_modules import ForeignModules, collection_version
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, mistaken
from .._jobs.run_modules import ModuleFailed
from .._run.controller_files import check_place, reason_of, replace_file
from .._run.panel_name import monitored_name
from .account import register
from .authority import (
    BELOW,
    COLLECTION,
    LEAST,
    MODULES,
    Authority,
    AuthorityError,
    check_authorities,
    look_at_directory,
)
from .look import Look
from .metrics import METRICS, metrics_of
from .name_servers import has_library
from .ordering import Entry, Failures, Ordering, clean
from .outcome import about_short_lives, complaint, keys_of, not_in_place, out_of_place, why_not_ordered
from .parts import write_parts
from .plan import Terms, goes_on, resources_of, why_due
from .rows import Course, line_of, line_of_others, row_of
from .state import CERTIFICATES, ORDERS, challenges_in, entries_of, other_owner_of_key
from .state_file import StateError, StateFile, state_file
from .wanted import Wanted, mistakes_in_options, read_wanted

_LONGEST_TURN = 7200.0
# Seconds for one step of one certificate.
_LONGEST_STEP = 120
_MOST_LINES = 400


def bring_certificates(job: Job) -> dict[str, Any]:
    """The result of the task. Raises JobFailed, ModuleFailed and StateError before the first write, and JobFailed also later."""
    _check_requirements()
    wanted, file = _checked_options(job)
    if job.check_mode:
        return _Run(job, wanted, file).predict()
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(f"certificates {file.path}", "certificates", _LONGEST_TURN))
        except PanelError as error:
            raise JobFailed(error.message) from None
        run = _Run(job, wanted, file)
        try:
            return run.carry_out()
        finally:
            # However it ends: whatever is written anywhere is in this file before.
            job.shown["changed"] = file.is_changed


def _check_requirements() -> None:
    """Raises JobFailed where something is missing on the controller, with how to install it."""
    version = collection_version(COLLECTION)
    if version is None or not _numbers(LEAST) <= _numbers(version) < _numbers(BELOW):
        found = "is not installed" if version is None else f"is installed as {version}"
        raise JobFailed(
            f"This role needs the collection {COLLECTION} from {LEAST} on and before {BELOW}, which {found} on this controller: "
            f"ansible-galaxy collection install '{COLLECTION}:>={LEAST},<{BELOW}'. Nothing was read or written."
        )
    if not has_library():
        raise JobFailed(
            "This role needs the Python library dnspython, which is not installed for the Python that runs Ansible; install it there "
            "(pip install dnspython). Nothing was read or written."
        )


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split("-", maxsplit=1)[0].split(".") if part.isdecimal()]


def _checked_options(job: Job) -> tuple[list[Wanted], StateFile]:
    """What is wanted, and where its state is kept. Raises JobFailed with every mistake."""
    arguments = job.arguments
    wanted, mistakes = read_wanted(arguments["items"])
    mistakes += mistakes_in_options(arguments)
    if arguments["acme_ca_path"]:
        try:
            check_authorities(arguments["acme_ca_path"])
        except OSError as error:
            mistakes.append(f"acme_ca_path: {arguments['acme_ca_path']}: {reason_of(error)}.")
    if arguments["metrics_file"]:
        try:
            check_place(Path(arguments["metrics_file"]), own=METRICS)
        except OSError as error:
            mistakes.append(f"metrics_file: {arguments['metrics_file']}: {reason_of(error)}.")
    file = state_file(arguments["state_dir"], job.vault)
    try:
        file.check()
    except StateError as error:
        mistakes.append(f"state_dir: {error}")
    if mistakes:
        raise mistaken(mistakes)
    return wanted, file


class _Run:
    """One run of the role."""

    def __init__(self, job: Job, wanted: Sequence[Wanted], file: StateFile) -> None:
        arguments = job.arguments
        self._job, self._wanted, self._file = job, wanted, file
        self._name = job.panel.name()
        self._terms = Terms(arguments["acme_directory"], arguments["key_type"], arguments["renew_days"])
        self._content = file.content()
        self._before = self._kept = entries_of(self._content, CERTIFICATES, self._name)
        self._now = datetime.datetime.now(datetime.timezone.utc)
        self._why = {one.name: why_due(one, self._kept.get(one.name), self._terms, self._now) for one in wanted}
        self._due = [one for one in wanted if self._why[one.name]]
        self._failures = Failures()
        self._issued: list[str] = []
        # Why nothing is ordered, and why the state file cannot be kept.
        self._end = ""
        self._broken: StateError | None = None

    def predict(self) -> dict[str, Any]:
        """The result in check mode."""
        self._look_around()
        done = self._deployed(planned=True)
        zones = dict.fromkeys(one["zone"] for one in challenges_in(self._content, self._name))
        result = self._result(done, bool(self._due or zones), list(zones))
        said = [*self._failed(), *not_in_place(done)]
        if self._end:
            said.append(why_not_ordered(self._end, False))
        if said:
            raise JobFailed(" ".join(said), **result)
        return result

    def carry_out(self) -> dict[str, Any]:
        """The result of a real run. Raises JobFailed where something failed, and StateError."""
        self._look_around()
        zones: list[str] = []
        try:
            with self._going_on():
                self._order()
        finally:
            with self._going_on():
                zones = self._clean()
        with self._going_on():
            self._content = self._file.content()
            self._kept = entries_of(self._content, CERTIFICATES, self._name)
        # One that could not be kept is lost.
        self._issued = [name for name in self._issued if self._kept.get(name) != self._before.get(name)]
        done = self._deployed_after_orders()
        result = self._result(done, self._file.is_changed, [])
        self._write_metrics(result["certificates"], done)
        if self._broken:
            raise self._broken
        end = why_not_ordered(self._end, result["changed"])
        left, held_back = list(self._failures.left), self._look.untouched
        message = complaint(self._failed(), end, left, self._issued, done, zones, held_back)
        if message:
            raise JobFailed(message, **result)
        return result

    @contextlib.contextmanager
    def _going_on(self) -> Iterator[None]:
        """Where the state file cannot be kept, nothing else is ordered, and what needs no order is done all the same."""
        try:
            yield
        except StateError as error:
            self._broken = self._broken or error
            # Nobody knows which of them are in the file.
            self._leave_the_rest()

    def _leave_the_rest(self) -> None:
        """What is due and has not failed is not tried any more."""
        self._failures.left.update(dict.fromkeys(one.name for one in self._due if one.name not in self._failures.of))

    def _order_nothing(self, why: str) -> None:
        """What is due is left; what is kept is put in place all the same. why: a sentence."""
        self._end = why
        self._leave_the_rest()
        self._due = []

    def _clean(self) -> list[str]:
        """Removes the challenge records; the zones from which they are gone. Raises StateError."""
        zones = {one["zone"]: "" for one in challenges_in(self._file.content(), self._name)}
        problems = clean(self._job, self._file, self._name, self._look.panel)
        self._job.warn(
            f"The challenge records of {zone} could not be removed: {problem.rstrip('.')}. The next run removes them."
            for zone, problem in problems.items()
        )
        return [zone for zone in zones if zone not in problems]

    def _look_around(self) -> None:
        """Reads what is needed of the panel, finds what stands in the way, and looks at the authority. Raises JobFailed."""
        if other := other_owner_of_key(self._content, self._terms.directory):
            raise JobFailed(
                f"state_dir: the account key of {self._terms.directory} in {self._file.path} belongs to {other} too, and a key is used at its "
                "own authority alone. Remove the wrong entry from accounts with ansible-vault edit. Nothing was written."
            )
        self._look = Look(self._job.panel, self._wanted, self._job.arguments["nameservers"])
        self._look.find_obstacles(self._wanted, self._kept, self._due)
        obstacles = self._look.obstacles
        self._failures.of = {name: " ".join(found) for name, found in obstacles.items()}
        if self._wanted and len(obstacles) == len(self._wanted) and not self._is_something_left():
            raise mistaken(
                [
                    Mistake(f"items[{index}] ({one.name})", sentence, ": ")
                    for index, one in enumerate(self._wanted)
                    for sentence in obstacles[one.name]
                ]
            )
        self._due = [one for one in self._due if one.name not in obstacles]
        self._job.warn(self._look.zones.out_of_wildcards(self._due))
        kept = {one.name: self._kept[one.name] for one in self._wanted if one.name in self._kept}
        self._job.warn(about_short_lives(kept, self._terms.renew_days))
        if self._due:
            try:
                look_at_directory(self._terms.directory, self._job.arguments["acme_ca_path"])
            except AuthorityError as error:
                self._order_nothing(str(error))

    def _is_something_left(self) -> bool:
        """Whether there is anything to do that needs no order: challenge records to remove, or certificates to put in place."""
        return bool(self._ours() or challenges_in(self._content, self._name))

    def _ours(self) -> list[Wanted]:
        """The certificates that there are and that may be put in place."""
        return [one for one in self._wanted if one.name in self._kept and one.name not in self._look.untouched]

    def _order(self) -> None:
        if not self._due:
            return
        ca_file = self._job.arguments["acme_ca_path"]
        environment = {"SSL_CERT_FILE": ca_file} if ca_file else {}
        with closing(ForeignModules(self._job.action, MODULES, environment, _LONGEST_STEP)) as modules:
            self._order_from(Authority(modules, self._terms.directory))

    def _order_from(self, authority: Authority) -> None:
        self._file.make_folder()
        arguments = self._job.arguments
        try:
            self._job.warn(register(authority, self._file, arguments["account_email"] or ""))
        except AuthorityError as error:
            self._order_nothing(f"The account could not be made. {error}")
            return
        under_way = entries_of(self._content, ORDERS, self._name)
        orders = [self._entry(one, under_way.get(one.name)) for one in self._due]
        ordering = Ordering(self._job, self._file, authority, self._name, self._look.panel, self._failures)
        self._issued = ordering.done
        ordering.begin(orders)
        ordering.carry_out(
            [one for one in orders if "request" in one],
            self._look.zones,
            arguments["dns_timeout"],
            arguments["order_timeout"],
        )

    def _entry(self, wanted: Wanted, under_way: Mapping[str, Any] | None) -> Entry:
        """What is known of an order from now on."""
        if under_way is not None and goes_on(under_way, wanted, self._terms):
            return dict(under_way)
        return {
            "panel": self._name,
            "name": wanted.name,
            "names": list(wanted.names),
            "key_type": self._terms.key_type,
            "directory": self._terms.directory,
        }

    def _deployed_after_orders(self) -> dict[str, Any]:
        """As ``_deployed``, without what somebody else has put on the panel meanwhile, since orders take their time."""
        try:
            newcomers = self._look.find_newcomers(self._ours(), self._before) if self._due else {}
        except ModuleFailed as error:
            return error.result
        self._failures.of.update(newcomers)
        return self._deployed()

    def _deployed(self, planned: bool = False) -> dict[str, Any]:
        """What panel_resources did, or would do, with all certificates that there are."""
        panel = self._look.panel
        parts = {
            ("certificates", one.name): resources_of(
                replace(one, assign=panel.reachable(one)), self._kept[one.name], self._now, planned and one in self._due
            )
            for one in self._ours()
        }
        return write_parts(self._job.panel, parts, planned)

    def _write_metrics(self, certificates: Sequence[Mapping[str, Any]], done: Mapping[str, Any]) -> None:
        path = self._job.arguments["metrics_file"]
        if not path:
            return
        wrong = out_of_place(done, self._ours())
        failed = {
            *self._failures.of,
            *self._failures.left,
            *(one.name for one in self._ours() if wrong & keys_of(one)),
        }
        name = monitored_name(self._job.variables, self._name)
        text = metrics_of(name, certificates, failed, datetime.datetime.now(datetime.timezone.utc))
        try:
            replace_file(Path(path), text.encode(), 0o644, flush=False)
        except OSError as error:
            self._job.warn(
                [f"metrics_file: {path} cannot be written: {reason_of(error)}. It says what it said before."]
            )

    def _failed(self) -> list[str]:
        """One text about the certificates that failed; none where none did."""
        words = [f"{name}: {words}" for name, words in self._failures.of.items()]
        return [f"{len(words)} of {len(self._wanted)} certificates failed: {first_of(words, 5, ' ')}"] if words else []

    def _result(self, done: Mapping[str, Any], changed: bool, leftovers: Sequence[str]) -> dict[str, Any]:
        planned = self._job.check_mode
        changes = {(one["kind"], one["key"]) for one in (done.get("plan") or {}).get("actions") or ()}
        wrong = out_of_place(done, self._ours())
        rows = [row_of(self._course(one), changes, wrong, self._now, planned) for one in self._wanted]
        lines = [line_of(row, planned) for row in rows]
        lines += [f"{zone}: challenge records of an earlier run would be removed" for zone in leftovers]
        known = {*self._kept, *entries_of(self._content, ORDERS, self._name)}
        lines += line_of_others(known - {one.name for one in self._wanted})
        return {
            "changed": changed or bool(done.get("changed")),
            "certificates": [{name: value for name, value in row.items() if name != "done"} for row in rows],
            "lines": first_lines(lines, _MOST_LINES),
            "failures": [f"{name}: {words}" for name, words in self._failures.of.items()],
        }

    def _course(self, wanted: Wanted) -> Course:
        name = wanted.name
        is_renewed = wanted in self._due if self._job.check_mode else name in self._issued
        trouble = "not tried" if name in self._failures.left else ""
        if name in self._failures.of:
            trouble = f"failed: {self._failures.of[name]}"
        return Course(
            wanted,
            self._why[name] if is_renewed else "",
            trouble,
            self._kept.get(name) if name not in self._look.untouched else None,
            self._look.panel.reachable(wanted),
            self._look.end_of(name, self._before.get(name)),
        )
