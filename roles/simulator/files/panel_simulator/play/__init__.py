# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet of simulated panels with invented customers, on which the guides can be followed."""
