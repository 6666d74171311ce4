// Copyright: (c) 2026, the hosting.panel contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Searching and sorting. Without it the page shows the same.
"use strict";

const valueOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text.toLowerCase();
};

const compared = (first, second) => {
  if (typeof first !== typeof second) return typeof first === "number" ? -1 : 1;
  return typeof first === "number" ? first - second : first.localeCompare(second);
};

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const isDescending = before === null ? head.classList.contains("figure") : before === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort((one, two) => compared(valueOf(one, column), valueOf(two, column)));
      table.tBodies[0].append(...(isDescending ? rows.reverse() : rows));
    });
  });
});

document.querySelectorAll(".find").forEach((find) => {
  const rows = document.getElementById(find.dataset.table).tBodies[0].rows;
  const input = find.querySelector("input");
  find.hidden = false;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    const shown = [...rows].filter((row) => !row.hidden).length;
    find.querySelector("output").textContent = words.length ? shown + " found" : "";
  });
});

const openAll = (lists) => lists.forEach((one) => { one.open = true; });
// A closed list would be missing on paper.
window.addEventListener("beforeprint", () => openAll(document.querySelectorAll("details")));
// A link into a closed list opens it.
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) openAll(target.querySelectorAll(":scope > details"));
};
window.addEventListener("hashchange", openTarget);
openTarget();
