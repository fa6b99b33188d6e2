// Quantile plot: how many tasks a row solves within a time each.

function quantileFigure() {
  const times = data.rows.map((row, r) => {
    const list = [];
    for (let t = 0; t < taskCount; t++) if (solved(r, t)) list.push(clampTime(data.cells[r].wall[t]));
    return list.sort((a, b) => a - b);
  });
  const chosen = new Set(data.rows.map((row, r) => r).filter((r) => r < 6 || r === virtualBest || (data.rows[r].portfolio && r < 12)));
  const place = el("div");
  const line = (r) => (r === virtualBest ? "var(--ink)" : colour(r));
  const dash = (r) => (r === virtualBest ? "2 3" : r >= 16 ? "1 3" : r >= 8 ? "6 3" : null);

  function draw() {
    const width = 1000, height = 400, left = 62, right = 20, top = 12, bottom = 44;
    const { svg, figure } = svgFigure(width, height, "Quantile plot");
    const rows = [...chosen].sort((a, b) => a - b).filter((r) => times[r].length);
    const most = Math.max(1, ...rows.map((r) => times[r].length));
    const x = d3.scaleLinear([0, most], [left, width - right]);
    const ends = rows.flatMap((r) => [times[r][0], times[r][times[r].length - 1]]);
    const y = d3.scaleLog(timeDomain(ends), [height - bottom, top]);
    for (const tick of gridTicks(y))
      svg.append("line").attr("class", "grid").attr("x1", left).attr("x2", width - right).attr("y1", y(tick)).attr("y2", y(tick));
    axis(svg, "bottom", x, `translate(0,${height - bottom})`, (made) => made.ticks(Math.min(10, most)).tickFormat(d3.format(",d")));
    axis(svg, "left", y, `translate(${left},0)`, logAxis);
    svg.append("text").attr("class", "name").attr("x", (left + width - right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text("tasks solved");
    svg.append("text").attr("class", "name").attr("transform", `translate(14,${(height - bottom + top) / 2}) rotate(-90)`).attr("text-anchor", "middle").text("wall time of each, s");
    for (const r of rows) {
      const step = Math.max(1, Math.floor(times[r].length / 800)); // no finer than pixels
      const points = times[r].map((time, i) => [i, time]).filter(([i]) => i % step === 0 || i === times[r].length - 1);
      svg.append("path").attr("class", "line").style("stroke", line(r)).attr("stroke-dasharray", dash(r))
        .attr("d", "M" + points.map(([i, time]) => `${x(i + 1).toFixed(1)},${y(time).toFixed(1)}`).join("L"))
        .on("pointermove", (event) => showTip(event, `${label(r)}: ${count(times[r].length, "task")}`)).on("pointerleave", hideTip);
    }
    if (!rows.length)
      svg.append("text").attr("x", width / 2).attr("y", height / 2).attr("text-anchor", "middle").attr("class", "name").text("Nothing to draw: none of the chosen rows solved a task.");
    place.replaceChildren(figure);
  }
  const chips = el("div", { class: "chips" }, data.rows.map((row, r) =>
    el("label", {},
      el("input", { type: "checkbox", checked: chosen.has(r), onchange: (event) => { event.target.checked ? chosen.add(r) : chosen.delete(r); draw(); } }),
      el("i", { style: `background:${line(r)}` }), el("span", {}, label(r)))));
  draw();
  return el("div", { id: "quantile" }, chips, place);
}
