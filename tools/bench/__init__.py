# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark: the collection, the same work in other ways, and the goals, measured side by side in one run."""
