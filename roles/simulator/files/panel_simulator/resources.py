"""Handlers of the paths that every kind of objects has."""

from __future__ import annotations

from typing import Any

from panel_simulator import objects
from panel_simulator.calls import Answer, Call, Invalid, NotFound
from panel_simulator.kinds.domains import filter_of
from panel_simulator.panel import Entry, Kind, Panel
from panel_simulator.representation import list_of_texts, to_json

DOMAIN_FILTERS = ("main_domains", "subdomains", "system_domains")


def find(panel: Panel, kind: Kind, call: Call) -> Entry:
    """The object that the path names by id or by name; raises NotFound."""
    text = call.parameters.get("id")
    if text is None:
        entry = kind.holder(panel.store, call.parameters["name"])
        named = f"{call.parameters['name']!r}"
    else:
        entry = panel.store.get(kind.name, int(text)) if text.isascii() and text.isdigit() and len(text) < 19 else None
        named = f"with the id {text}"
    if entry is None:
        raise NotFound(f"There is no {kind.noun} {named}.")
    return entry


def _text_of(panel: Panel, kind: Kind, entry: Entry) -> str:
    """The object as JSON text, kept until something about it changes."""
    revision = panel.settings.revision
    if entry.settles_at and panel.clock() >= entry.settles_at:
        entry.settles_at, entry.text = 0.0, None
    if entry.text is None or entry.text_revision != revision:
        entry.text, entry.text_revision = to_json(objects.shown(panel, kind, entry)), revision
    return entry.text


def list_objects(panel: Panel, kind: Kind, call: Call) -> Answer:
    """GET of a collection."""
    sort, order = call.query.get("sort", "id"), call.query.get("order", "asc")
    if sort not in kind.sorts:
        raise Invalid(f"sort: must be one of {', '.join(kind.sorts)}.")
    if order not in ("asc", "desc"):
        raise Invalid("order: must be asc or desc.")
    entries = list(panel.store.all(kind.name))
    if kind.name == "domains":
        wanted = call.selection(DOMAIN_FILTERS)
        entries = [entry for entry in entries if filter_of(entry.data) in wanted]
    entries.sort(key=lambda entry: (entry.data.get(sort), entry.id), reverse=order == "desc")
    if panel.settings.short_lists.get(kind.name):
        return Answer(value=[in_a_list(panel, kind, entry) for entry in entries])
    return Answer(
        value=lambda: [objects.shown(panel, kind, entry) for entry in entries],
        text=list_of_texts([_text_of(panel, kind, entry) for entry in entries]),
    )


def in_a_list(panel: Panel, kind: Kind, entry: Entry) -> dict[str, Any]:
    """An object as the lists of this panel show it."""
    return objects.in_a_list(panel, kind.name, objects.shown(panel, kind, entry))


def _body(panel: Panel, kind: Kind, call: Call) -> Any:
    return objects.with_usual_names(panel, kind.name, call.decoded_body())


def create_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """POST to a collection."""
    return _written(201, *objects.create(panel, kind, _body(panel, kind, call)))


def get_object(panel: Panel, kind: Kind, call: Call) -> Answer:
    """GET of an object."""
    entry = find(panel, kind, call)
    return Answer(value=lambda: objects.shown(panel, kind, entry), text=_text_of(panel, kind, entry))


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
