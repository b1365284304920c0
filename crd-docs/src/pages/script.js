"use strict";
(() => {
  const root = document.documentElement;
  const fields = [...document.querySelectorAll("details.field")];
  const remember = (value) => { try { localStorage.setItem("theme", value); } catch { /* Storage is closed. */ } };
  try { const theme = localStorage.getItem("theme"); if (theme) root.dataset.theme = theme; } catch { /* Storage is closed. */ }

  document.getElementById("page:theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  });
  const fold = (id, open) => document.getElementById(id)?.addEventListener("click", () => fields.forEach((one) => { one.open = open; }));
  fold("page:unfold", true);
  fold("page:fold", false);

  const show = () => {
    let one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const target = one;
    for (; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", show);
  if (location.hash) show();

  const filter = document.getElementById("page:filter");
  const path = new Map(fields.map((one) => [one, one.querySelector(".path").textContent.toLowerCase()]));
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.includes(word));
    let found = 0;
    fields.forEach((one) => { one.hidden = words.length > 0; });
    for (const one of fields) {
      if (!matches(path.get(one))) continue;
      found += 1;
      for (let up = one; up; up = up.parentElement) if (up.tagName === "DETAILS") { up.hidden = false; if (words.length && up !== one) up.open = true; }
    }
    for (const one of document.querySelectorAll("[data-words]")) {
      one.hidden = !matches(one.dataset.words);
      found += one.hidden ? 0 : 1;
    }
    for (const group of document.querySelectorAll(".group")) group.hidden = !group.querySelector("li:not([hidden])");
    document.getElementById("page:nothing").hidden = found > 0;
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== filter) { event.preventDefault(); filter.focus(); }
  });
})();
