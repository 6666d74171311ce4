// Copyright: (c) 2026, the hosting.panel contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Searching and sorting. Without it the page shows the same.
"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort === undefined ? cell.textContent.trim() : cell.dataset.sort;
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
}

function sortBy(table, column, isDescending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
  rows.sort(([first], [second]) => {
    if (typeof first !== typeof second) return typeof first === "number" ? -1 : 1;
    return typeof first === "number" ? first - second : first.localeCompare(second);
  });
  if (isDescending) rows.reverse();
  body.append(...rows.map(([, row]) => row));
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const isFirst = head.getAttribute("aria-sort") === null;
      const isDescending = isFirst ? head.classList.contains("figure") : head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      sortBy(table, column, isDescending);
    });
  });
}

function makeSearchable(find) {
  const table = document.getElementById(find.dataset.table);
  const input = find.querySelector("input");
  const count = find.querySelector("output");
  find.hidden = false;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    count.textContent = words.length ? shown + " found" : "";
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".find").forEach(makeSearchable);
// A closed list would be missing on paper.
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
// A link into a closed list opens it.
function openTarget() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (target) target.querySelectorAll(":scope > details").forEach((one) => { one.open = true; });
}
window.addEventListener("hashchange", openTarget);
openTarget();
