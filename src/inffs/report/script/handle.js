// ---- the cut as a handle on the score curve ----
const plot = data.choice.chart, handle = by("handle"), board = handle.parentElement;
const svg = board.querySelector("svg");
const reach = Math.max(plot.last, 2);
function xOf(k) {
  const share = plot.log ? Math.log(k) / Math.log(reach) : (k - 1) / (reach - 1);
  return plot.start + share * (plot.stop - plot.start);
}
function sizeAt(clientX) {
  const box = svg.getBoundingClientRect();
  const x = (clientX - box.left) / box.width * plot.width;
  const share = Math.min(Math.max((x - plot.start) / (plot.stop - plot.start), 0), 1);
  return plot.log ? reach ** share : 1 + share * (reach - 1);
}
function moveHandle() {
  const x = xOf(wanted);
  handle.style.left = `${100 * x / plot.width}%`;
  handle.setAttribute("aria-valuenow", wanted);
  handle.setAttribute("aria-valuetext", summary());
  svg.querySelector(".kept").setAttribute("width", Math.max(0, x - plot.start));
  for (const end of ["x1", "x2"]) svg.querySelector(".cut").setAttribute(end, x);
  const words = svg.querySelector(".cut-name"), left = x < plot.width / 2;
  words.textContent = `${grouped(wanted)} selected`;
  words.setAttribute("x", left ? Math.max(x, plot.beside) : x);
  words.setAttribute("class", left ? "cut-name" : "cut-name end");
}
function describeChoice() {
  const places = chosenPlaces(), found = accuracyAt(wanted);
  by("size").value = wanted;
  by("count").textContent = grouped(count);
  if (found) {
    by("accuracy").textContent = found.words;
    const own = pinned.size || struck.size ? ` This is the score of the first ${grouped(wanted)} by rank; features pinned or struck out by hand were not evaluated.` : "";
    by("accuracy-how").textContent = found.how + own;
  }
  by("marks").textContent = `${grouped(pinned.size)} / ${grouped(struck.size)}`;
  by("chosen").replaceChildren(...places.slice(0, 12).map(i => make("li", data.names[i], pinned.has(i) ? "is-pinned" : "")));
  by("more").textContent = places.length > 12 ? `and ${grouped(places.length - 12)} more, marked in the ranking below` : "";
  by("difference").textContent = difference(places);
}
function difference(places) {
  const added = places.filter(i => !ownChoice[i]), gone = [];
  for (let i = 0; i < size; i++) if (ownChoice[i] && !chosen[i]) gone.push(i);
  if (!added.length && !gone.length) return "This is the result of the run.";
  const parts = [];
  if (added.length) parts.push(`${grouped(added.length)} more (${named(added, 5)})`);
  if (gone.length) parts.push(`${grouped(gone.length)} left out (${named(gone, 5)})`);
  return `Compared with the result of the run: ${parts.join("; ")}.`;
}
function keyMoves(key) {
  const step = Math.max(1, Math.round(wanted / 10));
  return {
    ArrowRight: wanted + 1, ArrowUp: wanted + 1, ArrowLeft: wanted - 1, ArrowDown: wanted - 1,
    PageUp: wanted + step, PageDown: wanted - step, Home: 1, End: size,
  }[key];
}
handle.addEventListener("keydown", event => {
  const to = keyMoves(event.key);
  if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  resize(to);
});
let asked = null;
function drag(event) {
  if (asked === null) requestAnimationFrame(() => {
    const to = asked;
    asked = null;
    resize(to);
  });
  asked = sizeAt(event.clientX);
}
handle.addEventListener("pointerdown", event => {
  handle.setPointerCapture(event.pointerId);
  handle.focus({preventScroll: true});
  event.preventDefault();
});
handle.addEventListener("pointermove", event => {
  if (handle.hasPointerCapture(event.pointerId)) drag(event);
});
by("size").addEventListener("change", () => {
  resize(by("size").valueAsNumber);
  announce(summary());
});
by("again").addEventListener("click", () => {
  restore();
  changed();
  announce(`Back to the result of the run. ${summary()}`);
});
handle.setAttribute("aria-valuemax", size);
by("size").max = size;
watchers.push(moveHandle, describeChoice);
handle.hidden = by("choose").hidden = false;
