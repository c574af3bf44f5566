// Runs before anything is painted, so that a dark page never flashes white. After that, `lib/theme.js` sets the theme.
(() => {
  let kept;
  try { kept = localStorage.getItem("palimpsest.theme"); } catch { /* Forbidden: as the system has it. */ }
  const dark = kept === "dark" || (kept !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
