// The runs: what their workers evaluate since when, and the points that are ready for them.

const RUN_COLUMNS = ["run", "workers", "busy", "waited for points", "last heartbeat", "trials in flight"];

function runs({ runs: all, ready }) {
  const shown = [];
  if (all.length) {
    const words = "When this page was written. A run that has been silent for long has probably been killed.";
    const rows = all.map((run) => [
      run.name,
      run.workers,
      run.busy_share === null ? "–" : `${(100 * run.busy_share).toFixed(0)} %`,
      lasting(run.waiting_s),
      heartbeat(run),
      run.trials.length + run.hidden,
    ]);
    shown.push(card("Runs", words, table(RUN_COLUMNS, rows, [0, 4])));
    const flights = all.flatMap(({ name, trials }) => trials.map(([trial, age]) => [trial, lasting(age), name]));
    const hidden = all.reduce((sum, run) => sum + run.hidden, 0);
    const more = hidden ? ` ${count(hidden, "more is", "more are")} not listed.` : "";
    const list = table(["trial", "for", "run"], flights, [2]);
    if (flights.length) shown.push(card("Trials in flight", `Of each run, the oldest first.${more}`, list));
  }
  if (ready.length) {
    const words = "Chosen already, for the next asks; the next model's points replace those that are left.";
    const rows = ready.map(([ask, points]) => [points, ask]);
    shown.push(card("Points ready", words, table(["points", "chosen in step"], rows, [])));
  }
  return shown;
}

/** When a run was last alive, and whether it is. */
function heartbeat(run) {
  const silent = lasting(run.heartbeat_s);
  if (run.is_alive) return `${silent} before`;
  return run.has_ended ? `stopped ${silent} before` : `silent for ${silent}: killed?`;
}

/** Seconds in the largest unit of which there are at least two. */
function lasting(value) {
  const units = [
    ["days", 86400],
    ["h", 3600],
    ["min", 60],
  ];
  const [unit, size] = units.find(([, size]) => value >= 2 * size) || ["s", 1];
  return `${(value / size).toFixed(0)} ${unit}`;
}
