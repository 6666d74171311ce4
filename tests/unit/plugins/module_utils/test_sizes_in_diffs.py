"""Numbers of bytes in diffs are as people write them; results and plans keep the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.plugins.module_utils.test_other_panels import Panel

SIZES = [
    (2 * 2**30, "2G"),
    ("512M", "512M"),
    (-1, "unlimited"),
    (1_500_000, "1500000 (1.4 MiB)"),
]


@pytest.mark.parametrize("check_mode", [False, True], ids=["real", "check mode"])
@pytest.mark.parametrize(("wanted", "shown"), SIZES)
def test_a_diff_has_sizes_as_people_write_them(wanted: Any, shown: str, check_mode: bool) -> None:
    emails = [{"email": "more@acme.example", "max_size": 2**30}]
    options = {"email": "more@acme.example", "max_size": wanted}
    single = Panel({"emails": emails}).task("emails", options, check_mode=check_mode).result
    assert single["diff"] == {"before": {"max_size": "1G"}, "after": {"max_size": shown}}
    assert isinstance(single["email"]["max_size"], int)
    many = Panel({"emails": emails}).task("emails", options, in_bulk=True, check_mode=check_mode).result
    assert f"more@acme.example  max_size 1G -> {shown}\n" in many["diff"]["prepared"]
    assert many["plan"]["actions"][0]["before"] == {"max_size": 2**30}


def test_sizes_within_others_and_of_new_objects_are_so_too() -> None:
    resources = {"disk_space": "10G", "domains": 1024}
    for in_bulk in (False, True):
        made = Panel().task("plans", {"name": "Large", "resources": resources}, in_bulk)
        assert "10G" in str(made.result["diff"])
        assert "1024" in str(made.result["diff"])
