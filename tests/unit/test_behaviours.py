"""Every behaviour of every kind × {check, real, again}, alone and in bulk: the operations themselves, against the panel in memory.

The data file has samples for every member of every kind, so that a new member is in the grid or fails here.
"""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.grid import CHECK, REAL, Behaviour, behaviours, details, paths_of, selection
from tests.support.grid_checks import CHECKS, assert_body
from tests.support.place import Place
from tests.support.samples import Member, key_wire, kinds, members_of, rows_of, samples

# A change in seconds: each verb on each type of value. The rest takes longer.
CHOSEN = {behaviour.name for behaviour in selection(behaviours())}
BEHAVIOURS = [
    pytest.param(one, id=one.name, marks=() if one.name in CHOSEN else pytest.mark.long)
    for one in (*behaviours(), *details())
]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_behaviour(place: Place, behaviour: Behaviour) -> None:
    steps = place.steps(behaviour)
    for check in CHECKS:
        check(behaviour, steps, place.resolve)


@pytest.mark.parametrize("behaviour", selection(behaviours()), ids=lambda behaviour: behaviour.name)
@pytest.mark.long
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


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_has_two_different_sample_values(member: Member) -> None:
    assert len(member.values) >= 2, f"add {member.path} of {member.kind.singular}, or its type, to samples.yml"
    assert member.values[0] != member.values[1]


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
