// Tables of verdicts: a click on a heading sorts by it, a second click reverses the order.
document.addEventListener("DOMContentLoaded", () => {
  const number = (text) => parseFloat((text.match(/[-+−]?\d+(\.\d+)?/) || [""])[0].replace("−", "-"));
  const compare = (a, b) => {
    const [x, y] = [a, b].map((text) => text.trim());
    const word = x.replace(/[\d+−-].*$/s, "").localeCompare(y.replace(/[\d+−-].*$/s, ""));
    return word || number(x) - number(y) || x.localeCompare(y);
  };
  for (const table of document.querySelectorAll("table:has(.verdict)")) {
    table.classList.add("sortable");
    const body = table.tBodies[0];
    for (const [place, heading] of [...table.tHead.rows[0].cells].entries()) {
      const button = document.createElement("button");
      button.append(...heading.childNodes);
      heading.append(button);
      heading.ariaSort = "none";
      button.addEventListener("click", () => {
        const down = heading.ariaSort === "ascending";
        for (const other of table.tHead.rows[0].cells) other.ariaSort = "none";
        heading.ariaSort = down ? "descending" : "ascending";
        const text = (row) => row.cells[place].innerText;
        const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * compare(text(a), text(b)));
        body.append(...rows);
      });
    }
  }
});
