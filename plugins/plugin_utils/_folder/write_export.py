# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an export into a folder, a client with all that it has into one file: only what changed, and nothing that somebody else wrote.

Private to the collection.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import DNS
from ...module_utils._task.mistakes import first_lines, first_of
from .._files.folder_files import FolderError
from .._jobs.job import Job
from .._jobs.job_failed import explained
from .._jobs.run_modules import ModuleFailed
from .._jobs.vaulted import NEW, OLD, Marks
from .._run.controller_files import ANY_NUMBER, VAULT_HEADER, check_folder, mode_for, read_regular, replace_file
from .drift_page import client_of, page_of_drift, page_of_unknown_drift
from .encrypted_members import Decryption
from .export_text import is_from_export, readable, text_of_readable
from .keep_encrypted import EncryptedFolder, Kept
from .masked_sides import masked_sides
from .plain_secrets import plain_secrets_in, vault_values_in
from .plan_file import PlanFile

Resources = Mapping[str, list[dict[str, Any]]]
CLIENTS = "clients"
REST = "panel.yml"
_MOST_LINES = 1000
_MOST_NAMED = 20
_KEPT = (
    "The panel has something else than these files, where it is encrypted, and they are left as they are: {}. hosting.panel.apply puts back what "
    "they say; to take over what the panel has, encrypt that there with ansible-vault encrypt_string."
)
_UNCOMPARED = (
    "What these files have encrypted was left as it is, and not compared with the panel, since no Vault secret of this run decrypts it: {}. Start "
    "ansible-playbook with --vault-password-file, --vault-id or --ask-vault-pass."
)
_MASKED = (
    "What these files keep encrypted cannot be told, so no value is shown: {} Start ansible-playbook with --vault-password-file, --vault-id or "
    "--ask-vault-pass to see the differences."
)
_UNREADABLE = "{}: {} Which members that file keeps secret cannot be told, and the export writes none of them in clear. No file was written."


def split(resources: Resources) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """By path in the folder the items of that file, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for plural, items in resources.items():
        for item in items:
            if plural == CLIENTS:
                owner = item.get("username")
            elif plural == DNS:
                owner = owners.get(item.get("domain"))
            else:
                owner = item.get("client")
            path = f"{CLIENTS}/{file_name(owner)}" if owner else REST
            files.setdefault(path, {}).setdefault(plural, []).append(item)
    return files


def file_name(username: str) -> str:
    """A name that is safe in a folder whatever the username is; a percent sign never is in one that the panel itself accepts."""
    name = quote(username, safe="")
    return f"{'%2E' + name[1:] if name.startswith('.') else name}.yml"


@dataclass(frozen=True)
class FileChange:
    """before, after: the texts; None where there is no file."""

    path: Path
    before: str | None
    after: str | None


@dataclass(frozen=True)
class FolderPlan:
    """What an export does to a folder. unchanged: how many files are right already.

    kept, uncompared, unreadable, marks: as of EncryptedFolder.
    """

    changes: tuple[FileChange, ...]
    unchanged: int
    kept: tuple[Kept, ...] = ()
    uncompared: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    marks: Marks = field(default_factory=dict)

    @property
    def written(self) -> list[str]:
        return [str(change.path) for change in self.changes if change.after is not None]

    @property
    def removed(self) -> list[str]:
        return [str(change.path) for change in self.changes if change.after is None]


def write_export(job: Job) -> dict[str, Any]:
    """Reads the panel; the result of the task, in which no object is. Raises ModuleFailed and FolderError."""
    plan_file, folder = PlanFile(job), Path(job.arguments["directory"])
    try:
        # Here and not in a task before: Ansible would keep every panel of a fleet in memory until the end of the play.
        resources: Resources = job.panel.read("panel_resources_info", "resources", {})
        plan = plan_folder(folder, resources, job.vault)
    except (ModuleFailed, FolderError) as error:
        plan_file.write(page_of_unknown_drift(folder, str(error)))
        raise
    texts = ((change.path, change.before, change.after) for change in plan.changes)
    plan_file.write(page_of_drift(folder, texts, plan.marks, plan.kept))
    writes = not job.arguments["compares_only"]
    job.warn(_warnings(plan, writes))
    if writes:
        refuse_unknown(folder, plan)
        refuse_unwritable(plan)
        if not job.check_mode:
            write(plan)
    return {
        "changed": writes and bool(plan.changes),
        "counts": {kind: len(items) for kind, items in resources.items() if items},
        "written": plan.written,
        "removed": plan.removed,
        "unchanged": plan.unchanged,
        **({"diff": _diff(plan)} if job.diff else {}),
        "kept": list(dict.fromkeys(str(one.file) for one in plan.kept)),
        # Ansible shows the differences of what was changed only.
        **({} if writes else {"lines": first_lines(list(_difference_lines(plan)), _MOST_LINES)}),
    }


def _warnings(plan: FolderPlan, writes: bool) -> Iterator[str]:
    # A comparison has them in its lines.
    if writes and plan.kept:
        yield _KEPT.format(first_of([one.place for one in plan.kept], _MOST_NAMED))
    if plan.uncompared:
        yield _UNCOMPARED.format(first_of(plan.uncompared, _MOST_NAMED))
    if plan.unreadable and not writes:
        yield _MASKED.format(" ".join(plan.unreadable[:_MOST_NAMED]))


def _difference_lines(plan: FolderPlan) -> Iterator[str]:
    yield from (f"{one.place}: {OLD} -> {NEW}, which an export leaves as it is" for one in plan.kept)
    for change in plan.changes:
        before, after = (text.splitlines() for text in masked_sides(change.before, change.after, plan.marks))
        yield from unified_diff(before, after, str(change.path), str(change.path), lineterm="")


def _diff(plan: FolderPlan) -> list[dict[str, str]]:
    sides = ((change.path, *masked_sides(change.before, change.after, plan.marks)) for change in plan.changes)
    return [
        {"before_header": str(path), "after_header": str(path), "before": before, "after": after}
        for path, before, after in sides
    ]


def plan_folder(folder: Path, resources: Resources, vault: VaultLib) -> FolderPlan:
    """Reads the folder and compares; raises FolderError where a file of somebody else is in the way. vault: with the run's secrets."""
    wanted = {folder / path: readable(items) for path, items in split(resources).items()}
    _refuse_links([folder / CLIENTS, *sorted(wanted)])
    gone = dict(_files_of_gone_clients(folder, wanted))
    encrypted = EncryptedFolder(folder, {*wanted, *gone}, Decryption(vault))
    changes: list[FileChange] = []
    for path, items in sorted(wanted.items()):
        before = _text_in(path)
        if before is not None:
            # First, since of such a file no member is encrypted by itself.
            _refuse_encrypted(path, before)
        after = text_of_readable(encrypted.without_clear(path, client_of(folder, path), items))
        if before == after:
            continue
        if before is not None:
            _refuse_to_lose(path, before, encrypted)
        changes.append(FileChange(path, before, after))
    for path, before in gone.items():
        _refuse_to_lose(path, before, encrypted)
        changes.append(FileChange(path, before, None))
    return FolderPlan(
        tuple(changes),
        unchanged=len(wanted) - sum(1 for change in changes if change.after is not None),
        kept=tuple(encrypted.kept),
        uncompared=tuple(encrypted.uncompared),
        unreadable=tuple(encrypted.unreadable),
        marks=encrypted.marks,
    )


def refuse_unknown(folder: Path, plan: FolderPlan) -> None:
    """Raises FolderError where a file may keep encrypted what an export would write in clear."""
    if plan.unreadable and plan.changes:
        raise FolderError(_UNREADABLE.format(folder, " ".join(plan.unreadable[:_MOST_NAMED])))


def refuse_unwritable(plan: FolderPlan) -> None:
    """What the folders that are there, or that missing ones would be made in, do not allow, so that check mode says so, too."""
    for change in plan.changes:
        with _explained(change.path):
            check_folder(change.path.absolute().parent, missing=ANY_NUMBER)


def write(plan: FolderPlan) -> None:
    """Writes and removes; each file is always a whole one, the old or the new."""
    for done, change in enumerate(plan.changes):
        so_far = f"{done} of {len(plan.changes)} files were written or removed before it, each of them whole. Mend the cause and run again."
        with _explained(change.path, so_far):
            if change.after is None:
                change.path.unlink()
            else:
                change.path.parent.mkdir(parents=True, exist_ok=True)
                _replace(change.path, change.after)


def _files_of_gone_clients(folder: Path, wanted: Collection[Path]) -> Iterator[tuple[Path, str]]:
    for path in _files_of_exports(folder):
        text = None if path in wanted else _text_in(path)
        if text is not None and is_from_export(text):
            yield path, text


def _files_of_exports(folder: Path) -> list[Path]:
    """Where an export writes; what is elsewhere in the folder is not looked at."""
    with _explained(folder):
        found = [folder / REST, *(folder / CLIENTS).glob("*.yml")]
        return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _refuse_links(paths: Iterable[Path]) -> None:
    """An export writes into its folder only, which may itself be a link, since somebody named it."""
    for path in paths:
        if path.is_symlink():
            raise FolderError(
                f"{path}: this is a link, and an export follows none in its folder, so that nothing else is overwritten. Remove it, or name the "
                "folder that is meant. No file was written."
            )


def _text_in(path: Path) -> str | None:
    with _explained(path):
        try:
            # Line ends as they are, so that a file with others is written anew.
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def _refuse_encrypted(path: Path, text: str) -> None:
    if text.startswith(VAULT_HEADER.decode()):
        raise FolderError(
            f"{path}: the file is encrypted as a whole, and an export would write it in clear, so it is not overwritten. Move it to another name "
            "in the folder, and an export leaves to it what it holds. No file was written."
        )


def _refuse_to_lose(path: Path, text: str, encrypted: EncryptedFolder) -> None:
    if not is_from_export(text):
        raise FolderError(
            f"{path}: the file was not written by an export, so it is not overwritten. Move it to another name, or remove it. "
            "No file was written."
        )
    lost = [str(line) for line, value in vault_values_in(text) if not encrypted.is_settled(value)]
    if lost:
        raise FolderError(
            f"{path}: line {first_of(lost, _MOST_NAMED)}: encrypted with Ansible Vault, and of an object that is not on the panel, or of none, so an "
            "export would remove it. Move it to a file of its own in the folder, with the name of its object, or remove it. No file was written."
        )
    secrets = plain_secrets_in(text)
    if secrets:
        raise FolderError(f"{path}: {' '.join(secrets)} No file was written.")


def _replace(path: Path, text: str) -> None:
    replace_file(path, text.encode(), mode_for(path), flush=False, follows=False)


def _explained(path: Path, so_far: str = "No file was written.") -> contextlib.AbstractContextManager[None]:
    return explained(str(path), so_far, FolderError)
