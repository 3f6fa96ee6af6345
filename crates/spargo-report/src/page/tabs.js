// The frame of the page: its heading and its tabs. A section without data has no tab.

const SECTIONS = [
  ["overview", "Overview", overview],
  ["front", "Front", front],
  ["classes", "Class map", classes],
  ["model", "Model", model],
  ["slices", "Slices", slices],
  ["inducing", "Inducing points", inducing],
  ["overhead", "Overhead", overhead],
  ["runs", "Runs", runs],
  ["trials", "Trials", trials],
];

/** What the study is after. */
function purpose() {
  const words = { maximize: "maximising", minimize: "minimising", classify: "classifying", limit: "limiting" };
  const word = ({ goal, name, marks }) =>
    goal === "level" ? `finding where ${name} is ${show(marks[0])}` : `${words[goal]} ${name}`;
  const text = DATA.outputs.map(word).join(", ");
  return text[0].toUpperCase() + text.slice(1);
}

function heading() {
  const { name, observed, failed, pending } = DATA.overview;
  const parts = [purpose(), count(observed, "outcome", "outcomes")];
  if (failed) parts.push(`${count(failed, "trial", "trials")} failed`);
  if (pending) parts.push(`${count(pending, "trial", "trials")} pending`);
  document.title = `${name} · spargo`;
  document.getElementById("name").textContent = name;
  document.getElementById("summary").textContent = parts.join(" · ");
  const hidden = DATA.hidden
    ? `The ${DATA.inputs.length} most important inputs are shown, ${DATA.hidden} more are not. `
    : "";
  document.getElementById("footer").textContent =
    `${hidden}Written by spargo ${DATA.version}; everything is in this file.`;
}

function tabs() {
  const list = document.getElementById("tabs"),
    panels = document.getElementById("panels");
  const all = SECTIONS.filter(([id]) => DATA[id]).map(([id, title, draw]) => {
    const tab = el("button", { role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, type: "button" }, title);
    const panel = el("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, tabindex: "0" });
    list.append(tab);
    panels.append(panel);
    return { id, tab, panel, draw };
  });
  const open = (chosen) => {
    for (const entry of all) {
      const selected = entry === chosen;
      entry.tab.setAttribute("aria-selected", selected);
      entry.tab.tabIndex = selected ? 0 : -1;
      entry.panel.hidden = !selected;
    }
    // Drawn when it is first seen: what is hidden has no width.
    if (!chosen.panel.firstChild) chosen.panel.append(...chosen.draw(DATA[chosen.id]));
    chosen.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  all.forEach((entry, i) => {
    entry.tab.addEventListener("click", () => open(entry));
    entry.tab.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: all.length - 1 };
      if (!(event.key in moves)) return;
      event.preventDefault();
      const next = all[(moves[event.key] + all.length) % all.length];
      open(next);
      next.tab.focus();
    });
  });
  open(all.find(({ id }) => location.hash === `#${id}`) || all[0]);
}

heading();
tabs();
