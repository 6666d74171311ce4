/* Copyright: (c) 2026, the hosting.panel contributors */
/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sphinx orders the results of a search by this. The module of a word comes first, then its role and guide, then other guides and modules. */
const ABOUT = {
  password: ["reference/panel_email_module", "reference/panel_client_module", "docs/passwords", "reference/rotate_role"],
  suspend: ["reference/panel_client_module", "reference/suspend_role"],
};
var Scorer = {
  score: ([page, , anchor, , score]) => {
    const word = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    const singular = (word.length > 4 ? word.replace(/s$/, "") : word).replace(/^suspend.*/, "suspend");
    const about = ABOUT[singular] || [`reference/panel_${singular}_module`, `reference/${singular}_role`, `docs/${singular}`, `docs/${singular}s`];
    const place = about.indexOf(page);
    const usual = page.startsWith("docs/") ? 8 : /^reference\/panel_\w+_module$/.test(page) && !page.includes("_info_") ? 5 : 0;
    return score + (place < 0 ? usual : 300 - 60 * place) - (anchor && place >= 0 ? 5 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
