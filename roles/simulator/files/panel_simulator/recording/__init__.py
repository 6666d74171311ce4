# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversations with a panel: recorded without anything of its customers, and played again."""
