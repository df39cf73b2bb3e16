// ---- which features are selected, by the rules of --keep, --include and --exclude ----
const pinned = new Set(), struck = new Set(), watchers = [];
const chosen = new Uint8Array(size);
let wanted, count, ownChoice;

const members = new Map();
if (data.group) data.group.forEach((group, i) => {
  if (group >= 0) members.set(group, [...(members.get(group) || []), i]);
});
const groupOf = i => data.group && data.group[i] >= 0 ? members.get(data.group[i]) : [i];

function take(members) {
  for (const i of members) {
    count += 1 - chosen[i];
    chosen[i] = 1;
  }
}
function choose() {
  wanted = Math.min(Math.max(wanted, pinned.size, 1), Math.max(1, size - struck.size));
  chosen.fill(0);
  count = 0;
  for (const i of pinned) take(groupOf(i));
  for (let i = 0; i < size && count < wanted; i++) {
    if (chosen[i] || struck.has(i)) continue;
    const group = groupOf(i).filter(one => !struck.has(one));
    if (!count || count + group.length <= wanted) take(group);
  }
}
function chosenPlaces() {
  const places = [];
  for (let i = 0; i < size; i++) if (chosen[i]) places.push(i);
  return places;
}
function changed() {
  choose();
  for (const watch of watchers) watch();
}
function resize(to) {
  if (Number.isFinite(to)) wanted = Math.round(to);
  changed();
}
function mark(i, marks, others) {
  const on = !marks.has(i);
  for (const one of groupOf(i)) {
    others.delete(one);
    if (on) marks.add(one);
    else marks.delete(one);
  }
  changed();
  return on;
}
function pin(i) {
  announce(`${data.names[i]} ${mark(i, pinned, struck) ? "pinned" : "no longer pinned"}. ${summary()}`);
}
function strike(i) {
  announce(`${data.names[i]} ${mark(i, struck, pinned) ? "struck out" : "no longer struck out"}. ${summary()}`);
}
function restore() {
  wanted = data.kept;
  pinned.clear();
  struck.clear();
  for (const i of data.choice.pinned) pinned.add(i);
  for (const i of data.choice.struck) struck.add(i);
}

// ---- the score of a selection of this size ----
const check = data.choice.check;
const measured = value => check.share ? percent(value) : value.toFixed(2);
function accuracyAt(k) {
  if (!check) return null;
  const {sizes, mean, error} = check;
  const at = sizes.findIndex(size => size >= k);
  if (sizes[at] === k) return {words: measured(mean[at]), how: `Cross-validated with the first ${several(k, "feature")}, ± ${check.share ? (100 * error[at]).toFixed(1) : error[at].toFixed(2)}.`};
  if (at === 0) return {words: "not evaluated", how: `Evaluated from ${several(sizes[0], "feature")} on.`};
  const share = Math.log(k / sizes[at - 1]) / Math.log(sizes[at] / sizes[at - 1]);
  const value = mean[at - 1] + share * (mean[at] - mean[at - 1]);
  return {
    words: `about ${measured(value)}`,
    how: `Interpolated between ${measured(mean[at - 1])} with ${grouped(sizes[at - 1])} and ${measured(mean[at])} with ${grouped(sizes[at])}.`,
  };
}
function summary() {
  const found = accuracyAt(wanted);
  return `${several(count, "feature")} selected${found ? `, ${check.measure} ${found.words}` : ""}.`;
}

// ---- in how many folds a feature is among as many best ----
const folds = data.choice.folds, timesKept = new Uint8Array(size);
const foldsReach = folds ? Math.min(...folds.map(order => order.length)) : 0;
function countFolds() {
  timesKept.fill(0);
  if (folds) for (const order of folds) for (let place = 0; place < Math.min(wanted, order.length); place++) {
    if (order[place] < size) timesKept[order[place]]++;
  }
}
watchers.push(countFolds);

// ---- how far several methods agree on as many best ----
const methods = data.choice.methods || [];
const methodPlaces = methods.map((_, m) => data[`m${m}`]);
const votesOf = i => methodPlaces.reduce((votes, places) => votes + (places[i] <= wanted), 0);
function sharedBest(first, second) {
  let both = 0;
  for (let i = 0; i < size; i++) both += first[i] <= wanted && second[i] <= wanted;
  return both / wanted;
}
function showAgreement() {
  if (!methods.length) return;
  for (const cell of document.querySelectorAll("#agreement td[data-pair]")) {
    const [first, second] = cell.dataset.pair.split(" ").map(m => methodPlaces[m]);
    cell.textContent = `${Math.round(100 * sharedBest(first, second))} %`;
  }
  let all = 0;
  for (let i = 0; i < size; i++) all += votesOf(i) === methods.length;
  by("agreed").textContent = `${several(all, "feature")} ${all === 1 ? "is" : "are"} among the best ${grouped(wanted)} of all ${methods.length} methods.`;
}
watchers.push(showAgreement);
