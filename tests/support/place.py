"""The simulator's panel in this process with the world of the samples, and the operations of
modules run against it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from panel_simulator.store import Entry
from tests.support import pem
from tests.support.grid import CHECK, REAL, SIMULATOR_KINDS, STEPS, STRICT, Behaviour
from tests.support.grid_checks import make_resolver
from tests.support.memory import MemoryPlace
from tests.support.playbook import Recording
from tests.support.samples import read_samples


class Place(MemoryPlace):
    """``resolve`` fills in ids and certificates.

    The same in every state, since the panel always starts anew.
    """

    def __init__(self) -> None:
        super().__init__({}, {})
        # By the settings, since it takes far longer to plant it.
        self._worlds: dict[str, dict[str, Any]] = {}
        self.resolve = make_resolver(self._begin, self.seed, self.list_objects, pem.make_texts())

    def prepare(
        self, kind: Kind | None = None, *bodies: Mapping[str, Any], **settings: Any
    ) -> None:
        """Make a new panel with the world of the samples, these settings, and objects of a kind."""
        self._begin()
        self.panel.settings.merge(settings)
        name = json.dumps(settings, sort_keys=True)

        if name in self._worlds:
            self.put(self._worlds[name])
        else:
            self.seed(self.resolve(read_samples()["world"]))
            self._worlds[name] = self.get_state()

        if kind is not None:
            self.seed({kind.plural: [self.resolve(body) for body in bodies]})

    def double(self, kind: Kind) -> None:
        """Put another object with the members of the last one of a kind beside it.

        This no request would do.
        """
        store = self.panel.store
        name = SIMULATOR_KINDS.get(kind.plural, kind.plural)
        last = [*store.list_all(name)][-1]
        store.insert(
            Entry(kind=name, id=last.id + 1, data=dict(last.data), hidden=dict(last.hidden)), ()
        )

    def perform_task(  # type: ignore[override]  # by its table
        self, kind: Kind, options: Mapping[str, Any], check_mode: bool = False, info: bool = False
    ) -> Recording:
        """Run one task of the module of a kind, or of its info twin."""
        module = f"{kind.module}_info" if info else kind.module
        return self.run(module, module, self.resolve(options), check_mode=check_mode)

    def run_steps(self, behaviour: Behaviour) -> Mapping[str, Recording]:
        """Run the three steps of a behaviour on a new panel."""
        self._prepare_for(behaviour)
        return {
            step: self.perform_task(behaviour.kind, behaviour.options, step == CHECK)
            for step in STEPS
        }

    def run_in_bulk(self, behaviour: Behaviour) -> Mapping[str, Recording]:
        """Return the first two steps of a behaviour, as tasks of panel_resources."""
        self._prepare_for(behaviour)
        options = {
            "resources": {behaviour.kind.plural: [self.resolve(behaviour.options)]},
            "max_deletes": 50,
        }
        module = "panel_resources"

        return {
            step: self.run(module, module, options, check_mode=step == CHECK)
            for step in (CHECK, REAL)
        }

    def _prepare_for(self, behaviour: Behaviour) -> None:
        existing = [] if behaviour.existing is None else [behaviour.existing]
        self.prepare(behaviour.kind, *existing, **behaviour.settings)

    def _begin(self) -> None:
        self.panel.settings.reset()
        self.panel.settings.merge({"status_delay": 0.0, **STRICT})
        self.panel.reset_objects()
