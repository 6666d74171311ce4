/* Sphinx orders what a search finds by this: the module that a word is about comes first. */
const ABOUT = { password: "panel_email", suspend: "panel_client" };
var Scorer = {
  score: ([page, , , , score]) => {
    const word = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    return score + (page === `reference/${ABOUT[word] || `panel_${word}`}_module` ? 300 : 0);
  },
  // As Sphinx has them.
  ...{ objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0 },
  ...{ title: 15, partialTitle: 7, term: 5, partialTerm: 2 },
};
