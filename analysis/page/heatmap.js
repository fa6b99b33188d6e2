// Heat map: rows by task families.

const MOST_FAMILIES = 40;
const MOST_MAP_ROWS = 40;

const heatMetrics = [
  { name: "solved", value: (cell) => (cell[0] ? cell[1] / cell[0] : null), show: (cell) => `${cell[1]}`, log: false },
  { name: "wall time of solved", value: (cell) => (cell[1] ? cell[2] : null), show: (cell) => seconds(cell[2]), log: true },
  { name: "largest memory of a run", value: (cell) => (cell[3] ? cell[3] : null), show: (cell) => bytes(cell[3]), log: true },
];

function heatMapFigure(metric) {
  const sizes = data.families.map((name, f) => [f, data.family_cells[virtualBest][f][0]]).sort((a, b) => b[1] - a[1]);
  const families = sizes.slice(0, MOST_FAMILIES).map(([f]) => f).sort((a, b) => a - b);
  const rows = [...data.rows.keys()].filter((r) => r < MOST_MAP_ROWS || r === virtualBest);
  const longest = Math.max(...families.map((f) => Math.min(22, data.families[f].length)));
  const tall = 24, left = 210, top = 40 + 4.2 * longest;
  const wide = Math.max(52, Math.min(110, 640 / families.length));
  const width = left + wide * families.length + 60, height = top + tall * rows.length + 8;
  const { svg, figure } = svgFigure(width, height, "Heat map " + metric.name, true);
  const values = rows.flatMap((r) => families.map((f) => metric.value(data.family_cells[r][f]))).filter((v) => v !== null && v > 0);
  const scale = metric.log
    ? d3.scaleLog(values.length ? [Math.min(...values), Math.max(...values) * 1.001] : [1, 10], [0.08, 0.95])
    : d3.scalePow([0, 1], [0, 0.95]).exponent(3) // most differences are near the top;
  families.forEach((f, i) => {
    svg.append("text").attr("class", "name").attr("transform", `translate(${left + wide * (i + 0.5)},${top - 8}) rotate(-35)`)
      .text(`${shorten(oneLine(data.families[f]), 22)} (${data.tasks.reduce((n, task) => n + (task[2] === f), 0)})`);
  });
  rows.forEach((r, j) => {
    const y = top + tall * j;
    svg.append("text").attr("x", left - 10).attr("y", y + tall / 2 + 4).attr("text-anchor", "end")
      .attr("font-style", r === virtualBest ? "italic" : null).text(label(r, 26));
    families.forEach((f, i) => {
      const cell = data.family_cells[r][f];
      const value = metric.value(cell);
      const strength = value === null || value <= 0 ? 0 : scale(value);
      const text = `${label(r)}, ${shorten(oneLine(data.families[f]), 80)}\n${cell[1]} of ${cell[0]} solved, ${seconds(cell[2])}, ${bytes(cell[3])}`;
      const box = svg.append("g").on("pointermove", (event) => showTip(event, text)).on("pointerleave", hideTip);
      box.append("rect").attr("class", "empty").attr("x", left + wide * i + 1).attr("y", y + 1).attr("width", wide - 2).attr("height", tall - 2);
      box.append("rect").attr("x", left + wide * i + 1).attr("y", y + 1).attr("width", wide - 2).attr("height", tall - 2)
        .style("fill", metric.log ? "var(--c1)" : "var(--c0)").attr("fill-opacity", strength.toFixed(3));
      box.append("text").attr("class", strength > 0.55 ? "on" : null).attr("x", left + wide * (i + 0.5)).attr("y", y + tall / 2 + 4)
        .attr("text-anchor", "middle").attr("font-size", 11).text(value === null ? "–" : metric.show(cell));
    });
  });
  return figure;
}

function heatMapSection() {
  const place = el("div");
  const draw = (index) => place.replaceChildren(heatMapFigure(heatMetrics[index]));
  draw(0);
  const notes = [];
  if (data.families.length > MOST_FAMILIES) notes.push(`The ${MOST_FAMILIES} largest of ${data.families.length} families.`);
  if (rowCount > MOST_MAP_ROWS) notes.push(`The best ${MOST_MAP_ROWS} of ${rowCount} rows.`);
  return el("div", { id: "heat" },
    el("div", { class: "bar" }, choice("show", heatMetrics.map((metric, i) => [i, metric.name]), 0, draw)), place,
    notes.length ? el("p", { class: "note" }, notes.join(" ")) : null);
}
