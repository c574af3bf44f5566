// @ts-check
/** Begins to read the session of the address, and the folders of products, while the rest of the console is being loaded. */
import { readAhead } from "./lib/pages.js";
import { route } from "./lib/router.js";

const [place, name] = route.value.path;
if (place === "s" && name) readAhead(name);

// If one fails, `lib/folders.js` says so.
for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[data-folder]"))) import(link.href).catch(() => {});
