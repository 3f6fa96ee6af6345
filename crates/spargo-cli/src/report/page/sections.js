// The sections: each takes its part of the data and returns elements.

function overview(data) {
  const shown = [];
  if (DATA.without_model) shown.push(el("p", { class: "notice" }, DATA.without_model));
  if (data.best) shown.push(bestCards(data.best));
  if (data.observed || data.failed) shown.push(convergence(data));
  if (data.reasons.length) {
    const rows = data.reasons.map(([reason, times]) => [times.toLocaleString("en"), reason]);
    shown.push(card("Why trials failed", null, table(["times", "reason"], rows, [1])));
  }
  shown.push(card("Settings", null, facts([...data.settings, ...DATA.inputs.map((axis) => [axis.name, domain(axis)])])));
  return shown;
}

function domain({ kind, range, choices }) {
  if (kind === "choice") return short(choices.join(", "), 200);
  return `${show(range[0])} to ${show(range[1])}${kind === "log" ? ", logarithmic" : ""}`;
}

function bestCards({ believed, trial, value, point }) {
  const cards = [];
  if (believed) {
    const words = `Posterior mean of ${DATA.output.name} at trial ${believed.trial}, the best of all evaluated points. Without noise, it lies within ${interval(believed.interval)} with 95 % probability.`;
    cards.push(card("Believed best", null, figure(believed.mean, "believed"), el("p", { class: "note" }, words), values(believed.point)));
  }
  const words = `The best single outcome, at trial ${trial}. With noise, the best of many outcomes flatters.`;
  cards.push(card("Best observed", null, figure(value, "observed"), el("p", { class: "note" }, words), values(point)));
  return el("div", { class: "columns" }, cards);
}

function figure(value, id) {
  return el("div", { class: "figure", id: `best-${id}` }, show(value, 5));
}

const ORIGINS = { design: ["grey", "spread over the space"], model: ["blue", "chosen by the model"], added: ["green", "told without being asked for"] };

function convergence(data) {
  const outcomes = data.points.map(({ value }) => value);
  const x = { name: "trial", kind: "linear", range: [0, Math.max(data.last, 1)] };
  const y = within(DATA.output, outcomes, DATA.output.goal);
  const beyond = outcomes.filter((value) => value < y.range[0] || value > y.range[1]).length;
  const draw = (layer, sx, sy, box) => {
    const marks = [];
    for (const { trial, value, origin } of data.points) {
      if (!sy.inside(value)) continue;
      const [px, py] = [sx.place(trial), sy.place(value)];
      layer.append(dot(px, py, 2.5, `dot ${ORIGINS[origin][0]}`));
      marks.push({ x: px, y: py, text: `trial ${trial}\n${show(value)}` });
    }
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
    ...origins.map(([, [colour, words]]) => [dot(8, 8, 4, colour), words]),
    data.failures.length ? [cross(8, 8, 4), "failed"] : null,
  );
  const few = data.points.length < data.observed ? `${data.points.length.toLocaleString("en")} of ${count(data.observed, "outcome", "outcomes")} are drawn, the best among them. ` : "";
  const far = beyond ? `${count(beyond, "outcome lies", "outcomes lie")} beyond the axis.` : "";
  return card("Outcomes, trial by trial", few + far, key, plot(() => ({ label: "outcomes and the best so far against trials", x, y, height: 320, draw })));
}

function model({ facts: pairs, importance, calibration }) {
  return [
    el("div", { class: "columns" }, predicted(calibration), covered(calibration)),
    important(importance),
    card("The model", null, facts(pairs)),
  ];
}

const LEFT_OUT = "Each outcome is predicted by the model of all the others. Hyperparameters and inducing points are kept as they are, and these have seen it.";

function predicted({ points }) {
  const both = points.flatMap(({ observed, mean }) => [observed, mean]);
  const [x, y] = [`predicted ${DATA.output.name}`, `observed ${DATA.output.name}`].map((name) => around({ ...DATA.output, name }, both));
  const draw = (layer, sx, sy) => {
    const inside = (value) => clamp(value, ...x.range);
    for (const { observed, interval: [low, high] } of points.length > 400 ? [] : points) {
      layer.append(line(sx.place(inside(low)), sy.place(observed), sx.place(inside(high)), sy.place(observed), "bar"));
    }
    layer.append(line(sx.place(x.range[0]), sy.place(x.range[0]), sx.place(x.range[1]), sy.place(x.range[1]), "ideal"));
    return points.map(({ trial, observed, mean, interval: ends }) => {
      const [px, py] = [sx.place(mean), sy.place(observed)];
      layer.append(dot(px, py, 2.5, "dot blue"));
      return { x: px, y: py, text: `trial ${trial}\nobserved ${show(observed)}\npredicted ${show(mean)}, ${interval(ends)}` };
    });
  };
  const bars = points.length > 400 ? "" : " Bars are 95 % intervals of an outcome.";
  return card("Predicted against observed", LEFT_OUT + bars, plot(() => ({ label: "observed against predicted outcomes", x, y, height: 340, draw })));
}

function covered({ points, coverage }) {
  const share = (level) => (coverage.find(([l]) => Math.abs(l - level) < 1e-9) || [0, null])[1];
  const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(0)} %`);
  const rows = [0.5, 0.8, 0.95].map((level) => [percent(level), percent(share(level))]);
  const axis = (name) => ({ name, kind: "linear", range: [0, 1] });
  const draw = (layer, sx, sy) => {
    layer.append(line(sx.place(0), sy.place(0), sx.place(1), sy.place(1), "ideal"));
    const places = [[0, 0], ...coverage, [1, 1]].map(([level, part]) => [sx.place(level), sy.place(part)]);
    layer.append(svg("path", { class: "mean", d: path(places) }));
    return coverage.map(([level, part], i) => ({ x: places[i + 1][0], y: places[i + 1][1], text: `${percent(part)} within the ${percent(level)} intervals` }));
  };
  const words = `How many of ${count(points.length, "outcome lies", "outcomes lie")} within the central intervals of such predictions. Above the dashed line the model is too cautious, below it too sure.`;
  const drawing = plot(() => ({ label: "share of outcomes within intervals, against their level", x: axis("level of the interval"), y: axis("share within it"), height: 230, draw }));
  return card("Calibration", words, drawing, table(["interval", "outcomes within"], rows, []));
}

function important(importance) {
  const order = importance.map((value, k) => [value, k]).sort((a, b) => b[0] - a[0]);
  const words = "The range of each input, in length scales of the kernel: the longer the bar, the faster the outcome may change along it. Two choices count as far apart as numbers that correlate as much. A length scale says how an input matters, not that it matters most for the best point.";
  const x = { name: "importance (longest = 1)", kind: "linear", range: [0, 1] };
  const y = { name: "", kind: "choice", choices: order.map(([, k]) => DATA.inputs[k].name) };
  const draw = (layer, sx, sy) => order.map(([value, k]) => {
    const middle = sy.place(DATA.inputs[k].name);
    const thick = Math.min(16, 0.7 * sy.step);
    layer.append(svg("rect", { class: "blue", x: sx.place(0), y: middle - thick / 2, width: Math.max(0, sx.place(value) - sx.place(0)), height: thick, rx: 2 }));
    return { x: sx.place(value), y: middle, text: `${DATA.inputs[k].name}\n${show(value, 2)}` };
  });
  y.choices.reverse();
  return card("Importance of inputs", words, plot(() => ({ label: "importance of each input", x, y, height: 60 + 26 * order.length, draw })));
}

function slices({ trial, slices: all }) {
  const outcomes = all.flatMap(({ mean, low, high }) => [...mean, ...low, ...high]);
  const y = around(DATA.output, outcomes);
  const order = all.map((_, k) => k).sort((a, b) => DATA.model.importance[b] - DATA.model.importance[a]);
  const intro = el("p", { class: "note" }, `The model along each input, the others being those of trial ${trial}, the believed best (orange). Bands and bars are 95 % intervals without noise. The most important input comes first.`);
  return [intro, el("div", { class: "columns small" }, order.map((k) => card(null, null, slice(DATA.inputs[k], all[k], y))))];
}

function slice(axis, { at, x, mean, low, high }, y) {
  const draw = (layer, sx, sy, box) => {
    const places = x.map((value) => sx.place(value));
    const [bottom, top, middle] = [low, high, mean].map((list) => list.map((value) => sy.place(value)));
    if (axis.kind === "choice") {
      places.forEach((px, i) => layer.append(line(px, bottom[i], px, top[i], "solid"), dot(px, middle[i], 4, x[i] === at ? "orange" : "blue")));
    } else {
      const edge = [...places.map((px, i) => [px, top[i]]), ...places.map((px, i) => [px, bottom[i]]).reverse()];
      layer.append(svg("path", { class: "band", d: path(edge) + "Z" }), svg("path", { class: "mean", d: path(places.map((px, i) => [px, middle[i]])) }));
      layer.append(line(sx.place(at), box.top, sx.place(at), box.bottom, "ring"));
    }
    return places.map((px, i) => ({ x: px, y: middle[i], text: `${axis.name} ${show(x[i])}\n${show(mean[i])}, ${interval([low[i], high[i]])}` }));
  };
  return plot(() => ({ label: `slice along ${axis.name}`, x: axis, y, height: 210, draw }));
}

function inducing(data) {
  const outcomes = [...data.trials, ...data.points].map(({ value }) => value);
  const axes = [...DATA.inputs, around(DATA.output, outcomes)];
  const order = DATA.inputs.map((_, k) => k).sort((a, b) => DATA.model.importance[b] - DATA.model.importance[a]);
  const chosen = [order[0], order.length > 1 ? order[1] : DATA.inputs.length];
  const drawing = plot(() => ({ label: "inducing points and trials", x: axes[chosen[0]], y: axes[chosen[1]], height: 460, draw: (...args) => places(data, chosen, ...args) }));
  const select = (side, words) => {
    const options = axes.map((axis, k) => el("option", { value: k, ...(k === chosen[side] ? { selected: "" } : {}) }, axis.name));
    const list = el("select", { id: `axis-${side ? "y" : "x"}` }, options);
    list.addEventListener("change", () => { chosen[side] = Number(list.value); drawing.redraw("force"); });
    return el("label", {}, `${words} `, list);
  };
  const exact = "The posterior is exact: every outcome takes part as it is, and there are no inducing points.";
  const words = data.count === null ? exact : `${count(data.count, "inducing point stands", "inducing points stand")} for all outcomes in the model.`;
  const weight = data.quality ? `Trials are darker the more they weigh in the next choice of inducing points (quality “${data.quality}”, relative to the largest).` : "This study chooses inducing points without weighing the trials.";
  const key = legend(
    data.count === null ? null : [svg("circle", { class: "ring", cx: 8, cy: 8, r: 5 }), "inducing point"],
    data.failed.length ? [cross(8, 8, 4), "failed"] : null,
  );
  if (data.quality) key.append(el("span", {}, "quality 0", el("span", { class: "ramp" }), "1"));
  return [card("Where the inducing points sit", `${words} ${weight}`, el("div", { class: "controls" }, select(0, "Across"), select(1, "Up")), key, drawing)];
}

function places(data, [across, up], layer, sx, sy) {
  const own = (place, k) => (k === DATA.inputs.length ? place.value : (place.at || place)[k]);
  const jitter = (i, step) => ((i * step) % 1) - 0.5;
  const at = (place, i) => [sx.place(own(place, across), jitter(i, 0.618034)), sy.place(own(place, up), jitter(i, 0.414214))];
  const marks = [];
  data.trials.map((place, i) => [place, ...at(place, i)]).sort((a, b) => (a[0].quality || 0) - (b[0].quality || 0)).forEach(([place, px, py]) => {
    const share = place.quality === undefined ? 50 : 100 * place.quality;
    layer.append(svg("circle", { class: "trial", cx: px.toFixed(1), cy: py.toFixed(1), r: 3, style: `fill: color-mix(in srgb, var(--high) ${share.toFixed(0)}%, var(--low))` }));
    marks.push({ x: px, y: py, text: `trial ${place.trial}\n${DATA.output.name} ${show(place.value)}${place.quality === undefined ? "" : `\nquality ${show(place.quality, 2)}`}` });
  });
  if (across < DATA.inputs.length && up < DATA.inputs.length) data.failed.forEach((place, i) => layer.append(cross(...at(place, i), 3)));
  data.points.forEach((place, i) => layer.append(dot(...at(place, i), 5, "ring")));
  return marks;
}

const STAGES = [["allocate", "gold", "inducing points"], ["fit", "blue", "fit"], ["acquire", "green", "choice of points"], ["other", "grey", "rest"]];

function overhead({ steps, total_s, groups, without_model }) {
  const highest = Math.max(...groups.map((group) => STAGES.reduce((sum, [stage]) => sum + group[stage], 0)), 1e-3);
  const x = { name: "step", kind: "linear", range: [0.5, groups[groups.length - 1].steps[1] + 0.5] };
  const y = { name: "seconds a step", kind: "linear", range: [0, 1.05 * highest] };
  const draw = (layer, sx, sy) => groups.map((group) => {
    const [from, to] = [sx.place(group.steps[0] - 0.5), sx.place(group.steps[1] + 0.5)];
    const gap = Math.min(2, 0.2 * (to - from));
    let sum = 0;
    for (const [stage, colour] of STAGES) {
      const height = sy.place(sum) - sy.place(sum + group[stage]);
      sum += group[stage];
      layer.append(svg("rect", { class: colour, x: from + gap / 2, y: sy.place(sum), width: to - from - gap, height }));
    }
    const name = group.steps[0] === group.steps[1] ? `step ${group.steps[0]}` : `steps ${group.steps[0]} to ${group.steps[1]}, a step`;
    const lines = STAGES.map(([stage, , words]) => `${words} ${seconds(group[stage])}`);
    return { x: (from + to) / 2, y: sy.place(sum / 2), text: [name, `${show(group.asked)} points`, ...lines].join("\n") };
  });
  const size = (group) => group.steps[1] - group.steps[0] + 1;
  const rows = STAGES.map(([stage, , words]) => {
    const total = groups.reduce((sum, group) => sum + size(group) * group[stage], 0);
    return [words, seconds(total), seconds(total / steps), total_s > 0 ? `${(100 * total / total_s).toFixed(0)} %` : "–"];
  });
  rows.push(["all", seconds(total_s), seconds(total_s / steps), "100 %"]);
  const key = legend(...STAGES.map(([, colour, words]) => [svg("rect", { class: colour, x: 2, y: 2, width: 12, height: 12, rx: 2 }), words]));
  const shown = [card("Seconds of each step", "What the study itself took, without the evaluations.", key, plot(() => ({ label: "seconds of each stage, step by step", x, y, height: 300, draw })))];
  if (without_model) shown.push(el("p", { class: "notice" }, `${count(without_model[0], "step", "steps")} had to do without a model, the last because: ${without_model[1]}`));
  shown.push(card("In all", count(steps, "step", "steps"), table(["stage", "in all", "a step", "share"], rows, [0])));
  return shown;
}

function seconds(value) {
  return value >= 0.9995 ? `${show(value, 3)} s` : `${show(1000 * value, 3)} ms`;
}

function trials({ rows, of }) {
  const modelled = rows[0].mean !== null;
  const head = ["", "trial", ...(modelled ? ["believed", "95 % interval"] : []), "observed", ...DATA.inputs.map(({ name }) => name)];
  const cells = rows.map((row, i) => [i + 1, row.trial, ...(modelled ? [show(row.mean), interval(row.interval)] : []), show(row.observed), ...row.point.map((value) => show(value))]);
  const first = modelled ? 5 : 3;
  const words = DATA.inputs.map(({ kind }, k) => (kind === "choice" ? first + k : -1)).filter((k) => k >= 0);
  const order = modelled ? "by posterior mean, without noise" : "by outcome";
  return [card("The best trials", `${rows.length} of ${count(of, "outcome", "outcomes")}, ${order}.`, table(head, cells, words))];
}

/** Rows below a head; the listed columns hold words. */
function table(head, rows, words) {
  const cell = (tag) => (value, k) => el(tag, words.includes(k) ? { class: "word", title: value } : {}, String(value));
  const body = rows.map((row) => el("tr", {}, row.map(cell("td"))));
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head.map(cell("th")))), el("tbody", {}, body)));
}
