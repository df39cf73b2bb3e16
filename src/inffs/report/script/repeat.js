// ---- the choice as a file, as a command and as Python ----
const exactName = i => i in data.choice.exact ? data.choice.exact[i] : data.names[i];
const sorted = marks => [...marks].sort((a, b) => a - b);
function constraints() {
  // the rules give the same features only while the run's own constraints hold
  const kept = data.choice.pinned.every(i => pinned.has(i)) && data.choice.struck.every(i => struck.has(i));
  if (kept && !data.choice.explicit) return {keep: wanted, include: sorted(pinned), exclude: sorted(struck)};
  return {keep: count, include: chosenPlaces(), exclude: []};
}
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}
function commandText({keep, include, exclude}) {
  const flag = name => i => `--${name}=${quoted(exactName(i))}`;
  return [data.choice.command, `--keep ${keep}`, ...include.map(flag("include")), ...exclude.map(flag("exclude"))].join(" ");
}
function pythonText({keep, include, exclude}) {
  const template = include.length || exclude.length ? data.choice.python_constrained : data.choice.python;
  let text = template.replace("⟦size⟧", keep);
  const comments = [];
  for (const [name, places] of [["include", include], ["exclude", exclude]]) {
    const columns = `[${places.map(i => data.position[i]).join(", ")}]`;
    text = places.length ? text.replace(`⟦${name}⟧`, columns) : text.replace(new RegExp(`${name}=⟦${name}⟧,\\s*|,?\\s*${name}=⟦${name}⟧`), "");
    if (places.length && places.length <= 40) comments.push(`# ${name}: columns ${places.map(i => data.names[i]).join(", ")}`);
  }
  return [text, ...comments].join("\n");  // a comment on top could declare an encoding
}
function csvText() {
  const field = value => /[",\r\n]/.test(value) || /^\s|\s$/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value;
  const heads = ["feature", "rank", "score", "choice", "position", ...(folds ? ["times_kept"] : []), ...methods.map(name => `rank_${name}`)];
  const rows = chosenPlaces().map(i => [
    exactName(i), i + 1, data.score[i], pinned.has(i) ? "pinned" : "ranked", data.position[i],
    ...(folds ? [wanted <= foldsReach ? timesKept[i] : ""] : []), ...methodPlaces.map(places => places[i]),
  ]);
  return [heads, ...rows].map(row => row.map(field).join(",") + "\n").join("");
}
function writeRepeats() {
  const found = constraints();
  if (data.choice.command) by("choice-command").textContent = commandText(found);
  by("choice-python").textContent = pythonText(found);
}
// long texts are written when they can be seen, not at every step of the handle
let late = null;
watchers.push(() => {
  clearTimeout(late);
  late = setTimeout(writeRepeats, 60);
});
by("download").addEventListener("click", () => {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([csvText()], {type: "text/csv;charset=utf-8"}));
  link.download = "choice.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`choice.csv: ${summary()}`);
});
