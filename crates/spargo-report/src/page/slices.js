// The model along each input, through one trial.

function slices(all) {
  return byOutput("slices", all, slicesOf);
}

function slicesOf({ trial, which, slices: all }, output, number) {
  const outcomes = all.flatMap(({ mean, low, high }) => [...mean, ...low, ...high]);
  const y = beliefAxis(output, outcomes);
  const words =
    `The ${output.goal === "classify" ? "probability" : "mean"} along each input, the others being those of trial ${trial}, ${which} (orange). ` +
    `Bands and bars are 95 % intervals without noise. The most important input comes first.` +
    `${DATA.constrained ? " Where input constraints ask for it, others move as little as it takes; grey: none does." : ""}${warning(number)}`;
  const cards = byImportance(number).map((k) => card(null, null, slice(DATA.inputs[k], all[k], y, output)));
  return [note(words), el("div", { class: "columns small" }, cards)];
}

function slice(axis, { at, x, mean, low, high, feasible }, y, output) {
  if (x.length === 0) return note(`${axis.name} has no value at this trial.`);
  const draw = (layer, sx, sy, box) => {
    marked(layer, output, sy, box, false);
    const places = x.map((value) => sx.place(value));
    broken(layer, places, feasible, box);
    const [bottom, top, middle] = [low, high, mean].map((list) => list.map((value) => sy.place(value)));
    if (axis.kind === "choice") {
      places.forEach((px, i) =>
        layer.append(line(px, bottom[i], px, top[i], "solid"), dot(px, middle[i], 4, x[i] === at ? "orange" : "blue")),
      );
    } else {
      const edge = [...places.map((px, i) => [px, top[i]]), ...places.map((px, i) => [px, bottom[i]]).reverse()];
      layer.append(
        svg("path", { class: "band", d: path(edge) + "Z" }),
        svg("path", { class: "mean", d: path(places.map((px, i) => [px, middle[i]])) }),
      );
      if (places.length <= 30) places.forEach((px, i) => layer.append(dot(px, middle[i], 2.5, "blue")));
      layer.append(line(sx.place(at), box.top, sx.place(at), box.bottom, "ring"));
    }
    const say = (i) => `${axis.name} ${show(x[i])}\n${show(mean[i])}, ${interval([low[i], high[i]])}`;
    return places.map((px, i) => ({ x: px, y: middle[i], text: say(i) }));
  };
  return plot(() => ({ label: `slice along ${axis.name}`, x: axis, y, height: 220, pad: 4, draw }));
}

/** Stretches of an axis whose points break an input constraint. */
function broken(layer, places, feasible = [], box) {
  const ends = places.map((at, i) => [i > 0 ? (places[i - 1] + at) / 2 : box.left, i + 1 < places.length ? (at + places[i + 1]) / 2 : box.right]);
  feasible.forEach((may, i) => {
    if (may || (i > 0 && !feasible[i - 1])) return;
    let last = i;
    while (feasible[last + 1] === false) last += 1;
    layer.append(rect(ends[i][0], box.top, ends[last][1] - ends[i][0], box.bottom - box.top, "broken"));
  });
}
