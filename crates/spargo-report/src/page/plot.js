// One drawing: a frame with two axes, and whatever is drawn into it; redrawn when its width changes.

// In the next frame: a drawing changes the height of its box, which must not be answered while boxes are measured.
const resized = new ResizeObserver((entries) =>
  requestAnimationFrame(() => entries.forEach(({ target }) => target.redraw())),
);

/**
 * A drawing that fills its box. `spec()` gives {label, x, y, height, pad, draw(layer, sx, sy, box)}, where pad is
 * the room between the frame and the ends of the axes; draw returns a list of {x, y, text} that answer to the pointer.
 */
function plot(spec) {
  const host = el("div", { class: "host" });
  let drawn = 0;
  host.redraw = (force) => {
    const width = Math.floor(host.clientWidth);
    if (!width || (width === drawn && force !== "force")) return;
    drawn = width;
    host.replaceChildren(picture(spec(), width));
  };
  resized.observe(host);
  return host;
}

function picture({ label, x, y, height, pad = 0, draw }, width) {
  const rows = Math.max(2, Math.floor(height / (y.kind === "choice" ? 18 : 55)));
  const most = width < 500 ? 14 : 24;
  const widest = Math.max(...scale(y, 0, 1, rows).ticks.map(({ text }) => [...short(text, most)].length), 1);
  const box = { left: (y.name ? 32 : 12) + 7 * widest, right: width - 12, top: 10, bottom: height - 44, most };
  const columns = Math.floor((box.right - box.left) / (x.kind === "choice" ? 45 : 70));
  const sx = scale(x, box.left + pad, box.right - pad, columns);
  const sy = scale(y, box.bottom - pad, box.top + pad, rows);
  const viewBox = `0 0 ${width} ${height}`;
  const image = svg("svg", { class: "plot", viewBox, height, role: "img", "aria-label": label });
  const layer = svg("g", { class: "marks" });
  image.append(axes(x, y, sx, sy, box, height), layer);
  answer(image, draw(layer, sx, sy, box));
  return image;
}

function axes(x, y, sx, sy, box, height) {
  const group = svg("g", {});
  for (const { value, text } of sy.ticks) {
    const at = sy.place(value);
    group.append(line(box.left, at, box.right, at, "grid"));
    group.append(word(text, box.most, { x: box.left - 6, y: at + 4, "text-anchor": "end" }));
  }
  const most = x.kind === "choice" ? Math.max(3, Math.floor((box.right - box.left) / sx.ticks.length / 7)) : 14;
  for (const { value, text } of sx.ticks) {
    const at = sx.place(value);
    if (x.kind !== "choice") group.append(line(at, box.top, at, box.bottom, "grid"));
    group.append(word(text, most, { x: at, y: box.bottom + 17, "text-anchor": "middle" }));
  }
  group.append(line(box.left, box.bottom, box.right, box.bottom, "frame"));
  const [across, up] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const names = [Math.floor((box.right - box.left) / 7.5), Math.floor((box.bottom - box.top) / 7.5)];
  group.append(word(x.name, names[0], { class: "axis", x: across, y: height - 8, "text-anchor": "middle" }));
  const turned = { class: "axis", "text-anchor": "middle", transform: `translate(14 ${up}) rotate(-90)` };
  group.append(word(y.name, names[1], turned));
  return group;
}

function word(text, most, attributes) {
  const cut = short(text, most);
  return svg("text", attributes, cut, cut === String(text) ? null : svg("title", {}, String(text)));
}

const tip = document.getElementById("tip");

/** Shows the words of the mark that is nearest to the pointer. */
function answer(image, marks) {
  if (!marks.length) return;
  const hide = () => (tip.hidden = true);
  image.addEventListener("pointerleave", hide);
  const look = (event) => {
    const frame = image.getBoundingClientRect();
    const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
    let nearest = null,
      least = 26 * 26;
    for (const mark of marks) {
      const distance = (mark.x - px) ** 2 + (mark.y - py) ** 2;
      if (distance < least) [nearest, least] = [mark, distance];
    }
    if (!nearest) return hide();
    tip.textContent = nearest.text;
    tip.hidden = false;
    tip.style.left = `${clamp(event.clientX + 14, 4, innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${clamp(event.clientY + 14, 4, innerHeight - tip.offsetHeight - 4)}px`;
  };
  image.addEventListener("pointermove", look);
  image.addEventListener("pointerdown", look);
}

/** A line through points; gaps where a number is missing. */
function path(points) {
  let text = "",
    pen = "M";
  for (const [px, py] of points) {
    if (Number.isFinite(px) && Number.isFinite(py)) {
      text += `${pen}${px.toFixed(1)} ${py.toFixed(1)}`;
      pen = "L";
    } else pen = "M";
  }
  return text;
}

function dot(x, y, r, name) {
  return svg("circle", { class: name, cx: x.toFixed(1), cy: y.toFixed(1), r });
}

function ring(x, y) {
  return dot(x, y, 5, "ring");
}

function rect(x, y, width, height, name, rx) {
  return svg("rect", { class: name, x, y, width, height, rx });
}

function line(x1, y1, x2, y2, name) {
  return svg("line", { class: name, x1, y1, x2, y2 });
}

function cross(x, y, r) {
  return svg("path", { class: "cross", d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}` });
}

/** The place of a point with number `i` over two axes; points of the same choice are spread apart. */
function spread(sx, sy, x, y, i) {
  const shift = (step) => ((i * step) % 1) - 0.5;
  return [sx.place(x, shift(0.618034)), sy.place(y, shift(0.414214))];
}

/** A drawing over two of several axes, `chosen` by their indices, and the lists to choose others. */
function overTwo(id, axes, chosen, spec) {
  const drawing = plot(() => ({ ...spec, x: axes[chosen[0]], y: axes[chosen[1]] }));
  const names = axes.map(({ name }) => name);
  const select = (side, words) =>
    choose(`${id}-${side ? "y" : "x"}`, words, names, chosen[side], (k) => {
      chosen[side] = k;
      drawing.redraw("force");
    });
  return { drawing, controls: el("div", { class: "controls" }, select(0, "Across"), select(1, "Up")) };
}

/** Marks and their meanings. */
function legend(...entries) {
  const entry = ([mark, text]) =>
    el("span", {}, svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, mark), text);
  return el("div", { class: "legend" }, entries.filter(Boolean).map(entry));
}
