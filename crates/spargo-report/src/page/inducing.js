// Inducing points and trials over any two inputs.

function inducing(all) {
  return byOutput("inducing", all, inducingOf);
}

function inducingOf(data, output, number) {
  const outcomes = [...data.trials, ...data.points].map(({ value }) => value);
  const axes = [...DATA.inputs, around(output, outcomes)];
  const { importance } = DATA.model[number];
  const order = DATA.inputs.map((_, k) => k).sort((a, b) => importance[b] - importance[a]);
  const chosen = [order[0], order.length > 1 ? order[1] : DATA.inputs.length];
  const drawing = plot(() => ({
    label: "inducing points and trials",
    x: axes[chosen[0]],
    y: axes[chosen[1]],
    height: 460,
    pad: 10,
    draw: (...args) => places(data, output, chosen, ...args),
  }));
  const names = axes.map(({ name }) => name);
  const select = (side, words) =>
    choose(`axis-${side ? "y" : "x"}`, words, names, chosen[side], (k) => {
      chosen[side] = k;
      drawing.redraw("force");
    });
  const exact = "The posterior is exact: every outcome takes part as it is, and there are no inducing points.";
  const words =
    data.count === null
      ? exact
      : `${count(data.count, "inducing point stands", "inducing points stand")} for all outcomes in the model.`;
  const weight = data.quality
    ? `The stronger its colour, the more a trial weighs in the next choice of inducing points (quality “${data.quality}”, relative to the largest).`
    : "This study chooses inducing points without weighing the trials.";
  const key = legend(
    data.count === null ? null : [svg("circle", { class: "ring", cx: 8, cy: 8, r: 5 }), "inducing point"],
    data.failed.length ? [cross(8, 8, 4), "failed"] : null,
  );
  if (data.quality) key.append(el("span", {}, "quality 0", el("span", { class: "ramp" }), "1"));
  return [
    card(
      "Where the inducing points sit",
      `${words} ${weight}`,
      el("div", { class: "controls" }, select(0, "Across"), select(1, "Up")),
      key,
      drawing,
    ),
  ];
}

function places(data, output, [across, up], layer, sx, sy) {
  const own = (place, k) => (k === DATA.inputs.length ? place.value : place.at[k]);
  const jitter = (i, step) => ((i * step) % 1) - 0.5;
  const at = (place, i) => [
    sx.place(own(place, across), jitter(i, 0.618034)),
    sy.place(own(place, up), jitter(i, 0.414214)),
  ];
  const marks = [];
  data.trials
    .map((place, i) => [place, ...at(place, i)])
    .sort((a, b) => (a[0].quality || 0) - (b[0].quality || 0))
    .forEach(([place, px, py]) => {
      const share = place.quality === undefined ? 50 : 100 * place.quality;
      layer.append(
        svg("circle", {
          class: "trial",
          cx: px.toFixed(1),
          cy: py.toFixed(1),
          r: 3,
          style: `fill: color-mix(in srgb, var(--high) ${share.toFixed(0)}%, var(--low))`,
        }),
      );
      marks.push({
        x: px,
        y: py,
        text: `trial ${place.trial}\n${output.name} ${show(place.value)}${place.quality === undefined ? "" : `\nquality ${show(place.quality, 2)}`}`,
      });
    });
  if (across < DATA.inputs.length && up < DATA.inputs.length)
    data.failed.forEach((place, i) => layer.append(cross(...at({ at: place }, i), 3)));
  data.points.forEach((place, i) => layer.append(dot(...at(place, i), 5, "ring")));
  return marks;
}
