"""What Python runs of this folder, or of an archive of it: the simulator in the background."""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write("The simulator did not start: it needs Python 3.11 or newer; set simulator_python to one.\n")
    sys.exit(2)

from panel_simulator.background import main

sys.exit(main())
