"""python -m panel_simulator.coverage: which paths and members there are, documented or only inferred, and what the interface leaves open."""

from __future__ import annotations

import argparse
import json
from typing import Any

from panel_simulator.kinds import KINDS
from panel_simulator.known import members
from panel_simulator.open_points import POINTS
from panel_simulator.routes import ROUTES

DOCUMENTED, INFERRED = "documented", "inferred"


def path_rows() -> list[dict[str, str]]:
    """One row for each method of each path: method, path, source (documented or inferred), note."""
    return [
        {
            "method": route.method,
            "path": route.path,
            "source": DOCUMENTED if route.is_documented else INFERRED,
            "note": route.note,
        }
        for route in ROUTES
    ]


def member_rows() -> list[dict[str, str]]:
    """One row for each member of each kind: kind, member, access, source, note."""
    return [
        {
            "kind": kind.name,
            "member": name,
            "access": field.access,
            "source": INFERRED if field.inferred else DOCUMENTED,
            "note": field.note,
        }
        for kind in KINDS.values()
        for name, field in members(kind.fields)
    ]


def point_rows() -> list[dict[str, Any]]:
    """One row for each open point: point, about, default, others (values, or examples of them), source, confidence, seen, depends."""
    return [
        {
            "point": point.name,
            "about": point.about,
            "default": point.default,
            "others": list(point.tried),
            "source": point.source,
            "confidence": point.confidence,
            "seen": point.seen,
            "depends": list(point.depends),
        }
        for point in POINTS.values()
    ]


def main() -> None:
    """Prints the rows as JSON."""
    parser = argparse.ArgumentParser(prog="python -m panel_simulator.coverage", description=__doc__)
    parser.add_argument("--members", action="store_true", help="the members of objects instead of the paths")
    parser.add_argument("--points", action="store_true", help="what the interface leaves open instead of the paths")
    options = parser.parse_args()
    rows = point_rows() if options.points else member_rows() if options.members else path_rows()
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
