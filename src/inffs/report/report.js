(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const size = data.names.length, perPage = 25;
  const body = document.querySelector("#table tbody");
  const by = id => document.getElementById(id);
  const make = (name, text, className) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const number = value => value === null ? "" : String(Number(Number(value).toPrecision(3)));
  const grouped = value => value.toLocaleString("en");
  let lower = null;
  const lowerNames = () => lower || (lower = data.names.map(name => name.toLowerCase()));

  // ---- which rows, in which order ----
  let key = "place", falling = false, page = 0;
  let view = Array.from({length: size}, (_, i) => i);

  const values = {
    place: null,
    twin: () => data.twin_correlation,
    feature: lowerNames,
  };
  function sortView() {
    if (key === "place") {
      view.sort((a, b) => a - b);
    } else {
      const column = key in values ? values[key]() : data[key];
      view.sort((a, b) => column[a] < column[b] ? -1 : column[a] > column[b] ? 1 : a - b);
    }
    if (falling) view.reverse();
  }
  function filterView() {
    const wanted = by("search").value.trim().toLowerCase(), onlyKept = by("only-kept").checked;
    const names = wanted ? lowerNames() : null;
    view = [];
    const end = onlyKept ? Math.min(size, data.kept) : size;
    for (let i = 0; i < end; i++) if (!names || names[i].includes(wanted)) view.push(i);
    sortView();
    page = 0;
    draw();
  }

  // ---- drawing one page of rows ----
  const keys = [...document.querySelectorAll("#table thead th")].map(head => head.dataset.key);
  function nameButton(i) {
    const button = make("button", data.names[i], "link");
    button.type = "button";
    button.addEventListener("click", () => explain(i));
    return button;
  }
  function cell(name, i) {
    const td = make("td", undefined, name === "feature" || name === "twin" ? "" : "num");
    if (name === "place") td.textContent = grouped(i + 1);
    else if (name === "feature") td.append(nameButton(i));
    else if (name === "twin") td.textContent = data.twin[i] < 0 ? "" : `${data.names[data.twin[i]]} (${number(data.twin_correlation[i])})`;
    else td.textContent = name === "score" ? Number(data.score[i]).toPrecision(4) : number(data[name][i]);
    return td;
  }
  function draw() {
    const pages = Math.max(1, Math.ceil(view.length / perPage));
    page = Math.min(Math.max(page, 0), pages - 1);
    const rows = view.slice(page * perPage, (page + 1) * perPage).map(i => {
      const row = make("tr", undefined, i < data.kept ? "is-kept" : "");
      row.append(...keys.map(name => cell(name, i)));
      return row;
    });
    body.replaceChildren(...rows);
    by("status").textContent = view.length === size ? `${grouped(size)} features` : `${grouped(view.length)} of ${grouped(size)} features match`;
    by("page").textContent = `page ${grouped(page + 1)} of ${grouped(pages)}`;
    by("first").disabled = by("previous").disabled = page === 0;
    by("next").disabled = by("last").disabled = page === pages - 1;
  }
  function sortBy(name) {
    falling = key === name ? !falling : !(name === "place" || name === "feature");
    key = name;
    for (const head of document.querySelectorAll("#table thead th")) {
      if (head.dataset.key === key) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    sortView();
    page = 0;
    draw();
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
    line.append(nameButton(other), ` (|r| ${number(correlation)}, place ${grouped(other + 1)}).`);
    card.append(line);
  }
  function explain(i) {
    const card = by("why"), list = make("div", undefined, "bars");
    card.replaceChildren(make("h3", `Why ${data.names[i]} is at place ${grouped(i + 1)}${i < data.kept ? " and kept" : " and not kept"}`));
    for (const [name, title] of measures) bar(list, name, title, i);
    card.append(list);
    partner(card, "Worst partner, it repeats: ", data.twin[i], data.twin_correlation[i]);
    partner(card, "Best partner among the best features, good itself and different: ", data.company[i], data.company_correlation[i]);
    card.hidden = false;
    card.tabIndex = -1;
    card.focus({preventScroll: true});
    card.scrollIntoView({block: "nearest"});
  }

  // ---- set up ----
  for (const head of document.querySelectorAll("#table thead th")) {
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
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = by(button.dataset.copy).textContent, said = button.textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(by(button.dataset.copy));
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = said; }, 2000);
    });
  }
  document.querySelector(".tools").hidden = document.querySelector(".pages").hidden = false;
  draw();
})();
