"use strict";
(() => {
  const make = (name, text, className) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const rows = data.rows.map(([folder, name, page, standing, reason, ...verdicts], at) => {
    const row = make("tr");
    const path = (data.folders[folder] ? data.folders[folder] + "/" : "") + name;
    const stem = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : name;
    const link = make("a", path);
    link.href = encodeURI(page || `tests/${String(at + 1).padStart(4, "0")}-${stem}.html`);
    row.append(make("td"));
    row.firstChild.append(link);
    const kinds = verdicts.map((verdict) => {
      const [kind, className, word] = data.verdicts[verdict].split("|");
      row.append(make("td"));
      row.lastChild.append(make("span", word, className));
      return kind;
    });
    row.append(make("td", data.reasons[reason], "faint"));
    row.dataset.verdicts = kinds.join(" ");
    row.dataset.standing = data.standings[standing];
    return row;
  });
  document.querySelector("tbody").append(...rows);
  const search = document.getElementById("search");
  const verdict = document.getElementById("verdict");
  const standing = document.getElementById("standing");
  const count = document.getElementById("count");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.dataset.text || (row.dataset.text = row.textContent.toLowerCase());
      const fits =
        words.every((word) => text.includes(word)) &&
        (!verdict.value || row.dataset.verdicts.split(" ").includes(verdict.value)) &&
        (!standing.value || row.dataset.standing === standing.value);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    count.textContent = `${shown} of ${rows.length} tests`;
    const state = new URLSearchParams();
    if (search.value) state.set("text", search.value);
    if (verdict.value) state.set("verdict", verdict.value);
    if (standing.value) state.set("standing", standing.value);
    const hash = state.toString();
    if (location.hash.slice(1) !== hash) history.replaceState(null, "", hash ? "#" + hash : " ");
  };
  const restore = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    search.value = state.get("text") || "";
    verdict.value = state.get("verdict") || "";
    standing.value = state.get("standing") || "";
    filter();
  };
  for (const input of [search, verdict, standing]) input.addEventListener("input", filter);
  window.addEventListener("hashchange", restore);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
  });
  restore();
})();
