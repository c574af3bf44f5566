"use strict";
(() => {
  const body = document.body;
  const root = document.documentElement;
  const slides = [...document.querySelectorAll(".slide")];
  const counter = document.getElementById("counter");
  const help = document.getElementById("help");
  // Pages that are read from the right follow each other to the left.
  const right = root.dir === "rtl" ? -1 : 1;
  let current = 0;
  let idle = 0;
  body.classList.add("js");

  const has = (name) => body.classList.contains(name);

  function fit() {
    let scale;
    if (has("overview")) {
      const columns = Math.max(1, Math.min(5, Math.floor(innerWidth / 300)));
      scale = (innerWidth - 48 - (columns - 1) * 20) / columns / 1280;
    } else {
      const height = innerHeight * (has("notes") ? 0.7 : 1);
      scale = Math.min(innerWidth / 1280, height / 720);
    }
    root.style.setProperty("--s", String(scale));
  }

  function show(index, quiet) {
    current = Math.max(0, Math.min(slides.length - 1, index));
    slides.forEach((slide, at) => slide.classList.toggle("current", at === current));
    counter.textContent = `${current + 1} / ${slides.length}`;
    if (!quiet) history.replaceState(null, "", `#${current + 1}`);
    if (has("overview")) slides[current].scrollIntoView({ block: "nearest" });
  }

  function fromHash() {
    const page = Number.parseInt(location.hash.slice(1), 10);
    show(Number.isFinite(page) ? page - 1 : current, !Number.isFinite(page));
  }

  function toggle(name) {
    body.classList.toggle(name);
    fit();
    if (name === "overview") show(current, true);
  }

  function fullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (root.requestFullscreen) root.requestFullscreen().catch(() => {});
  }

  const acts = {
    previous: () => show(current - 1),
    next: () => show(current + 1),
    overview: () => toggle("overview"),
    notes: () => toggle("notes"),
    fullscreen,
    print: () => window.print(),
    help: () => help.toggleAttribute("hidden"),
  };

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter");
    if (onButton) return;
    const columns = has("overview") ? Math.max(1, Math.min(5, Math.floor(innerWidth / 300))) : 1;
    const steps = { ArrowRight: right, PageDown: 1, ArrowLeft: -right, PageUp: -1, ArrowDown: columns, ArrowUp: -columns };
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (name in steps) show(current + steps[name]);
    else if (name === " ") show(current + (event.shiftKey ? -1 : 1));
    else if (name === "Home") show(0);
    else if (name === "End") show(slides.length - 1);
    else if (name === "f") fullscreen();
    else if (name === "n" && document.querySelector(".note")) toggle("notes");
    else if (name === "o") toggle("overview");
    else if (name === "b") toggle("black");
    else if (name === "p") window.print();
    else if (name === "?" || name === "h") acts.help();
    else if (name === "Enter" && has("overview")) toggle("overview");
    else if (name === "Escape") {
      help.setAttribute("hidden", "");
      body.classList.remove("overview", "black");
      fit();
    } else return;
    event.preventDefault();
  }

  let touch = null;
  addEventListener("touchstart", (event) => {
    touch = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY] : null;
  }, { passive: true });
  addEventListener("touchend", (event) => {
    if (!touch || has("overview")) return;
    const [dx, dy] = [event.changedTouches[0].clientX - touch[0], event.changedTouches[0].clientY - touch[1]];
    if (Math.abs(dx) > 48 && Math.abs(dx) > 2 * Math.abs(dy)) show(current + (dx < 0 ? right : -right));
    touch = null;
  }, { passive: true });

  function wake() {
    body.classList.remove("idle");
    clearTimeout(idle);
    idle = setTimeout(() => body.classList.add("idle"), 2500);
  }

  slides.forEach((slide, at) => slide.addEventListener("click", () => {
    if (has("overview")) {
      show(at);
      toggle("overview");
    }
  }));
  document.querySelectorAll("[data-act]").forEach((button) => {
    button.addEventListener("click", () => acts[button.dataset.act]());
  });
  addEventListener("keydown", key);
  addEventListener("resize", fit);
  addEventListener("hashchange", fromHash);
  addEventListener("pointermove", wake);
  fit();
  fromHash();
  wake();
})();
