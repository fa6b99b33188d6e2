// The frame of a figure: an SVG drawn with d3, that can be saved as a file of its own.

// Powers of ten have a word and a line; where there are few of them, twice and five times these too.
function logTicks(scale) {
  const [low, high] = scale.domain();
  const digits = high / low < 120 ? [1, 2, 5] : [1];
  return (value) => {
    const first = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    if (!digits.some((digit) => Math.abs(first - digit) < 1e-6)) return "";
    return value >= 1 ? d3.format(",")(value) : d3.format("~g")(value);
  };
}
const gridTicks = (scale) => scale.ticks(8).filter(logTicks(scale));

// Times below a millisecond are drawn as one: clocks say no more.
const SHORTEST = 0.001;
const clampTime = (value) => Math.max(value || 0, SHORTEST);
function timeDomain(values) {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) return [0.01, 1];
  low = Math.min(clampTime(low), high / 10);
  return [10 ** Math.floor(Math.log10(Math.max(low, SHORTEST / 10))), high * 1.05];
}

function svgFigure(width, height, name, wide) {
  const svg = d3.create("svg").attr("class", "figure").attr("viewBox", `0 0 ${width} ${height}`)
    .attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", name)
    .attr("xmlns", "http://www.w3.org/2000/svg");
  const holder = wide ? el("div", { class: "wide" }, svg.node()) : svg.node();
  const figure = el("figure", {}, holder, el("button", { onclick: () => saveFigure(svg.node(), name) }, "Save as SVG"));
  return { svg, figure };
}

// A saved figure is light, for papers: the variables of the style get their light values.
function figureText(node) {
  const light = document.body.appendChild(el("div", { "data-theme": "light", hidden: true }));
  const values = getComputedStyle(light);
  const resolve = (text) => text.replace(/var\((--[\w-]+)\)/g, (all, variable) => values.getPropertyValue(variable).trim());
  const copy = node.cloneNode(true);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = document.getElementById("figure-style").textContent;
  copy.prepend(style);
  const text = resolve(new XMLSerializer().serializeToString(copy));
  light.remove();
  return text;
}
function saveFigure(node, name) {
  const link = el("a", {
    href: URL.createObjectURL(new Blob([figureText(node)], { type: "image/svg+xml" })),
    download: name.toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".svg",
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function axis(svg, kind, scale, place, ticks) {
  const axes = { bottom: d3.axisBottom, left: d3.axisLeft };
  const made = axes[kind](scale).tickSizeOuter(0);
  if (ticks) ticks(made);
  svg.append("g").attr("class", "axis").attr("transform", place).call(made);
}
function logAxis(made) {
  made.ticks(8).tickFormat(logTicks(made.scale()));
}
