// The table of trials: the best of a single objective, else the last.

const ORDERS = {
  believed: ["The best trials", "by posterior mean as the model of all trials sees it, without noise"],
  observed: ["The best trials", "by outcome"],
  latest: ["The last trials", "the last first"],
};

function trials({ rows, order, of }) {
  const modelled = rows[0].outputs[0].mean !== null;
  const several = DATA.outputs.length > 1;
  const named = (words, { name }) => (several ? `${name}, ${words}` : words);
  const columns = (output) => {
    const mean = output.goal === "classify" ? "probability" : "believed";
    const words = modelled ? [mean, "95 % interval", "observed"] : ["observed"];
    return words.map((word) => named(word, output));
  };
  const head = ["", "trial", ...DATA.outputs.flatMap(columns)];
  const belief = ({ mean, interval: ends }) => (modelled ? [show(mean), interval(ends)] : []);
  const own = (output) => [...belief(output), output.observed === null ? "" : show(output.observed)];
  const listed = rows.map(({ trial, outputs, point }, i) => ({ cells: [i + 1, trial, ...outputs.flatMap(own)], point }));
  const [title, by] = ORDERS[order];
  const limited = order !== "latest" && DATA.overview.feasibility ? ", feasible ones first" : "";
  const caution = modelled && !several ? warning(0) : "";
  const words = `${rows.length} of ${count(of, "outcome", "outcomes")}, ${by}${limited}.${caution}`;
  return [card(title, words, trialTable(head, listed))];
}
