// The model along each input, through the best point.

function slices({ trial, slices: all }) {
  const outcomes = all.flatMap(({ mean, low, high }) => [...mean, ...low, ...high]);
  const y = around(DATA.output, outcomes);
  const order = all.map((_, k) => k).sort((a, b) => DATA.model.importance[b] - DATA.model.importance[a]);
  const intro = el(
    "p",
    { class: "note" },
    `The mean along each input, the others being those of trial ${trial}, the believed best (orange). ` +
      `Bands and bars are 95 % intervals without noise. The most important input comes first.${warning()}`,
  );
  return [
    intro,
    el(
      "div",
      { class: "columns small" },
      order.map((k) => card(null, null, slice(DATA.inputs[k], all[k], y))),
    ),
  ];
}

function slice(axis, { at, x, mean, low, high }, y) {
  const draw = (layer, sx, sy, box) => {
    const places = x.map((value) => sx.place(value));
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
    return places.map((px, i) => ({
      x: px,
      y: middle[i],
      text: `${axis.name} ${show(x[i])}\n${show(mean[i])}, ${interval([low[i], high[i]])}`,
    }));
  };
  return plot(() => ({ label: `slice along ${axis.name}`, x: axis, y, height: 220, pad: 4, draw }));
}
