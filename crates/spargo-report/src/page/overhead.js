// Seconds of each stage, step by step.

const STAGES = [
  ["allocate", "gold", "inducing points"],
  ["fit", "blue", "fit"],
  ["acquire", "green", "choice of points"],
  ["other", "grey", "rest"],
];

function overhead({ steps, total_s, groups, without_model }) {
  const highest = Math.max(...groups.map((group) => STAGES.reduce((sum, [stage]) => sum + group[stage], 0)), 1e-3);
  const x = { name: "step", kind: "linear", range: [0.5, groups[groups.length - 1].steps[1] + 0.5] };
  const y = { name: "seconds per step", kind: "linear", range: [0, 1.05 * highest] };
  const draw = (layer, sx, sy) =>
    groups.map((group) => {
      const [from, to] = [sx.place(group.steps[0] - 0.5), sx.place(group.steps[1] + 0.5)];
      const gap = Math.min(2, 0.2 * (to - from));
      let sum = 0;
      for (const [stage, colour] of STAGES) {
        const height = sy.place(sum) - sy.place(sum + group[stage]);
        sum += group[stage];
        layer.append(rect(from + gap / 2, sy.place(sum), to - from - gap, height, colour, 0));
      }
      const [first, last] = group.steps;
      const name = first === last ? `step ${first}` : `steps ${first} to ${last}, per step`;
      const lines = STAGES.map(([stage, , words]) => `${words} ${seconds(group[stage])}`);
      const text = [name, `${show(group.asked)} points`, ...lines].join("\n");
      return { x: (from + to) / 2, y: sy.place(sum / 2), text };
    });
  const size = (group) => group.steps[1] - group.steps[0] + 1;
  const rows = STAGES.map(([stage, , words]) => {
    const total = groups.reduce((sum, group) => sum + size(group) * group[stage], 0);
    const share = total_s > 0 ? `${((100 * total) / total_s).toFixed(0)} %` : "–";
    return [words, seconds(total), seconds(total / steps), share];
  });
  rows.push(["all", seconds(total_s), seconds(total_s / steps), "100 %"]);
  const key = legend(...STAGES.map(([, colour, words]) => [rect(2, 2, 12, 12, colour, 2), words]));
  const drawing = plot(() => ({ label: "seconds of each stage, step by step", x, y, height: 300, draw }));
  const shown = [card("Seconds of each step", "What the study itself took, without the evaluations.", key, drawing)];
  if (without_model) {
    const [times, reason] = without_model;
    shown.push(notice(`${count(times, "step", "steps")} had to do without a model, the last because: ${reason}`));
  }
  shown.push(card("In all", count(steps, "step", "steps"), table(["stage", "in all", "per step", "share"], rows, [0])));
  return shown;
}

function seconds(value) {
  return value >= 0.9995 ? `${show(value, 3)} s` : `${show(1000 * value, 3)} ms`;
}
