// What was found so far: the best points, and how the outcomes came.

function overview(data) {
  const shown = [];
  if (DATA.without_model) shown.push(notice(DATA.without_model));
  for (const warning of data.warnings) shown.push(notice(`Warning: ${warning}.`));
  if (data.best) shown.push(bestCards(data.best));
  if (data.feasibility && data.observed) shown.push(feasibility(data));
  if (data.observed || data.failed) shown.push(convergence(data));
  if (data.reasons.length) {
    const rows = data.reasons.map(([reason, times]) => [times.toLocaleString("en"), reason]);
    shown.push(card("Why trials failed", null, table(["times", "reason"], rows, [1])));
  }
  const settings = [...data.settings, ...DATA.inputs.map((axis) => [axis.name, domain(axis)])];
  return [...shown, card("Settings", null, facts(settings))];
}

function domain({ kind, range, choices }) {
  if (kind === "choice") return short(choices.map(String).join(", "), 200);
  return `${show(range[0])} to ${show(range[1])}${kind === "log" ? ", logarithmic" : ""}`;
}

/** The first output that is optimised. */
function objective() {
  return DATA.outputs.find(({ goal }) => goal === "maximize" || goal === "minimize");
}

function bestCards({ believed, trial, value, point }) {
  const found = (title, value, id, words, at) => {
    const figure = el("div", { class: "figure", id: `best-${id}` }, show(value, 5));
    return card(title, null, figure, note(words), values(at));
  };
  const cards = [];
  if (believed) {
    const words = `What models believe of ${objective().name} at trial ${believed.trial}, which they take for the best of all evaluated points. Without noise, it is ${interval(believed.interval, 5)} with 95 % probability.`;
    cards.push(found("Believed best", believed.mean, "believed", words, believed.point));
  }
  const words = `The best single outcome, at trial ${trial}. With noise, the best of many outcomes flatters.`;
  cards.push(found("Best observed", value, "observed", words, point));
  return el("div", { class: "columns" }, cards);
}

/** How many outcomes satisfy each constraint, and all of them. */
function feasibility({ feasibility: { all, each }, observed }) {
  const rows = each.map(([k, kept]) => [DATA.outputs[k].name, DATA.outputs[k].limit, kept.toLocaleString("en")]);
  const none = all ? "" : " Until one does, the search first reduces the violation.";
  const words = `${all.toLocaleString("en")} of ${count(observed, "outcome satisfies", "outcomes satisfy")} all constraints.${none}`;
  return card("Feasibility", words, table(["output", "limit", "outcomes within"], rows, [0, 1]));
}

const ORIGINS = {
  design: ["grey", "spread over the space"],
  model: ["blue", "chosen by the model"],
  added: ["green", "told without being asked for"],
};

function convergence(data) {
  const drawings = byOutput("course", data.courses, (own, output) => course({ ...data, ...own }, output));
  return card("Outcomes, trial by trial", null, ...drawings);
}

function course(data, output) {
  const outcomes = data.points.map(({ value }) => value);
  const x = { name: "trial", kind: "linear", range: [0, Math.max(data.last, 1)] };
  const y = within(output, outcomes, output.goal);
  const beyond = outcomes.filter((value) => value < y.range[0] || value > y.range[1]).length;
  const draw = (layer, sx, sy, box) => {
    const marks = [];
    for (const { trial, value, origin } of data.points) {
      if (!sy.inside(value)) continue;
      const [px, py] = [sx.place(trial), sy.place(value)];
      layer.append(dot(px, py, 2.5, `dot ${ORIGINS[origin][0]}`));
      marks.push({ x: px, y: py, text: `trial ${trial}\n${show(value)}` });
    }
    marked(layer, output, sy, box, false);
    for (const trial of data.failures) layer.append(cross(sx.place(trial), box.bottom - 4, 3));
    const steps = [];
    data.curve.forEach(([trial, value], i) => {
      const end = i + 1 < data.curve.length ? data.curve[i + 1][0] : data.last;
      const at = sy.place(clamp(value, ...y.range));
      steps.push([sx.place(trial), at], [sx.place(end), at]);
    });
    layer.append(svg("path", { class: "best", d: path(steps) }));
    return marks;
  };
  const origins = Object.entries(ORIGINS).filter(([name]) => data.points.some(({ origin }) => origin === name));
  const key = legend(
    data.curve.length ? [line(0, 8, 16, 8, "best"), "best so far"] : null,
    output.marks.length ? [line(0, 8, 16, 8, "limit"), output.goal === "level" ? "level" : "limit"] : null,
    ...origins.map(([, [colour, words]]) => [dot(8, 8, 4, colour), words]),
    data.failures.length ? [cross(8, 8, 4), "failed"] : null,
  );
  const part = drawn(data.points, data.observed, ", the best among them");
  const far = beyond ? ` ${count(beyond, "outcome lies", "outcomes lie")} beyond the axis.` : "";
  const drawing = plot(() => ({ label: "outcomes and the best so far against trials", x, y, height: 320, draw }));
  return [note(part + far), key, drawing].filter(Boolean);
}
