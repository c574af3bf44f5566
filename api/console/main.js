// @ts-check
import { html, render } from "./vendor/preact.js";
import "./lib/theme.js";
import { open } from "./lib/connection.js";
import { loadFolders } from "./lib/folders.js";
import { App } from "./app.js";

open();
await loadFolders();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
