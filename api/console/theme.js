// Runs before anything is painted, so that a dark page never flashes white. `lib/theme.js` takes over.
(() => {
  const kept = localStorage.getItem("palimpsest.theme");
  const dark = kept === "dark" || (kept !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
