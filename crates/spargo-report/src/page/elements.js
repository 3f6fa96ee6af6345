// Elements, numbers and words. All text goes in as text nodes, so no name is ever read as markup.

const DATA = JSON.parse(document.getElementById("data").textContent);

/** An element with attributes and children; strings become text, null is left out. */
function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A number in four digits; words as they are; what is missing as a dash. */
function show(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(String(value));
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-4 ? tidy(value.toExponential(digits - 1)) : String(Number(value.toPrecision(digits)));
  return minus(text);
}

function tidy(exponential) {
  const [mantissa, exponent] = exponential.split("e");
  return `${Number(mantissa)}e${Number(exponent)}`;
}

function minus(text) {
  return text.replace(/-/g, "−");
}

/** From here to there, both in so many digits. */
function interval(ends, digits = 4) {
  const plain = (value) => Number.isFinite(value) && Math.abs(value) < 1e5 && Math.abs(value) >= 1e-3;
  return ends.map((end) => (plain(end) ? minus(end.toPrecision(digits)) : show(end, digits))).join(" to ");
}

function count(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** At most so many characters of a word. */
function short(word, most) {
  const letters = [...String(word)];
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

/** Words on how to read what follows; nothing without words. */
function note(words) {
  return words ? el("p", { class: "note" }, words) : null;
}

/** Words that must not be missed. */
function notice(words) {
  return el("p", { class: "notice" }, words);
}

/** A titled box; the words below the title say how to read what is in it. */
function card(title, words, ...children) {
  return el("section", { class: "card" }, title ? el("h2", {}, title) : null, note(words), ...children);
}

/** How many outcomes are drawn, if these are not all. */
function drawn(shown, of, which = "") {
  if (shown.length === of) return "";
  return ` ${shown.length.toLocaleString("en")} of ${count(of, "outcome", "outcomes")} are drawn${which}.`;
}

/** Indices of the inputs, the most important one for this output first. */
function byImportance(output) {
  const { importance } = DATA.model[output];
  return importance.map((_, k) => k).sort((a, b) => importance[b] - importance[a]);
}

/** Names and values, one per line. */
function facts(pairs) {
  return el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());
}

/** A point by the names of its inputs. */
function values(point) {
  return facts(point.map((value, k) => [DATA.inputs[k].name, show(value, 5)]));
}

/** A list to choose from; `chosen(k)` hears of every choice. */
function choose(id, words, names, first, chosen) {
  const options = names.map((name, k) => el("option", { value: k, ...(k === first ? { selected: "" } : {}) }, name));
  const list = el("select", { id }, options);
  list.addEventListener("change", () => chosen(Number(list.value)));
  return el("label", {}, `${words} `, list);
}

/** What `draw(part, axis)` makes of the first output, and a list to choose another one if there are several. */
function byOutput(id, parts, draw) {
  const host = el("div", {});
  const show = (k) => host.replaceChildren(...draw(parts[k], DATA.outputs[k], k));
  show(0);
  if (parts.length === 1) return [host];
  const names = DATA.outputs.map(({ name }) => name);
  return [el("div", { class: "controls" }, choose(`output-${id}`, "Output", names, 0, show)), host];
}

/** How the belief in an output is drawn: a class by its probability. */
function beliefAxis(output, values) {
  if (output.goal === "classify") return { ...output, name: `probability of ${output.name}`, range: [0, 1] };
  return around(output, values);
}

/** Lines at the limits or the level of an output, as far as they are inside. */
function marked(layer, { marks }, scale, box, upright) {
  for (const value of marks.filter((value) => scale.inside(value))) {
    const at = scale.place(value);
    layer.append(upright ? line(at, box.top, at, box.bottom, "limit") : line(box.left, at, box.right, at, "limit"));
  }
}

/** A table of trials: `cells` of each row under `head`, then the inputs of its point. */
function trialTable(head, rows) {
  const words = DATA.inputs.map(({ kind }, k) => (kind === "choice" ? head.length + k : -1));
  const all = rows.map(({ cells, point }) => [...cells, ...point.map((value) => show(value))]);
  return table([...head, ...DATA.inputs.map(({ name }) => name)], all, words);
}

/** Rows below a head; the listed columns hold words. */
function table(head, rows, words) {
  const cell = (tag) => (value, k) => el(tag, words.includes(k) ? { class: "word", title: value } : {}, String(value));
  const body = rows.map((row) => el("tr", {}, row.map(cell("td"))));
  const label = `table of ${head.filter(Boolean).join(", ")}`;
  const frame = { class: "scroll", role: "region", tabindex: "0", "aria-label": label };
  return el("div", frame, el("table", {}, el("thead", {}, el("tr", {}, head.map(cell("th")))), el("tbody", {}, body)));
}
