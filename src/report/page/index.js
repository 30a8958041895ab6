"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const rows = all("tbody tr");
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
