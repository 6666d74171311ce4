// Copyright: (c) 2026, the hosting.panel contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Searching and sorting the clients. Without it the page shows the same.
"use strict";

const table = document.getElementById("all-clients");
const rows = [...table.tBodies[0].rows];
const heads = [...table.tHead.rows[0].cells];

// Cells with numbers have them in data-sort.
const compare = (one, other) => one.dataset.sort === undefined
  ? one.textContent.localeCompare(other.textContent)
  : one.dataset.sort - other.dataset.sort;

heads.forEach((head, column) => {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const before = head.getAttribute("aria-sort");
    const isNumber = rows[0]?.cells[column].dataset.sort !== undefined;
    const isDescending = before === null ? isNumber : before === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    rows.sort((one, other) => compare(one.cells[column], other.cells[column]) * (isDescending ? -1 : 1));
    table.tBodies[0].append(...rows);
  });
});

const find = document.querySelector(".find");
find.hidden = false;
find.querySelector("input").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  find.querySelector("output").textContent = words.length ? rows.filter((row) => !row.hidden).length + " found" : "";
});

// A closed list would be missing on paper.
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
