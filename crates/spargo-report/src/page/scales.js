// From values to places on the screen: linear, logarithmic and by choice, with their marks.

/** An axis of these values: their range and a little room. */
function around(axis, values) {
  const finite = values.filter(Number.isFinite);
  let low = finite.reduce((a, b) => Math.min(a, b), Infinity),
    high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low > high) [low, high] = [0, 1];
  const room = low === high ? Math.max(Math.abs(low) * 0.1, Number.MIN_VALUE * 1e16) : 0.04 * (high / 2 - low / 2) * 2;
  return { ...axis, range: [Math.max(low - room, -Number.MAX_VALUE), Math.min(high + room, Number.MAX_VALUE)] };
}

/** The range of values without the far end of a long tail away from `good`, by quantiles. */
function within(axis, values, good) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length < 20 || !["maximize", "minimize"].includes(good)) return around(axis, sorted);
  const at = (part) => sorted[Math.floor(part * (sorted.length - 1))];
  const [low, high] = good === "minimize" ? [sorted[0], at(0.95)] : [at(0.05), sorted[sorted.length - 1]];
  const [whole, part] = [sorted[sorted.length - 1] / 4 - sorted[0] / 4, high / 4 - low / 4];
  return around(axis, whole > 3 * part && part > 0 ? [low, high] : sorted);
}

/** The place of a value between `from` and `to`, its marks, and which values are inside. */
function scale(axis, from, to, room) {
  if (axis.kind === "choice") return byChoice(axis.choices, from, to, room);
  let [low, high] = axis.range;
  if (low === high) [low, high] = around(axis, [low]).range;
  const logarithmic = axis.kind === "log" && low > 0;
  const map = logarithmic ? Math.log : (value) => value;
  // Halves, so that the widest range does not overflow.
  const [a, b] = [map(low) / 2, map(high) / 2];
  const place = (value) => from + ((map(value) / 2 - a) / (b - a)) * (to - from);
  const ticks = logarithmic ? decades(low, high, room) : even(low, high, room);
  const inside = (value) => Number.isFinite(value) && value >= low && value <= high;
  return { place, inside, ticks: ticks.filter(({ value }) => inside(value)) };
}

function byChoice(choices, from, to, room) {
  const index = new Map(choices.map((choice, i) => [choice, i]));
  const step = (to - from) / Math.max(choices.length, 1);
  const place = (choice, shift = 0) => from + (index.get(choice) + 0.5 + 0.6 * shift) * step;
  const every = Math.ceil(choices.length / Math.max(room, 1));
  const ticks = choices.map((value) => ({ value, text: String(value) })).filter((_, i) => i % every === 0);
  return { place, inside: (choice) => index.has(choice), ticks, step: Math.abs(step) };
}

/** Round numbers, at most about `room` of them. */
function even(low, high, room) {
  const width = ((high / 2 - low / 2) / Math.max(room, 1)) * 2;
  const power = 10 ** Math.floor(Math.log10(width));
  if (!Number.isFinite(power) || power === 0) return [low, high].map((value) => ({ value, text: show(value) }));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= 0.7 * width);
  const first = Math.ceil(low / step - 1e-9);
  const ticks = [];
  for (let i = 0; i <= 2 * room + 2 && (first + i) * step <= high + 1e-9 * step; i++) {
    ticks.push({ value: clamp((first + i) * step, low, high), text: rounded((first + i) * step, step) });
  }
  return ticks;
}

/** In so many digits as tell multiples of `step` apart. */
function rounded(value, step) {
  const size = Math.max(Math.abs(value), step);
  if (Math.abs(value) < step / 2) return "0";
  if (size >= 1e5 || size < 1e-3) return show(value, clamp(Math.ceil(Math.log10(size / step)) + 1, 1, 8));
  return minus(value.toFixed(clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 8)));
}

/** Powers of ten, and twice and five times them if there is room. */
function decades(low, high, room) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const span = Math.log10(high) - Math.log10(low);
  const factors = 3 * span <= room || span < 1 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(span / Math.max(room, 1)));
  const ticks = [];
  for (let power = first; power <= last; power += every) {
    for (const factor of factors) ticks.push(Number(`${factor}e${power}`));
  }
  const text = (value) => (value >= 1e-3 && value < 1e5 ? show(value) : tidy(value.toExponential(0)).replace("-", "−"));
  const inside = ticks.filter((value) => value >= low && value <= high);
  return (inside.length ? inside : [low, high]).map((value) => ({ value, text: text(value) }));
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
