# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments that try to make the collection lose, double or leak something: `make reliability`."""
