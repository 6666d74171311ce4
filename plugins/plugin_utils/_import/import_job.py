# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of panel_import: options, source, mapping, and the files that are made of it.

Everything is checked before the first file is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...module_utils._errors import OptionError
from ...module_utils._log import log_into_file
from ...module_utils._problems import ProblemForm, Written, abbreviate
from ...module_utils._secrets.redaction import Secrets
from .._import_source.read_source import PANELS, read_answers, read_path
from .._import_source.source_answers import KeptAnswers
from .._import_source.source_shape import Source
from .._import_source.source_tables import SourceError
from .._run.controller_files import explain_error, read_regular, replace_file
from .._run.job import Job, JobFailed, refuse_conflicts
from .._run.marked_texts import mark_texts
from .._run.panel_action import set_environment
from .._run.vault_secret import START_WITH_PASSWORD
from .._written_files.conflicts import find_conflicts
from .._written_files.forms import FORMS
from .._written_files.named_file import inspect_file
from .mapped_source import TABLE, MappedSource
from .mapping.mapper import KEEP, NEW, UnknownClients, map_source
from .mapping_words import find_unknown_words
from .operator_mapping import OPTION, OperatorMapping, read_mapping
from .writing.folder import ImportChoice, plan_files
from .writing.page import render_import_page
from .writing.unencrypted import leave_out_secrets

if TYPE_CHECKING:
    from .._import_live.kept_answers import KeptDirectory, PlannedAnswers

PASSWORDS = (KEEP, NEW)
FILES = {"page_file": FORMS["import_page"], "content_file": FORMS["import_content"]}
"""By option the form of a file beside the directory."""
CONTENT = ("trees", "mailboxes", "databases")
_MOST_NAMED = 20
_UNKNOWN_FUNCTIONS = (
    "{} lacks the functions {}, or has switched them off. What they would show is not "
    "accounted for."
)
_NAME_ANOTHER = "Name another directory."


def import_panel(job: Job) -> dict[str, Any]:
    """Read the source, write the directory, and return the result of the task.

    Raises:
        OptionError: An option is wrong.
        JobFailed: A file beside the directory cannot be written.
        SourceError: Nobody can read the source.
        FolderError: The directory cannot be written.
    """
    options = job.arguments
    mapping = read_mapping(options["mapping"])
    _check_source(job)
    _check_files(job)
    if options["passwords"] == KEEP and not job.vault.secrets:
        raise OptionError(
            f"{KEEP} writes the hashes encrypted, and this run has no Vault password.",
            option="passwords",
            written=Written.NOTHING,
            advice=f"{START_WITH_PASSWORD}, or set it to new.",
        )

    secrets = Secrets([options["source_password"] or ""])
    log = log_into_file(secrets.mask, lambda warning: job.warn([warning]))
    with set_environment(job.environment), log:
        try:
            source, kept_answers = _read_source(job)
        except SourceError as error:
            raise _name_option(error, job) from None
    _refuse_unknown_words(source, mapping)
    try:
        mapped = map_source(source, mapping, options["passwords"], options["clients"])
    except UnknownClients as error:
        names = abbreviate(error.names, _MOST_NAMED)
        raise OptionError(
            f"the source has no customers {names}.",
            option="clients",
            written=Written.NOTHING,
            advice="Write the names as the source has them.",
        ) from None
    if not job.vault.secrets:
        mapped = leave_out_secrets(mapped)

    choice = ImportChoice(
        options["clients"] is not None, job.check_mode, job.diff, job.name_option("clients")
    )
    files = plan_files(Path(options["dir"]), mapped.resources, job.vault, choice)
    panel = PANELS[options["source"]]
    texts = {
        "page_file": render_import_page(
            panel.title, mapped, panel.row_titles, panel.address_tables
        ),
        "content_file": _render_content(mapped),
    }
    changed = [name for name in FILES if options[name] and _differs(options[name], texts[name])]
    files.write(job.check_mode)
    if not job.check_mode:
        _write_texts(options, {name: texts[name] for name in changed})
        if kept_answers is not None:
            with explain_error(options["source_dump_dir"], _make_error_after_directory):
                kept_answers.write()
    return _describe_result(files.result, mapped, "content_file" in changed)


def _refuse_unknown_words(source: Source, mapping: OperatorMapping) -> None:
    """Raise OptionError for entries of the mapping that are about nothing of the source."""
    unknown = find_unknown_words(source, mapping)
    if unknown:
        raise OptionError(
            f"the source has nothing for {abbreviate(unknown, _MOST_NAMED)}.",
            option=OPTION,
            written=Written.NOTHING,
            advice="Write the words as the page has them, or take them out.",
        )


def _check_source(job: Job) -> None:
    """Raise OptionError unless the options name one source."""
    options = job.arguments
    url_option = job.name_option("source_url")
    if options["path"] and options["source_url"]:
        raise OptionError(
            f"{url_option} is set too.",
            option="path",
            written=Written.NOTHING,
            advice="Leave one of them out.",
        )
    if not options["path"] and not options["source_url"]:
        raise OptionError(
            "missing.",
            option="path",
            written=Written.NOTHING,
            advice=f"Set it to answers or a dump, or {url_option} to a live panel.",
        )
    if options["source_dump_dir"] and not options["source_url"]:
        raise OptionError(
            f"there are no answers to keep without {url_option}.",
            option="source_dump_dir",
            written=Written.NOTHING,
            advice="Leave it out.",
        )
    for option in ("source_username", "source_password", "source_ca_path"):
        if options[option] and not options["source_url"]:
            raise OptionError(
                f"only an import from {url_option} uses it.",
                option=option,
                written=Written.NOTHING,
                advice=f"Leave it out, or set {url_option}.",
            )


def _check_files(job: Job) -> None:
    """Raise JobFailed for a file beside the directory that must not be written."""
    options = job.arguments
    directory = os.path.realpath(options["dir"])
    files = [inspect_file(job.name_option("dir"), options["dir"], is_directory=True)]
    for name, form in FILES.items():
        if options[name]:
            is_inside = _lies_in(options[name], directory)
            file = inspect_file(
                job.name_option(name), options[name], form, makes_directory=is_inside
            )
            files.append(file)
    refuse_conflicts(find_conflicts(files), Written.NOTHING)

    content_file = options["content_file"]
    if content_file and _lies_in(content_file, directory):
        raise _make_place_error(job, "content_file", "dir", "Name a file elsewhere.")


def _make_place_error(job: Job, inner: str, outer: str, advice: str) -> JobFailed:
    """Return the error of an option whose path lies in that of another one.

    Args:
        job: The task.
        inner: The option whose path lies in the other one.
        outer: The option of the directory.
        advice: What to do.
    """
    directory = f"{job.name_option(outer)}, {job.arguments[outer]}"
    return JobFailed(
        f"{job.arguments[inner]} lies in {directory}.",
        option=inner,
        written=Written.NOTHING,
        advice=advice,
        form=ProblemForm.MISMATCH,
    )


def _lies_in(path: str, directory: str) -> bool:
    """Return whether a file lies in a directory, whose links are resolved."""
    return Path(os.path.realpath(path)).is_relative_to(directory)


def _find_kept_directory(job: Job) -> KeptDirectory | None:
    """Return where the answers of a live panel are kept; None where they are not.

    Raises:
        OptionError: They cannot be kept there.
        JobFailed: The directory lies in the one that is written, or around it.
    """
    options = job.arguments
    path = options["source_dump_dir"]
    if not path:
        return None
    if _lies_in(path, os.path.realpath(options["dir"])):
        raise _make_place_error(job, "source_dump_dir", "dir", _NAME_ANOTHER)
    if _lies_in(options["dir"], os.path.realpath(path)):
        raise _make_place_error(job, "dir", "source_dump_dir", _NAME_ANOTHER)
    from .._import_live.kept_answers import KeptDirectory  # noqa: PLC0415 - few runs keep them

    directory = KeptDirectory(Path(path), job.vault)
    directory.check()
    return directory


def _name_option(error: SourceError, job: Job) -> SourceError:
    """Return the error with the option to change before the place in the source."""
    if error.other_panel:
        names = [name for name, panel in PANELS.items() if panel.title == error.other_panel]
        option = job.name_option("source")
        reason = f"{error.reason} Set {option} to {names[0]}."
    elif job.arguments["path"]:
        option = job.name_option("path")
        reason = error.reason
    else:
        return error  # of a live panel, whose address it names
    return SourceError(f"{option}: {error.location}", reason)


def _read_source(job: Job) -> tuple[Source, PlannedAnswers | None]:
    """Return what the other panel says, and how the files change that keep its answers."""
    options = job.arguments
    if not options["source_url"]:
        return read_path(options["source"], Path(options["path"]), job.vault), None

    panel = options["source"]
    directory = _find_kept_directory(job)
    # Not loaded for a dump: it needs the library for requests.
    from .._import_live.ask_panel import ask_panel, read_live_access  # noqa: PLC0415

    access = read_live_access(panel, options, job.name_option)
    asked = ask_panel(panel, access)
    if asked.unknown:
        functions = ", ".join(asked.unknown)
        job.warn([_UNKNOWN_FUNCTIONS.format(asked.location, functions)])
    answers = KeptAnswers(asked.location, asked.bodies)
    if directory is None:
        return read_answers(panel, answers), None
    return read_answers(panel, answers, directory.path), directory.plan(asked.bodies)


# The files beside the directory


def _make_error_before_writing(cause: str) -> JobFailed:
    return JobFailed(cause, written=Written.NOTHING)


def _make_error_after_directory(cause: str) -> JobFailed:
    return JobFailed(cause, advice="The directory is written; run again.")


def _render_content(mapped: MappedSource) -> str:
    """Return the objects whose content the role content copies, as JSON."""
    content = {name: mapped.content.get(name, []) for name in CONTENT}
    return json.dumps(mark_texts(content), indent=4, ensure_ascii=True) + "\n"


def _differs(path: str, text: str) -> bool:
    """Return whether a file has another text."""
    with explain_error(path, _make_error_before_writing):
        try:
            return read_regular(path) != text.encode()
        except FileNotFoundError:
            return True


def _write_texts(options: Mapping[str, Any], texts: Mapping[str, str]) -> None:
    """Write files beside the directory. texts: by option the text of each."""
    for name, text in texts.items():
        path = Path(options[name])
        with explain_error(str(path), _make_error_after_directory):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text.encode(), 0o640, flush=False)


# The result


def _describe_result(
    files: Mapping[str, Any], mapped: MappedSource, writes_content: bool
) -> dict[str, Any]:
    """Return the result of the task.

    Args:
        files: What it says of the files of the directory.
        mapped: What became of each row of the source.
        writes_content: Whether the file for the role content changes.
    """
    return {
        **files,
        "changed": files["changed"] or writes_content,
        "carried": _copy_entries(mapped.carried),
        "renamed": _copy_entries(mapped.renamed),
        "left_out": _copy_entries(mapped.left_out),
        "questions": _copy_entries(mapped.questions),
        "passwords": {"kept": mapped.passwords.kept, "new": mapped.passwords.new},
    }


def _copy_entries(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_copy_entry(entry) for entry in entries]


def _copy_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry as the result has it: the table is in its source."""
    return {name: value for name, value in entry.items() if name != TABLE}
