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
        layer.append(
          svg("rect", { class: colour, x: from + gap / 2, y: sy.place(sum), width: to - from - gap, height }),
        );
      }
      const name =
        group.steps[0] === group.steps[1]
          ? `step ${group.steps[0]}`
          : `steps ${group.steps[0]} to ${group.steps[1]}, per step`;
      const lines = STAGES.map(([stage, , words]) => `${words} ${seconds(group[stage])}`);
      return {
        x: (from + to) / 2,
        y: sy.place(sum / 2),
        text: [name, `${show(group.asked)} points`, ...lines].join("\n"),
      };
    });
  const size = (group) => group.steps[1] - group.steps[0] + 1;
  const rows = STAGES.map(([stage, , words]) => {
    const total = groups.reduce((sum, group) => sum + size(group) * group[stage], 0);
    return [
      words,
      seconds(total),
      seconds(total / steps),
      total_s > 0 ? `${((100 * total) / total_s).toFixed(0)} %` : "–",
    ];
  });
  rows.push(["all", seconds(total_s), seconds(total_s / steps), "100 %"]);
  const key = legend(
    ...STAGES.map(([, colour, words]) => [
      svg("rect", { class: colour, x: 2, y: 2, width: 12, height: 12, rx: 2 }),
      words,
    ]),
  );
  const shown = [
    card(
      "Seconds of each step",
      "What the study itself took, without the evaluations.",
      key,
      plot(() => ({ label: "seconds of each stage, step by step", x, y, height: 300, draw })),
    ),
  ];
  if (without_model)
    shown.push(
      el(
        "p",
        { class: "notice" },
        `${count(without_model[0], "step", "steps")} had to do without a model, the last because: ${without_model[1]}`,
      ),
    );
  shown.push(card("In all", count(steps, "step", "steps"), table(["stage", "in all", "per step", "share"], rows, [0])));
  return shown;
}

function seconds(value) {
  return value >= 0.9995 ? `${show(value, 3)} s` : `${show(1000 * value, 3)} ms`;
}
