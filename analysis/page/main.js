// The page from top to bottom.

const page = document.getElementById("report");
const sections = [];
function section(id, title, note, ...content) {
  sections.push([id, title]);
  page.append(el("section", {}, el("h2", { id }, title), note ? el("p", { class: "note" }, note) : null, content));
}

function heading() {
  const date = (ms) => new Date(ms).toISOString().slice(0, 10);
  const when = !data.from ? "" : date(data.from) === date(data.to) ? date(data.from) : `${date(data.from)} to ${date(data.to)}`;
  const facts = [count(data.runs, "run"), count(taskCount, "task"), count(rowCount, "plan or configuration", "plans and configurations"), when,
    data.hosts.length ? "on " + data.hosts.slice(0, 3).map((host) => shorten(oneLine(host), 40)).join(", ") + (data.hosts.length > 3 ? " and others" : "") : "",
    data.versions.length ? "Regatta " + data.versions.slice(0, 3).map((v) => shorten(oneLine(v), 20)).join(", ") : ""];
  const dark = () => document.documentElement.dataset.theme === "dark";
  const toggle = el("button", { onclick: () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; name(); } });
  const name = () => { toggle.textContent = dark() ? "Light" : "Dark"; };
  name();
  const files = shorten(oneLine(data.files.map((file) => file.split("/").pop()).join(", ")), 120);
  if (files) document.title = files + " – Regatta report";
  page.append(el("header", {}, el("h1", {}, files || "Regatta report"), toggle), el("p", { class: "lead" }, facts.filter(Boolean).join(" · ")));
}

// Whether the machine can be trusted with the times.
function disturbance() {
  const { known, foreign, stolen, swapped, throttled } = data.disturbance;
  if (!known) return;
  const parts = [[foreign, "had others' load on their cores"], [stolen, "lost time to a hypervisor"], [swapped, "saw swapping"], [throttled, "were slowed down for heat"]];
  const words = parts.filter(([n]) => n > 0).map(([n, what]) => `${n.toLocaleString("en")} ${what}`);
  page.append(el("p", { class: "note", id: "disturbance" }, `Of ${count(known, "run")} whose machine was watched, ` + (words.length ? words.join(", ") + "." : "none was disturbed.")));
}

// Contradictions and wrong verdicts stand before anything else.
function alarms(disputed) {
  const list = [];
  for (let r = 0; r < rowCount; r++) {
    if (!data.rows[r].wrong) continue;
    for (let t = 0; t < taskCount; t++) {
      const found = outcome(r, t);
      if (found.wrong) list.push({ r, t, found });
    }
  }
  list.sort((a, b) => (b.found.letter === "3") - (a.found.letter === "3") || a.t - b.t || a.r - b.r);
  if (!list.length) {
    page.append(el("p", { class: "quiet", id: "alarms" }, taskCount && !disputed ? "No wrong verdict and no contradiction." : ""));
    return;
  }
  page.append(el("div", { class: "alarm", id: "alarms" },
    el("h2", {}, count(list.length, "wrong verdict")),
    sortableTable({
      id: "alarm-table", rows: list, cap: 20,
      columns: [
        { name: "task", value: ({ t }) => data.tasks[t][0], show: ({ t }) => cut(data.tasks[t][0]) },
        { name: "plan or configuration", value: ({ r }) => data.rows[r].label, show: ({ r }) => cut(data.rows[r].label) },
        { name: "what", value: ({ found }) => found.text, show: ({ found }) => el("span", { class: "bad" }, found.letter === "3" ? "its attempts contradict each other" : "says " + found.verdict) },
        { name: "expected", value: ({ t }) => data.tasks[t][1], show: ({ t }) => data.tasks[t][1] || "–" },
      ],
    })));
}

// Rows that answer the same task differently, where no expected verdict says who is wrong.
function disagreements() {
  const list = [];
  for (let t = 0; t < taskCount; t++) {
    if (data.tasks[t][1] !== "") continue;
    let safe = [], unsafe = [];
    for (let r = 0; r < rowCount; r++) {
      const letter = data.cells[r].outcome[t];
      if (letter === "s") safe.push(r);
      if (letter === "u") unsafe.push(r);
    }
    if (safe.length && unsafe.length) list.push({ t, safe, unsafe });
  }
  return list;
}
function showDisagreements(list) {
  if (!list.length) return;
  const names = (rows) => cut(rows.map((r) => data.rows[r].label).join(", "));
  page.append(el("div", { class: "alarm", id: "disagreements" },
    el("h2", {}, count(list.length, "task") + " with answers that contradict each other"),
    sortableTable({
      id: "disagreement-table", rows: list, cap: 20,
      columns: [
        { name: "task", value: ({ t }) => data.tasks[t][0], show: ({ t }) => cut(data.tasks[t][0]) },
        { name: "safe say", value: ({ safe }) => data.rows[safe[0]].label, show: ({ safe }) => names(safe) },
        { name: "unsafe say", value: ({ unsafe }) => data.rows[unsafe[0]].label, show: ({ unsafe }) => names(unsafe) },
      ],
    })));
}

function cards() {
  const best = data.rows[virtualBest];
  const single = data.rows[data.single_best];
  const portfolio = data.rows.find((row) => row.portfolio);
  const card = (what, row, more) => el("div", { class: "card" }, el("div", { class: "what" }, what),
    el("div", { class: "number" }, `${row.solved.toLocaleString("en")} `, el("span", { class: "soft" }, `of ${taskCount.toLocaleString("en")}`)),
    el("div", { class: "more" }, more));
  const list = [];
  const par2 = (row) => `PAR-2 ${seconds(row.par2)}`;
  if (portfolio && data.configurations_only) list.push(card("best portfolio: " + shorten(oneLine(portfolio.label), 28), portfolio, par2(portfolio)));
  if (single) list.push(card((data.configurations_only ? "single best: " : "best: ") + shorten(oneLine(single.label), 28), single, par2(single)));
  list.push(card("virtual best", best, par2(best)));
  const node = el("div", { class: "cards" }, list);
  const words = [];
  if (portfolio && data.configurations_only && single) {
    const name = shorten(oneLine(portfolio.label), 40);
    if (portfolio.gap !== null)
      words.push(portfolio.gap < 0 ? `By PAR-2, ${name} is worse than the single best configuration.`
        : `By PAR-2, ${name} closes ${percent(portfolio.gap)} of the gap between the single best configuration and the virtual best.`);
    const more = data.rows.findIndex((row) => row === portfolio);
    let only = 0;
    for (let t = 0; t < taskCount; t++) only += solved(more, t) && !solved(virtualBest, t);
    if (only) words.push(`It solves ${count(only, "task")} that no configuration alone solves.`);
  }
  page.append(node, words.length ? el("p", {}, words.join(" ")) : "");
  const portfolios = data.rows.filter((row) => row.portfolio);
  if (portfolios.length > 1 && data.configurations_only && single)
    page.append(sortableTable({
      id: "yardsticks", cap: 10, rows: portfolios,
      columns: [
        { name: "portfolio", value: (row) => row.label, show: (row) => cut(row.label) },
        { name: "solved", number: true, value: (row) => row.solved },
        { name: "than single best", number: true, value: (row) => row.solved - single.solved, show: (row) => signed(row.solved - single.solved) },
        { name: "than virtual best", number: true, value: (row) => row.solved - best.solved, show: (row) => signed(row.solved - best.solved) },
        { name: "PAR-2", number: true, value: (row) => row.par2, show: (row) => seconds(row.par2) },
        { name: "gap closed", number: true, title: "of the way in PAR-2 from the single best to the virtual best", value: (row) => row.gap, show: (row) => (row.gap === null ? "–" : row.gap < 0 ? "worse" : percent(row.gap)) },
      ],
    }));
}
const signed = (n) => (n > 0 ? "+" + n : n < 0 ? "−" + -n : "0");

function outcomeBar(row) {
  const parts = [[row.safe, "var(--c0)", "safe"], [row.unsafe, "var(--c5)", "unsafe"], [row.wrong, "var(--bad)", "wrong"], [row.unknown, "var(--line)", "unknown"]];
  const all = parts.reduce((sum, part) => sum + part[0], 0) || 1;
  return el("span", { class: "stack", role: "img", "aria-label": parts.map(([n, , name]) => `${n} ${name}`).join(", ") },
    parts.filter((part) => part[0]).map(([n, fill, name]) => el("span", { style: `width:${(100 * n) / all}%;background:${fill}`, title: `${n} ${name}` })));
}

function scoreTable() {
  const whole = (name, field, title, bad) => ({ name, title, number: true, value: (row) => row[field], show: (row) => el("span", { class: row[field] === 0 ? "zero" : bad ? "bad" : null }, row[field].toLocaleString("en")) });
  const time = (name, field, title) => ({ name, title, number: true, value: (row) => row[field], show: (row) => seconds(row[field]) });
  const any = (field) => data.rows.some((row) => row[field]);
  return sortableTable({
    id: "scores", filter: rowCount > 12 ? "Filter plans and configurations" : null, cap: 25, rows: data.rows, pinned: (row) => row.virtual,
    rowClass: (row) => (row.virtual ? "virtual" : row.portfolio ? "portfolio" : null),
    columns: [
      { name: "plan or configuration", value: (row) => row.label, show: (row) => cut(row.label) },
      { name: "outcomes", value: (row) => row.solved, show: outcomeBar, title: "safe, unsafe, wrong, unknown" },
      whole("solved", "solved"), whole("safe", "safe"), whole("unsafe", "unsafe"), whole("wrong", "wrong", "against the expected verdict, or a contradiction", true),
      any("checked") ? whole("checked", "checked", "by somebody else than who answered, on the model as given") : null, whole("unknown", "unknown"), any("errors") ? whole("not read", "errors", "the task could not be read") : null, any("missing") ? whole("not run", "missing") : null,
      { name: "score", number: true, title: "SV-COMP: +2 right safe, +1 right unsafe, −32 wrong safe, −16 wrong unsafe; only tasks with an expected verdict", value: (row) => row.points },
      time("PAR-2", "par2", "mean over the base of the wall time, or twice the limit where not solved or not run"), time("total", "total", "wall time of the solved tasks"), time("median", "median", "wall time of the solved tasks"), time("CPU", "cpu", "of all runs"),
      { name: "memory", number: true, title: "largest of a run: its process, else the attempts' own structures", value: (row) => row.peak || null, show: (row) => bytes(row.peak) },
    ].filter(Boolean),
  });
}

function unknownTable() {
  const used = usedReasons(data.rows.map((row) => row.unknown_by));
  if (!used.length) return el("p", { class: "soft" }, "Every run that could be read gave an answer.");
  return sortableTable({
    id: "unknowns", cap: 25, rows: data.rows, pinned: (row) => row.virtual, rowClass: (row) => (row.virtual ? "virtual" : null),
    columns: [
      { name: "plan or configuration", value: (row) => row.label, show: (row) => cut(row.label) },
      { name: "unknown", number: true, value: (row) => row.unknown, show: (row) => number(row.unknown) },
      ...used.map((e) => ({ name: data.reasons[e][0].replace(/_/g, " "), title: data.reasons[e][1], number: true, value: (row) => row.unknown_by[e], show: (row) => number(row.unknown_by[e]) })),
    ],
  });
}

function coverSection() {
  const { cover } = data;
  if (!cover.tasks) return el("p", { class: "soft" }, "No task was solved.");
  let sum = 0;
  const rows = cover.rows.map((r, i) => el("tr", {}, el("td", {}, cut(data.rows[r].label)), el("td", {}, String(data.rows[r].solved)), el("td", {}, "+" + cover.adds[i]), el("td", {}, String((sum += cover.adds[i]))), el("td", {}, percent(sum / cover.tasks)), el("td", {}, number(data.rows[r].unique))));
  const exact = cover.at_least === cover.rows.length;
  return el("div", { id: "cover" },
    el("p", {}, `${count(cover.rows.length, data.configurations_only ? "configuration" : "row")} ${cover.rows.length === 1 ? "alone solves" : "together solve"} all ${count(cover.tasks, "task")} that any solves; `,
      exact ? "no smaller set does." : `a smaller set is not excluded, but none below ${cover.at_least}.`),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["smallest set", "solves", "adds", "together", "of virtual best", "only it"].map((name) => el("th", {}, name)))), el("tbody", {}, rows))));
}

heading();
const disputed = disagreements();
alarms(disputed.length > 0);
showDisagreements(disputed);
if (rowCount === 0) {
  page.append(el("p", { class: "soft", id: "empty" }, "There is no finished run in these records."));
} else {
  disturbance();
  const nav = page.appendChild(el("nav", { "aria-label": "Sections" }));
  cards();
  section("scores-title", "Scores", "Click a head to sort. Portfolios are set in bold; the virtual best takes the fastest right answer of the " + (data.configurations_only ? "configurations" : "rows") + " on each task.", el("div", {}, scoreTable(), data.explanation.trim().split("\n").map((line) => el("p", { class: "soft" }, line))));
  section("quantile-title", "Time", "How many tasks are solved within a time each: further right and lower is better.", quantileFigure());
  section("cover-title", "Who is needed", null, coverSection());
  section("families-title", "Families", "Darker is more; the number in brackets is how many tasks a family has.", heatMapSection());
  section("compare-title", "Two compared", null, ...compareSection());
  section("unknown-title", "No answer", "Why runs ended without an answer.", unknownTable());
  if (data.attempts.length) {
    section("attempts-title", "Attempts", "Every configuration that was started, alone or in a portfolio, and why it ended.", attemptsTable());
    section("timeline-title", "Races", "Which attempt ran where, when, and why it ended. The winner is outlined.", timelineSection());
    section("stalls-title", "Stalls", null, stallSection());
  }
  nav.append(...sections.map(([id, title]) => el("a", { href: "#" + id }, title)));
}
page.append(el("footer", {}, `Made by Regatta ${data.version}. Wall times include loading, not the start of the process. Monitors: the wall time of telling them and of their work.`));
