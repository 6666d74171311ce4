"""Every behaviour of every kind × {check, real, again}, alone and in bulk: the operations themselves, against the panel in memory.

The data file has samples for every member of every kind, so that a new member is in the grid or fails here.
"""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, Reference
from tests.support.grid import CHECK, REAL, Behaviour, behaviours, details, paths_of, selection
from tests.support.grid_checks import CHECKS, assert_body
from tests.support.place import Place
from tests.support.samples import Member, key_of, key_wire, kinds, members_of, rows_of, samples


@pytest.mark.parametrize("behaviour", [*behaviours(), *details()], ids=lambda behaviour: behaviour.name)
def test_a_behaviour(place: Place, behaviour: Behaviour) -> None:
    steps = place.steps(behaviour)
    for check in CHECKS:
        check(behaviour, steps, place.resolve)


@pytest.mark.parametrize("behaviour", selection(behaviours()), ids=lambda behaviour: behaviour.name)
def test_a_task_with_many_objects_does_the_same(place: Place, behaviour: Behaviour) -> None:
    steps = place.in_bulk(behaviour)
    for step in (CHECK, REAL):
        assert steps[step].outcome == ("failed" if behaviour.refused else "ok"), steps[step].msg
        assert steps[step].changed == (behaviour.write is not None)
    assert steps[CHECK].writes == []
    assert_body(behaviour, steps[REAL], place.resolve)
    assert bool(steps[REAL].result.get("generated_passwords")) == behaviour.generates


# Samples

KINDS = list(kinds().values())
MEMBERS = [pytest.param(member, id=f"{kind.singular}: {member.path}") for kind in KINDS for member in members_of(kind)]
ROWS = [pytest.param(member, id=f"{kind.singular}: {member.path}") for kind in KINDS for member in rows_of(kind)]


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_has_two_different_sample_values(member: Member) -> None:
    assert len(member.values) >= 2, f"add {member.path} of {member.kind.singular}, or its type, to samples.yml"
    assert member.values[0] != member.values[1]


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_that_takes_an_empty_value_has_a_sample_that_clears_it(member: Member) -> None:
    is_meant_otherwise = isinstance(member.row, Reference) and not member.is_free
    assert member.cleared or not member.takes_empty or is_meant_otherwise


@pytest.mark.parametrize("member", ROWS)
def test_a_member_that_not_every_text_fits_has_a_wrong_value(member: Member) -> None:
    takes_every_text = member.takes_empty and member.type_name in ("Text", "Target", "Reference")
    assert member.wrong or takes_every_text


@pytest.mark.parametrize("member", [parameter for parameter in MEMBERS if parameter.values[0].is_list])
def test_a_list_has_a_sample_of_two_entries_to_reorder_and_shorten(member: Member) -> None:
    assert len(member.values[0].option) >= 2
    assert len(member.values[0].wire) == len(member.values[0].option)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.singular)
def test_a_kind_has_a_sample_of_its_whole_key(kind: Kind) -> None:
    options = list(kind.named_by)
    assert list(key_of(kind)) == options
    assert ("new_name" in samples()["kinds"][kind.singular]) == kind.renames


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.singular)
def test_the_behaviours_of_a_kind_send_every_member_of_it(kind: Kind) -> None:
    sent: set[str] = set()
    for behaviour in behaviours():
        if behaviour.kind is kind and behaviour.write:
            sent |= {path.removesuffix(".id_of") for path in paths_of(behaviour.write.body or {})}
    assert {member.wire_path for member in members_of(kind)} | set(key_wire(kind)) <= sent


def test_the_data_file_names_only_what_exists() -> None:
    described = samples()["kinds"]
    names = [name for form in samples()["forms"] for name in form["of"]]
    every = {f"{kind.singular}.{member.path}" for kind in KINDS for member in rows_of(kind)}
    assert len(names) == len(set(names))
    assert set(names) <= every
    assert set(described) == set(kinds())
    for name, kind in kinds().items():
        assert set(described[name].get("members", {})) <= {member.path for member in members_of(kind)}
