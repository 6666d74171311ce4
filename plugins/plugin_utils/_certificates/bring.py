# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings certificates to what is wanted: ordered where they are due, uploaded, assigned. Private to the collection.

All mistakes are found before the first write. After it, one certificate stands in no other's way.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from ...module_utils._errors import PanelError
from ...module_utils._task.locks import exclusive
from ...module_utils._task.mistakes import Mistake, first_lines, first_of
from ...module_utils._values.names import composed
from .._jobs.controller_files import check_place, reason_of, replace_file
from .._jobs.foreign_modules import ForeignModules, collection_version
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed, mistaken
from .._jobs.run_modules import read_objects
from .._module_run.panel_name import monitored_name
from .authority import (
    BELOW,
    COLLECTION,
    KEY_TYPES,
    LEAST,
    MODULES,
    Authority,
    AuthorityError,
    Trouble,
    check_authorities,
    look_at_directory,
)
from .metrics import metrics_of
from .name_servers import has_library
from .ordering import Entry, Failures, Ordering, clean
from .outcome import about_short_lives, complaint, not_in_place, wrong_in
from .parts import write_parts
from .plan import Panel, Terms, end_of, goes_on, not_covered, resources_of, why_due
from .state import ACCOUNT, CERTIFICATES, ORDERS, challenges_in, entries_of
from .state_file import StateError, StateFile, state_file
from .wanted import Wanted, mistakes_in_options, read_wanted
from .zones import Zones

_LONGEST_TURN = 7200.0
# Seconds for one step of one certificate.
_LONGEST_STEP = 120
_MOST_LINES = 400
_MOST_NAMED = 20


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
            check_place(Path(arguments["metrics_file"]))
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
        self._kept = entries_of(self._content, CERTIFICATES, self._name)
        self._account: dict[str, Any] = dict(self._content.get(ACCOUNT) or {})
        self._now = datetime.datetime.now(datetime.timezone.utc)
        self._why = {one.name: why_due(one, self._kept.get(one.name), self._terms, self._now) for one in wanted}
        self._due = [one for one in wanted if self._why[one.name]]
        self._failures = Failures()
        self._not_ours: set[str] = set()
        self._issued: list[str] = []

    def predict(self) -> dict[str, Any]:
        """The result in check mode."""
        self._look()
        done = self._deployed(planned=True)
        zones = dict.fromkeys(one["zone"] for one in challenges_in(self._content, self._name))
        result = self._result(done, bool(self._due or zones), list(zones))
        said = [*self._failed(), *not_in_place(done)]
        if said:
            raise JobFailed(" ".join(said), **result)
        return result

    def carry_out(self) -> dict[str, Any]:
        """The result of a real run. Raises JobFailed where something failed."""
        self._look()
        try:
            if self._due:
                self._order()
        finally:
            zones = self._clean()
        self._kept = entries_of(self._file.content(), CERTIFICATES, self._name)
        done = self._deployed()
        result = self._result(done, self._file.is_changed, [])
        self._write_metrics(result["certificates"], done)
        message = complaint(self._failed(), list(self._failures.left), self._issued, done, zones)
        if message:
            raise JobFailed(message, **result)
        return result

    def _clean(self) -> list[str]:
        """Removes the challenge records; the zones from which they are gone. Raises StateError."""
        zones = {one["zone"]: "" for one in challenges_in(self._file.content(), self._name)}
        problems = clean(self._job, self._file, self._name, self._panel)
        self._job.warn(
            f"The challenge records of {zone} could not be removed: {problem.rstrip('.')}. The next run removes them."
            for zone, problem in problems.items()
        )
        return [zone for zone in zones if zone not in problems]

    def _look(self) -> None:
        """Reads what is needed of the panel, and finds what stands in the way. Raises JobFailed."""
        account = self._account.get("directory")
        if account not in (None, self._terms.directory):
            raise JobFailed(
                f"state_dir: the account key in {self._file.path} belongs to {account} and not to {self._terms.directory}. Name another "
                "state_dir for the other authority. Nothing was written."
            )
        panel = self._job.panel
        self._panel = Panel(read_objects(panel, "domains"), read_objects(panel, "clients"))
        self._zones = Zones(panel, self._panel, self._job.arguments["nameservers"])
        mistakes: list[str] = list(self._panel.mistakes(self._wanted))
        if mistakes:
            raise mistaken(mistakes)
        self._find_obstacles()
        if self._wanted and len(self._failures.of) == len(self._wanted):
            raise mistaken(
                [
                    Mistake(f"items[{index}] ({name})", self._failures.of[name], ": ")
                    for index, name in enumerate(self._why)
                ]
            )
        self._due = [one for one in self._due if one.name not in self._failures.of]
        self._job.warn(about_short_lives(self._kept, self._terms.renew_days))
        if self._due:
            try:
                look_at_directory(self._terms.directory, self._job.arguments["acme_ca_path"])
            except AuthorityError as error:
                raise JobFailed(f"{error} Nothing was ordered or written.") from None

    def _find_obstacles(self) -> None:
        """Finds what fails before anything is written: a certificate that is in the way, a name that cannot be proven. Raises ModuleFailed."""
        there = {composed(str(one.get("name"))): one for one in read_objects(self._job.panel, "certificates")}
        for one in self._wanted:
            shown, kept = there.get(one.name), self._kept.get(one.name)
            if shown and kept and "components" not in shown:
                shown = next(iter(read_objects(self._job.panel, "certificates", name=one.name)), shown)
            found = list(self._panel.in_the_way(one, shown, kept))
            if found:
                self._not_ours.add(one.name)
            elif one in self._due:
                found = list(self._zones.obstacles(one))
            if found:
                self._failures.of[one.name] = " ".join(dict.fromkeys(found))

    def _order(self) -> None:
        arguments = self._job.arguments
        ca_file = arguments["acme_ca_path"]
        environment = {"SSL_CERT_FILE": ca_file} if ca_file else {}
        seconds = min(_LONGEST_STEP, arguments["order_timeout"])
        with closing(ForeignModules(self._job.action, MODULES, environment, seconds)) as modules:
            self._order_from(Authority(modules, self._terms.directory))

    def _order_from(self, authority: Authority) -> None:
        self._file.make_folder()
        arguments = self._job.arguments
        self._register(authority)
        under_way = entries_of(self._content, ORDERS, self._name)
        orders = [self._entry(one, under_way.get(one.name)) for one in self._due]
        ordering = Ordering(self._job, self._file, authority, self._name, self._panel, self._failures)
        self._issued = ordering.done
        ordering.begin(orders)
        ordering.carry_out(
            [one for one in orders if "request" in one],
            self._zones,
            arguments["dns_timeout"],
            arguments["order_timeout"],
        )

    def _register(self, authority: Authority) -> None:
        """Makes sure of the account, which the authority may have forgotten; with another key where it was ended. Raises JobFailed."""
        try:
            try:
                self._register_key(authority, self._account.get("key") or authority.new_key(next(iter(KEY_TYPES))))
            except AuthorityError as error:
                if error.trouble is not Trouble.ACCOUNT:
                    raise
                self._register_key(authority, authority.new_key(next(iter(KEY_TYPES))))
                self._job.warn(["The account was ended at the authority, so there is a new one, with another key."])
        except AuthorityError as error:
            raise JobFailed(f"The account could not be made. {error} Nothing was ordered.") from None

    def _register_key(self, authority: Authority, key: str) -> None:
        """The account with this key, which is kept before the authority sees it. Raises AuthorityError."""
        authority.key = key
        self._keep_account({"directory": self._terms.directory, "key": key})
        self._keep_account({"uri": authority.register(self._job.arguments["account_email"] or "")})

    def _keep_account(self, members: Mapping[str, Any]) -> None:
        if members.items() <= self._account.items():
            return
        self._account.update(members)
        self._file.change(lambda content: {**content, ACCOUNT: dict(self._account)})

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

    def _deployed(self, planned: bool = False) -> dict[str, Any]:
        """What panel_resources did, or would do, with all certificates that there are."""
        ours = [one for one in self._wanted if one.name in self._kept and one.name not in self._not_ours]
        parts = {("certificates", one.name): resources_of(one, self._kept[one.name], self._now) for one in ours}
        return write_parts(self._job.panel, parts, planned)

    def _write_metrics(self, certificates: Sequence[Mapping[str, Any]], done: Mapping[str, Any]) -> None:
        path = self._job.arguments["metrics_file"]
        if not path:
            return
        failed = {*self._failures.of, *self._failures.left, *self._not_deployed(done)}
        name = monitored_name(self._job.variables, self._name)
        text = metrics_of(name, certificates, failed, datetime.datetime.now(datetime.timezone.utc))
        try:
            replace_file(Path(path), text.encode(), 0o644, flush=False)
        except OSError as error:
            self._job.warn(
                [f"metrics_file: {path} cannot be written: {reason_of(error)}. It says what it said before."]
            )

    def _not_deployed(self, done: Mapping[str, Any]) -> list[str]:
        """The certificates that are not where they belong."""
        wrong = wrong_in(done)
        if done.get("failed") and not done.get("results"):
            return [one.name for one in self._wanted]
        return [
            one.name
            for one in self._wanted
            if ("certificates", one.name) in wrong or any(("domains", domain) in wrong for domain in one.assign)
        ]

    def _failed(self) -> list[str]:
        """One text about the certificates that failed; none where none did."""
        words = [f"{name}: {words}" for name, words in self._failures.of.items()]
        concerned = {*self._failures.of, *(one.name for one in self._due)}
        return [f"{len(words)} of {len(concerned)} due certificates failed: {first_of(words, 5, ' ')}"] if words else []

    def _result(self, done: Mapping[str, Any], changed: bool, leftovers: Sequence[str]) -> dict[str, Any]:
        actions = {(one["kind"], one["key"]) for one in (done.get("plan") or {}).get("actions") or ()}
        wrong = wrong_in(done)
        rows = [self._row(one, actions, wrong) for one in self._wanted]
        lines = [_line(row, self._job.check_mode) for row in rows]
        lines += [f"{zone}: challenge records of an earlier run would be removed" for zone in leftovers]
        return {
            "changed": changed or bool(done.get("changed")),
            "certificates": [{name: value for name, value in row.items() if name != "done"} for row in rows],
            "lines": first_lines(lines, _MOST_LINES),
            "failures": [f"{name}: {words}" for name, words in self._failures.of.items()],
        }

    def _row(self, wanted: Wanted, actions: Iterable[Any], wrong: Iterable[Any]) -> dict[str, Any]:
        """What is shown of one certificate."""
        name, would = wanted.name, (self._job.check_mode and "would be ") or ""
        kept = None if name in self._not_ours else self._kept.get(name)
        is_renewed = wanted in self._due if self._job.check_mode else name in self._issued
        done = [f"{would}ordered, since {self._why[name]}"] if is_renewed else []
        if name in self._failures.of:
            done.append(f"failed: {self._failures.of[name]}")
        elif name in self._failures.left:
            done.append("not tried")
        predicted = bool(would) and is_renewed
        if ("certificates", name) in wrong:
            done.append("could not be uploaded")
        elif ("certificates", name) in actions or predicted:
            done.append(f"{would}uploaded")
        uncovered = not_covered(wanted, kept, self._now)
        wrongly = [one for one in wanted.assign if ("domains", one) in wrong]
        # The panel cannot say what it would do with a certificate that is not there yet.
        new = [one for one in wanted.assign if ("domains", one) in actions and one not in wrongly]
        new += uncovered if predicted else []
        if new:
            done.append(f"{would}assigned to {first_of(new, _MOST_NAMED)}")
        if kept is not None and uncovered and not predicted:
            done.append(f"not valid for {first_of(uncovered, _MOST_NAMED)}, left as they are")
        out = wrongly if predicted else [*wrongly, *uncovered]
        in_use = kept is not None and ("certificates", name) not in wrong
        return {
            "name": name,
            "domains": list(wanted.names),
            "not_after": end_of(kept).strftime("%Y-%m-%dT%H:%M:%SZ") if kept else None,
            "renewed": is_renewed,
            "assigned": [one for one in wanted.assign if one not in out] if in_use or predicted else [],
            "done": done,
        }


def _line(row: Mapping[str, Any], would: bool) -> str:
    """A certificate for a person."""
    until = f"until {row['not_after'][:10]}" if row["not_after"] and not (would and row["renewed"]) else "not there yet"
    if would and row["renewed"] and row["not_after"]:
        until = f"until {row['not_after'][:10]} now"
    return f"{row['name']}: {'; '.join([until, *row['done']])}"
