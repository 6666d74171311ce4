"""Handlers of the paths that every kind of resource has."""

from __future__ import annotations

from typing import Any

from panel_simulator import objects
from panel_simulator.calls import Answer, Call
from panel_simulator.errors import Invalid, NotFound
from panel_simulator.kinds.domains import filter_of
from panel_simulator.kinds.kind import Kind
from panel_simulator.members import in_a_list, with_usual_names
from panel_simulator.panel import Panel
from panel_simulator.representation import list_of_texts, to_json
from panel_simulator.store import Entry

DOMAIN_FILTERS = ("main_domains", "subdomains", "system_domains")


def find(panel: Panel, kind: Kind, call: Call) -> Entry:
    """The object that the path names by id or by name; raises NotFound."""
    if "id" in call.parameters:
        text = call.parameters["id"]
        entry = panel.store.get(kind.name, int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else None
        named = f"with the id {text}"
    else:
        entry = _by_name(panel, kind, call.parameters["name"])
        named = f"{call.parameters['name']!r}"
    if entry is None:
        raise NotFound(f"There is no {kind.noun} {named}.")
    return entry


def _by_name(panel: Panel, kind: Kind, name: str) -> Entry | None:
    try:
        name = kind.name_form(name)
    except ValueError:
        return None
    entry = panel.store.holder(kind.key_scope, name)
    # Admins and clients share a name space, accounts and aliases too: the holder must be what was asked for.
    return entry if entry is not None and entry.kind == kind.name and entry.data[kind.key] == name else None


def text_of(panel: Panel, kind: Kind, entry: Entry) -> str:
    """The object as JSON text, kept until something about it changes."""
    revision = panel.settings.revision
    if entry.settles_at and panel.clock() >= entry.settles_at:
        entry.settles_at, entry.text = 0.0, None
    if entry.text is None or entry.text_revision != revision:
        entry.text = to_json(objects.shown(panel, kind, entry))
        entry.text_revision = revision
    return entry.text


def ordered(call: Call, choices: tuple[str, ...]) -> tuple[str, bool]:
    """(member to sort by, whether descending) of a list request; raises Invalid."""
    sort = call.query.get("sort", choices[0])
    if sort not in choices:
        raise Invalid(f"sort: must be one of {', '.join(choices)}.")
    order = call.query.get("order", "asc")
    if order not in ("asc", "desc"):
        raise Invalid("order: must be asc or desc.")
    return sort, order == "desc"


def list_objects(panel: Panel, kind: Kind, call: Call) -> Answer:
    """GET of a collection."""
    sort, descending = ordered(call, kind.sorts)
    entries = list(panel.store.all(kind.name))
    if kind.name == "domains":
        wanted = call.selection(DOMAIN_FILTERS)
        entries = [entry for entry in entries if filter_of(entry.data) in wanted]
    if "sort" in call.query or "order" in call.query:
        entries.sort(key=lambda entry: (entry.id if sort == "id" else entry.data[sort], entry.id), reverse=descending)
    else:
        entries.sort(key=lambda entry: entry.id)
    if panel.settings.short_lists.get(kind.name):
        return Answer(value=[in_a_list(panel, kind.name, objects.shown(panel, kind, entry)) for entry in entries])
    return Answer(
        value=lambda: [objects.shown(panel, kind, entry) for entry in entries],
        text=list_of_texts([text_of(panel, kind, entry) for entry in entries]),
    )


def _body(panel: Panel, kind: Kind, call: Call) -> Any:
    return with_usual_names(panel, kind.name, call.decoded_body())


def create_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """POST to a collection."""
    entry, generated = objects.create(panel, kind, _body(panel, kind, call))
    return _written(201, entry, generated)


def get_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """GET of an object."""
    entry = find(panel, kind, call)
    return Answer(value=lambda: objects.shown(panel, kind, entry), text=text_of(panel, kind, entry))


def update_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """PUT of an object."""
    entry = find(panel, kind, call)
    return _written(200, entry, objects.update(panel, kind, entry, _body(panel, kind, call)))


def delete_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """DELETE of an object."""
    entry = find(panel, kind, call)
    kind.check_deletion(panel, entry)
    objects.remove(panel, kind, entry)
    return Answer(status=204)


def _written(status: int, entry: Entry, generated: str | None) -> Answer:
    value: dict[str, Any] = {"id": entry.id}
    if generated is not None:
        value["password"] = generated
    return Answer(status=status, value=value)
