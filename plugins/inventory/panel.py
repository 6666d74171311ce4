# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel
short_description: Domains or clients of hosting panels as hosts
version_added: 1.0.0
description:
  - Makes a host of each domain, or of each client, of one or more panels. The fields that the panel
    shows become variables.
  - The name of its configuration file ends with C(.panel.yml) or C(.panel.yaml).
  - It sends three requests to each panel, and none while the cache is valid.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection.plugin
  - constructed
  - inventory_cache
options:
  plugin:
    description: Name of this plugin, V(hosting.panel.panel).
    type: str
    required: true
    choices: [hosting.panel.panel]
  panels:
    description:
      - The panels, each a dictionary with O(api_url), other connection options, and a C(name), by
        default the host of O(api_url). A name consists of letters, digits, underscores, dots,
        colons and hyphens.
      - Connection options beside this list apply to panels without their own. A key of the
        environment applies only to a single panel, so that no panel gets the key of another.
      - Without this list, the connection options describe one panel.
      - Values can be templates, with lookups, or encrypted with Ansible Vault.
    type: list
    elements: dict
  hosts:
    description: What the hosts are. A domain has its name in punycode, a client its username.
    type: str
    choices: [domains, clients]
    default: domains
  domain_kinds:
    description: Which domains become hosts.
    type: list
    elements: str
    choices: [main_domains, subdomains, system_domains]
    default: [main_domains, subdomains]
  group_by:
    description:
      - Which groups are made, in addition to C(hosting_panel), which has all hosts. V(client) makes
        C(client_USERNAME), V(plan) C(plan_NAME), and V(panel) C(panel_NAME). Characters that a
        group name cannot have become C(_).
      - V(state) makes C(state_suspended) for suspended clients and all of their domains,
        C(state_disabled) for disabled domains, and C(state_active) for the rest. It also makes
        C(status_okay), C(status_error), C(status_config_new), C(status_config_update) and
        C(status_unknown).
    type: list
    elements: str
    choices: [client, plan, state, panel]
    default: [client, plan, state, panel]
  panel_in_names:
    description:
      - Name every host C(NAME@PANEL), so that names never change when another panel gets the same
        one.
      - By default only names that several panels have, or that a group or Ansible uses, get
        C(@PANEL).
    type: bool
    default: false
  skip_unreachable:
    description:
      - Skip a panel that cannot be reached, or that fails for as long as O(retry_time), with a
        warning. By default that is an error.
      - A refused key is always an error, and so is an answer with a value of another type than its
        field's. Nothing is put into the cache while a panel is missing.
    type: bool
    default: false
notes:
  - A host has the panel's fields with C(panel_) before their names, and C(panel_name),
    C(panel_api_url), C(panel_validate_certs), C(panel_ca_path), C(panel_client) and
    C(panel_hosting_plan). A domain also has C(panel_parent_domain), C(panel_client_email) and
    C(panel_client_is_suspended), a client C(panel_domains). No variable holds a secret, and nothing
    that a panel answers is evaluated.
  - C(ansible-inventory --list) prints each text of a panel as a dictionary with
    C(__ansible_unsafe), so that Ansible and AWX do not evaluate it if they read this JSON.
  - Do not use the output of C(ansible-inventory --list --yaml) as an inventory. It has no such
    marks, so Ansible would evaluate templates that customers wrote.
  - Modules take the panel from C(module_defaults), as in the example, not from these variables. A
    task without C(api_url) fails if the environment names another panel. The playbooks of the
    collection and the role report read the variables.
  - A host is an object on a panel and not a machine, so C(ansible_connection) is V(local). Do not
    mix this inventory with one of machines, because customers choose the names.
  - The cache holds names and addresses of customers, in files that only their owner can read.
  - Of all variables, only extra variables (C(-e)) can set options.
seealso:
  - module: hosting.panel.panel_domain_info
  - module: hosting.panel.panel_client_info
"""

EXAMPLES = r"""
# For one panel, whose address and key are in PANEL_API_URL and PANEL_API_KEY, the first line is
# enough; its hosts are domains.
# This is fleet.panel.yml, for the clients of two panels, which are asked once an hour at most.
plugin: hosting.panel.panel
hosts: clients
panels:
  - name: web1
    api_url: https://web1.panel.example
    api_key: "{{ lookup('ansible.builtin.env', 'WEB1_API_KEY') }}"
  - name: web2
    api_url: https://web2.panel.example
    api_key: "{{ lookup('ansible.builtin.env', 'WEB2_API_KEY') }}"
    timeout: 60
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/panels
cache_timeout: 3600
# Your own groups and variables.
keyed_groups:
  - key: panel_language
    prefix: language
groups:
  without_domain: panel_domains | length == 0
compose:
  contact: panel_email
strict: true

# A play on these hosts, with the keys in a file of variables that Ansible Vault encrypts:
#
# - hosts: state_suspended
#   gather_facts: false
#   module_defaults:
#     group/hosting.panel.panel:
#       api_url: "{{ panel_api_url }}"
#       api_key: "{{ api_keys[panel_name] }}"
#   tasks:
#     - hosting.panel.panel_client_info:
#         username: "{{ panel_client }}"
#         include: [stats]
#       register: client
"""

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleError, AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable

from ..module_utils._errors import OptionError, PanelError, ServerFailed, Unreachable, raise_if_any
from ..module_utils._http.connection_settings import ENVIRONMENT, build_connection_argument_spec
from ..module_utils._operation.validation import find_misread_values
from ..module_utils._secrets.redaction import Secrets, escape_control_characters
from ..plugin_utils._ansible.inventory import CleanGroupNames, clean_group_name, list_cache_files
from ..plugin_utils._ansible.untrusted import mark_untrusted, trusted_template
from ..plugin_utils._inventory.hosts import PanelHost, make_hosts
from ..plugin_utils._inventory.panels import (
    LISTS,
    Reading,
    compute_digest,
    explain_file_error,
    has_plugin_line,
    read_panel,
    read_panels,
    refuse_deep_file,
)
from ..plugin_utils._run.nested_text import TooDeep
from ..plugin_utils._run.panel_connections import (
    NamedPanel,
    check_names,
    delete_empty_variables,
    without_empty_connection,
)

SUFFIXES = (".panel.yml", ".panel.yaml")
TOP_GROUP = "hosting_panel"
_GROUPING_OF = {"status": "state"}


class InventoryModule(CleanGroupNames, BaseInventoryPlugin, Constructable, Cacheable):
    """Makes hosts of what panels show."""

    NAME = "hosting.panel.panel"
    inventory: Any  # not None: Ansible asks for hosts after it has given this

    def verify_file(self, path: str) -> bool:
        """Return whether the file is one of this plugin; warn of one that only lacks its ending."""
        if path.endswith(SUFFIXES):
            return bool(super().verify_file(path))
        if path.endswith((".yml", ".yaml")) and has_plugin_line(path, self.NAME):
            self._warn(f"{path}: the name of the file must end with {' or '.join(SUFFIXES)}.")
        return False

    def set_options(
        self, task_keys: Any = None, var_options: Any = None, direct: Any = None
    ) -> None:
        """Take the options, without connection options that are empty."""
        delete_empty_variables()
        super().set_options(
            task_keys=task_keys,
            var_options=without_empty_connection(var_options),
            direct=without_empty_connection(direct),
        )

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Read the panels of a file, and put their hosts into the inventory.

        Raises:
            AnsibleParserError: The file is wrong, or a panel cannot be read.
        """
        super().parse(inventory, loader, path, cache)
        try:
            refuse_deep_file(path)
            config = self._read_config_data(path)
        except TooDeep as error:
            raise AnsibleParserError(f"{self.NAME}: {path}: line {error.line}: {error}") from None
        except AnsibleError as error:
            problem = explain_file_error(error, path)
            raise AnsibleParserError(f"{self.NAME}: {path}: {problem}") from None
        try:
            panels = self._read_panels(config)
        except PanelError as error:
            raise AnsibleParserError(f"{self.NAME}: {path}: {error}") from None

        readings = self._read_all(panels, path, cache)
        hosts, warnings = make_hosts(
            readings,
            self.get_option("hosts"),
            self.get_option("domain_kinds"),
            self.get_option("panel_in_names"),
        )
        for warning in warnings:
            self._warn(warning)
        self._add_hosts(hosts, {panel.name: _build_connection_variables(panel) for panel in panels})

    def update_cache_if_changed(self) -> None:
        """Write the cache, and keep it from others.

        Ansible lets everybody read it, and it names customers.
        """
        super().update_cache_if_changed()
        with contextlib.suppress(OSError):
            for path in list_cache_files(self._cache):
                path.chmod(0o600)

    def _read_panels(self, config: Mapping[str, Any]) -> list[NamedPanel]:
        """Return the panels of a file of this plugin; raises OptionError."""
        check_names(config, self.option_definitions)
        # As they are in the file, since get_option has made texts of them.
        raise_if_any([*find_misread_values(config, build_connection_argument_spec())])
        if config.get("panels") is not None and config.get("api_url"):
            raise OptionError("give it for each of the panels, not beside them.", option="api_url")

        shared = {}
        written = {}
        for name, variable in ENVIRONMENT.items():
            value = self._evaluate(name)
            if name in config:
                written[name] = value
            # What comes from the environment is for one panel alone, and looked up there.
            is_of_environment = config.get(name) is None and value == os.environ.get(variable)
            shared[name] = None if value == "" or is_of_environment else value
        return read_panels(self._evaluate("panels"), shared, written)

    def _evaluate(self, option: str) -> Any:
        """Return an option with its templates evaluated.

        No error shows the text of a template, which may have the key.
        """
        try:
            return self.templar.template(self.get_option(option))
        except Exception as error:
            problem = f"its template cannot be evaluated ({type(error).__name__})"
            raise OptionError(f"{problem}; correct it in the file.", option=option) from None

    def _read_all(self, panels: list[NamedPanel], path: str, cache: bool) -> dict[str, Reading]:
        """Return what the panels answered, now or before.

        The cache is for these panels, and for what this release reads of them.
        """
        secrets = Secrets([panel.options["api_key"] for panel in panels])
        addresses = [[panel.name, panel.options["api_url"]] for panel in panels]
        cached_for = {"kinds": list(LISTS), "panels": addresses, "is_masked": True}
        key = self.get_cache_key(path)
        uses_cache = self.get_option("cache")
        if uses_cache and cache:
            cached_readings = self._find_cached_readings(key, cached_for)
            if cached_readings is not None:
                # A key may be another one since then.
                return dict(secrets.mask_given_value(cached_readings))

        readings = {}
        for panel in panels:
            reading = self._read_panel(panel, secrets)
            if reading is not None:
                readings[panel.name] = reading
        if uses_cache and len(readings) == len(panels):
            digest = compute_digest(readings)
            self._cache[key] = {"of": cached_for, "readings": readings, "digest": digest}
        return readings

    def _find_cached_readings(self, key: str, cached_for: Mapping[str, Any]) -> Any:
        """Return the readings in the cache; None without one, for another one, and if it was edited.

        Args:
            key: What the cache has them under.
            cached_for: What they have to be of.
        """
        # KeyError: the cache has none, or has expired. The others: it is not what was written.
        with contextlib.suppress(KeyError, TypeError, ValueError):
            cached = self._cache[key]
            readings = cached["readings"]
            if cached["of"] == cached_for and cached["digest"] == compute_digest(readings):
                return readings
        return None

    def _read_panel(self, panel: NamedPanel, secrets: Secrets) -> Reading | None:
        """Return what a panel shows; None for one that cannot be reached and may be skipped.

        Args:
            panel: The panel.
            secrets: The keys of all panels.
        """
        if panel.options["validate_certs"] is False:
            problem = "anybody on the way to the panel can read the API key."
            self._warn(f"panel {panel.name}: validate_certs is false: {problem}")
        try:
            return read_panel(panel, secrets)
        except PanelError as error:
            message = f"panel {panel.name}: {secrets.mask(str(error))}"
            is_down = isinstance(error, (Unreachable, ServerFailed))
            if is_down and self.get_option("skip_unreachable"):
                self._warn(f"{message} Its hosts are missing.")
                return None
            raise AnsibleParserError(escape_control_characters(f"{self.NAME}: {message}")) from None

    def _add_hosts(
        self, hosts: list[PanelHost], connections: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Put hosts into the inventory, with their variables and groups.

        Args:
            hosts: The hosts.
            connections: By panel the variables of its connection.
        """
        self.inventory.add_group(TOP_GROUP)
        # By group the value that it was made for first.
        values: dict[str, str] = {}
        group_names = {TOP_GROUP}
        for host in hosts:
            group_names.update(self._group_name(*group) for group in host.groups)

        for host in hosts:
            name = host.name
            if name in group_names:
                # A host with the name of a group would stand for all hosts in that.
                name = f"{host.name}@{host.panel}"
            self.inventory.add_host(name, group=TOP_GROUP)
            self._set_variables(name, host.variables, connections[host.panel])
            self._add_to_groups(name, host.groups, values)
            self._construct(name)

    def _set_variables(
        self, name: str, variables: Mapping[str, Any], connection: Mapping[str, Any]
    ) -> None:
        """Give a host what its panel shows, never evaluated, and how to reach the panel."""
        for variable, value in variables.items():
            self.inventory.set_variable(name, variable, mark_untrusted(value))
        for variable, value in connection.items():
            self.inventory.set_variable(name, variable, value)

    def _add_to_groups(
        self, name: str, groups: Iterable[tuple[str, str]], values: dict[str, str]
    ) -> None:
        """Add a host to those of its groups that the file asks for."""
        for grouping, value in groups:
            if _GROUPING_OF.get(grouping, grouping) in self.get_option("group_by"):
                self.inventory.add_host(name, group=self._add_group(grouping, value, values))

    def _group_name(self, grouping: str, value: str) -> str:
        return clean_group_name(f"{grouping}_{value}")

    def _add_group(self, grouping: str, value: str, values: dict[str, str]) -> str:
        """Add a group, and warn of two values that have the same one.

        Args:
            grouping: What the group is made by.
            value: The value of its hosts.
            values: By group the value that it was made for first; gets that of a new group.
        """
        group = self.inventory.add_group(self._group_name(grouping, value))
        first = values.setdefault(group, value)
        if first != value:
            self._warn(f"the group {group} holds the hosts of {first!r} and of {value!r}.")
        return str(group)

    def _warn(self, text: str) -> None:
        self.display.warning(escape_control_characters(f"{self.NAME}: {text}"))

    def _construct(self, name: str) -> None:
        """Add the variables and groups that the file itself describes."""
        strict = self.get_option("strict")
        variables = self.inventory.get_host(name).get_vars()
        self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict=strict)
        keyed_groups = self.get_option("keyed_groups")
        self._add_host_to_keyed_groups(keyed_groups, variables, name, strict=strict)


def _build_connection_variables(panel: NamedPanel) -> dict[str, Any]:
    """Return where the panel is, without the key, and that tasks run on the controller."""
    variables: dict[str, Any] = {}
    for name in ("api_url", "ca_path", "validate_certs"):
        value = panel.options.get(name)
        if value is not None:
            variables[f"panel_{name}"] = value
    variables["panel_name"] = panel.name
    variables["ansible_connection"] = "local"
    variables["ansible_python_interpreter"] = trusted_template("{{ ansible_playbook_python }}")
    return variables
