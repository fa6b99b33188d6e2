// What all parts use: the data, elements, numbers in words, colours.

const data = JSON.parse(document.getElementById("data").textContent);
const rowCount = data.rows.length - 1; // the last one is the virtual best
const virtualBest = rowCount;
const taskCount = data.tasks.length;

// An element. Text is text: nothing here makes markup of a name.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const shorten = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
const oneLine = (text) => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, "?");
const label = (row, most) => shorten(oneLine(data.rows[row].label), most || 60);
function cut(text) {
  const line = oneLine(text);
  return el("span", { class: "cut", title: line.length > 30 ? shorten(line, 600) : null }, shorten(line, 300));
}

function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0 s";
  if (value < 0.9995) return (value * 1000).toPrecision(value < 0.01 ? 2 : 3) * 1 + " ms";
  if (value < 100) return value.toPrecision(3) + " s";
  if (value < 6000) return Math.round(value) + " s";
  return (value / 3600).toFixed(1) + " h";
}
function bytes(value) {
  if (!value) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 999.5 && unit < 4) {
    value /= 1000;
    unit++;
  }
  return (value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)) + " " + units[unit];
}
const count = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many || one + "s"}`;
const percent = (share) => (share === null ? "–" : (100 * share).toFixed(share > 0.995 && share < 1 ? 1 : 0) + " %");

// The letters of an outcome, one a task: see outcome_letter in analysis/page.c.
function outcome(row, task) {
  const letter = data.cells[row].outcome[task];
  if (letter === "s") return { solved: true, verdict: "safe", text: "safe", letter };
  if (letter === "u") return { solved: true, verdict: "unsafe", text: "unsafe", letter };
  if (letter === "1") return { wrong: true, verdict: "safe", text: "wrong: safe", letter };
  if (letter === "2") return { wrong: true, verdict: "unsafe", text: "wrong: unsafe", letter };
  if (letter === "3") return { wrong: true, text: "contradiction", letter };
  if (letter === ".") return { missing: true, text: "not run", letter };
  if (letter === "!") return { error: true, text: "not readable", letter };
  const reason = data.reasons[letter.charCodeAt(0) - 65];
  return { text: reason ? reason[0].replace(/_/g, " ") : "unknown", letter };
}
const solved = (row, task) => {
  const letter = data.cells[row].outcome[task];
  return letter === "s" || letter === "u";
};

const colour = (index) => `var(--c${index % 8})`;
// One colour a reason, the same everywhere.
const reasonColours = {
  solved: "var(--c2)", stalled: "var(--c1)", timeout: "var(--c7)", steps: "var(--c4)", memory: "var(--c3)",
  lost: "var(--c5)", unknown: "var(--c0)", crashed: "var(--bad)", not_started: "var(--bad)", internal: "var(--bad)",
  solver_error: "var(--c6)", unsupported: "var(--line)", interrupted: "var(--line)", none: "var(--line)",
};
const reasonColour = (reason) => reasonColours[data.reasons[reason][0]] || "var(--c7)";

const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8)) + "px";
}
function hideTip() {
  tip.hidden = true;
}

function choice(name, options, selected, change) {
  const select = el("select", { onchange: () => change(Number(select.value)) });
  options.forEach(([value, text]) => select.append(el("option", { value, selected: value === selected }, text)));
  return el("label", {}, name, select);
}
