// ---- tables that stand whole in the page: a press on a head sorts, empty cells stay last ----
const valueOf = cell => cell.dataset.value === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.value);
const isEmpty = cell => cell.textContent === "-" || cell.textContent === "";
function compared(a, b) {
  const left = valueOf(a), right = valueOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
function sortRows(table, column, falling) {
  const rows = [...table.tBodies[0].rows], cells = row => row.cells[column];
  const full = rows.filter(row => !isEmpty(cells(row))), empty = rows.filter(row => isEmpty(cells(row)));
  full.sort((a, b) => (falling ? -1 : 1) * compared(cells(a), cells(b)));
  table.tBodies[0].append(...full, ...empty);
}
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = make("button", head.textContent), first = head.classList.contains("num") ? "descending" : "ascending";
    button.type = "button";
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort"), next = now === "descending" ? "ascending" : now === "ascending" ? "descending" : first;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      sortRows(table, column, next === "descending");
      announce(`Sorted by ${button.textContent}, ${next}`);
    });
    head.replaceChildren(button);
  });
}
