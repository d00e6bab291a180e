// Sort by a column's button, and search in all cells; each section on its own.
for (const section of document.querySelectorAll("section")) {
  const body = section.querySelector("tbody");
  const rows = [...body.rows];
  const heads = [...section.querySelectorAll("th")];
  const search = section.querySelector("input");
  const found = section.querySelector("output");

  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const falls = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const cell = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const compare = head.dataset.kind === "number"
        ? (a, b) => Number(cell(a)) - Number(cell(b))
        : (a, b) => cell(a).localeCompare(cell(b), "en", { numeric: true });
      rows.sort((a, b) => (falls ? -compare(a, b) : compare(a, b)));
      body.append(...rows);
    });
  });

  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    found.textContent = words.length ? `${shown} of ${rows.length}` : "";
  });
}
