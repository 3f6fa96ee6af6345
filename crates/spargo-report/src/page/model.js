// How far the model is to be trusted, and which inputs matter to it.

function model(models) {
  return byOutput("model", models, ({ facts: pairs, importance, calibration }, output) => [
    calibration
      ? el("div", { class: "columns" }, predicted(calibration, output), covered(calibration))
      : note(UNCALIBRATED),
    important(importance),
    card("The model", null, facts(pairs)),
  ]);
}

const UNCALIBRATED =
  "Whether the probabilities hold is not shown: what the model of all the other outcomes says of a yes or no has no closed form. Compare them with outcomes that the study has not seen.";

/** A note on means and intervals if outcomes are transformed before modelling. */
function warning(k) {
  const words = " The model sees outcomes through a map that shortens their tails: a mean leans towards the longer tail.";
  return DATA.model && DATA.model[k].warped ? words : "";
}

const LEFT_OUT =
  "Each outcome is predicted by the model of all the others. Hyperparameters and inducing points are kept as they are, and these have seen it.";

function predicted({ points }, output) {
  const both = points.flatMap(({ observed, mean }) => [observed, mean]);
  const [x, y] = [`predicted ${output.name}`, `observed ${output.name}`].map((name) => around({ ...output, name }, both));
  const draw = (layer, sx, sy) => {
    const inside = (value) => clamp(value, ...x.range);
    for (const { observed, interval: ends } of points.length > 400 ? [] : points) {
      const [low, high] = ends.map((end) => sx.place(inside(end)));
      layer.append(line(low, sy.place(observed), high, sy.place(observed), "bar"));
    }
    layer.append(line(sx.place(x.range[0]), sy.place(x.range[0]), sx.place(x.range[1]), sy.place(x.range[1]), "ideal"));
    return points.map(({ trial, observed, mean, interval: ends }) => {
      const [px, py] = [sx.place(mean), sy.place(observed)];
      layer.append(dot(px, py, 2.5, "dot blue"));
      const text = `trial ${trial}\nobserved ${show(observed)}\npredicted ${show(mean)}, ${interval(ends)}`;
      return { x: px, y: py, text };
    });
  };
  const bars = points.length > 400 ? "" : " Bars are 95 % intervals of an outcome.";
  const drawing = plot(() => ({ label: "observed against predicted outcomes", x, y, height: 340, draw }));
  return card("Predicted against observed", LEFT_OUT + bars, drawing);
}

function covered({ points, coverage }) {
  const share = (level) => (coverage.find(([l]) => Math.abs(l - level) < 1e-9) || [0, null])[1];
  const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(0)} %`);
  const rows = [0.5, 0.8, 0.95].map((level) => [percent(level), percent(share(level))]);
  const [x, y] = ["level of the interval", "share within it"].map((name) => ({ name, kind: "linear", range: [0, 1] }));
  const draw = (layer, sx, sy) => {
    layer.append(line(sx.place(0), sy.place(0), sx.place(1), sy.place(1), "ideal"));
    const places = [[0, 0], ...coverage, [1, 1]].map(([level, part]) => [sx.place(level), sy.place(part)]);
    layer.append(svg("path", { class: "mean", d: path(places) }));
    return coverage.map(([level, part], i) => {
      const [x, y] = places[i + 1];
      return { x, y, text: `${percent(part)} within the ${percent(level)} intervals` };
    });
  };
  const words = `How many of ${count(points.length, "outcome lies", "outcomes lie")} within the central intervals of such predictions. Above the dashed line the model is too cautious, below it too sure.`;
  const label = "share of outcomes within intervals, against their level";
  const drawing = plot(() => ({ label, x, y, height: 230, draw }));
  return card("Calibration", words, drawing, table(["interval", "outcomes within"], rows, []));
}

function important(importance) {
  const order = importance.map((value, k) => [value, k]).sort((a, b) => b[0] - a[0]);
  const words =
    "The range of each input, in length scales of the kernel: the longer the bar, the faster the outcome may change along it. Two choices count as far apart as numbers that correlate as much. A length scale says how an input matters, not that it matters most for the best point.";
  const x = { name: "importance (longest = 1)", kind: "linear", range: [0, 1] };
  const y = { name: "", kind: "choice", choices: order.map(([, k]) => DATA.inputs[k].name) };
  const draw = (layer, sx, sy) =>
    order.map(([value, k]) => {
      const middle = sy.place(DATA.inputs[k].name);
      const thick = Math.min(16, 0.7 * sy.step);
      const width = Math.max(0, sx.place(value) - sx.place(0));
      layer.append(rect(sx.place(0), middle - thick / 2, width, thick, "blue", 2));
      return { x: sx.place(value), y: middle, text: `${DATA.inputs[k].name}\n${show(value, 2)}` };
    });
  y.choices.reverse();
  const drawing = plot(() => ({ label: "importance of each input", x, y, height: 60 + 26 * order.length, draw }));
  return card("Importance of inputs", words, drawing);
}
