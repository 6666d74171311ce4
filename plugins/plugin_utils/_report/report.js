// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts the clients by the column whose head is clicked, numbers from the highest down. Without it the page shows the same.
"use strict";

const table = document.getElementById("all-clients");
// Cells with numbers have them in data-sort.
const compare = (one, other) => one.dataset.sort - other.dataset.sort || one.textContent.localeCompare(other.textContent);

[...table.tHead.rows[0].cells].forEach((head, column, heads) => {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const rows = [...table.tBodies[0].rows];
    const isNumber = rows[0]?.cells[column].dataset.sort !== undefined;
    const isDescending = isNumber ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
    heads.forEach((other) => { other.ariaSort = null; });
    head.ariaSort = isDescending ? "descending" : "ascending";
    rows.sort((one, other) => compare(one.cells[column], other.cells[column]) * (isDescending ? -1 : 1));
    table.tBodies[0].append(...rows);
  });
});
