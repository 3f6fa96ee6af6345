// Several objectives: trials over any two of them, and the fronts that no trial goes beyond.

function front(data) {
  const axes = data.objectives.map((k) => {
    const all = [...data.trials, ...data.believed].map(({ values }) => values[k]);
    return { ...within(DATA.outputs[k], all, DATA.outputs[k].goal), index: k };
  });
  const chosen = [0, 1];
  const draw = (...args) => compromises(data, axes[chosen[0]].index, axes[chosen[1]].index, ...args);
  const label = "trials and fronts over two objectives";
  const { drawing, controls } = overTwo("front", axes, chosen, { label, height: 440, pad: 8, draw });
  const infeasible = data.trials.some(({ feasible }) => !feasible);
  const key = legend(
    [dot(8, 8, 4, "blue"), "outcome"],
    infeasible ? [cross(8, 8, 4), "outcome beyond a limit"] : null,
    data.observed.length ? [dot(8, 8, 4, "green"), "observed front"] : null,
    data.believed.length ? [ring(8, 8), "believed front"] : null,
  );
  const [believed, observed] = data.counts;
  const words =
    `No other trial is better in every objective${DATA.overview.feasibility ? ", among those that satisfy all constraints" : ""}: ` +
    `${count(believed, "trial", "trials")} by posterior mean, without noise, and ${observed} by outcome. ` +
    `With noise, the observed front flatters.${drawn(data.trials, data.of)}`;
  return [
    card("Compromises", words, axes.length > 2 ? controls : null, key, drawing),
    members("The believed front", "Posterior means", data.believed, believed),
    members("The observed front", "Outcomes", data.observed, observed),
  ].filter(Boolean);
}

function compromises(data, across, up, layer, sx, sy) {
  const fronts = new Set(data.observed.map(({ trial }) => trial));
  const outcome = (px, py, { trial, feasible }) => {
    if (!feasible) return cross(px, py, 3);
    return fronts.has(trial) ? dot(px, py, 3.5, "green") : dot(px, py, 2.5, "dot blue");
  };
  const draw = (trials, mark, words) =>
    trials
      .filter(({ values }) => sx.inside(values[across]) && sy.inside(values[up]))
      .map((one) => {
        const [x, y] = [sx.place(one.values[across]), sy.place(one.values[up])];
        layer.append(mark(x, y, one));
        const outputs = DATA.outputs.map(({ name }, k) => `${name} ${show(one.values[k])}`);
        return { x, y, text: `${words}trial ${one.trial}\n${outputs.join("\n")}` };
      });
  return [...draw(data.trials, outcome, ""), ...draw(data.believed, ring, "believed, ")];
}

function members(title, what, list, of) {
  if (!list.length) return null;
  const head = ["trial", ...DATA.outputs.map(({ name }) => name)];
  const cells = ({ trial, values }) => [trial, ...values.map((value) => show(value))];
  const rows = list.map((member) => ({ cells: cells(member), point: member.point }));
  const some = list.length < of ? ` ${list.length} of ${of} are listed.` : "";
  const words = `${what}, the best ${DATA.outputs[DATA.front.objectives[0]].name} first.${some}`;
  return card(title, words, trialTable(head, rows));
}
