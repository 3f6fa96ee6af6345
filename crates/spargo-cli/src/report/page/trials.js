// The table of the best trials.

function trials({ rows, of }) {
  const modelled = rows[0].mean !== null;
  const head = [
    "",
    "trial",
    ...(modelled ? ["believed", "95 % interval"] : []),
    "observed",
    ...DATA.inputs.map(({ name }) => name),
  ];
  const cells = rows.map((row, i) => [
    i + 1,
    row.trial,
    ...(modelled ? [show(row.mean), interval(row.interval)] : []),
    show(row.observed),
    ...row.point.map((value) => show(value)),
  ]);
  const first = modelled ? 5 : 3;
  const words = DATA.inputs.map(({ kind }, k) => (kind === "choice" ? first + k : -1)).filter((k) => k >= 0);
  const order = modelled ? "by posterior mean as the model sees it, without noise" : "by outcome";
  return [
    card(
      "The best trials",
      `${rows.length} of ${count(of, "outcome", "outcomes")}, ${order}.${modelled ? warning() : ""}`,
      table(head, cells, words),
    ),
  ];
}
