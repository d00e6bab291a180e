// Sort by a column's button, find rows by their words, follow the reader in the contents, change the theme.
const number = (cell) => (cell.dataset.value === undefined ? NaN : Number(cell.dataset.value));

for (const block of document.querySelectorAll(".block")) {
  const body = block.querySelector("tbody");
  if (!body) continue;
  const rows = [...body.rows];
  const heads = [...block.querySelectorAll("thead tr:last-child > *")];
  heads.forEach((head, column) => {
    head.querySelector("button")?.addEventListener("click", () => {
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      rows.sort((a, b) => {
        const [x, y] = [a.cells[column], b.cells[column]];
        if (!head.classList.contains("n")) return sign * x.textContent.localeCompare(y.textContent, "en", { numeric: true });
        const [m, n] = [number(x), number(y)];
        // What has no value stays at the end, whichever way the rest is sorted.
        if (Number.isNaN(m) || Number.isNaN(n)) return Number.isNaN(m) - Number.isNaN(n);
        return sign * (m - n);
      });
      body.append(...rows);
    });
  });
  const search = block.querySelector("input[type=search]");
  const found = block.querySelector("output");
  search?.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    found.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  });
}

const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
if ("IntersectionObserver" in window) {
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) seen[entry.isIntersecting ? "add" : "delete"](entry.target.id);
    const current = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  document.querySelectorAll("section[id]").forEach((section) => watcher.observe(section));
}

// Where a table is wider than the page, a line above it says so.
const watched = new ResizeObserver((entries) => {
  for (const { target } of entries) target.previousElementSibling.hidden = target.scrollWidth <= target.clientWidth + 1;
});
for (const scroll of document.querySelectorAll(".scroll")) {
  const said = document.createElement("p");
  said.className = "sideways";
  said.textContent = "There is more to the right: scroll sideways \u2192";
  said.hidden = true;
  scroll.before(said);
  watched.observe(scroll);
}

const theme = document.querySelector(".theme");
if (theme) theme.hidden = false;
theme?.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
