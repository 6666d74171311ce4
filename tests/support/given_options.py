"""A lookup that takes its options from the call, as if Ansible had read them."""

from __future__ import annotations

from typing import Any


class GivenOptions:
    """The options of a lookup, to be inherited before the lookup itself."""

    def set_options(
        self,
        task_keys: Any = None,  # noqa: ARG002
        var_options: Any = None,  # noqa: ARG002
        direct: Any = None,
    ) -> None:
        """Take the options that a template gives."""
        self._direct = direct

    def get_option(self, option: str, hostvars: Any = None) -> Any:  # noqa: ARG002
        """Return an option that a template gives."""
        return self._direct.get(option)
