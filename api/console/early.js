// @ts-check
/** Begins to read the session of the address while the rest of the console is being loaded. */
import { readAhead } from "./lib/pages.js";
import { route } from "./lib/router.js";

const [place, name] = route.value.path;
if (place === "s" && name) readAhead(name);
