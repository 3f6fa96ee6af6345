// Several objectives: trials over any two of them, and the fronts that no trial goes beyond.

function front(data) {
  const axes = data.objectives.map((k) => {
    const all = [...data.trials, ...data.believed].map(({ values }) => values[k]);
    return { ...within(DATA.outputs[k], all, DATA.outputs[k].goal), index: k };
  });
  const chosen = [0, 1];
  const drawing = plot(() => ({
    label: "trials and fronts over two objectives",
    x: axes[chosen[0]],
    y: axes[chosen[1]],
    height: 440,
    pad: 8,
    draw: (...args) => compromises(data, axes[chosen[0]].index, axes[chosen[1]].index, ...args),
  }));
  const names = axes.map(({ name }) => name);
  const select = (side, words) =>
    choose(`front-${side ? "y" : "x"}`, words, names, chosen[side], (k) => {
      chosen[side] = k;
      drawing.redraw("force");
    });
  const infeasible = data.trials.some(({ feasible }) => !feasible);
  const key = legend(
    [dot(8, 8, 4, "blue"), "outcome"],
    infeasible ? [cross(8, 8, 4), "outcome beyond a limit"] : null,
    data.observed.length ? [dot(8, 8, 4, "green"), "observed front"] : null,
    data.believed.length ? [svg("circle", { class: "ring", cx: 8, cy: 8, r: 5 }), "believed front"] : null,
  );
  const [believed, observed] = data.counts;
  const part = data.trials.length < data.of ? ` ${data.trials.length} of ${data.of} outcomes are drawn.` : "";
  const words =
    `No other trial is better in every objective${DATA.overview.feasibility ? ", among those within all limits" : ""}: ` +
    `${count(believed, "trial", "trials")} by posterior mean, without noise, and ${observed} by outcome. ` +
    `With noise, the observed front flatters.${part}`;
  return [
    card(
      "Compromises",
      words,
      axes.length > 2 ? el("div", { class: "controls" }, select(0, "Across"), select(1, "Up")) : null,
      key,
      drawing,
    ),
    members("The believed front", "Posterior means", data.believed, believed),
    members("The observed front", "Outcomes", data.observed, observed),
  ].filter(Boolean);
}

function compromises(data, across, up, layer, sx, sy) {
  const marks = [];
  const fronts = new Set(data.observed.map(({ trial }) => trial));
  const say = (trial, values) =>
    `trial ${trial}\n` + DATA.outputs.map(({ name }, k) => `${name} ${show(values[k])}`).join("\n");
  for (const { trial, values, feasible } of data.trials) {
    if (!sx.inside(values[across]) || !sy.inside(values[up])) continue;
    const [px, py] = [sx.place(values[across]), sy.place(values[up])];
    const leads = fronts.has(trial);
    layer.append(feasible ? dot(px, py, leads ? 3.5 : 2.5, leads ? "green" : "dot blue") : cross(px, py, 3));
    marks.push({ x: px, y: py, text: say(trial, values) });
  }
  for (const { trial, values } of data.believed) {
    if (!sx.inside(values[across]) || !sy.inside(values[up])) continue;
    const [px, py] = [sx.place(values[across]), sy.place(values[up])];
    layer.append(dot(px, py, 5, "ring"));
    marks.push({ x: px, y: py, text: `believed, ${say(trial, values)}` });
  }
  return marks;
}

function members(title, what, list, of) {
  if (!list.length) return null;
  const head = ["trial", ...DATA.outputs.map(({ name }) => name), ...DATA.inputs.map(({ name }) => name)];
  const rows = list.map(({ trial, values, point }) => [
    trial,
    ...values.map((value) => show(value)),
    ...point.map((value) => show(value)),
  ]);
  const first = 1 + DATA.outputs.length;
  const words = DATA.inputs.map(({ kind }, k) => (kind === "choice" ? first + k : -1)).filter((k) => k >= 0);
  const some = list.length < of ? ` ${list.length} of ${of} are listed.` : "";
  return card(title, `${what}, the best ${DATA.outputs[DATA.front.objectives[0]].name} first.${some}`, table(head, rows, words));
}
