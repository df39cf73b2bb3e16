// ---- which rows, in which order ----
const perPage = 25, body = document.querySelector("#table tbody");
let lower = null;
const lowerNames = () => lower || (lower = data.names.map(name => name.toLowerCase()));
let key = "place", falling = false, page = 0;
let view = Array.from({length: size}, (_, i) => i);

const values = {
  nearest: () => data.nearest_correlation,
  feature: lowerNames,
  folds: () => timesKept,
  votes: () => Uint8Array.from({length: size}, (_, i) => votesOf(i)),
};
const pValues = ["effect_p", "effect_q", "q_value", "rra_p_value"];
const rising = name => ["place", "feature", "direction", ...pValues].includes(name) || /^m\d+$/.test(name);
function sortView() {
  const way = falling ? -1 : 1;
  if (key === "place") {
    view.sort((a, b) => way * (a - b));
    return;
  }
  const column = key in values ? values[key]() : data[key];
  view.sort((a, b) => {
    const x = column[a], y = column[b];
    if (x === null || y === null) return (x === null) - (y === null) || a - b;  // what is missing comes last
    return x < y ? -way : x > y ? way : a - b;
  });
}
function filterView() {
  const sought = by("search").value.trim().toLowerCase(), onlyChosen = by("only-kept").checked;
  const names = sought ? lowerNames() : null;
  view = [];
  for (let i = 0; i < size; i++) {
    if ((!onlyChosen || chosen[i]) && (!names || names[i].includes(sought))) view.push(i);
  }
  sortView();
  page = 0;
  draw();
}

// ---- drawing one page of rows ----
const heads = [...document.querySelectorAll("#table thead th")];
const keys = heads.map(head => head.dataset.key);
const hiddenColumns = new Set(heads.filter(head => head.hidden).map(head => head.dataset.key));
function offerColumns() {
  const fixed = ["place", "feature", "pick"];
  for (const head of heads) {
    const name = head.dataset.key;
    if (fixed.includes(name)) continue;
    const box = make("input"), label = make("label");
    box.type = "checkbox";
    box.checked = !hiddenColumns.has(name);
    box.dataset.column = name;
    box.addEventListener("change", () => showColumn(name, box.checked));
    label.title = head.title;
    label.append(box, ` ${head.textContent}`);
    by("columns").append(label);
  }
}
function showColumn(name, on) {
  if (on) hiddenColumns.delete(name);
  else hiddenColumns.add(name);
  heads[keys.indexOf(name)].hidden = !on;
  document.querySelector(`#columns [data-column=${name}]`).checked = on;
  draw();
}
// on a wide screen these columns are hidden, one after the other, until the table fits its box
function fitColumns() {
  const box = document.querySelector("#ranking .wide");
  for (const name of ["represented", "difference", "slope", "effect_p", ...keys.filter(name => /^m\d+$/.test(name)), "folds"]) {
    if (innerWidth < 800 || box.scrollWidth <= box.clientWidth) return;
    if (keys.includes(name)) showColumn(name, false);
  }
}
function nameButton(i) {
  const button = make("button", data.names[i], "link");
  button.type = "button";
  button.addEventListener("click", () => explain(i));
  return button;
}
function toggle(i, sign, word, letter, marks, press) {
  const button = make("button", sign, "toggle");
  button.type = "button";
  button.title = `${word} (${letter})`;
  button.setAttribute("aria-label", `${word} ${data.names[i]}`);
  button.setAttribute("aria-pressed", marks.has(i));
  button.setAttribute("aria-keyshortcuts", letter);
  button.addEventListener("click", () => press(i));
  return button;
}
const written = {
  place: i => grouped(i + 1),
  score: i => Number(data.score[i]).toPrecision(4),
  auc: i => data.auc[i] === null ? "" : data.auc[i].toFixed(3),
  hazard_ratio: i => data.hazard_ratio[i] === null ? "" : `${number(data.hazard_ratio[i])} (${number(data.hazard_ratio_low[i])} to ${number(data.hazard_ratio_high[i])})`,
  concordance: i => data.concordance[i].toFixed(3),
  nearest: i => data.nearest[i] < 0 ? "" : `${data.names[data.nearest[i]]} (${number(data.nearest_correlation[i])})`,
  represented: i => data.represented[i] < 0 ? "" : data.names[data.represented[i]],
  folds: i => wanted > foldsReach ? "" : `${timesKept[i]} of ${folds.length}`,
  votes: i => `${votesOf(i)} of ${methods.length}`,
  direction: i => data.words.direction[data.direction[i]],
};
const textOf = (name, i) => name in written ? written[name](i) : pValues.includes(name) ? pText(data[name][i]) : number(data[name][i]);
function cell(name, i) {
  const words = ["feature", "pick", "nearest", "represented", "direction"].includes(name);
  const node = make(name === "feature" ? "th" : "td", undefined, words ? "" : "num");
  node.dataset.key = name;
  node.hidden = hiddenColumns.has(name);
  if (name === "feature") {
    node.scope = "row";
    node.append(nameButton(i));
  } else if (name === "pick") {
    node.append(toggle(i, "✓", "Pin", "P", pinned, pin), toggle(i, "✕", "Strike out", "X", struck, strike));
  } else {
    node.textContent = textOf(name, i);
  }
  return node;
}
const rowClass = i => [chosen[i] && "is-kept", pinned.has(i) && "is-pinned", struck.has(i) && "is-struck"].filter(Boolean).join(" ");
function drawRows(places) {
  body.replaceChildren(...places.map(i => {
    const row = make("tr", undefined, rowClass(i));
    row.dataset.place = i;
    row.append(...keys.map(name => cell(name, i)));
    return row;
  }));
}
function draw() {
  const pages = Math.max(1, Math.ceil(view.length / perPage));
  page = Math.min(Math.max(page, 0), pages - 1);
  drawRows(view.slice(page * perPage, (page + 1) * perPage));
  by("status").textContent = view.length === size ? several(size, "feature") : `${grouped(view.length)} of ${several(size, "feature")} match`;
  by("page").textContent = `page ${grouped(page + 1)} of ${grouped(pages)}`;
  by("first").disabled = by("previous").disabled = page === 0;
  by("next").disabled = by("last").disabled = page === pages - 1;
}
function sortBy(name) {
  falling = key === name ? !falling : !rising(name);
  key = name;
  for (const head of heads) {
    if (head.dataset.key === key) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  sortView();
  page = 0;
  draw();
}

// ---- rows by keyboard: arrows walk, P pins, X strikes out ----
const controlsOf = row => [...row.querySelectorAll("button")];
function focusAt(place, control) {
  const row = body.children[Math.min(place, body.children.length - 1)];
  if (row) controlsOf(row)[control].focus();
}
function step(place, way) {
  const to = place + way;
  if (to >= 0 && to < body.children.length) return to;
  const before = page;
  page += way;
  draw();
  if (page === before) return place;
  return way > 0 ? 0 : body.children.length - 1;
}
body.addEventListener("keydown", event => {
  const row = event.target.closest("tr");
  if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
  const place = [...body.children].indexOf(row), control = controlsOf(row).indexOf(event.target);
  const letter = event.key.toLowerCase();
  if (letter === "p") pin(Number(row.dataset.place));
  else if (letter === "x") strike(Number(row.dataset.place));
  else if (event.key === "ArrowDown") focusAt(step(place, 1), control);
  else if (event.key === "ArrowUp") focusAt(step(place, -1), control);
  else return;
  event.preventDefault();
});
function redraw() {
  const row = document.activeElement.closest("#table tbody tr");
  const control = row ? controlsOf(row).indexOf(document.activeElement) : -1;
  if (by("only-kept").checked || key === "folds" || key === "votes") {
    const stay = page;
    filterView();
    page = stay;
  }
  draw();
  if (row) focusAt([...body.children].findIndex(one => one.dataset.place === row.dataset.place), control);
}

// ---- why one feature stands where it stands ----
const measures = [["score", "Score"], ["dispersion", "Dispersion"], ["fisher", "Fisher"], ["information", "Mutual information"], ["mean_correlation", "Mean |correlation|"]];
function bar(list, name, title, i) {
  const column = data[name];
  if (!column) return;
  let low = Infinity, high = -Infinity, below = 0;
  for (const value of column) {
    if (value < low) low = value;
    if (value > high) high = value;
    if (value < column[i]) below++;
  }
  const track = make("div", undefined, "track"), fill = make("div", undefined, "fill");
  low = Math.min(low, 0);
  fill.style.width = `${high > low ? 100 * (column[i] - low) / (high - low) : 0}%`;
  track.append(fill);
  const row = make("div");
  row.append(make("span", title), track, make("span", `${number(column[i])}, above ${Math.floor(100 * below / column.length)} %`, "value"));
  list.append(row);
}
function partner(card, words, other, correlation) {
  if (other < 0) return;
  const line = make("p", words);
  line.append(nameButton(other), ` (|r| ${number(correlation)}, rank ${grouped(other + 1)}).`);
  card.append(line);
}
const test = data.hazard_ratio ? "Cox" : data.same_sign ? "signed ranks" : "rank test";
const effects = [["difference", "mean difference"], ["fold_change", "fold change"], ["auc", "AUC"], ["same_sign", "same sign"], ["hazard_ratio", "hazard ratio"], ["concordance", "C-index"], ["correlation", "correlation"], ["slope", "slope"], ["effect_p", `p (${test})`], ["effect_q", `q (${test})`]];
function effect(card, i) {
  if (!data.direction || !written.direction(i)) return;
  const told = effects.filter(([name]) => data[name] && data[name][i] !== null).map(([name, title]) => `${title} ${textOf(name, i)}`);
  card.append(make("p", `This feature alone: ${[written.direction(i), ...told].join(", ")}.`));
}
function explain(i) {
  const card = by("why"), list = make("div", undefined, "bars");
  card.replaceChildren(make("h3", `Why ${data.names[i]} has rank ${grouped(i + 1)} and is ${chosen[i] ? "selected" : "not selected"}`));
  for (const [name, title] of measures) bar(list, name, title, i);
  card.append(list);
  effect(card, i);
  partner(card, "Most correlated feature: ", data.nearest[i], data.nearest_correlation[i]);
  partner(card, "Best complement among the first features (high score, low correlation): ", data.complement[i], data.complement_correlation[i]);
  if (data.represented && data.represented[i] >= 0) {
    const line = make("p", "Not selected because it correlates above the limit with ");
    line.append(nameButton(data.represented[i]), ".");
    card.append(line);
  }
  card.hidden = false;
  card.tabIndex = -1;
  card.focus({preventScroll: true});
  card.scrollIntoView({block: "nearest"});
}

// ---- printing shows all selected features ----
addEventListener("beforeprint", () => drawRows(chosenPlaces()));
addEventListener("afterprint", draw);

// ---- set up ----
offerColumns();
for (const head of heads) {
  if (head.dataset.key === "pick") continue;
  const button = make("button", head.textContent);
  button.type = "button";
  button.addEventListener("click", () => sortBy(head.dataset.key));
  head.replaceChildren(button);
}
by("search").addEventListener("input", filterView);
by("only-kept").addEventListener("change", filterView);
const turn = (id, where) => by(id).addEventListener("click", () => { page = where(); draw(); });
turn("first", () => 0);
turn("previous", () => page - 1);
turn("next", () => page + 1);
turn("last", () => Infinity);
for (const part of document.querySelectorAll(".tools, .pages, #export")) part.hidden = false;
watchers.push(redraw);
