// The probability of a yes over two inputs.

function classes(data) {
  const output = DATA.outputs.find(({ goal }) => goal === "classify");
  let map = data.maps[0];
  const label = `probability of ${output.name} over two inputs`;
  const draw = (...args) => tiles(data, map, output, ...args);
  const drawing = plot(() => {
    const [x, y] = map.inputs.map((k) => DATA.inputs[k]);
    return { label, x, y, height: 480, pad: 6, draw };
  });
  const names = data.maps.map(({ inputs }) => inputs.map((k) => DATA.inputs[k].name).join(" × "));
  const select = choose("map", "Inputs", names, 0, (k) => {
    map = data.maps[k];
    drawing.redraw("force");
  });
  const others = DATA.inputs.length > 2 ? `, the other inputs being those of trial ${data.trial}, ${data.which}` : "";
  const words = `The probability of a yes${others}. Where the colour fades, the answer is not known: there the next batch goes.`;
  const key = legend([dot(8, 8, 4, "orange"), "yes"], [dot(8, 8, 4, "blue"), "no"]);
  key.append(el("span", {}, "probability 0", el("span", { class: "ramp classes" }), "1"));
  const controls = data.maps.length > 1 ? el("div", { class: "controls" }, select) : null;
  return [card(`Where it is ${output.name}`, words + drawn(data.trials, data.of), controls, key, drawing)];
}

function tiles(data, { inputs: [across, up], across: xs, up: ys, probability }, output, layer, sx, sy) {
  const [px, py] = [xs.map((x) => sx.place(x)), ys.map((y) => sy.place(y))];
  const [wide, high] = [edges(px, sx.step), edges(py, sy.step)];
  const marks = [];
  ys.forEach((y, j) =>
    xs.forEach((x, i) => {
      const share = probability[j * xs.length + i];
      const sure = (100 * Math.abs(2 * share - 1)).toFixed(0);
      const [left, right] = [Math.min(...wide[i]), Math.max(...wide[i])];
      const [top, bottom] = [Math.min(...high[j]), Math.max(...high[j])];
      const fill = `fill: color-mix(in srgb, var(--${share >= 0.5 ? "orange" : "blue"}) ${sure}%, var(--card))`;
      // A hair wider, or the ground shows between them.
      const size = { x: left.toFixed(1), y: top.toFixed(1), width: right - left + 0.3, height: bottom - top + 0.3 };
      layer.append(svg("rect", { class: "tile", ...size, style: fill }));
      const words = [across, up].map((k, side) => `${DATA.inputs[k].name} ${show(side ? y : x)}`);
      marks.push({ x: px[i], y: py[j], text: `probability ${show(share, 3)}\n${words.join("\n")}` });
    }),
  );
  data.trials.forEach(({ trial, yes, at }, i) => {
    const [x, y] = spread(sx, sy, at[across], at[up], i);
    layer.append(dot(x, y, 2.5, yes ? "orange edged" : "blue edged"));
    marks.push({ x, y, text: `trial ${trial}\n${output.name}: ${yes ? "yes" : "no"}` });
  });
  return marks;
}

/** From half way to the one before until half way to the next. */
function edges(places, step) {
  if (step) return places.map((at) => [at - step / 2, at + step / 2]);
  const between = (i) => (places[i] + places[i + 1]) / 2;
  return places.map((at, i) => [i ? between(i - 1) : at, i + 1 < places.length ? between(i) : at]);
}
