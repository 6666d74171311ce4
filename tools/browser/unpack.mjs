// Copyright: (c) 2026, the hosting.panel contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Unpacks the browser from its npm package into the folder TMPDIR, and prints where it is.

import chromium from "@sparticuz/chromium";

chromium.setGraphicsMode = false;
console.log(await chromium.executablePath());
