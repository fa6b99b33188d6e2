// What attempts did: why they ended, where and when they ran in a race, after what time they stalled.

function usedReasons(counts) {
  return data.reasons.map((reason, e) => e).filter((e) => counts.some((list) => list[e] > 0));
}

function attemptsTable() {
  const used = usedReasons(data.attempts.map((row) => row.ended));
  return sortableTable({
    id: "attempts", cap: 30, rows: data.attempts, filter: data.attempts.length > 12 ? "Filter configurations" : null,
    columns: [
      { name: "configuration", value: (row) => row.configuration, show: (row) => cut(row.configuration) },
      { name: "attempts", number: true, value: (row) => row.started },
      { name: "won", number: true, value: (row) => row.won },
      ...used.map((e) => ({ name: data.reasons[e][0].replace(/_/g, " "), title: data.reasons[e][1], number: true, value: (row) => row.ended[e], show: (row) => number(row.ended[e]) })),
      { name: "wall", number: true, value: (row) => row.wall, show: (row) => seconds(row.wall) },
      { name: "CPU", number: true, value: (row) => row.cpu, show: (row) => seconds(row.cpu) },
      { name: "monitors", title: "wall time of telling monitors and of their work", number: true, value: (row) => row.monitors, show: (row) => seconds(row.monitors) },
      { name: "spared", title: "what was left of the budgets of attempts that monitors ended", number: true, value: (row) => row.spared, show: (row) => seconds(row.spared) },
      { name: "solver", title: "share of the wall time spent in the solver", number: true, value: (row) => (row.wall > 0 ? row.solver / row.wall : null), show: (row) => percent(row.wall > 0 ? row.solver / row.wall : null) },
    ],
  });
}

// A bar an attempt, on the core it got; bars of different lanes on one core lie below one another.
function timelineFigure(run) {
  const lanes = new Map();
  for (const attempt of run.attempts) {
    const core = attempt[1] === "" ? "not bound" : "core " + shorten(oneLine(attempt[1]), 12);
    const key = core + "|" + attempt[3];
    if (!lanes.has(key)) lanes.set(key, { core, lane: attempt[3], attempts: [] });
    lanes.get(key).attempts.push(attempt);
  }
  const rows = [...lanes.values()].sort((p, q) => (p.core < q.core ? -1 : p.core > q.core ? 1 : p.lane - q.lane));
  const width = 980, left = 130, right = 16, tall = 30, top = 8, bottom = 44;
  const height = top + tall * rows.length + bottom;
  const { svg, figure } = svgFigure(width, height, "Timeline", true);
  const end = Math.max(1e-6, ...run.attempts.map((attempt) => attempt[6] + attempt[7]));
  const x = d3.scaleLinear([0, end], [left, width - right]);
  axis(svg, "bottom", x, `translate(0,${height - bottom})`, (made) => made.ticks(8));
  svg.append("text").attr("class", "name").attr("x", (left + width - right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text("seconds since the race began");
  rows.forEach((row, j) => {
    const y = top + tall * j;
    svg.append("text").attr("class", "name").attr("x", left - 12).attr("y", y + tall / 2 + 4).attr("text-anchor", "end").text(`${row.core}, lane ${row.lane}`);
    svg.append("line").attr("class", "grid").attr("x1", left).attr("x2", width - right).attr("y1", y + tall).attr("y2", y + tall);
    for (const [configuration, cpus, why, lane, reason, winner, start, wall, latency] of row.attempts) {
      const from = x(start), to = Math.max(from + 2, x(start + wall));
      const name = shorten(oneLine(configuration), 80);
      const text = [`${name}${winner ? ", the winner" : ""}`, `${data.reasons[reason][0].replace(/_/g, " ")} after ${seconds(wall)} (from ${seconds(start)} on)`,
        why ? shorten(oneLine(why), 200) : null, latency > 0 ? `stopped ${seconds(latency)} after it was asked to` : null].filter(Boolean).join("\n");
      const bar = svg.append("g").on("pointermove", (event) => showTip(event, text)).on("pointerleave", hideTip);
      bar.append("rect").attr("class", winner ? "winner" : null).attr("x", from).attr("y", y + 5).attr("width", to - from).attr("height", tall - 9)
        .attr("rx", 2).style("fill", reasonColour(reason)).attr("fill-opacity", 0.85);
      const letters = Math.floor((to - from - 10) / 6.8);
      if (letters >= 4)
        bar.append("text").attr("class", "on").attr("x", from + 6).attr("y", y + tall / 2 + 4.5).attr("font-size", 11).text(shorten(name, letters));
    }
  });
  return figure;
}

function reasonLegend(reasons) {
  return el("div", { class: "legend" }, reasons.map((e) =>
    el("span", { title: data.reasons[e][1] }, el("i", { style: `background:${reasonColour(e)}` }), data.reasons[e][0].replace(/_/g, " "))));
}

function timelineSection() {
  const { runs, seen } = data.timeline;
  if (!runs.length) return el("p", { class: "soft" }, "No run had more than one attempt.");
  const place = el("div");
  const draw = (index) => {
    const run = runs[index];
    place.replaceChildren(
      el("p", { class: "note" }, `${oneLine(shorten(run.plan, 80))} on `, cut(run.task), `: ${run.verdict}${run.contradiction ? ", CONTRADICTION" : ""} after ${seconds(run.wall)}; ${count(run.attempts.length, "attempt")}, ${count(run.cores, "core")}.`),
      reasonLegend([...new Set(run.attempts.map((attempt) => attempt[4]))].sort((a, b) => a - b)), timelineFigure(run));
  };
  const options = runs.map((run, i) => [i, shorten(oneLine(`${run.contradiction ? "contradiction! " : ""}${seconds(run.wall)} · ${run.task.split("/").slice(-2).join("/")} · ${run.plan}`), 110)]);
  draw(0);
  return el("div", { id: "timeline" },
    el("div", { class: "bar" }, choice("run", options, 0, draw), el("span", { class: "soft" }, seen > runs.length ? `the longest ${runs.length} of ${count(seen, "race")}, contradictions first` : "")), place);
}

function stallFigure(counts, name) {
  const edges = data.stall_edges;
  const width = 1000, height = 240, left = 50, right = 16, top = 10, bottom = 44;
  const { svg, figure } = svgFigure(width, height, "Stall times");
  const used = counts.map((n, b) => b).filter((b) => counts[b] > 0);
  const first = Math.max(0, used[0] - 2), last = Math.min(counts.length - 1, used[used.length - 1] + 2);
  const x = d3.scaleLog([edges[first], edges[last + 1]], [left, width - right]);
  const y = d3.scaleLinear([0, Math.max(...counts)], [height - bottom, top]);
  axis(svg, "bottom", x, `translate(0,${height - bottom})`, logAxis);
  axis(svg, "left", y, `translate(${left},0)`, (made) => made.ticks(Math.min(5, Math.max(...counts))).tickFormat(d3.format(",d")));
  svg.append("text").attr("class", "name").attr("x", (left + width - right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text("wall time until the stall was seen, s");
  for (const b of used)
    svg.append("rect").attr("x", x(edges[b]) + 1).attr("y", y(counts[b])).attr("width", Math.max(1, x(edges[b + 1]) - x(edges[b]) - 2))
      .attr("height", y(0) - y(counts[b])).style("fill", "var(--c1)")
      .on("pointermove", (event) => showTip(event, `${name}: ${count(counts[b], "stall")} after ${seconds(edges[b])} to ${seconds(edges[b + 1])}`)).on("pointerleave", hideTip);
  return figure;
}

function stallSection() {
  const rows = data.attempts.filter((row) => row.stalls.some((n) => n > 0));
  if (!rows.length) return el("p", { class: "soft" }, "No attempt was ended because it stalled.");
  const all = data.stall_edges.slice(1).map((edge, b) => rows.reduce((sum, row) => sum + row.stalls[b], 0));
  const place = el("div");
  const draw = (index) => place.replaceChildren(index < 0 ? stallFigure(all, "all") : stallFigure(rows[index].stalls, shorten(oneLine(rows[index].configuration), 60)));
  draw(-1);
  const total = (list) => list.reduce((sum, n) => sum + n, 0);
  const options = [[-1, `all configurations (${total(all)})`], ...rows.map((row, i) => [i, `${shorten(oneLine(row.configuration), 60)} (${total(row.stalls)})`])];
  return el("div", { id: "stalls" }, el("div", { class: "bar" }, choice("stalls of", options, -1, draw)), place);
}
