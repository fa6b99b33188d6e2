// Two rows held against each other: scatter, matrix of outcomes, and the tasks.

const pair = { a: 0, b: 0 };
const DOT_COLOURS = { safe: "var(--c0)", unsafe: "var(--c1)", wrong: "var(--bad)", none: "var(--c7)" };

function scatterFigure() {
  const size = 520, left = 62, top = 12, right = 12, bottom = 48, strip = 34;
  const { svg, figure } = svgFigure(size, size, "Scatter plot");
  const points = [];
  let neither = 0;
  for (let t = 0; t < taskCount; t++) {
    const a = outcome(pair.a, t), b = outcome(pair.b, t);
    if (a.missing || b.missing || a.error || b.error) continue;
    if (!a.solved && !b.solved && !a.wrong && !b.wrong) neither++;
    else points.push({ t, a, b });
  }
  const times = points.flatMap(({ t, a, b }) => [a.solved ? data.cells[pair.a].wall[t] : 0, b.solved ? data.cells[pair.b].wall[t] : 0]).filter((x) => x > 0);
  const limits = [data.rows[pair.a].limit, data.rows[pair.b].limit].filter((x) => x > 0);
  const [low, high] = timeDomain([...times, ...limits]);
  const x = d3.scaleLog([low, high], [left, size - right - strip]);
  const y = d3.scaleLog([low, high], [size - bottom, top + strip]);
  const edgeX = size - right - strip / 2, edgeY = top + strip / 2;
  svg.append("rect").attr("class", "border").attr("x", size - right - strip).attr("y", top).attr("width", strip).attr("height", size - bottom - top);
  svg.append("rect").attr("class", "border").attr("x", left).attr("y", top).attr("width", size - right - left).attr("height", strip);
  for (const tick of gridTicks(x)) {
    svg.append("path").attr("class", "grid").attr("d", `M${x(tick)},${top + strip}V${size - bottom}M${left},${y(tick)}H${size - right - strip}`);
  }
  for (const factor of [1, 10, 0.1]) {
    const from = Math.max(low, low / factor), to = Math.min(high, high / factor);
    if (from < to)
      svg.append("path").attr("class", factor === 1 ? "dash" : "grid").attr("d", `M${x(from)},${y(from * factor)}L${x(to)},${y(to * factor)}`);
  }
  axis(svg, "bottom", x, `translate(0,${size - bottom})`, logAxis);
  axis(svg, "left", y, `translate(${left},0)`, logAxis);
  svg.append("text").attr("class", "name").attr("x", edgeX).attr("y", size - bottom + 16).attr("text-anchor", "middle").attr("font-size", 11).text("no");
  svg.append("text").attr("class", "name").attr("x", left - 8).attr("y", edgeY + 4).attr("text-anchor", "end").attr("font-size", 11).text("no");
  svg.append("text").attr("class", "name").attr("x", (left + size - right) / 2).attr("y", size - 8).attr("text-anchor", "middle").text(label(pair.a, 50) + ", s");
  svg.append("text").attr("class", "name").attr("transform", `translate(14,${(size - bottom + top) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(label(pair.b, 50) + ", s");
  const groups = new Map();
  for (const point of points) {
    const { t, a, b } = point;
    point.x = a.solved ? x(Math.min(high, clampTime(data.cells[pair.a].wall[t]))) : edgeX;
    point.y = b.solved ? y(Math.min(high, clampTime(data.cells[pair.b].wall[t]))) : edgeY;
    point.x = Math.max(left, point.x);
    point.y = Math.min(size - bottom, point.y);
    const kind = a.wrong || b.wrong ? "wrong" : a.solved ? a.verdict : b.verdict;
    if (!groups.has(kind)) groups.set(kind, []);
    groups.get(kind).push(`M${point.x.toFixed(1)},${point.y.toFixed(1)}h0`);
  }
  // One path for all dots of a kind: thousands of tasks stay light.
  for (const [kind, dots] of groups)
    svg.append("path").attr("class", "dots").style("stroke", DOT_COLOURS[kind]).attr("d", dots.join(""));
  const ring = svg.append("circle").attr("class", "ring").attr("r", 5).attr("visibility", "hidden");
  svg.on("pointermove", (event) => {
    const [px, py] = d3.pointer(event);
    let best = null, near = 14 * 14;
    for (const point of points) {
      const distance = (point.x - px) ** 2 + (point.y - py) ** 2;
      if (distance < near) [best, near] = [point, distance];
    }
    ring.attr("visibility", best ? "visible" : "hidden");
    if (!best) return hideTip();
    ring.attr("cx", best.x).attr("cy", best.y);
    const line = (row, result) => `${label(row, 40)}: ${result.text}, ${seconds(data.cells[row].wall[best.t])}`;
    showTip(event, `${shorten(oneLine(data.tasks[best.t][0]), 100)}\n${line(pair.a, best.a)}\n${line(pair.b, best.b)}`);
  });
  svg.on("pointerleave", () => { ring.attr("visibility", "hidden"); hideTip(); });
  return el("div", {}, figure,
    el("div", { class: "legend" }, [...groups.keys()].sort().map((kind) => el("span", {}, el("i", { style: `background:${DOT_COLOURS[kind]}` }), kind))),
    el("p", { class: "note" }, `Wall time with loading, logarithmic; the diagonals are equal and ten times. On the border (“no”): not solved. Solved by neither, not drawn: ${count(neither, "task")}.`));
}

function outcomeMatrix() {
  const kinds = new Map(); // in order of appearance of importance
  const known = ["safe", "unsafe", "wrong: safe", "wrong: unsafe", "contradiction"];
  const counts = new Map();
  for (let t = 0; t < taskCount; t++) {
    const a = outcome(pair.a, t).text, b = outcome(pair.b, t).text;
    kinds.set(a, true);
    kinds.set(b, true);
    counts.set(a + "|" + b, (counts.get(a + "|" + b) || 0) + 1);
  }
  const rank = (kind) => (known.includes(kind) ? known.indexOf(kind) : kind === "not run" ? 99 : 50);
  const names = [...kinds.keys()].sort((p, q) => rank(p) - rank(q) || (p < q ? -1 : 1));
  const clash = (a, b) => (a === "safe" && b === "unsafe") || (a === "unsafe" && b === "safe");
  const head = el("tr", {}, el("th", {}, ""), names.map((name) => el("th", {}, name)), el("th", {}, "all"));
  const sum = (pick) => {
    let total = 0;
    for (const [key, n] of counts) if (pick(...key.split("|"))) total += n;
    return total;
  };
  const body = names.map((a) => el("tr", {}, el("th", { scope: "row" }, a),
    names.map((b) => {
      const n = counts.get(a + "|" + b) || 0;
      return el("td", { class: n && clash(a, b) ? "bad" : a === b ? "same" : null }, number(n));
    }),
    el("td", {}, number(sum((p) => p === a)))));
  body.push(el("tr", {}, el("th", { scope: "row" }, "all"), names.map((b) => el("td", {}, number(sum((p, q) => q === b)))), el("td", {}, number(taskCount))));
  return el("div", {},
    el("h3", {}, "Pairs of outcomes"),
    el("p", { class: "note" }, "Down: ", cut(data.rows[pair.a].label), ". Across: ", cut(data.rows[pair.b].label), "."),
    el("div", { class: "scroll" }, el("table", { class: "matrix", id: "matrix" }, el("thead", {}, head), el("tbody", {}, body))));
}

function taskTable() {
  const solvers = new Uint16Array(taskCount), ran = new Uint16Array(taskCount);
  for (let r = 0; r < rowCount; r++) {
    for (let t = 0; t < taskCount; t++) {
      solvers[t] += solved(r, t);
      ran[t] += data.cells[r].outcome[t] !== ".";
    }
  }
  const result = (row) => (t) => {
    const found = outcome(row, t);
    return el("span", { class: found.wrong ? "bad" : found.solved ? null : "soft", title: found.error ? shorten(data.tasks[t][3], 400) : null }, found.text);
  };
  const time = (row) => (t) => (outcome(row, t).missing || outcome(row, t).error ? null : data.cells[row].wall[t]);
  const side = (row, name) => [
    { name, value: (t) => outcome(row, t).text, show: result(row), title: label(row, 200) },
    { name: `time ${name}`, number: true, value: time(row), show: (t) => seconds(time(row)(t)) },
  ];
  return sortableTable({
    id: "tasks", filter: "Filter tasks: name, family, outcome", cap: 40, rows: [...Array(taskCount).keys()],
    columns: [
      { name: "task", value: (t) => data.tasks[t][0], show: (t) => cut(data.tasks[t][0]) },
      { name: "family", value: (t) => data.families[data.tasks[t][2]], show: (t) => cut(data.families[data.tasks[t][2]]) },
      { name: "expected", value: (t) => data.tasks[t][1], show: (t) => data.tasks[t][1] || "–" },
      { name: "solved by", number: true, title: "rows that solve it, of those that ran it", value: (t) => solvers[t], show: (t) => `${solvers[t]} of ${ran[t]}` },
      { name: "fastest", number: true, value: (t) => (solved(virtualBest, t) ? data.cells[virtualBest].wall[t] : null), show: (t) => (solved(virtualBest, t) ? seconds(data.cells[virtualBest].wall[t]) : "–") },
      ...side(pair.a, "A"), ...side(pair.b, "B"),
    ],
  });
}

function compareSection() {
  const portfolio = data.rows.findIndex((row) => row.portfolio);
  pair.a = data.single_best < rowCount ? data.single_best : 0;
  pair.b = portfolio >= 0 && portfolio !== pair.a ? portfolio : [...data.rows.keys()].find((r) => r !== pair.a);
  const place = el("div", { class: "pair" }), tasks = el("div");
  const draw = () => {
    place.replaceChildren(scatterFigure(), outcomeMatrix());
    tasks.replaceChildren(taskTable());
  };
  const options = data.rows.map((row, r) => [r, label(r)]);
  const pick = (side) => choice(side.toUpperCase(), options, pair[side], (r) => { pair[side] = r; draw(); });
  draw();
  return [el("div", { class: "bar", id: "pair" }, pick("a"), pick("b")), place, el("h3", {}, "Tasks"), tasks];
}
