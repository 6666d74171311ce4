"""Code that gets denser is refused, by package and figure, and a limit can only fall."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tools import density

PLAIN = '''
def add_price(prices, client):
    """Add a price."""
    total = 0
    for price in prices:
        total += price
    return total
'''
DENSE = {
    density.NODES: "total = add(add(1, 2), add(add(3, 4), add(5, add(6, 7))))\n",
    density.TERNARIES: "total = 1 if price else 2\n",
    density.PAIRS: "total, price = 1, 2\n",
    density.NESTED: "totals = [price for price in [item for item in items]]\n",
    density.VAGUE: "found = 1\n",
}
BROKEN_RULES = {
    "PLR0911": "def f(x):\n"
    + "".join(f"    if x == {number}:\n        return {number}\n" for number in range(9)),
    "PLR0912": "def f(x):\n"
    + "".join(f"    if x == {number}:\n        x += 1\n" for number in range(14)),
    "PLR0913": "def f(a, b, c, d, e, f, g):\n    return a\n",
    "PLR0914": "def f():\n"
    + "".join(f"    variable_{number} = {number}\n" for number in range(20)),
    "PLR0915": "def f(x):\n" + "    x += 1\n" * 60,
    "D101": "class Price:\n    amount = 1\n",
    "D102": 'class Price:\n    """A price."""\n\n    def add(self):\n        return 1\n',
    "D103": "def add():\n    return 1\n",
    "E501": f"TEXT = '{'x' * 100}'\n",
}


@pytest.mark.parametrize("name", DENSE)
def test_a_denser_file_exceeds_the_limit_of_the_plain_one(name: str) -> None:
    plain = density.lower_limits({"core": density.measure_figures([PLAIN])}, {})
    denser = {"core": density.measure_figures([PLAIN, DENSE[name]])}

    assert [line for line in density.find_complaints(denser, plain) if f": {name}: " in line]
    assert list(density.find_complaints({"core": density.measure_figures([PLAIN])}, plain)) == []


@pytest.mark.parametrize("rule", density.RULES)
def test_a_rule_of_ruff_counts_a_file_that_breaks_it(tmp_path: Path, rule: str) -> None:
    (tmp_path / "plain.py").write_text(PLAIN, encoding="utf-8")
    before = density.count_by_ruff([tmp_path])
    (tmp_path / "dense.py").write_text(BROKEN_RULES[rule], encoding="utf-8")

    after = density.count_by_ruff([tmp_path])

    assert (before[density.RULES[rule]], after[density.RULES[rule]]) == (0, 1)


def test_a_figure_without_a_limit_is_refused() -> None:
    assert list(density.find_complaints({"core": {density.NODES: 1.0}}, {})) == [
        f"core: {density.NODES}: tools/density.yml has no limit"
    ]


def test_a_limit_falls_with_its_figure_and_does_not_rise() -> None:
    limits = {"core": {density.NODES: 4.0, density.TERNARIES: 10.0}}
    measured = {"core": {density.NODES: 3.501, density.TERNARIES: 12.0}}

    assert density.lower_limits(measured, limits) == {
        "core": {density.NODES: 3.51, density.TERNARIES: 10.0}
    }


def test_every_package_has_a_limit_for_every_figure() -> None:
    limits = yaml.safe_load(density.LIMITS.read_text(encoding="utf-8"))
    names = {*density.measure_figures([]), *density.RULES.values(), density.LONG_LINES}

    names.remove(density.RULES["E501"])

    assert {package: set(figures) for package, figures in limits.items()} == dict.fromkeys(
        density.PACKAGES, names
    )


def test_a_package_that_exceeds_a_limit_fails_the_check(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = tmp_path / "density.yml"
    limits.write_text("core: {ternaries a thousand lines: 1}\n", encoding="utf-8")
    monkeypatch.setattr(density, "LIMITS", limits)
    monkeypatch.setattr(density, "measure", lambda: {"core": {density.TERNARIES: 2.0}})

    assert density.main([]) == density.main(["--lower"]) == 1
    assert (
        "core: ternaries a thousand lines: 2, and tools/density.yml allows 1"
        in capsys.readouterr().out
    )


def test_a_python_without_ruff_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named ruff' >&2\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setattr(density.sys, "executable", str(python))

    assert density.main([]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("failed: No module named ruff")


def test_the_sentence_that_names_a_test_is_its_docstring(tmp_path: Path) -> None:
    (tmp_path / "test_sums.py").write_text(
        "def test_one_and_one_are_two():\n    assert 1 + 1 == 2\n", encoding="utf-8"
    )

    assert density.count_by_ruff([tmp_path])[density.RULES["D103"]] == 0


def test_one_more_test_that_moves_a_rate_by_a_hair_is_no_denser_house() -> None:
    limits = {"tests": {density.TERNARIES: 10.0}}

    assert list(density.find_complaints({"tests": {density.TERNARIES: 10.05}}, limits)) == []
    assert list(density.find_complaints({"tests": {density.TERNARIES: 10.2}}, limits)) != []
