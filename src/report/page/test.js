"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = (element, name) => (element.dataset[name] || "").split(" ").filter(Boolean);
  const drawings = all("svg.drawing");
  const steps = all(".steps button");

  // What is lit: cells by event, the connections between them, lines of the source by number.
  const light = (from, to, lines) => {
    const events = new Set([...from, ...to]);
    const meets = (element, name, set) => words(element, name).some((word) => set.has(word));
    const ends = [new Set(from), new Set(to)];
    for (const drawing of drawings) {
      drawing.classList.toggle("lights", to.length > 0);
      for (const cell of all(".cell", drawing)) {
        cell.classList.toggle("lit", meets(cell, "events", events));
      }
      for (const wire of all(".wire, .step", drawing)) {
        const leads = (a, b) => meets(wire, "from", a) && meets(wire, "to", b);
        const lit = to.length > 0 && (leads(ends[0], ends[1]) || leads(ends[1], ends[0]));
        wire.classList.toggle("lit", lit);
      }
    }
    for (const line of all(".source div")) {
      line.classList.toggle("lit", lines.includes(line.dataset.line));
    }
  };

  const press = (button) => {
    for (const step of steps) step.setAttribute("aria-pressed", String(step === button));
    if (!button) return light([], [], []);
    light(words(button, "from"), words(button, "to"), words(button, "lines"));
  };
  steps.forEach((button, index) => {
    button.addEventListener("click", () => {
      press(button.getAttribute("aria-pressed") === "true" ? null : button);
    });
    button.addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const next = by && steps[index + by];
      if (!next) return;
      event.preventDefault();
      next.focus();
      press(next);
    });
  });

  const choose = (cell) => {
    press(null);
    const lines = words(cell, "lines");
    light(words(cell, "events"), [], lines);
    const first = lines.length && document.getElementById("L" + lines[0]);
    if (first) first.scrollIntoView({ block: "nearest" });
  };
  for (const cell of all(".cell[data-lines]")) {
    cell.setAttribute("tabindex", "0");
    cell.addEventListener("click", () => choose(cell));
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        choose(cell);
      }
    });
  }
  for (const line of all(".source .marked")) {
    line.addEventListener("click", () => {
      press(null);
      light(words(line, "events"), [], [line.dataset.line]);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") press(null);
  });

  // Which of the drawings is there, and which relations of the full one.
  const full = document.getElementById("full");
  const boxes = all("input[data-relation]");
  const show = () => {
    const chosen = document.querySelector("input[name=view]:checked");
    const isFull = Boolean(full && chosen && chosen.value === "full");
    if (full) full.hidden = !isFull;
    document.getElementById("deciding").hidden = isFull;
    const box = document.getElementById("relations");
    if (box) box.hidden = !isFull;
  };
  const relate = () => {
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.relation));
    for (const wire of all(".wire", full)) {
      const names = words(wire, "relations");
      const kept = names.filter((name) => wanted.has(name));
      wire.toggleAttribute("hidden", names.length > 0 && kept.length === 0);
      wire.style.display = names.length > 0 && kept.length === 0 ? "none" : "";
      const label = wire.querySelector("text");
      if (label && kept.length) {
        label.textContent = kept.join(", ");
        label.removeAttribute("textLength");
      }
    }
  };
  for (const radio of all("input[name=view]")) radio.addEventListener("change", show);
  if (full) {
    for (const box of boxes) box.addEventListener("change", relate);
    relate();
  }
})();
