# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python runs of this folder, or of an archive of it: the simulator in the background."""

from __future__ import annotations

import sys

from panel_simulator.background import main

sys.exit(main())
