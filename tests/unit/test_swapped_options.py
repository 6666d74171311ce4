"""Where two values are swapped, and a secret is the value of another option, no failure repeats
it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.in_memory import InMemory
from tools.layout import ROOT

MODULES = sorted(
    path.stem for path in ROOT.glob("plugins/modules/*.py") if path.stem.startswith("panel_")
)
# The second one is longer than what messages show of a value.
KEYS = {
    "short": "Zq7Secret+9182736455",
    "long": "Zq7Secret." + "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" * 4,
}
HEAD_OF_KEYS = "Zq7Secret"


def get_options(module: str) -> dict[str, Any]:
    """The options of a module as its documentation has them."""
    for line in (
        (ROOT / "plugins" / "modules" / f"{module}.py")
        .read_text(encoding="utf-8")
        .split('DOCUMENTATION = r"""')[1:]
    ):
        documentation = yaml.safe_load(line.split('"""')[0])
        options: dict[str, Any] = documentation.get("options") or {}
        return options
    return {}


CASES = [
    (module, option)
    for module in MODULES
    for option in [*get_options(module), "timeout", "validate_certs", "ca_path", "misspelt"]
]


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize(("module", "option"), CASES)
def test_no_failure_repeats_the_key_where_another_option_has_it(
    module: str, option: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = InMemory().run(module, **{"api_key": key, option: key})
    if result.get("failed"):
        assert HEAD_OF_KEYS not in json.dumps(result)
