# SPDX-License-Identifier: GPL-3.0-or-later
"""What arrives of another panel and what does not, as a page of Markdown for people. Pure.

Names and reasons are texts of customers. Each name is in code, where nothing makes a link of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from ....module_utils._bulk.plan_lines import format_counts
from ....module_utils._kinds.registry import KINDS
from ..._plan_page.plan_page import format_code
from ..mapped_source import TABLE, ItemsByKind, MappedSource, ObjectName, ResultEntry

_LONGEST_REASON = 500
# Of an address: nothing of it arrives, or what other addresses it has does not.
_LOST_FIELDS = (None, "mailbox", "forwardings", "aliases", "catch_all")
# What a question without an answer means for one object, and for several.
_CONSEQUENCES = {
    "addresses": ("1 record is left out", "{} records are left out"),
    "php_versions": (
        "1 domain gets the panel's default version",
        "{} domains get the panel's default version",
    ),
}
_AUTORESPONDER = "autoresponder"
_NO_OWNER = "Without an owner"
# Of a database, the import renames the user alone.
_RENAMED_PARTS = {"databases": "database user"}
# Nearly each object has them, and nobody decides anything about a single one.
_COUNTED_FIELDS = frozenset({"backup_interval", "ssh_rsa"})
# Of a reason, a word that is shown as it is, since nothing in it can be markup or become a link. A
# version is one, so that a reason has the word that the mapping takes, such as PHP 8.1.
_HARMLESS_WORD = re.compile(r"\(?[A-Za-z0-9][A-Za-z0-9()'/-]*|[0-9]{1,3}\.[0-9]{1,3}|")
# A word, and the mark of its sentence behind it. The dots of a path such as /web/.. are its own.
_WORD = re.compile(r"(.*?)((?:(?<![./])\.|[,:;])?)", re.DOTALL)
_ANSWER = "Answer the questions above in a mapping (`import_mapping_file`), and import again."
_READ = "Read the files of the directory. Another import does not replace a file that you change."
_ENABLE = "Enable {} on the panel, without which it refuses what the files say."
_HASHES = "use_password_hashes"
_ABOVE_LIMITS = "ignore_account_limits"
_SWITCH = (
    "Let DNS lead to the new server, and fetch late mail with the step `late`. From now on, "
    "another copy of files or databases overwrites what customers change on the new server."
)
_ENABLE_LATER = (
    "Check the commands of scheduled tasks, which have paths of the old server, and enable each. "
    "Enable the events of databases too."
)
_STEPS = (
    "Run `hosting.panel.plan` with `panel_dir`, and `panel_passwords_file` for new passwords.",
    "Run `hosting.panel.apply` with the same variables.",
    "Copy files, mail and databases, for example with the role `hosting.panel.content`.",
    "Tell customers their new logins and passwords.",
    "Stop writing on the old server, and copy the content again, with the role's step `final`.",
    _SWITCH,
    _ENABLE_LATER,
    "Switch Let's Encrypt on where the old server used it.",
)


def render_import_page(
    panel: str,
    mapped: MappedSource,
    row_titles: Mapping[str, str],
    address_tables: Collection[str] = (),
) -> str:
    """Return the page of an import.

    Args:
        panel: What people call the panel that was read.
        mapped: What became of each of its rows.
        row_titles: What people call rows of its tables that are none of the panel's objects.
        address_tables: Those of these tables whose rows are addresses of mail.
    """
    other_tables = row_titles.keys() - set(address_tables)
    sections = (
        ("What arrives", _list_arrivals(mapped)),
        ("What customers notice first", _list_notices(mapped, row_titles, other_tables)),
        ("What is left out", _list_omissions(mapped.left_out, row_titles)),
        ("Questions", _list_questions(mapped)),
        ("Next steps", _list_steps(mapped)),
    )
    lines = [f"# Import from {panel}"]
    for title, section in sections:
        lines += ["", f"## {title}", "", *section]
    return "\n".join(lines) + "\n"


# What arrives


def _list_arrivals(mapped: MappedSource) -> list[str]:
    """Return what each client gets, as numbers."""
    lines = [f"{format_counts(mapped.counts) or 'Nothing'}.", ""]
    for client, items_by_kind in mapped.resources.items():
        counts = {kind: len(items) for kind, items in items_by_kind.items() if kind != "clients"}
        numbers = format_counts(counts) or "nothing but the account"
        if client is not None:
            lines.append(f"- {format_code(client)}: {_name_plan(items_by_kind)}{numbers}")
    passwords = f"Passwords: {mapped.passwords.kept} stay, {mapped.passwords.new} are new."
    return [*lines, "", passwords + _describe_forwarding_only(mapped)]


def _describe_forwarding_only(mapped: MappedSource) -> str:
    """Return how many addresses had no password and get one, as a sentence; empty for none."""
    count = sum(
        "max_size" not in item
        for items_by_kind in mapped.resources.values()
        for item in items_by_kind.get("emails", ())
    )
    if not count:
        return ""
    if count == 1:
        return " 1 address that only forwards gets one too."
    return f" {count} addresses that only forward get one too."


def _name_plan(items_by_kind: ItemsByKind) -> str:
    """Return the hosting plan that a client gets, as the beginning of a line."""
    for item in items_by_kind.get("clients", ()):
        if item.get("hosting_plan"):
            return f"hosting plan {format_code(str(item['hosting_plan']))}; "
    return ""


# What customers notice


def _list_notices(
    mapped: MappedSource, row_titles: Mapping[str, str], other_tables: Collection[str]
) -> list[str]:
    """Return what customers notice first, under a heading for each sort of it.

    Args:
        mapped: What became of each row.
        row_titles: What people call rows of some tables.
        other_tables: The tables around mail whose rows are no addresses, such as filters.
    """
    autoresponders = [entry for entry in mapped.left_out if _is_autoresponder(entry)]
    sections = (
        ("New names", [_describe_renamed(entry) for entry in mapped.renamed]),
        ("New passwords", [_describe_object(name) for name in mapped.changed_passwords]),
        (
            "Autoresponders that are gone",
            [_describe_omitted(entry, {}) for entry in autoresponders],
        ),
        (
            "Mail addresses that do not arrive",
            [
                f"{_describe_omitted(entry, row_titles)}: {_format_reason(entry['why'])}"
                for entry in mapped.left_out
                if _is_lost_address(entry, other_tables)
            ],
        ),
        (
            "Addresses that get all other mail of their domain",
            _list_items(mapped, "emails", "catch_all"),
        ),
        ("Customers that are suspended", _list_items(mapped, "clients", "is_suspended")),
        ("Domains that are disabled", _list_items(mapped, "domains", "is_disabled")),
        ("Above a limit", list(_describe_exceeded(mapped))),
    )
    lines: list[str] = []
    for title, section in sections:
        if section:
            lines += [f"### {title}", "", *section, ""]
    return lines[:-1] or ["Nothing."]


def _is_autoresponder(entry: ResultEntry) -> bool:
    """Return whether an entry is an autoresponder of a mailbox that arrives."""
    return _AUTORESPONDER in str(entry.get("field") or "")


def _is_lost_address(entry: ResultEntry, other_tables: Collection[str]) -> bool:
    """Return whether an entry is a mailbox, a forward, an alias or a catch-all that is left out."""
    if entry["kind"] != "emails" or "@" not in str(entry["key"]):
        return False
    if entry[TABLE] in other_tables:
        return False
    return entry.get("field") in _LOST_FIELDS


def _list_items(mapped: MappedSource, plural: str, option: str) -> list[str]:
    """Return a line for each item of a kind in the directory whose option is on."""
    lines = []
    for client, items_by_kind in mapped.resources.items():
        for item in items_by_kind.get(plural, ()):
            if item.get(option):
                key = KINDS[plural].format_key(item) or ""
                lines.append(_describe_object(ObjectName(client, plural, key)))
    return lines


def _describe_renamed(entry: ResultEntry) -> str:
    title = _RENAMED_PARTS.get(entry["kind"]) or KINDS[entry["kind"]].title
    names = f"{format_code(str(entry['from']))} is now {format_code(str(entry['to']))}"
    owner = "" if entry["kind"] == "clients" else _describe_owner(entry["client"])
    return f"- {title} {names}{owner}: {_format_reason(entry['why'])}"


def _describe_object(name: ObjectName) -> str:
    owner = "" if name.plural == "clients" else _describe_owner(name.client)
    return f"- {KINDS[name.plural].title} {format_code(name.key)}{owner}"


def _describe_exceeded(mapped: MappedSource) -> Iterator[str]:
    """Yield the limits that clients are above, and what to do about it."""
    for exceeded in mapped.exceeded_limits:
        numbers = f"{exceeded.used}, and the plan allows {exceeded.limit}"
        yield f"- {format_code(exceeded.client)}: {exceeded.resource} {numbers}"
    if mapped.exceeded_limits:
        yield f"- The panel takes them only with its option {format_code(_ABOVE_LIMITS)}."


def _describe_owner(client: str | None) -> str:
    """Return whose an object is, in words."""
    return "" if client is None else f" of {format_code(client)}"


# What is left out


def _list_omissions(left_out: Iterable[ResultEntry], row_titles: Mapping[str, str]) -> list[str]:
    """Return what is left out, by reason and then by client."""
    by_reason: dict[str, dict[str, list[str]]] = {}
    counters: dict[str, Counter[tuple[str, str]]] = {}
    for entry in left_out:
        reason = _format_reason(entry["why"])
        by_client = by_reason.setdefault(reason, {})
        if entry.get("field") in _COUNTED_FIELDS and entry["kind"] in KINDS:
            counter = counters.setdefault(reason, Counter())
            counter[entry["kind"], entry["field"]] += 1
            continue
        client = entry["client"]
        owner = "" if client is None else format_code(client)
        by_client.setdefault(owner, []).append(_describe_omitted(entry, row_titles))

    lines: list[str] = []
    for reason, by_client in by_reason.items():
        lines += [f"### {reason}", ""]
        if reason in counters:
            lines += [*_describe_counts(counters[reason]), ""]
        # What belongs to no client comes first.
        for owner in sorted(by_client):
            title = f"Of {owner}" if owner else _NO_OWNER
            lines += [f"{title}:", ""]
            lines += [*by_client[owner], ""]
    return lines[:-1] or ["Nothing."]


def _describe_counts(counter: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield how many objects of a kind lack a field."""
    for (kind, field), number in counter.items():
        yield f"- {format_counts({kind: number})}, field {format_code(field)}"


def _describe_omitted(entry: ResultEntry, row_titles: Mapping[str, str]) -> str:
    kind = KINDS.get(entry["kind"])
    title = kind.title if kind is not None else format_code(str(entry["kind"]))
    field = entry.get("field")
    if not field:
        title = row_titles.get(entry[TABLE], title)
    field_text = f", field {format_code(str(field))}" if field else ""
    return (
        f"- {title} {format_code(str(entry['key']))}{field_text} ({format_code(entry['source'])})"
    )


def _format_reason(reason: str) -> str:
    """Return a reason without its full stop, in which words that could be markup are code.

    One that is too long is code as a whole, and cut.
    """
    sentence = " ".join(_format_term(term) for term in reason.removesuffix(".").split(" "))
    if len(sentence) > _LONGEST_REASON:
        return format_code(reason, _LONGEST_REASON)
    return sentence


def _format_term(term: str) -> str:
    """Return a word of a reason, as code if it could be markup, and its mark behind it."""
    match = _WORD.fullmatch(term)
    text, mark = match.groups() if match and match[1] else (term, "")
    formatted = text if _HARMLESS_WORD.fullmatch(text) else format_code(text, _LONGEST_REASON)
    return formatted + mark


# Questions


def _list_questions(mapped: MappedSource) -> list[str]:
    """Return what the operator may decide, and what was assumed."""
    lines = []
    for question in mapped.questions:
        default = question["default"]
        assumed = "nothing" if default in (None, "") else format_code(str(default))
        about = format_code(str(question["about"]))
        count = mapped.question_counts.get((question["mapping"], question["about"]), 0)
        ending = _describe_consequence(question["mapping"], count)
        lines.append(
            f"- `mapping.{question['mapping']}` for {about}: {assumed} was assumed{ending}"
        )
    return lines or ["None."]


def _list_steps(mapped: MappedSource) -> list[str]:
    """Return what the operator does next, in this order."""
    steps = [_ANSWER] if mapped.questions else []
    steps.append(_READ)
    panel_options = _list_panel_options(mapped)
    if panel_options:
        steps.append(_ENABLE.format(" and ".join(panel_options)))
    return [f"{number}. {step}" for number, step in enumerate([*steps, *_STEPS], 1)]


def _list_panel_options(mapped: MappedSource) -> list[str]:
    """Return the options of the panel that the files need, as code."""
    options = []
    if mapped.passwords.kept:
        options.append(format_code(_HASHES))
    if mapped.exceeded_limits:
        options.append(format_code(_ABOVE_LIMITS))
    return options


def _describe_consequence(mapping: str, count: int) -> str:
    """Return what it means that nobody answers a question of so many objects."""
    if not count or mapping not in _CONSEQUENCES:
        return ""
    singular, plural = _CONSEQUENCES[mapping]
    return f", so {singular if count == 1 else plural.format(count)}"
