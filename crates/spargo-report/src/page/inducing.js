// Inducing points and trials over any two inputs.

function inducing(all) {
  return byOutput("inducing", all, inducingOf);
}

function inducingOf(data, output, number) {
  const outcomes = [...data.trials, ...data.points].map(({ value }) => value);
  const axes = [...DATA.inputs, around(output, outcomes)];
  const [first, second = DATA.inputs.length] = byImportance(number);
  const chosen = [first, second];
  const draw = (...args) => places(data, output, chosen, ...args);
  const label = "inducing points and trials";
  const { drawing, controls } = overTwo("axis", axes, chosen, { label, height: 460, pad: 10, draw });
  const exact = "The posterior is exact: every outcome takes part as it is, and there are no inducing points.";
  const words =
    data.count === null
      ? exact
      : `${count(data.count, "inducing point stands", "inducing points stand")} for all outcomes in the model.`;
  const weight = data.quality
    ? `The stronger its colour, the more a trial weighs in the next choice of inducing points (quality “${data.quality}”, relative to the largest).`
    : "This study chooses inducing points without weighing the trials.";
  const key = legend(
    data.count === null ? null : [ring(8, 8), "inducing point"],
    data.failed.length ? [cross(8, 8, 4), "failed"] : null,
  );
  if (data.quality) key.append(el("span", {}, "quality 0", el("span", { class: "ramp" }), "1"));
  return [card("Where the inducing points sit", `${words} ${weight}`, controls, key, drawing)];
}

function places(data, output, [across, up], layer, sx, sy) {
  const own = (place, k) => (k === DATA.inputs.length ? place.value : place.at[k]);
  const at = (place, i) => spread(sx, sy, own(place, across), own(place, up), i);
  const marks = [];
  data.trials
    .map((place, i) => [place, ...at(place, i)])
    .sort((a, b) => (a[0].quality || 0) - (b[0].quality || 0))
    .forEach(([place, px, py]) => {
      const share = place.quality === undefined ? 50 : 100 * place.quality;
      const trial = dot(px, py, 3, "trial");
      trial.style.fill = `color-mix(in srgb, var(--high) ${share.toFixed(0)}%, var(--low))`;
      layer.append(trial);
      const quality = place.quality === undefined ? "" : `\nquality ${show(place.quality, 2)}`;
      marks.push({ x: px, y: py, text: `trial ${place.trial}\n${output.name} ${show(place.value)}${quality}` });
    });
  if (across < DATA.inputs.length && up < DATA.inputs.length)
    data.failed.forEach((place, i) => layer.append(cross(...at({ at: place }, i), 3)));
  data.points.forEach((place, i) => layer.append(ring(...at(place, i))));
  return marks;
}
