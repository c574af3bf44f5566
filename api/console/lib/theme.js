// @ts-check
/** Light, dark, or as the system has it. */
import { signal, effect } from "../vendor/preact.js";
import { forGood } from "./kept.js";

const KEY = "palimpsest.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** @type {{value: "system"|"light"|"dark"}} What the person chose. */
export const theme = signal(/** @type {any} */ (forGood.get(KEY) ?? "system"));

function show() {
  const dark = theme.value === "dark" || (theme.value === "system" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

effect(show);
system.addEventListener("change", show);

/** @param {"system"|"light"|"dark"} wanted */
export function setTheme(wanted) {
  if (wanted === "system") forGood.forget(KEY);
  else forGood.set(KEY, wanted);
  theme.value = wanted;
}
