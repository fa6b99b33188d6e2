// A table that sorts by a click on a head, filters by words, and shows as many rows as fit a page.
//
// columns: { name, value(row) to sort and filter by, show(row) a text or node, number, title }
// pinned(row): stays at the end, whatever is sorted, filtered or left out

function sortableTable({ id, columns, rows, sort, filter, cap = 60, rowClass, pinned = () => false }) {
  let order = sort || null;
  let shown = cap;
  let words = [];
  const body = el("tbody");
  const more = el("button", { onclick: () => { shown += 500; fill(); } });
  const status = el("span", { class: "soft" });
  const heads = columns.map((column, index) => {
    const button = el("button", { title: column.title, onclick: () => sortBy(index) }, column.name);
    return el("th", { class: column.number ? null : "text", scope: "col" }, button);
  });

  function sortBy(index) {
    const down = columns[index].number === true;
    order = order && order[0] === index ? [index, !order[1]] : [index, down];
    fill();
  }
  function compare(a, b) {
    const x = columns[order[0]].value(a);
    const y = columns[order[0]].value(b);
    const noX = x === null || x === undefined;
    const noY = y === null || y === undefined;
    if (noX || noY) return noX - noY; // what is missing stays last
    const sign = x < y ? -1 : x > y ? 1 : 0;
    return order[1] ? -sign : sign;
  }
  const texts = new Map();
  function textOf(row) {
    if (!texts.has(row))
      texts.set(row, columns.map((column) => column.value(row)).join(" ").toLowerCase());
    return texts.get(row);
  }
  function fill() {
    const list = rows.filter((row) => !pinned(row) && words.every((word) => textOf(row).includes(word)));
    if (order) list.sort(compare);
    heads.forEach((head, index) => {
      if (order && order[0] === index) head.setAttribute("aria-sort", order[1] ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...[...list.slice(0, shown), ...rows.filter(pinned)].map((row) =>
      el("tr", { class: rowClass ? rowClass(row) : null },
        columns.map((column) => el("td", { class: column.number ? null : "text" }, column.show ? column.show(row) : (column.value(row) ?? "–").toLocaleString("en"))))));
    more.hidden = list.length <= shown;
    more.textContent = `Show more (${(list.length - shown).toLocaleString("en")} left)`;
    status.textContent = words.length ? `${list.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
  }
  const input = el("input", {
    type: "search", placeholder: filter || "", "aria-label": filter || "filter",
    oninput: () => {
      words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      shown = cap;
      fill();
    },
  });
  fill();
  const table = el("table", { id }, el("thead", {}, el("tr", {}, heads)), body);
  const parts = [el("div", { class: "scroll" }, table), el("div", { class: "bar" }, more)];
  if (filter) parts.unshift(el("div", { class: "bar" }, input, status));
  return el("div", {}, parts);
}

const number = (value, text) => el("span", { class: value === 0 ? "zero" : null }, text === undefined ? value.toLocaleString("en") : text);
