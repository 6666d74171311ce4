"""Every behaviour of every kind × {check, real, again}, alone and in bulk.

The operations themselves, against the panel in memory.

The data file has samples for every member of every kind, so that a new member is in the grid or
fails here.
"""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.grid import (
    CHECK,
    REAL,
    Behaviour,
    list_behaviours,
    list_details,
    list_paths,
    select_behaviours,
)
from tests.support.grid_checks import CHECKS, assert_body
from tests.support.place import Place
from tests.support.samples import list_members, list_rows, make_wire_key, read_kinds, read_samples

# A change in seconds: each verb on each type of value. The rest takes longer.
CHOSEN = {behaviour.name for behaviour in select_behaviours(list_behaviours())}
BEHAVIOURS = [
    pytest.param(
        behaviour, id=behaviour.name, marks=() if behaviour.name in CHOSEN else pytest.mark.long
    )
    for behaviour in (*list_behaviours(), *list_details())
]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_task_behaves_as_the_list_of_behaviours_says(
    sample_panel: Place, behaviour: Behaviour
) -> None:
    steps = sample_panel.run_steps(behaviour)
    for check in CHECKS:
        check(behaviour, steps, sample_panel.resolve)


@pytest.mark.parametrize(
    "behaviour", select_behaviours(list_behaviours()), ids=lambda behaviour: behaviour.name
)
@pytest.mark.long
def test_a_task_with_many_objects_does_the_same(sample_panel: Place, behaviour: Behaviour) -> None:
    steps = sample_panel.run_in_bulk(behaviour)
    for step in (CHECK, REAL):
        assert steps[step].outcome == ("failed" if behaviour.refused else "ok"), steps[step].msg
        assert steps[step].changed == (behaviour.write is not None)

    assert steps[CHECK].writes == []

    assert_body(behaviour, steps[REAL], sample_panel.resolve)
    assert bool(steps[REAL].result.get("generated_passwords")) == behaviour.generates


# Samples

KINDS = list(read_kinds().values())


every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.singular)


def list_sent_paths(kind: Kind) -> set[str]:
    """Return the paths of all fields that the behaviours of a kind send."""
    bodies = [
        behaviour.write.body or {}
        for behaviour in list_behaviours()
        if behaviour.kind is kind and behaviour.write
    ]
    return {path.removesuffix(".id_of") for body in bodies for path in list_paths(body)}


@every_kind
def test_each_member_is_sent(kind: Kind) -> None:
    fields = {field.wire_path for field in list_members(kind)}
    assert fields | set(make_wire_key(kind)) <= list_sent_paths(kind)


@every_kind
def test_a_member_has_two_different_sample_values(kind: Kind) -> None:
    for field in list_members(kind):
        assert len(field.values) >= 2, (
            f"add {field.path} of {kind.singular}, or its type, to samples.yml"
        )
        assert field.values[0] != field.values[1]


def test_the_data_file_names_only_what_exists() -> None:
    described = read_samples()["kinds"]
    names = [name for form in read_samples()["forms"] for name in form["of"]]
    every = {f"{kind.singular}.{field.path}" for kind in KINDS for field in list_rows(kind)}

    assert len(names) == len(set(names))
    assert set(names) <= every
    assert set(described) == set(read_kinds())

    for name, kind in read_kinds().items():
        assert set(described[name].get("members", {})) <= {
            field.path for field in list_members(kind)
        }
